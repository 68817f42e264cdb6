"""Trials: a run in a process of its own, which may be disturbed, and is started again until it has finished."""

import hashlib
import json
import signal
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.faults import warm
from benchmarks.faults.warm import Started
from semeai.errors import SemeaiError
from semeai.runs.resume import verify_races
from semeai.store.ledger import Ledger
from semeai.store.verify import verify_ledger

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "reliability.md"
LIMIT = 600.0  # seconds after which a run that does not end counts as hanging; a busy machine needs some of them
MOST_STARTS = 60
INTERRUPTED, LOCKED = 130, 4


@dataclass
class Row:
    """What one kind of fault did: how often it was tried, and how often everything held."""

    fault: str
    tried: int = 0
    lost: int = 0
    examples: list[str] = field(default_factory=list)
    cases: dict[str, int] = field(default_factory=dict)
    """Number of trials by case: the moment of a kill, or what became of damage."""
    lost_cases: dict[str, int] = field(default_factory=dict)
    """Number of lost trials by case."""

    @property
    def held(self) -> int:
        return self.tried - self.lost

    def count(self, wrong: str = "", case: str = "") -> None:
        """Count a trial; ``wrong`` says what was lost."""
        self.tried += 1
        if case:
            self.cases[case] = self.cases.get(case, 0) + 1
        if wrong:
            self.lost += 1
            self.lost_cases[case] = self.lost_cases.get(case, 0) + 1
            self.examples.append(wrong)


RACE = """
[race]
mode = "plain"
accept_above = 0.48
discard_below = 0.52
max_per_candidate = {most}
[evaluator]
{program}
[[candidates]]
name = "good"
p = 0.62
[[candidates]]
name = "bad"
p = 0.38
[[candidates]]
name = "fair"
p = 0.5
"""
PROGRAMS = {
    "callable": 'callable = "benchmarks.faults.programs:coin"',
    # A shell starts ten times as fast as Python.
    "command": 'command = ["sh", "-c", "case $1 in 0.6*) n=620;; 0.3*) n=380;; *) n=500;; esac; '
    'echo $(( $2 * 7919 / 1000 % 1000 < n ))", "sh", "{p}", "{seed}"]',
}
MOST = {"callable": 100_000, "command": 400}
"""Evaluations per candidate: each of a command starts a process."""
MATCH = ["match", "random", "random", "--size", "5", "--games", "300", "--seed", "1"]


def write_race(folder: Path, program: str) -> Path:
    path = folder / "race.toml"
    path.write_text(RACE.format(program=PROGRAMS[program], most=MOST[program]))
    return path


def start(folder: Path, words: list[str], ledger: str = "semeai.sqlite") -> Started:
    """Start a command of semeai in a process group of its own."""
    return warm.start([*words, "--workers", "2", "--ledger", ledger, "--json"], folder)


def finish(started: Started) -> tuple[int, str, str]:
    """Return exit code, output and errors. A process that hangs is killed, and its code is -1."""
    code = started.wait(LIMIT)
    if code is None:
        started.send(signal.SIGKILL)
        started.wait(10)
    out, err = started.output()
    return (-1, out, f"it hangs; {err}") if code is None else (code, out, err)


def wrong_end(code: int, err: str, allowed: Collection[int]) -> str:
    """Return what is wrong with the end of a command; empty if the code is allowed and it said at most a sentence."""
    # After kill -9 a process of Python itself tells which semaphores it has removed.
    said = [line for line in err.splitlines() if "resource_tracker" not in line]
    if "Traceback" in err:
        return f"traceback: {err[-2000:]}"
    if code not in allowed:
        return f"exit code {code}: {err[-500:]}"
    return f"more than a sentence: {err[-500:]}" if len(said) > 1 else ""


def wrong_with(folder: Path, words: list[str], expected: str, ledger: str = "semeai.sqlite") -> str:
    """Start the run again until it has finished. Returns what is wrong with the result; empty if nothing is."""
    for _ in range(MOST_STARTS):
        code, _out, err = finish(start(folder, words, ledger))
        if wrong := wrong_end(code, err, (0, INTERRUPTED, LOCKED)):
            return wrong
        if code == 0:
            return "" if (found := contents(folder, ledger)) == expected else f"{found} instead of {expected}"
    return "it does not come to its end"


def contents(folder: Path, ledger: str = "semeai.sqlite") -> str:
    """Return a hash of what the ledger has of its only run, after a check of every row; or what is damaged."""
    try:
        store = Ledger(ledger if "://" in ledger else folder / ledger, read_only=True)
        try:
            report = verify_ledger(store)
            damage = {**report.damage, **verify_races(store, report.n_rows)}
            if damage:
                return f"damaged: {damage}"
            (run,) = store.runs()
            games = [(row["number"], row["sgf"]) for row in store.rows("games", run.id)] if run.kind == "match" else []
            return f"{run.state} {store.digest(run.id)} {hashlib.sha256(json.dumps(games).encode()).hexdigest()}"
        finally:
            store.close()
    except SemeaiError as error:
        return f"cannot be read: {error}"


def replace_between(start: str, end: str, text: str) -> None:
    """Replace what the page has between two marks."""
    before, _, rest = PAGE.read_text().partition(start)
    after = rest.partition(end)[2]
    PAGE.write_text("\n".join([before + start, "", text, end + after]))
