"""The table of docs/explanation/reliability.md. Finished rows are kept in results.jsonl, so a stopped run goes on."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.faults import damage, fuzz, kills, places
from benchmarks.faults.trials import ROOT, Row
from semeai.table import ResultTable

RESULTS = Path(__file__).with_name("results.jsonl")
PAGE = ROOT / "docs" / "explanation" / "reliability.md"
START, END = "<!-- made by `python benchmarks/run.py faults` -->", "<!-- end -->"
SEED = 1
N_KILLS, N_DAMAGES, N_OTHERS, N_INPUTS = 1008, 1500, 60, 1_000_000

PARTS: dict[str, Callable[[], Iterable[Row]]] = {
    "damage": lambda: [damage.trials(N_DAMAGES, SEED)[0]],
    "writers": lambda: [places.second_writers(N_OTHERS, SEED, places.reference())],
    "disks": lambda: [places.full_disks(N_OTHERS, SEED, places.reference())],
    "servers": lambda: places.lost_servers(N_OTHERS, SEED, places.reference()),
    "inputs": lambda: damaged_inputs(N_INPUTS, SEED),
    **{f"kills {title}": partial(kills.trials, title, N_KILLS // len(kills.RUNS), SEED) for title in kills.RUNS},
}


def damaged_inputs(n: int, seed: int) -> list[Row]:
    """Give damaged input to every parser, in a process of its own, because its memory is limited."""
    with get_context("spawn").Pool(1) as pool:
        found = pool.apply(fuzz.run, (n, seed, "", fuzz.MEMORY_MB))
    return [
        Row(f"damaged input: {row.name}", row.tried, row.lost, [wrong for _, wrong in row.examples]) for row in found
    ]


GROUPS = {
    "kills": "kills of drivers, workers, fork servers and process groups",
    "damage": "damaged ledgers",
    "disks": "full disks",
    "servers": "lost PostgreSQL servers and connections",
    "writers": "two drivers for one run",
    "inputs": "damaged input",
}
"""Rows of the short table, by the first word of a part's name."""


def run() -> list[ResultTable]:
    """Try every fault that has no row yet, and write the short table into the page. Returns the long table."""
    for part, make in PARTS.items():
        if part not in {result["part"] for result in results()}:
            found = [{"part": part, **asdict(row)} for row in make()]
            with RESULTS.open("a") as file:
                file.writelines(json.dumps(result) + "\n" for result in found)
    write_page()
    return [table({row.fault: [row] for _, row in rows()})]


def results() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def rows() -> list[tuple[str, Row]]:
    """Return the group and the row of each result."""
    return [(r["part"].split()[0], Row(r["fault"], r["tried"], r["lost"])) for r in results()]


def table(parts: dict[str, list[Row]]) -> ResultTable:
    """Return a table with one line per part, which adds up its rows, and a line for all of them."""
    parts = {**parts, "all": [row for part in parts.values() for row in part]}
    counts = ("tried", "held", "lost")
    cells = [(part, *(sum(getattr(row, count) for row in found) for count in counts)) for part, found in parts.items()]
    return ResultTable("Faults on purpose", ("fault", *counts), tuple(cells))


def write_page() -> None:
    """Replace the table in the page."""
    before, _, rest = PAGE.read_text().partition(START)
    after = rest.partition(END)[2]
    short = table({title: [row for part, row in rows() if part == group] for group, title in GROUPS.items()})
    PAGE.write_text("\n".join([before + START, "", short.to_markdown(), END + after]))
