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
from benchmarks.faults.trials import ROOT, Row
from semeai.table import ResultTable

RESULTS = ROOT / "build" / "faults.jsonl"
PAGE = ROOT / "docs" / "explanation" / "reliability.md"
START, END = "<!-- made by `python benchmarks/run.py faults` -->", "<!-- end -->"
SEED = 1
N_KILLS = {"race of a callable": 42, "race of a command": 63, "match": 21}
"""Kills of each kind, by what is killed: 1,008 in all. A match takes long to start."""
N_DAMAGES, N_OTHERS, N_INPUTS = 1500, 60, 1_000_000
AT_ONCE = 3
"""Parts under way at the same time: most of them wait for processes that sleep."""

Part = tuple[str, Callable[[], Row]]


def parts() -> dict[str, Part]:
    """Return group and trials of each part, by name. Parts of the same group are added up in a line of the page."""
    found: dict[str, Part] = {
        "damage": ("damaged ledgers", lambda: damage.trials(N_DAMAGES, SEED)),
        "writers": ("three drivers of one run at once", lambda: places.second_writers(N_OTHERS, SEED, _expected())),
        "leases": (
            "locks lost during a race, and a second driver",
            lambda: places.lost_leases(N_OTHERS, SEED, _expected()),
        ),
        "disks": ("full disks", lambda: places.full_disks(N_OTHERS, SEED, _expected())),
    }
    for fault in places.SERVER_FAULTS:
        found[fault] = (fault, partial(_lost_servers, fault))
    with new_folder() as folder:
        shares = {name: parser.share for name, parser in parsers(Path(folder)).items()}
    for name, part in shares.items():
        n = math.ceil(N_INPUTS * part / sum(shares.values()))
        found[f"input: {name}"] = (f"damaged input: {name}", partial(damaged_input, name, n))
    for title, n in N_KILLS.items():
        for kind in kills.KINDS:
            found[f"kill: {title}: {kind}"] = (f"kill: {kind}", partial(kills.trials, title, kind, n, SEED))
    return found


def _expected() -> str:
    return places.reference()


def _lost_servers(fault: str) -> Row:
    return places.lost_servers(fault, N_OTHERS // 2, SEED, _expected())


def damaged_input(name: str, n: int) -> Row:
    """Give damaged input to a parser, in a process of its own, because its memory is limited."""
    with get_context("spawn").Pool(1) as pool:
        (row,) = pool.apply(fuzz.run, (n, SEED, name, fuzz.MEMORY_MB))
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
    return [_table("Faults on purpose", "fault", {row.fault: [row] for row in results().values()})]


def results() -> dict[str, Row]:
    """Return the rows of the finished parts, by name."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return {found.pop("part"): Row(**found) for found in map(json.loads, lines)}


def write_page() -> None:
    """Replace the tables in the page."""
    found = results()
    groups: dict[str, list[Row]] = {}
    cases: dict[str, int] = {}
    for name, (group, _) in parts().items():
        if name in found:
            groups.setdefault(group, []).append(found[name])
            if name.startswith("kill"):
                for case, n in found[name].cases.items():
                    cases[case] = cases.get(case, 0) + n
    moments = ", ".join(f"{cases.get(moment, 0):,} {moment}" for moment in kills.MOMENTS)
    reported = ", ".join(f"{n:,} {case}" for case, n in found["damage"].cases.items()) if "damage" in found else "none"
    inputs = {group: rows for group, rows in groups.items() if group.startswith("damaged input")}
    others = {group: rows for group, rows in groups.items() if group not in inputs}
    tables = [
        _table("Kills, disks, servers, locks and damage", "fault", others).to_markdown(),
        f"Moments of the kills: {moments}. Damage to ledgers: {reported}.\n",
        _table(
            "Damaged input", "parser", {name.partition(": ")[2]: rows for name, rows in inputs.items()}
        ).to_markdown(),
    ]
    before, _, rest = PAGE.read_text().partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text("\n".join([before + START, "", *tables, END + after]))


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
