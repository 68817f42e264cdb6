"""``semeai gtp`` as a process: pipes, signals and options."""

import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.errors import ConfigError

COMMAND = [sys.executable, "-m", "semeai", "gtp"]


def run(script, *options, code=0):
    done = subprocess.run([*COMMAND, *options], input=script, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.slow
def test_a_game_through_a_pipe():
    script = "name\nboardsize 5\nkomi 0.5\n1 genmove b\n2 genmove w\nfinal_score\nquit\n"
    done = run(script, "--simulations", "50", "--seed", "7")
    answers = done.stdout.split("\n\n")
    assert answers[0] == "= semeai"
    assert answers[3].startswith("=1 ")
    assert answers[4].startswith("=2 ")
    assert answers[6:] == ["=", ""]
    assert run(script, "--simulations", "50", "--seed", "7").stdout == done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--threads", "2"], ["--parallel", "slow_tree", "--ranks", "3"]])
def test_threads_and_ranks_play(options):
    done = run(
        "boardsize 5\ngenmove b\nlz-genmove_analyze w 1\ngomill-describe_engine\n", "--simulations", "50", *options
    )
    assert "\nplay " in done.stdout
    assert ("\nthreads 2" in done.stdout) == ("--threads" in options)


@pytest.mark.slow
def test_the_end_of_input_is_an_end():
    assert run("").stdout == ""
    assert run("name\n").stdout == "= semeai\n\n"


@pytest.mark.slow
def test_options_reach_the_engine(tmp_path):
    log = tmp_path / "talk.log"
    options = [
        "--preset",
        "uct",
        "--set",
        "search.exploration=0.5",
        "--seconds",
        "0.05",
        "--size",
        "7",
        "--komi",
        "5.5",
    ]
    done = run(
        "get_komi\nshowboard\ngomill-describe_engine\ngenmove b\nlz-genmove_analyze w 1\n",
        *options, "--no-resign", "--seed", "11", "--log", str(log),
    )  # fmt: skip
    assert done.stdout.startswith("= 5.5\n\n=\n   A B C D E F G\n")
    for line in ("preset uct", "search.exploration 0.5", "seconds 0.05", "seed 11"):
        assert f"\n{line}\n" in done.stdout
    assert "\nplay " in done.stdout
    assert "< genmove b\n" in log.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--game", "goo"], "did you mean 'go'"),
        (["--preset", "defalt"], "did you mean 'default'"),
        (["--set", "search.explore=1"], "search.exploration"),
        (["--set", "search.exploration=much"], "search.exploration"),
        (["--set", "simulations"], "NAME=VALUE"),
        (["--seconds", "0"], "above 0"),
        (["--seconds", "1", "--simulations", "1"], "not both"),
        (["--parallel", "slow_tree"], "give --ranks"),
        (["--parallel", "slow", "--ranks", "2"], "parallel.scheme"),
        (["--ranks", "2"], "--parallel slow_tree"),
        (["--parallel", "fast_tree", "--ranks", "2", "--threads", "2"], "one thread"),
        (["--log", "/nowhere/at/all.log"], "/nowhere/at/all.log"),
    ],
)
def test_wrong_options_are_one_sentence(options, message):
    done = CliRunner().invoke(app, ["gtp", *options], input="name\n")
    assert isinstance(done.exception, ConfigError)
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)
    assert done.stdout == ""


@pytest.fixture
def process():
    process = subprocess.Popen(
        [*COMMAND, "--simulations", "100", "--analysis-simulations", "1000000000"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    yield process
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    process.kill()
    process.wait(300)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["lz-analyze b 1", "name"], ids=["analysing", "waiting"])
def test_ctrl_c_ends_it_without_a_traceback(process, command):
    print(command, file=process.stdin, flush=True)
    assert process.stdout.readline().startswith("=")
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == 130
    assert process.stderr.read() == ""


@pytest.mark.slow
def test_input_ends_an_analysis_of_the_real_program(process):
    print("lz-analyze b 1", file=process.stdin, flush=True)
    assert process.stdout.readline() == "=\n"
    assert process.stdout.readline().startswith("info move ")
    print("quit", file=process.stdin, flush=True)
    rest = process.stdout.read()
    assert rest.endswith("\n=\n\n")
    assert process.wait(300) == 0


@pytest.mark.slow
def test_a_closed_output_ends_it_quietly(process):
    print("lz-analyze b 1", file=process.stdin, flush=True)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(300) in (0, 1)
    assert process.stderr.read() == ""


def test_the_first_answer_does_not_wait_for_the_compiler():
    """Names and lists are answered before numba is imported, so a GUI that starts an engine is not kept waiting."""
    code = (
        "import io, sys\n"
        "from semeai.cli.gtp import SessionStart, make_engine\n"
        "engine = make_engine(SessionStart())\n"
        "assert engine.answer('list_commands').ok and engine.answer('known_command genmove').text == 'true'\n"
        "assert 'numba' not in sys.modules, 'numba'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, timeout=300)
    assert done.returncode == 0, done.stderr


def test_a_players_file_is_a_preset(tmp_path):
    from semeai.cli.gtp import SessionStart

    (tmp_path / "patterns.txt").write_text("semeai patterns 1\ngeometry square\n\npattern +1\n  O *\n")
    file = tmp_path / "player.toml"
    file.write_text('player = "mcts:rave"\nsimulations = 30\npatterns = "patterns.txt"\n')
    config = SessionStart(preset=str(file), changes={"threads": 2}).config()
    assert (config.simulations, config.threads, config.policy.playout) == (30, 2, "light")
    assert config.policy.patterns == ("+1 O/*",)
    file.write_text('player = "random"\n')
    with pytest.raises(ConfigError, match="only an mcts player"):
        SessionStart(preset=str(file)).config()
