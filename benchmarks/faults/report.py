"""The tables of docs/benchmarks/faults.md, and their sums in docs/explanation/reliability.md.

Finished parts are kept in build/faults.jsonl, so a stopped run goes on. ``python -m benchmarks.faults.report --minutes
15`` begins no part after that time, and writes the pages with what has been tried so far.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks import pages
from benchmarks.faults import damage, fuzz, kills, places
from benchmarks.faults.parsers import new_folder, parsers
from benchmarks.faults.trials import ROOT, Row, replace_between
from semeai.table import Cell, ResultTable

RESULTS = ROOT / "build" / "faults.jsonl"
COMMAND = "python benchmarks/run.py faults"
TITLE = "Faults on purpose"
START, END = f"<!-- made by `{COMMAND}` -->", "<!-- end -->"
SEED = 1
N_KILLS = {"race of a callable": 63, "race of a command": 56, "match": 7}
"""Kills of each kind, by what is killed: 1,008 in all. A match takes long to start."""
N_DAMAGES, N_PLACES, N_INPUTS = 1500, 60, 1_000_000
PORTION = 7
"""Trials of a part that start processes."""
INPUTS_PORTION = 60_000
READ, REFUSED = "read", "refused"
AT_ONCE = 3
"""Parts under way at the same time: most of them wait for processes that sleep."""

COUNTS = ("tried", "held", "lost")
KILL, INPUT, SERVERS = "kill: ", "damaged input: ", "server: "
"""Beginnings of the names of groups."""

Part = tuple[str, Callable[[], Row]]
Groups = Mapping[str, list[Row]]


def parts() -> dict[str, Part]:
    """Return group and trials of each part, by name, in the order in which they are tried.

    Parts of the same group are added up in a line of the page. They are small, so that a stopped run loses little.
    """
    found: dict[str, Part] = {}

    def add(name: str, group: str, n: int, portion: int, trials: Callable[[int, int], Row]) -> None:
        for number, first in enumerate(range(0, n, portion)):
            found[f"{name} {number + 1}"] = (group, partial(trials, min(portion, n - first), SEED + 1000 * number))

    add("damage", "damaged ledgers", N_DAMAGES, 100, damage.trials)
    with new_folder() as folder:
        shares = {name: parser.share for name, parser in parsers(Path(folder)).items()}
    for parser, share in shares.items():
        n = math.ceil(N_INPUTS * share / sum(shares.values()))
        add(f"input: {parser}", f"{INPUT}{parser}", n, INPUTS_PORTION, partial(damaged_input, parser))
    for group, trials, n in (
        ("full disks", places.full_disks, N_PLACES),
        ("three drivers of one run at once", places.second_writers, N_PLACES),
        ("locks lost during a race, and a second driver", places.lost_leases, N_PLACES),
        *((f"{SERVERS}{fault}", partial(places.lost_servers, fault), N_PLACES // 2) for fault in places.SERVER_FAULTS),
    ):
        add(group, group, n, PORTION, partial(_in_place, trials))
    for title, n in N_KILLS.items():
        for kind in kills.KINDS:
            add(f"kill: {title}: {kind}", f"{KILL}{kind}", n, PORTION, partial(kills.trials, title, kind))
    return dict(sorted(found.items(), key=lambda item: int(item[0].split()[-1])))


def _in_place(trials: Callable[[int, int, str], Row], n: int, seed: int) -> Row:
    return trials(n, seed, places.reference())


def damaged_input(name: str, n: int, seed: int) -> Row:
    """Give damaged input to a parser, in a process of its own, because its memory is limited."""
    with get_context("spawn").Pool(1) as pool:
        (row,) = pool.apply(fuzz.run, (n, seed, name, fuzz.MEMORY_MB))
    examples = [f"{given!r:.500}: {wrong}" for given, wrong in row.examples]
    cases = {READ: row.read, REFUSED: row.held - row.read}
    return Row(f"{INPUT}{name}", row.tried, row.lost, examples, cases)


def run(minutes: float = math.inf, only: str = "", at_once: int = AT_ONCE) -> list[ResultTable]:
    """Try every fault that has no row yet. Returns the tables, whose sums are written into the other page."""
    until = time.monotonic() + 60 * minutes
    open_parts = {name: part for name, part in parts().items() if only in name and name not in results()}

    def work(name: str) -> None:
        if time.monotonic() > until:
            return
        began = time.monotonic()
        try:
            row = open_parts[name][1]()
        except places.Unavailable as error:
            print(f"{name}: skipped, because {error}", flush=True)
            return
        print(f"{name}: {row.tried:,} tried, {row.lost:,} lost, {time.monotonic() - began:.0f} s", flush=True)
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a") as file:  # one line, one write
            file.write(json.dumps({"part": name, **asdict(row)}) + "\n")

    with ThreadPoolExecutor(at_once) as threads:
        list(threads.map(work, open_parts))
    groups = grouped()
    replace_between(START, END, sums(groups).to_markdown())
    return tables(groups)


def results() -> dict[str, Row]:
    """Return the rows of the finished parts, by name."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return {found.pop("part"): Row(**found) for found in map(json.loads, lines)}


def grouped() -> dict[str, list[Row]]:
    """Return the rows of all groups by name, also those of which nothing has been tried yet."""
    found = results()
    groups: dict[str, list[Row]] = {}
    for name, (group, _) in parts().items():
        groups.setdefault(group, []).extend([found[name]] if name in found else [])
    return groups


def tables(groups: Groups) -> list[ResultTable]:
    """Return the tables of the page: kills by moment, other faults, and damaged input by parser."""
    kill, given = _under(groups, KILL), _under(groups, INPUT)
    other = {group: rows for group, rows in groups.items() if not group.startswith((KILL, INPUT))}
    inputs = [
        (parser, _sum(rows, "tried"), *(_cases(rows, case) for case in (READ, REFUSED)), _sum(rows, "lost"))
        for parser, rows in given.items()
    ]
    everything = [row for rows in given.values() for row in rows]
    return [
        ResultTable("Kills", ("killed", "moment", *COUNTS), tuple(_by_moment(kill))),
        ResultTable(
            "Disks, servers, locks and damage",
            ("fault", *COUNTS, "remark"),
            tuple((group, *_counts(rows), _remark(rows)) for group, rows in other.items()),
        ),
        ResultTable(
            "Damaged input",
            ("parser", "tried", READ, f"{REFUSED} in a sentence", "lost"),
            (
                *inputs,
                (
                    "all",
                    _sum(everything, "tried"),
                    *(_cases(everything, case) for case in (READ, REFUSED)),
                    _sum(everything, "lost"),
                ),
            ),
        ),
    ]


def sums(groups: Groups) -> ResultTable:
    """Return the table of the other page: what was tried, beside the goal."""
    goals = {
        "kills": (sum(N_KILLS.values()) * len(kills.KINDS), KILL),
        "damaged ledgers": (N_DAMAGES, "damaged ledgers"),
        "full disks": (N_PLACES, "full disks"),
        "lost database servers": (N_PLACES // 2 * len(places.SERVER_FAULTS), SERVERS),
        "lost locks": (N_PLACES, "locks lost"),
        "second drivers": (N_PLACES, "three drivers"),
        "damaged inputs": (N_INPUTS, INPUT),
    }
    found = [
        (title, goal, *_counts([row for group, rows in groups.items() if group.startswith(start) for row in rows]))
        for title, (goal, start) in goals.items()
    ]
    return ResultTable(TITLE, ("fault", "goal", *COUNTS), tuple(found))


def _by_moment(groups: Groups) -> Iterator[tuple[Cell, ...]]:
    """Yield a line per kind of kill and moment, and a line per moment for all kinds."""
    everything = [row for rows in groups.values() for row in rows]
    for kind, rows in {**groups, "all kinds": everything}.items():
        for moment in kills.MOMENTS:
            tried, lost = _cases(rows, moment), sum(row.lost_cases.get(moment, 0) for row in rows)
            yield kind, moment, tried, tried - lost, lost


def _remark(rows: list[Row]) -> str:
    return ", ".join(f"{n:,} {case}" for case in damage.CASES if (n := _cases(rows, case)))


def _under(groups: Groups, start: str) -> Groups:
    return {name.removeprefix(start): rows for name, rows in sorted(groups.items()) if name.startswith(start)}


def _counts(rows: list[Row]) -> tuple[int, ...]:
    return tuple(_sum(rows, count) for count in COUNTS)


def _sum(rows: list[Row], count: str) -> int:
    return sum(getattr(row, count) for row in rows)


def _cases(rows: list[Row], case: str) -> int:
    return sum(row.cases.get(case, 0) for row in rows)


def main(words: list[str] | None = None) -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--minutes", type=float, default=math.inf, help="begin no part after so many minutes")
    reader.add_argument("--only", default="", help="part of the name of the parts to try")
    reader.add_argument("--at-once", type=int, default=AT_ONCE, help="parts under way at the same time")
    given = reader.parse_args(words)
    pages.write("faults", TITLE, COMMAND, run(given.minutes, given.only, given.at_once))
    lost = {name: row for name, row in results().items() if row.lost}
    for name, row in lost.items():
        print(f"LOST {name}:", *row.examples, sep="\n", file=sys.stderr)
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
