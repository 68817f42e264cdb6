"""Cost of looking at a large ledger and of resuming its race, in CPU seconds; and of verdicts that survive a power cut.

The race is a stream of simulated candidates with 100 batches each, recorded as by a driver that writes ten times per
second.
"""

import contextlib
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from semeai import Candidate, Ledger, RaceSettings, RewardCounts
from semeai.race.race import Race
from semeai.runs.race import KIND, candidate_list, race_identity
from semeai.runs.resume import resume
from semeai.table import ResultTable

PER_CANDIDATE = 100  # batches
PER_FLUSH = 500
SETTINGS = RaceSettings(mode="stream", batch=8, growth=0.0, max_per_candidate=8 * PER_CANDIDATE)

IMPORTS = """
from semeai.cli.runs import without_collections
with without_collections():
    import semeai.cli.race_status, semeai.race.rules
"""


def candidates(n: int) -> list[Candidate]:
    return [Candidate(f"candidate {i}", {"x": i}) for i in range(n)]


def fill(place: Path, n_batches: int, settings: RaceSettings = SETTINGS) -> None:
    """Record a race of ``n_batches`` batches."""
    found = candidates(n_batches // PER_CANDIDATE)
    race = Race(settings, found, 1)
    identity = race_identity(1, settings, {}, None, candidate_list(found))
    draws = random.Random(1)
    with contextlib.closing(Ledger(place)) as ledger:
        writer = ledger.open_run("load", KIND, identity, 1, {})
        resume(race, writer)
        while (batch := race.ask()) is not None and batch.number <= n_batches:
            wins = sum(draws.random() < 0.5025 for _ in range(batch.size))
            counts = RewardCounts.of(wins=wins, losses=batch.size - wins)
            made = race.tell(batch.number, counts)
            writer.record(batch, counts, 0.001, found[: batch.candidate], made)
            if batch.number % PER_FLUSH == 0:
                writer.flush()
        writer.close()


def resume_again(place: str) -> None:
    """Bring a new race to the recorded state, as a driver does."""
    with contextlib.closing(Ledger(place)) as ledger:
        run = ledger.run("load")
        rows = [row["name"] for row in ledger.rows("candidates", run.id)]
        writer = ledger.open_run("load", KIND, run.config, 1, {})
        race = Race(SETTINGS, candidates(len(rows)), 1)
        resume(race, writer)
        writer.close()


def cpu_seconds(command: list[str], rounds: int = 5) -> float:
    """Return the CPU seconds of a command: the smallest of some rounds, so that compiled modules are there.

    They and a buffered output belong to an ordinary Python, whatever this one was told.
    """
    own = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    environment = {name: value for name, value in os.environ.items() if name not in own}
    found = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def commands(place: Path) -> Iterator[tuple[str, list[str], int]]:
    semeai = [sys.executable, "-m", "semeai"]
    ledger = ["--ledger", str(place)]
    yield "`semeai runs`", [*semeai, "runs", *ledger], 5
    yield "`semeai status load`", [*semeai, "status", "load", *ledger], 5
    yield "`semeai status load --json`", [*semeai, "status", "load", "--json", *ledger], 5
    yield "`semeai export load --summary`", [*semeai, "export", "load", "--summary", *ledger], 5
    yield "`semeai export load --table decisions`", [*semeai, "export", "load", "--table", "decisions", *ledger], 5
    code = f"from benchmarks.ledger_load import resume_again; resume_again({str(place)!r})"
    yield "resume, which verifies every row", [sys.executable, "-c", code], 1


def commit_milliseconds(folder: Path, n: int = 500) -> dict[bool, float]:
    """Return the median time of a transaction that changes one row, in milliseconds, by whether it is durable."""
    with contextlib.closing(Ledger(folder / "commits.sqlite")) as ledger:
        from semeai.store.ledger import set_run_values
        from semeai.store.race_rows import now

        writer = ledger.open_run("load", KIND, {}, 1, {})
        times: dict[bool, list[float]] = {False: [], True: []}
        for i in range(2 * n):  # in turn, so that both have the same disk and machine
            durable = i % 2 == 1
            began = time.perf_counter()
            ledger.write(lambda c: set_run_values(c, writer.run_id, {"updated_at": now()}), durable=durable)
            times[durable].append(time.perf_counter() - began)
        writer.close()
    return {durable: 1000 * statistics.median(found) for durable, found in times.items()}


def run(sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000)) -> list[ResultTable]:
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    columns: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            place = folder / f"{size}.sqlite"
            fill(place, size)
            for title, command, rounds in commands(place):
                columns.setdefault(title, []).append(cpu_seconds(command, rounds))
            columns.setdefault("size of the file in MB", []).append(place.stat().st_size / 1e6)
        start = cpu_seconds([sys.executable, "-c", IMPORTS])
        costs = commit_milliseconds(folder)
    rows = [("imports alone, for comparison", *(f"{start:.2f}" for _ in sizes))]
    rows += [(title, *(f"{value:.2f}" for value in values)) for title, values in columns.items()]
    titles = ("CPU seconds", *(f"{size:,} batches, {size // PER_CANDIDATE:,} candidates" for size in sizes))
    kept = (
        ("batches without a verdict (`synchronous = NORMAL`)", f"{costs[False]:.2f}"),
        ("with a verdict (`synchronous = FULL`)", f"{costs[True]:.2f}"),
    )
    return [
        ResultTable("Looking at a large ledger", titles, tuple(rows)),
        ResultTable("One transaction", ("", "median ms"), kept),
    ]
