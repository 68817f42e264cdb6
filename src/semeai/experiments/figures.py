"""The figures of the papers as positions, and what the player thinks of them.

A figure that is only a picture without coordinates in the text cannot be set up; it is listed with that reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from statistics import fmean

from semeai.experiments.cost import POINTS_PER_SECOND
from semeai.experiments.matches import Progress, silent
from semeai.games.go.sgf import read_sgf, replay
from semeai.games.record import GameRecord
from semeai.players.analysis import search_position
from semeai.rng import derive
from semeai.table import Cell, ResultTable, percent

SIMULATIONS = (1_000, 30_000)
"""The budgets of the MCTS paper's Table 3."""
FOLDER = "positions"
PLAYER = "mcts:default,reuse_tree=false"


@dataclass(frozen=True)
class Figure:
    """A figure of a paper; ``file`` is empty where no position is known, and ``about`` says why."""

    name: str
    about: str
    file: str = ""
    good: tuple[str, ...] = ()
    """The good moves; the first one is the main line of the file."""

    def record(self) -> GameRecord:
        """Return the position, and the good move after it."""
        return read_sgf(self.source().read_bytes(), self.file)

    def source(self) -> Traversable:
        """Return the file in this package."""
        return files("semeai.experiments") / FOLDER / self.file


FIGURES = (
    Figure(
        "MCTS, Figure 1, left",
        "M. Müller's position: White to play; the only good move is good only if played first, so RAVE hides it",
        "mcts-figure-1-left.sgf",
        ("B2",),
    ),
    Figure("MCTS, Figure 1, right", "only a picture: the text names White's C1 as the mistake, and no stones"),
    Figure(
        "MCTS, Figure 2, left",
        "rebuilt from its description: Black must play in the capturing race; the answer is proven by exact search",
        "mcts-figure-2-left.sgf",
        ("G4", "G3", "G2", "G1"),
    ),
    Figure(
        "MCTS, Figure 2, right",
        "rebuilt from its description: Black wins the race by two liberties, so good moves are elsewhere",
        "mcts-figure-2-right.sgf",
        ("A6",),
    ),
    Figure("MCTS, Figure 3", "only a picture: Fuego against Aya, 56th KGS tournament, without coordinates"),
    Figure(
        "BGP, Figure 1, left (long version: 1)",
        "only a picture: move 28 by MoGo as White, GPW Cup 2008; the text has neither the move nor the game",
    ),
    Figure(
        "BGP, Figure 1, right (long version: 2)",
        "rebuilt from its description: a move that makes an empty triangle, and is good because of what stands around",
        "bgp-good-empty-triangle.sgf",
        ("G7", "G6"),
    ),
)


def run(
    simulations: Sequence[int] = SIMULATIONS, runs: int = 4, seed: int = 1, progress: Progress = silent
) -> list[ResultTable]:
    """Return what the default player thinks of each figure, and the figures that have no position."""
    rows: list[tuple[Cell, ...]] = []
    for figure in FIGURES:
        if figure.file:
            progress(f"{figure.name} …")
            rows += [_judged(figure, n, runs, seed) for n in simulations]
    known = [figure for figure in FIGURES if figure.file]
    columns = ("figure", "good moves", "simulations", "good moves played", "favourite", "visits of the good moves",
               "win rate it expects", "searches")  # fmt: skip
    note = " ".join(f"{figure.name}: {figure.about} (`{figure.file}`)." for figure in known)
    where = f"The files are in the folder {FOLDER} of semeai.experiments; `semeai analyze FILE` opens them."
    return [
        ResultTable("Figures as positions: the default player's opinion", columns, tuple(rows), f"{note} {where}"),
        ResultTable(
            "Figures without a position",
            ("figure", "why"),
            tuple((figure.name, figure.about) for figure in FIGURES if not figure.file),
        ),
    ]


def seconds(simulations: Sequence[int] = SIMULATIONS, runs: int = 4) -> float:
    """Return the expected CPU seconds of ``run``."""
    known = [figure.record() for figure in FIGURES if figure.file]
    return sum(simulations) * runs * sum(record.size**2 for record in known) / POINTS_PER_SECOND["go"]


def _judged(figure: Figure, simulations: int, runs: int, seed: int) -> tuple[Cell, ...]:
    """Return the row of one figure and budget: means over ``runs`` searches with new trees."""
    record = figure.record()
    position = replay(record, 0)
    good = {position.text_to_move(text) for text in figure.good}
    played, favourites, shares, rates = 0, [], [], []
    for run in range(runs):
        lines = search_position(position, PLAYER, simulations=simulations, seed=derive(seed, figure.file, run))
        best = lines[0]
        played += best.move in good
        favourites.append(position.move_to_text(best.move))
        shares.append(sum(line.visits for line in lines if line.move in good) / sum(line.visits for line in lines))
        rates.append(best.win_rate)
    favourite = max(sorted(set(favourites)), key=favourites.count)
    return (
        figure.name, " ".join(figure.good), simulations, f"{played} of {runs}", favourite, percent(fmean(shares)),
        percent(fmean(rates)), runs,
    )  # fmt: skip
