"""Tables 1 and 2 of "Scalability and parallelization of Monte-Carlo Tree Search": 2N simulations per move against N."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from semeai.experiments.cost import seconds_of_pairings
from semeai.experiments.figure import win_rates
from semeai.experiments.matches import Pairing, Playing, play_all, rate_and_interval
from semeai.games.catalog import game_named
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.table import Cell, Chart, Curve, ResultTable

GAMES = 400


@dataclass(frozen=True)
class Kind:
    """A kind of player, with two columns in the table: our result and the paper's."""

    label: str
    """Prefix of the column ``win rate``."""
    player: str
    """The player, without its simulations."""
    source: str
    paper: Mapping[tuple[int | None, int], tuple[float, float]]
    """Win rate in percent and its standard error, by board size (None: any) and N."""

    def paper_figure(self, size: int, n: int) -> tuple[float, float] | None:
        return self.paper.get((size, n)) or self.paper.get((None, n))

    def paper_cell(self, size: int, n: int) -> str:
        figure = self.paper_figure(size, n)
        return f"{figure[0]:g} ± {figure[1]:g}%" if figure else ""

    def paper_curve(self, size: int, most: int) -> Curve | None:
        """Return the paper's curve for N up to ``most``; None if it has no results there."""
        found = [(n, self.paper_figure(size, n)) for n in sorted({n for _, n in self.paper}) if n <= most]
        points = tuple((float(n), f[0], f[0] - 2 * f[1], f[0] + 2 * f[1]) for n, f in found if f)
        return Curve(self.source, points, measured=False) if points else None


@dataclass(frozen=True)
class Scaling:
    table: str
    game: str
    kinds: tuple[Kind, ...]
    sizes: tuple[int, ...]
    simulations: tuple[int, ...]
    """The values of N."""
    note: str
    opening_moves: int = 0

    def run(
        self, size: Sequence[int] = (), simulations: Sequence[int] = (), **playing: Unpack[Playing]
    ) -> list[ResultTable]:
        """Play all matches. Returns one table per board size; ``simulations`` are the values of N."""
        tables = []
        for s in size or self.sizes:
            chosen = simulations or self.simulations
            tallies = play_all(self._pairings(s, chosen), GAMES, **playing)
            tables.append(self._table(s, chosen, tallies))
        return tables

    def seconds(self, size: Sequence[int] = (), simulations: Sequence[int] = (), games: int = GAMES) -> float:
        """Return the expected CPU seconds of ``run``."""
        chosen = simulations or self.simulations
        return sum(seconds_of_pairings(self._pairings(s, chosen), games) for s in size or self.sizes)

    def _pairings(self, size: int, simulations: Sequence[int]) -> list[Pairing]:
        board = game_named(self.game).board_name(size)
        settings = MatchSettings(game=self.game, size=size, opening_moves=self.opening_moves, scoring="area")
        return [
            Pairing(
                f"{board}{kind.label and f', {kind.label}'}, {2 * n:,} against {n:,}",
                f"{kind.player},simulations={2 * n}", f"{kind.player},simulations={n}", settings,
            )
            for n in simulations
            for kind in self.kinds
        ]  # fmt: skip

    def _table(self, size: int, simulations: Sequence[int], tallies: Sequence[Tally]) -> ResultTable:
        k = len(self.kinds)
        rows: list[tuple[Cell, ...]] = []
        for i, n in enumerate(simulations):
            cells: list[Cell] = [n]
            for kind, tally in zip(self.kinds, tallies[k * i :], strict=False):
                cells += [rate_and_interval(tally), kind.paper_cell(size, n)]
            rows.append((*cells, tallies[k * i].n_games))
        columns = [name for k in self.kinds for name in (f"{k.label} win rate of 2N, 95% Wilson".strip(), k.source)]
        board = game_named(self.game).board_name(size)
        return ResultTable(
            f"{self.table}, {board} {self.game.capitalize()}: 2N simulations per move against N",
            ("N", *columns, "games"),
            tuple(rows),
            self.note,
            (self._chart(size, simulations, tallies),),
        )

    def _chart(self, size: int, simulations: Sequence[int], tallies: Sequence[Tally]) -> Chart:
        curves: list[Curve] = []
        for i, kind in enumerate(self.kinds):
            curves.append(win_rates(kind.label or "semeai", simulations, tallies[i :: len(self.kinds)]))
            paper = kind.paper_curve(size, max(simulations))
            curves += [paper] if paper else []
        board = game_named(self.game).board_name(size)
        return Chart(f"{board} {self.game.capitalize()}", "N", "wins of 2N simulations against N, %", tuple(curves))


GO = Scaling(
    "Table 1",
    "go",
    (
        Kind(
            "",
            "mcts:default,reuse_tree=false,resign_below=0.05",
            "MoGo (paper)",
            {
                (9, 1_000): (71.1, 0.1),
                (9, 4_000): (68.7, 0.2),
                (9, 16_000): (66.5, 0.9),
                (9, 256_000): (61.0, 0.2),
                (19, 1_000): (90.5, 0.3),
                (19, 4_000): (84.5, 0.3),
                (19, 16_000): (80.2, 0.4),
                (19, 256_000): (58.5, 1.7),
            },
        ),
    ),
    sizes=(9,),
    simulations=(125, 250, 500, 1_000, 2_000, 4_000),
    note="Komi 7.5, pairs with colours swapped from 2 random moves, no tree reuse, so that a move has exactly N. The "
    "paper's ± is its standard error.",
    opening_moves=2,
)

HAVANNAH = Scaling(
    "Table 2",
    "havannah",
    (
        Kind(
            "fast",
            "mcts:fast",
            "fast (paper)",
            {
                (None, 50): (68.6, 0.68),
                (None, 500): (63.57, 0.76),
                (None, 1_000): (59.0, 1.0),
                (None, 2_000): (53.9, 1.6),
                (None, 5_000): (55.2, 1.6),
                (None, 10_000): (54.89, 1.25),
            },
        ),
        Kind(
            "slow",
            "mcts:slow",
            "slow (paper)",
            {
                (None, 50): (63.28, 0.4),
                (None, 500): (57.37, 0.9),
                (None, 1_000): (56.42, 1.1),
                (None, 2_000): (53.24, 1.42),
                (None, 5_000): (52.0, 1.6),
            },
        ),
    ),
    sizes=(5, 8),
    simulations=(50, 100, 250, 500),
    note="Pairs with colours swapped from the empty board, RAVE without an exploration term, random ties, no tree "
    "reuse. Fast simulations are uniform; slow ones win if they can, stop a win if they must, and answer "
    "threats to cut a bridge. The paper gives neither its board nor its definition of fast and slow; its ± is its "
    "standard error.",
)
