"""``semeai compare``: which of several commands is faster, or prints the better number."""

import enum
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import JsonOption
from semeai.cli.output import check_range, check_writable, naming_options, note, print_json, warn
from semeai.errors import ConfigError, did_you_mean
from semeai.files import write_text

if TYPE_CHECKING:
    from semeai.compare.run import Plan, Result


class Metric(enum.StrEnum):
    time = "time"
    cpu = "cpu"
    memory = "memory"
    stdout = "stdout"


class Better(enum.Enum):  # a StrEnum cannot have a member "lower"
    lower = "lower"
    higher = "higher"


class Effect(enum.StrEnum):
    ratio = "ratio"
    difference = "difference"


class Pin(enum.StrEnum):
    auto = "auto"
    yes = "yes"
    no = "no"


FAIL_WORDS = {
    "slower-than": ("time", "cpu"),
    "larger-than": ("memory",),
    "worse-than": ("time", "cpu", "memory", "stdout"),
}
"""Words of --fail-if, and the metrics that each may be used with."""


def compare(
    commands: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="Two or more command lines, in quotes; the first is the baseline."),
    ],
    metric: Annotated[
        Metric, typer.Option(help="What to compare: wall time, processor time, memory, or the number on the last line.")
    ] = Metric.time,
    better: Annotated[
        Better | None, typer.Option(help="Which numbers are better (default: lower; needed with --metric stdout).")
    ] = None,
    effect: Annotated[
        Effect | None, typer.Option(help="Divide or subtract (default: ratio; difference with --metric stdout).")
    ] = None,
    fail_if: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="slower-than 2%",
            help="Exit with code 1 if a command is proven this much worse (slower-than, larger-than or worse-than).",
        ),
    ] = None,
    fail_undecided: Annotated[
        bool, typer.Option("--fail-undecided", help="With --fail-if: exit with code 1 also if nothing is proven.")
    ] = False,
    margin: Annotated[
        str | None, typer.Option(help="Call two commands the same if they differ by at most this (default: 2%).")
    ] = None,
    precision: Annotated[
        str | None, typer.Option(help="Go on until the interval is at most this far from its middle, such as 1%.")
    ] = None,
    warmup: Annotated[int, typer.Option(min=0, max=1_000_000, help="Runs of each command that are not counted.")] = 1,
    min_runs: Annotated[int, typer.Option(min=1, help="Counted runs of each command, at least.")] = 10,
    max_runs: Annotated[int | None, typer.Option(min=1, help="Counted runs of each command, at most.")] = None,
    max_time: Annotated[float, typer.Option(help="Seconds after which no new round begins.")] = 120.0,
    timeout: Annotated[float, typer.Option(help="Seconds that one run may take.")] = 600.0,
    prepare: Annotated[
        str | None, typer.Option(help="Command to run before each run, such as one that clears a cache.")
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", "-n", help="Name of a command in the tables, in the order of the commands."),
    ] = None,
    shell: Annotated[
        bool, typer.Option("--shell", help="Run each command line by sh -c, for pipes and variables.")
    ] = False,
    ignore_failure: Annotated[
        bool, typer.Option("--ignore-failure", help="Accept exit statuses other than 0.")
    ] = False,
    pin: Annotated[
        Pin, typer.Option(help="Run the commands on one processor (auto: if the warm-up uses no more than one).")
    ] = Pin.auto,
    risk: Annotated[
        float, typer.Option(help="Largest probability of any wrong verdict, over all commands and all looks.")
    ] = 0.05,
    seed: Annotated[
        int, typer.Option(min=0, max=2**63 - 1, help="Seed of the random order, and of {seed} in a command.")
    ] = 1,
    markdown: Annotated[Path | None, typer.Option(help="Also write the result to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare commands: which is faster, or prints the better number?

    All commands run once per round, in random order. It stops when the evidence is sufficient, and watching it makes no
    error more likely. The result is the median of the ratios within rounds, with an always-valid interval. Commands run
    without a shell unless --shell is given; {seed} in a command stands for the number of the round's seed. Ctrl-C stops
    and shows what is known.

    Examples:
        semeai compare './old input.txt' './new input.txt'
        semeai compare './old' './new' --fail-if slower-than 2%          for continuous integration
        semeai compare './solve --step 1 {seed}' './solve --step 2 {seed}' --metric stdout --better lower
        semeai compare 'sort a.txt' 'sort -S 1M a.txt' --metric memory --markdown memory.md
    """
    from semeai.cli.compare_display import as_dict, as_result_table, make_compare_display, sentences
    from semeai.compare.run import compare_commands

    check_writable("--markdown", markdown)
    check_range("--max-time", max_time, gt=0, le=1e7)
    check_range("--timeout", timeout, gt=0, le=1e6)
    if metric == Metric.stdout and better is None:
        raise ConfigError("--metric stdout: say which numbers are better, with --better lower or --better higher")
    chosen = effect or (Effect.difference if metric == Metric.stdout else Effect.ratio)
    is_ratio = chosen == Effect.ratio
    settings: dict[str, Any] = {
        "metric": metric.value,
        "better": (better or Better.lower).value,
        "effect": chosen.value,
        "risk": risk,
        "margin": _amount("--margin", margin, is_ratio) if margin is not None else 0.02 if is_ratio else 0.0,
        "fail_above": _limit(fail_if, metric, is_ratio),
        "precision": None if precision is None else _amount("--precision", precision, is_ratio),
        "min_rounds": min_runs if max_runs is None else min(min_runs, max_runs),
        "max_rounds": max_runs,
        "max_seconds": max_time,
    }
    if fail_undecided and fail_if is None:
        raise ConfigError("--fail-undecided: needs --fail-if")
    plan = _plan(commands, names or [], prepare, shell, settings, warmup, pin, timeout, ignore_failure, seed)
    display = make_compare_display(quiet=as_json)
    with display:
        result = compare_commands(plan, display)
    for text in result.warnings:
        note(f"warning: {text}")
    if as_json:
        print_json(as_dict(result))
    else:
        display.summary(result)
    if markdown is not None:
        table = as_result_table(result)
        write_text(markdown, table.to_markdown() + "\n" + "\n".join(sentences(result)) + "\n", "--markdown")
    if result.end == "interrupted":
        raise typer.Exit(130)
    _exit_for_ci(result, fail_undecided)


def _plan(
    commands: list[str],
    names: list[str],
    prepare: str | None,
    shell: bool,
    settings: dict[str, Any],
    warmup: int,
    pin: Pin,
    timeout: float,
    ignore_failure: bool,
    seed: int,
) -> "Plan":
    from semeai.compare.commands import parse_command
    from semeai.compare.goal import Goal
    from semeai.compare.run import Plan
    from semeai.models import checked

    if len(commands) < 2:
        raise ConfigError("give at least two commands, each in quotes")
    if len(names) > len(commands):
        raise ConfigError(f"--name: {len(names)} names for {len(commands)} commands")
    labels: list[str | None] = [*names, *[None] * (len(commands) - len(names))]
    parsed = [
        parse_command(text, shell=shell, name=label, place=f"command {i + 1}")
        for i, (text, label) in enumerate(zip(commands, labels, strict=True))
    ]
    first = None if prepare is None else parse_command(prepare, shell=shell, place="--prepare")
    with naming_options(settings):
        goal = checked(Goal, settings)
    return Plan(parsed, goal, warmup, first, pin.value, timeout, ignore_failure, seed)


def _amount(option: str, text: str, is_ratio: bool) -> float:
    """Read ``2%``, ``0.02`` or ``1.02x`` for ratios, and a plain number for differences."""
    try:
        if is_ratio and text.endswith("%"):
            found = float(text[:-1]) / 100
        elif is_ratio and text.endswith("x"):
            found = abs(float(text[:-1]) - 1)
        else:
            found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise ConfigError(
            f"{option} {text!r}: write {'a percentage, such as 2%' if is_ratio else 'a number, such as 0.5'}"
        )
    return found


def _limit(fail_if: tuple[str, str] | None, metric: Metric, is_ratio: bool) -> float | None:
    if fail_if is None:
        return None
    word, amount = fail_if
    if len(word.split()) > 1:
        raise ConfigError(f"--fail-if {word!r}: write two words without quotes, such as --fail-if slower-than 2%")
    if word not in FAIL_WORDS:
        raise ConfigError(f"--fail-if {word!r}: {did_you_mean(word, FAIL_WORDS)}")
    if metric.value not in FAIL_WORDS[word]:
        raise ConfigError(f"--fail-if {word}: use worse-than with --metric {metric.value}")
    return _amount("--fail-if", amount, is_ratio)


def _exit_for_ci(result: "Result", fail_undecided: bool) -> None:
    from semeai.cli.compare_display import judged

    failed, unknown = judged(result)
    if failed:
        raise typer.Exit(1)
    if unknown and fail_undecided:
        warn("--fail-undecided: the limits were reached before it was known whether --fail-if holds")
        raise typer.Exit(1)
