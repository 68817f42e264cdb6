"""Comparisons of real commands."""

import os
import sys

import pytest

from semeai.compare.commands import parse_command
from semeai.compare.comparison import Outcome
from semeai.compare.goal import Goal
from semeai.compare.run import Plan, Run, Watcher, compare_commands
from semeai.errors import BadReward, ConfigError, ProgramFailed
from semeai.work.metrics import run_metric


def command(text, *, shell=False):
    return parse_command(text, shell=shell)


def test_command_lines_are_split_as_a_shell_splits_them():
    assert command("echo 'a b' c\\ d").arguments == ("echo", "a b", "c d")
    assert command("echo '|' \"$HOME\"").arguments == ("echo", "|", "$HOME")
    assert command("echo {seed}-{x}").with_seed(7) == ["echo", "7-{x}"]
    assert command("a | b > c", shell=True).arguments == ("sh", "-c", "a | b > c")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo a | wc", "has '|', which needs a shell: add --shell"),
        ("echo a && echo b", "has '&&', which needs a shell"),
        ("echo $HOME", "has '\\$HOME', which needs a shell"),
        ("sort <a", "has '<', which needs a shell"),
        ("echo 'a", "no closing quotation"),
        ("  ", "the command is empty"),
        ("no-such-program 1", "there is no program 'no-such-program'"),
    ],
)
def test_commands_that_cannot_run_are_refused(text, message):
    with pytest.raises(ConfigError, match=message):
        command(text)


@pytest.mark.slow
def test_the_slower_command_is_found():
    result = compare_commands(Plan([command("sleep 0.005"), command("sleep 0.1")], Goal(min_rounds=7), warmup=0))
    assert result.end == "decided"
    assert result.comparison.outcome(1) == Outcome.WORSE
    assert result.comparison.effect(1).bounds.lower > 1
    assert result.comparison.n_rounds <= 12


@pytest.mark.slow
def test_the_printed_number_is_compared_on_the_same_seed():
    """The difference is the same in every round, though the numbers are not: both commands get the round's seed."""
    goal = Goal(metric="stdout", better="higher", effect="difference", margin=0.0)
    plan = Plan([command("expr {seed} % 1000"), command("expr {seed} % 1000 + 3")], goal, warmup=0)
    result = compare_commands(plan)
    assert len(set(result.comparison.values[0])) > 5
    assert result.comparison.effect(1).bounds == (3, 3)
    assert result.comparison.outcome(1) == Outcome.BETTER
    again = compare_commands(plan)
    assert again.comparison.values == result.comparison.values


@pytest.mark.slow
def test_memory_and_processor_time_are_those_of_the_command():
    python = [sys.executable, "-I", "-S", "-c"]
    small, large = (
        run_metric("memory", [*python, f"b'x' * {size}"], folder=None, timeout=300)[0][0] for size in (1, 200_000_000)
    )
    assert 1e6 < small < 1e8
    assert 1.9e8 < large - small < 2.2e8
    asleep = run_metric("cpu", ["sleep", "0.3"], folder=None, timeout=300)[0][0]
    assert asleep < 0.1


def test_failures_name_the_command():
    failing = command("echo lost >&2; exit 3", shell=True)
    with pytest.raises(ProgramFailed, match=r"exit 3': exit status 3; it wrote: lost"):
        compare_commands(Plan([command("true"), failing]))
    with pytest.raises(BadReward, match="'echo a': the last line it printed is 'a', not a number"):
        compare_commands(Plan([command("echo a"), command("echo 1")], Goal(metric="stdout"), warmup=0))
    with pytest.raises(ProgramFailed, match=r"'sleep 60': no answer within 0.1 s"):
        compare_commands(Plan([command("sleep 60"), command("true")], timeout=0.1, warmup=0))
    with pytest.raises(ConfigError, match="at least two"):
        Run(Plan([command("true")]))


def test_exit_statuses_can_be_ignored():
    plan = Plan([command("false"), command("true")], Goal(min_rounds=1, max_rounds=2), any_status=True)
    assert compare_commands(plan).end == "max_rounds"


def test_the_time_limit_ends_it_between_two_rounds():
    result = compare_commands(Plan([command("true"), command("true")], Goal(max_seconds=1e-9), warmup=0))
    assert (result.end, result.comparison.n_rounds) == ("max_seconds", 0)


def test_an_interrupt_returns_what_is_known():
    class Interrupts(Watcher):
        def progress(self, run):
            if run.comparison.n_rounds == 3:
                raise KeyboardInterrupt

    result = compare_commands(Plan([command("true"), command("true")], warmup=0), Interrupts())
    assert (result.end, result.comparison.n_rounds) == ("interrupted", 3)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="only one processor")
def test_pinned_commands_run_on_one_processor_and_semeai_on_all():
    before = os.sched_getaffinity(0)
    count = f"{sys.executable} -I -S -c 'import os; print(len(os.sched_getaffinity(0)))'"
    goal = Goal(metric="stdout", min_rounds=1, max_rounds=1)
    result = compare_commands(Plan([command(count), command(count)], goal, warmup=0, pin="yes"))
    assert result.comparison.values == [[1.0], [1.0]]
    assert os.sched_getaffinity(0) == before


def test_the_order_is_random_and_every_command_runs_once_per_round(tmp_path):
    log = tmp_path / "log"
    commands = [command(f"echo {name} >> {log}", shell=True) for name in "ab"]
    compare_commands(Plan(commands, Goal(min_rounds=1, max_rounds=12), warmup=0, prepare=command("true")))
    written = log.read_text().split()
    rounds = {tuple(written[i : i + 2]) for i in range(0, len(written), 2)}
    assert rounds == {("a", "b"), ("b", "a")}
