"""The papers' tables beside ours: each result of the papers with the kept result of an experiment, and how they agree.

Results are read from summaries (see ``summaries``). A result of the paper that was not measured gets a reason.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from semeai.evolve.history import program_name
from semeai.experiments import growing, parallel, races, scaling
from semeai.experiments.cost import in_words
from semeai.experiments.summaries import Summary, read_summaries
from semeai.games.catalog import game_named

ENOUGH_GAMES = 400
"""Games per result in the estimates of what a missing one costs."""


class Line(NamedTuple):
    """One result of a paper beside ours."""

    what: str
    paper: str
    ours: str
    games: int | None
    words: str
    """How the two agree, or why one is missing."""


@dataclass(frozen=True)
class Section:
    """One table of a paper."""

    title: str
    first_column: str
    lines: tuple[Line, ...]
    made_by: tuple[Summary, ...]
    """The runs that the results come from."""
    counted: str = "games"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.first_column, "paper", "semeai", self.counted, "in words"


class Found(NamedTuple):
    """A row of a kept table, by column."""

    row: Mapping[str, Any]
    run: Summary


class Kept:
    """The summaries of a folder."""

    def __init__(self, folder: Path) -> None:
        self._runs = {file.stem: read_summaries(file) for file in sorted(folder.glob("*.json"))}
        self.used: list[Summary] = []

    def runs(self, experiment: str, title: str) -> list[Summary]:
        """Return the runs of an experiment that have a table whose title begins with ``title``."""
        runs = self._runs.get(experiment, ())
        return [run for run in runs if any(table["title"].startswith(title) for table in run.tables)]

    def rows(self, experiment: str, title: str) -> Iterator[Found]:
        """Yield the rows of all tables of an experiment whose title begins with ``title``."""
        for run in self._runs.get(experiment, ()):
            for table in run.tables:
                if table["title"].startswith(title):
                    for row in table["rows"]:
                        yield Found(dict(zip(table["columns"], row, strict=True)), run)

    def best(self, experiment: str, title: str, where: Mapping[str, Any], counted: str = "games") -> Found | None:
        """Return the row with these cells that rests on the most games; None if there is none."""
        found = [
            f for f in self.rows(experiment, title) if all(f.row.get(name) == value for name, value in where.items())
        ]
        return max(found, key=lambda f: f.row[counted], default=None)

    def section(self, title: str, first: str, lines: Iterator["Line | Found"], counted: str = "games") -> Section:
        """Return the section of what a builder yields: lines, and the rows that they use."""
        own, runs = [], dict[tuple[str, str], Summary]()
        for one in lines:
            if isinstance(one, Line):
                own.append(one)
            else:
                runs.setdefault((one.run.experiment, one.run.command), one.run)
        return Section(title, first, tuple(own), tuple(runs.values()), counted)


def sections(folder: Path) -> list[Section]:
    """Return the tables of the papers, with the results kept in ``folder``."""
    kept = Kept(folder)
    found = []
    for size in (9, 19):
        found.append(
            kept.section(
                f"Table 1: twice the simulations, {size}x{size} Go",
                "N",
                _scaling(kept, "scaling-go", scaling.GO, size),
            )
        )
    for size in scaling.HAVANNAH.sizes:
        found.append(
            kept.section(
                f"Table 2: twice the simulations, Havannah, base {size}",
                "N and playouts",
                _scaling(kept, "scaling-havannah", scaling.HAVANNAH, size),
            )
        )
    found.append(kept.section("Table 3: capturing races", "player, family, simulations", _races(kept), "moves"))
    for title, first, experiment, comparison in (
        ("Table 4: 32 ranks against fewer", "ranks", "parallel-go", parallel.GO),
        ("Table 5: sharing against voting, 40 ranks", "schemes", "parallel-voting", parallel.GO_VOTING),
        ("Slow tree of depth 1 against depth 0, 40 ranks", "depths", "parallel-depth", parallel.GO_DEPTH),
    ):
        for size in (9, 19) if comparison is not parallel.GO_DEPTH else (9,):
            found.append(
                kept.section(
                    f"{title}, {size}x{size} Go",
                    first,
                    _parallel(kept, experiment, comparison, size),
                )
            )
    for grown in (growing.GOOD_9, growing.BAD_9, growing.WITH_DATABASE_19, growing.WITHOUT_DATABASE_19):
        found.append(kept.section(grown.title(), "programs", _grown(kept, grown)))
        if kept.runs(grown.name, grown.title("strong")):
            found.append(kept.section(grown.title("strong"), "programs", _grown(kept, grown, "strong")))
    return found


def _scaling(kept: Kept, experiment: str, table: scaling.Scaling, size: int) -> Iterator[Line | Found]:
    title = f"{table.table}, {game_named(table.game).board_name(size)}"
    for kind in table.kinds:
        column = f"{kind.label} win rate of 2N, 95% Wilson".strip()
        known = {found.row["N"] for found in kept.rows(experiment, title) if column in found.row}
        for n in sorted(known | {n for at, n in kind.paper if at in (size, None)}):
            what = f"{n:,}" + (f", {kind.label}" if kind.label else "")
            paper = kind.paper_cell(size, n)
            found = kept.best(experiment, title, {"N": n})
            if found is None:
                yield _missing(what, paper, table.seconds((size,), (n,), ENOUGH_GAMES) / len(table.kinds))
            else:
                yield found
                yield _line(what, paper, found.row[column], found.row["games"])


def _races(kept: Kept) -> Iterator[Line | Found]:
    for n in races.SIMULATIONS:
        title = f"Table 3: {n:,} simulations"
        for version in races.VERSIONS:
            found = kept.best("semeai", title, {"version": version.label}, "runs per cell")
            for family in ("must", "won"):
                what = f"{version.label}, {races.OWN[family]}, {n:,}"
                percentage = version.paper.get((family, n))
                paper = "" if percentage is None else f"{percentage}%"
                if found is not None:
                    yield found
                    yield _line(what, paper, found.row[f"{races.OWN[family]}: good moves"], found.row["runs per cell"])
                elif paper:
                    share = len(races.VERSIONS) * 2
                    yield _missing(what, paper, races.seconds_of_races((n,)) / share, "")


def _parallel(kept: Kept, experiment: str, table: parallel.Comparison, size: int) -> Iterator[Line | Found]:
    title = f"{table.title}, {game_named(table.game).board_name(size)}"
    rate = "win rate, 95% Wilson"
    for row in table.rows:
        paper = row.paper.get(size, "")
        found = kept.best(experiment, title, {table.first_column: row.label})
        if found is None:
            budget = table.simulations[0] if size == table.sizes[0] else 12
            seconds = table.seconds((size,), (budget,), ENOUGH_GAMES) / len(table.rows)
            yield _missing(row.label, paper, seconds, f" at {budget} simulations per rank")
        else:
            yield found
            yield _line(row.label, paper, found.row[rate], found.row["games"])


def _grown(kept: Kept, grown: growing.Growing, start: str = "bare") -> Iterator[Line | Found]:
    """Yield what the patterns of a section of the BGP paper are worth, and how many were accepted."""
    runs = kept.runs(grown.name, grown.title(start))
    counts = [found for found in kept.rows(grown.name, "By proposer") if found.run in runs]
    accepted, tried = (sum(found.row[name] for found in counts) for name in ("acceptances", "candidates"))
    ours, words = (f"{accepted} of {tried}", "") if tried else ("", "not run")
    yield Line("patterns accepted, of those tried", grown.paper_accepted, ours, None, words)
    missing = dict(grown.paper)
    for found in kept.rows(grown.name, grown.title(start)):
        row = found.row
        yield found
        what = f"{row['tested']} against {row['opponent']}, {row['budget per move']}"
        yield _line(what, row["paper"], row["success rate, 95% Wilson"], row["games"])
        missing = {key: paper for key, paper in missing.items() if not _is_of(row, grown, *key)}
    for (n, part), paper in missing.items():
        what = f"{program_name(n)} against {grown.opponent_name(n, part)}"
        reason = f"no such program: {accepted} accepted" if n > accepted else "not played"
        yield Line(what, paper, "", None, reason)


def _is_of(row: Mapping[str, Any], grown: growing.Growing, n: int, part: str) -> bool:
    """Say whether a row is that of program ``n`` in a part of the validation."""
    return bool(row["paper"] == grown.paper[n, part] and row["tested"] == program_name(n))


def _line(what: str, paper: str, ours: str, games: int) -> Line:
    return Line(what, paper, ours, games, in_agreement(paper, ours))


def _missing(what: str, paper: str, seconds: float, budget: str = "") -> Line:
    return Line(what, paper, "", None, f"not played: about {in_words(seconds)} of CPU time{budget}")


def numbers(cell: str) -> list[float]:
    """Return the numbers of a cell."""
    return [float(word.replace(",", "")) for word in re.findall(r"\d[\d,]*(?:\.\d+)?", cell)]


def in_agreement(paper: str, ours: str) -> str:
    """Compare our interval with the paper's, of two standard errors; empty where the paper has no figure."""
    if not paper or len(numbers(ours)) < 3:
        return ""
    figure = paper.rpartition(": ")[2]  # such as "2 s: 50.1 ± 1.1%"
    middle, *rest = numbers(figure)
    error = 2 * rest[0] if rest else 0.0
    low, high = numbers(ours)[1:3]
    if high < middle - error:
        return "below the paper's"
    if low > middle + error:
        return "above the paper's"
    return "no difference shown"
