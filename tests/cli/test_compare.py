"""``semeai compare`` as a user types it."""

import json
import signal

import pytest
import typer

from semeai.cli.app import app
from semeai.errors import ConfigError, ProgramFailed
from tests.cli.test_interrupt import assert_ended, start  # noqa: F401 - a fixture

MEMORY = ["true", "true", "--metric", "memory"]
NUMBERS = ("compare", "echo 10", "echo 12", "--metric", "stdout", "--better", "lower", "--warmup", 0)


@pytest.fixture
def semeai(capsys, monkeypatch, tmp_path):
    """Run a command in this process. Returns what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words, code=0):
        command = typer.main.get_command(app)
        if code:
            with pytest.raises(SystemExit) as left:
                command.main([str(word) for word in words])
            assert left.value.code == code
        else:
            command.main([str(word) for word in words])
        return capsys.readouterr()

    return run


def test_numbers_are_compared_and_written(semeai, tmp_path):
    done = semeai(*NUMBERS, "echo 10", "-n", "old", "-n", "new", "--markdown", "result.md")
    assert "new: worse; its number minus that of old is +2 [+2, +2]" in done.out
    assert "echo 10: the same within 0" in done.out
    assert "except with probability 5%" in done.out
    page = (tmp_path / "result.md").read_text()
    assert "| `new` | 10 | 12 | 12 … 12 | +2 [+2, +2] | worse |" in page


def test_json_has_everything(semeai):
    found = json.loads(semeai(*NUMBERS, "--effect", "ratio", "--json").out)
    assert (found["end"], found["rounds"], found["passed"]) == ("decided", 10, None)
    baseline, other = found["commands"]
    assert baseline["values"] == [10.0] * 10
    assert (other["ratio"], other["verdict"]) == (pytest.approx(1.2), "worse")
    assert other["always_valid"] == pytest.approx([1.2, 1.2])


def test_fail_if_sets_the_exit_code(semeai):
    ratio = (*NUMBERS, "--effect", "ratio", "--fail-if", "worse-than")
    assert "worse by more than 10%" in semeai(*ratio, "10%", code=1).out
    assert "not worse by more than 30%" in semeai(*ratio, "30%", code=0).out
    undecided = (*ratio, "10%", "--max-runs", 3)
    assert "undecided" in semeai(*undecided, code=0).out
    assert "before it was known" in semeai(*undecided, "--fail-undecided", code=1).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["true"], "give at least two commands, each in quotes"),
        (["true", "true | cat"], "command 2: 'true | cat' has '|', which needs a shell"),
        (["true", "no-such-program"], "command 2: there is no program 'no-such-program'"),
        (["true", "true", "--metric", "stdout"], "--metric stdout: say which numbers are better"),
        (["true", "true", "--fail-if", "slower", "2%"], "--fail-if 'slower': did you mean 'slower-than'?"),
        (["true", "true", "--fail-if", "slower-than 2%", "--json"], "write two words without quotes"),
        (["true", "true", "--fail-if", "slower-than", "two"], "--fail-if 'two': write a percentage, such as 2%"),
        ([*MEMORY, "--fail-if", "slower-than", "2%"], "use worse-than with --metric memory"),
        (["true", "true", "--risk", "2"], "--risk: must be below 1, not 2"),
        (["true", "true", "--max-time", "0"], "--max-time: must be above 0"),
        (["true", "true", "--fail-undecided"], "--fail-undecided: needs --fail-if"),
        (["true", "true", "-n", "a", "-n", "b", "-n", "c"], "--name: 3 names for 2 commands"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(semeai, words, message):
    with pytest.raises(ConfigError) as error:
        semeai("compare", *words)
    assert message in str(error.value)


def test_a_failing_command_ends_it(semeai):
    with pytest.raises(ProgramFailed, match=r"'ls /no/such/place': exit status 2; it wrote: ls:"):
        semeai("compare", "true", "ls /no/such/place")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
def test_a_signal_shows_what_is_known(start, number, tmp_path):  # noqa: F811
    log = tmp_path / "log"
    commands = [f"echo x >> {log}; sleep 0.02", f"echo y >> {log}; sleep 0.02"]
    command = start(["-m", "semeai", "compare", *commands, "--shell", "--min-runs", "100000"])
    command.wait_until(lambda: log.exists() and len(log.read_text()) > 40)
    command.process.send_signal(number)
    assert_ended(command, 130)
    assert "interrupted" in command.output
    assert "baseline" in command.output
