"""Table 3 of "Scalability and parallelization of Monte-Carlo Tree Search": capturing races, and the RAVE problems."""

from collections.abc import Sequence
from typing import NamedTuple, Unpack

from semeai.experiments.answers import Asking, Count, Question, ask_all, counted
from semeai.experiments.cost import POINTS_PER_SECOND
from semeai.experiments.matches import silent
from semeai.experiments.problems import Problem, own_problems, spread_over
from semeai.table import Cell, ResultTable

RACES, RAVE_PROBLEMS = "semeai.txt", "rave_problems.txt"
SIMULATIONS = (1_000, 10_000, 30_000)
RUNS = {1_000: 100, 10_000: 40}
FEWEST_RUNS = 20
"""Runs per cell with more simulations than in ``RUNS``."""
BASE = "mcts:default,reuse_tree=false"


class Version(NamedTuple):
    """A row of Table 3."""

    label: str
    settings: str
    paper: dict[tuple[str, int], int]
    """The paper's percentage of good moves, by family and simulations."""


VERSIONS = (
    Version("default player", "", {("must", 1_000): 32, ("won", 1_000): 100, ("won", 30_000): 58}),
    Version("RAVE off", "search.rave=off", {}),
    Version(
        "expertise", "policy.semeai_expertise=50", {("must", 1_000): 79, ("won", 1_000): 95, ("won", 30_000): 51},
    ),
    Version(
        "conditioning", "policy.semeai_conditioning=10", {("must", 1_000): 24, ("won", 1_000): 93, ("won", 30_000): 0},
    ),
    Version(
        "expertise and conditioning", "policy.semeai_expertise=50,policy.semeai_conditioning=10",
        {("must", 1_000): 84, ("won", 1_000): 93, ("won", 30_000): 54},
    ),
    Version("race playouts", "policy.race_playouts=1", {}),
    Version("all together", "policy.semeai_expertise=50,policy.semeai_conditioning=10,policy.race_playouts=1", {}),
    Version("race playouts, RAVE off", "policy.race_playouts=1,search.rave=off", {}),
    Version(
        "all together, RAVE off",
        "policy.semeai_expertise=50,policy.semeai_conditioning=10,policy.race_playouts=1,search.rave=off", {},
    ),
)  # fmt: skip
SOLVING = tuple(version for version in VERSIONS if "policy." in version.settings and "rave=" not in version.settings)
"""The versions that differ from the default player by the solver of races alone."""
OWN = {"must": "must play in the race", "won": "must play elsewhere", "first": "good only if played first"}


def run_races(
    simulations: Sequence[int] = SIMULATIONS,
    runs: int | None = None,
    size: Sequence[int] = (),
    **asking: Unpack[Asking],
) -> list[ResultTable]:
    """Return one table per number of simulations: good moves of every version in both families."""
    problems = [p for p in own_problems(RACES) if not size or p.size in size]
    sizes = sorted({p.size for p in problems})
    note = (
        f"{len(problems)} positions on boards of {', '.join(map(str, sizes))} lines, one new tree per move. "
        "Bad moves: in the race / elsewhere. The paper's positions are other ones, and its "
        "player is MoGo. 95% Wilson intervals."
    )
    return [_table(VERSIONS, problems, ("must", "won"), n, runs, note, "Table 3", asking) for n in simulations]


def run_rave_problems(
    simulations: Sequence[int] = SIMULATIONS, runs: int | None = None, **asking: Unpack[Asking]
) -> list[ResultTable]:
    """Return one table per number of simulations: good moves where the good move is good only if played first."""
    problems = own_problems(RAVE_PROBLEMS)
    versions = (*VERSIONS[:2], Version("RAVE alone: light playouts, no priors", "preset=rave", {}))
    note = f"{len(problems)} positions. In the manner of Figure 1, left, of the paper. 95% Wilson intervals."
    return [_table(versions, problems, ("first",), n, runs, note, "RAVE problems", asking) for n in simulations]


def seconds_of_races(
    simulations: Sequence[int] = SIMULATIONS, runs: int | None = None, size: Sequence[int] = ()
) -> float:
    """Return the expected CPU seconds of ``run_races``."""
    problems = [p for p in own_problems(RACES) if not size or p.size in size]
    return _seconds(problems, len(VERSIONS) * 2, simulations, runs)


def seconds_of_rave_problems(simulations: Sequence[int] = SIMULATIONS, runs: int | None = None) -> float:
    """Return the expected CPU seconds of ``run_rave_problems``."""
    return _seconds(own_problems(RAVE_PROBLEMS), 3, simulations, runs)


def _seconds(problems: Sequence[Problem], cells: int, simulations: Sequence[int], runs: int | None) -> float:
    points = sum(p.size**2 for p in problems) / len(problems)
    asked = sum(n * (runs or RUNS.get(n, FEWEST_RUNS)) for n in simulations)
    return cells * asked * points / POINTS_PER_SECOND["go"]


def _table(
    versions: Sequence[Version],
    problems: Sequence[Problem],
    families: Sequence[str],
    simulations: int,
    runs: int | None,
    note: str,
    title: str,
    asking: Asking,
) -> ResultTable:
    runs = runs or RUNS.get(simulations, FEWEST_RUNS)
    chosen = [pair for family in families for pair in spread_over([p for p in problems if p.family == family], runs)]
    players = [words(version, simulations) for version in versions]
    questions = [Question(player, problem, run) for player in players for problem, run in chosen]
    asking.get("progress", silent)(f"{title}, {simulations:,} simulations: {len(questions):,} positions …")
    found = counted(questions, ask_all(questions, **asking))
    in_paper = {family for version in versions for family, _ in version.paper}
    rows: list[tuple[Cell, ...]] = []
    for version, player in zip(versions, players, strict=True):
        row: list[Cell] = [version.label]
        for family in families:
            count = found.get((player, family), Count())
            row += [count.good_cell, count.bad_cell] if family != "first" else [count.good_cell]
            if family in in_paper:
                paper = version.paper.get((family, simulations))
                row.append("" if paper is None else f"{paper}%")
        rows.append((*row, runs))
    columns: list[str] = ["version"]
    for family in families:
        columns += [f"{OWN[family]}: {what}" for what in ("good moves", *(["bad moves"] if family != "first" else []))]
        if family in in_paper:
            columns.append(f"{OWN[family]}: MoGo (paper)")
    return ResultTable(f"{title}: {simulations:,} simulations per move", (*columns, "runs per cell"), tuple(rows), note)


def words(version: Version, simulations: int) -> str:
    """Return the player of a row."""
    if version.settings.startswith("preset="):
        return f"mcts:{version.settings.removeprefix('preset=')},simulations={simulations},reuse_tree=false"
    settings = f"{version.settings}," if version.settings else ""
    return f"{BASE},{settings}simulations={simulations}"
