"""The tables of docs/explanation/reliability.md.

Finished parts are kept in build/faults.jsonl, so a stopped run goes on. ``python -m benchmarks.faults.report --minutes
15`` begins no part after that time.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.faults import damage, fuzz, kills, places
from benchmarks.faults.parsers import new_folder, parsers
from benchmarks.faults.trials import ROOT, Row, replace_between
from semeai.table import ResultTable

RESULTS = ROOT / "build" / "faults.jsonl"
START, END = "<!-- made by `python benchmarks/run.py faults` -->", "<!-- end -->"
SEED = 1
N_KILLS = {"race of a callable": 63, "race of a command": 56, "match": 7}
"""Kills of each kind, by what is killed: 1,008 in all. A match takes long to start."""
N_DAMAGES, N_PLACES, N_INPUTS = 1500, 60, 1_000_000
PORTION = 7
"""Trials of a part that start processes."""
INPUTS_PORTION = 60_000
AT_ONCE = 3
"""Parts under way at the same time: most of them wait for processes that sleep."""

Part = tuple[str, Callable[[], Row]]


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
        add(f"input: {parser}", f"damaged input: {parser}", n, INPUTS_PORTION, partial(damaged_input, parser))
    for group, trials, n in (
        ("full disks", places.full_disks, N_PLACES),
        ("three drivers of one run at once", places.second_writers, N_PLACES),
        ("locks lost during a race, and a second driver", places.lost_leases, N_PLACES),
        *((fault, partial(places.lost_servers, fault), N_PLACES // 2) for fault in places.SERVER_FAULTS),
    ):
        add(group, group, n, PORTION, partial(_in_place, trials))
    for title, n in N_KILLS.items():
        for kind in kills.KINDS:
            add(f"kill: {title}: {kind}", f"kill: {kind}", n, PORTION, partial(kills.trials, title, kind))
    return dict(sorted(found.items(), key=lambda item: int(item[0].split()[-1])))


def _in_place(trials: Callable[[int, int, str], Row], n: int, seed: int) -> Row:
    return trials(n, seed, places.reference())


def damaged_input(name: str, n: int, seed: int) -> Row:
    """Give damaged input to a parser, in a process of its own, because its memory is limited."""
    with get_context("spawn").Pool(1) as pool:
        (row,) = pool.apply(fuzz.run, (n, seed, name, fuzz.MEMORY_MB))
    return Row(f"damaged input: {name}", row.tried, row.lost, [wrong for _, wrong in row.examples])


def run(minutes: float = math.inf, only: str = "") -> list[ResultTable]:
    """Try every fault that has no row yet, and write the tables into the page. Returns the long table."""
    until = time.monotonic() + 60 * minutes
    open_parts = {name: part for name, part in parts().items() if only in name and name not in results()}

    def work(name: str) -> None:
        if time.monotonic() > until:
            return
        began = time.monotonic()
        row = open_parts[name][1]()
        print(f"{name}: {row.tried:,} tried, {row.lost:,} lost, {time.monotonic() - began:.0f} s", flush=True)
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a") as file:  # one line, one write
            file.write(json.dumps({"part": name, **asdict(row)}) + "\n")

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(work, open_parts))
    write_page()
    rows: dict[str, list[Row]] = {}
    for row in results().values():
        rows.setdefault(row.fault, []).append(row)
    return [_table("Faults on purpose", "fault", rows)]


def results() -> dict[str, Row]:
    """Return the rows of the finished parts, by name."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return {found.pop("part"): Row(**found) for found in map(json.loads, lines)}


def write_page() -> None:
    """Replace the tables in the page."""
    found = results()
    groups: dict[str, list[Row]] = {}
    for name, (group, _) in parts().items():
        if name in found:
            groups.setdefault(group, []).append(found[name])
    cases = {case: sum(row.cases.get(case, 0) for row in found.values()) for case in (*kills.MOMENTS, *damage.CASES)}
    moments = ", ".join(f"{cases[moment]:,} {moment}" for moment in kills.MOMENTS)
    reported = ", ".join(f"{cases[case]:,} {case}" for case in damage.CASES)
    # Parts are tried in another order than they are shown in.
    groups = dict(sorted(groups.items(), key=lambda item: (not item[0].startswith("kill"), item[0])))
    inputs = {group: rows for group, rows in groups.items() if group.startswith("damaged input")}
    others = {group: rows for group, rows in groups.items() if group not in inputs}
    tables = [
        _table("Kills, disks, servers, locks and damage", "fault", others).to_markdown(),
        f"Moments of the kills: {moments}. Damage to ledgers: {reported}.\n",
        _table(
            "Damaged input", "parser", {name.partition(": ")[2]: rows for name, rows in inputs.items()}
        ).to_markdown(),
    ]
    replace_between(START, END, "\n".join(tables))


def _table(title: str, first: str, groups: Mapping[str, Iterable[Row]]) -> ResultTable:
    """Return a table with one line per group, which adds up its rows, and a line for all of them."""
    groups = {**groups, "all": [row for rows in groups.values() for row in rows]}
    counts = ("tried", "held", "lost")
    cells = [(group, *(sum(getattr(row, count) for row in rows) for count in counts)) for group, rows in groups.items()]
    return ResultTable(title, (first, *counts), tuple(cells))


def main(words: list[str] | None = None) -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--minutes", type=float, default=math.inf, help="begin no part after so many minutes")
    reader.add_argument("--only", default="", help="part of the name of the parts to try")
    given = reader.parse_args(words)
    run(given.minutes, given.only)
    lost = {name: row for name, row in results().items() if row.lost}
    for name, row in lost.items():
        print(f"LOST {name}:", *row.examples, sep="\n", file=sys.stderr)
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
