"""Section 4 of "Scalability and parallelization of Monte-Carlo Tree Search" on a virtual cluster: Table 4, Table 5 and
the comparison of depths, in Go and the same in Havannah.

The paper gives every machine a time per move. Here every rank has a number of simulations, so the tables show the worth
of sharing, not the speed of a network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from semeai.experiments.cost import seconds_of_pairings
from semeai.experiments.matches import Pairing, Playing, play_all, rate_and_interval
from semeai.games.catalog import game_named
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.table import ResultTable

NODE_BYTES_A_MOVE = 60
"""Bytes per child of a tree and of its copy."""
OPENING_MOVES = 2
SHARES = 6
"""Shares per move, as in the paper: every 0.35 s of 2 s."""

GAMES = 200


@dataclass(frozen=True)
class Side:
    """A player of a table, without its simulations."""

    scheme: str
    ranks: int
    depth: int = 3

    def words(self, base: str, simulations: int, points: int) -> str:
        # Memory for the nodes of two moves, so that no tree is full and few are large.
        memory = max(2, 2 * simulations * points * NODE_BYTES_A_MOVE // 1_000_000)
        player = f"mcts:default,{base},simulations={simulations},memory_mb={memory}"
        if self.ranks == 1:
            return player
        return (
            f"{player},parallel.scheme={self.scheme},parallel.ranks={self.ranks},parallel.share_depth={self.depth},"
            f"parallel.share_period={max(1, simulations // SHARES)}"
        )


@dataclass(frozen=True)
class Row:
    label: str
    a: Side
    b: Side
    paper: Mapping[int, str]
    """The paper's result, by board size."""
    times: int = 1
    """Budget, as a multiple of the first row's."""


@dataclass(frozen=True)
class Comparison:
    title: str
    game: str
    first_column: str
    rows: tuple[Row, ...]
    sizes: tuple[int, ...]
    simulations: tuple[int, ...]
    note: str
    base: str

    def run(
        self, size: Sequence[int] = (), simulations: Sequence[int] = (), **playing: Unpack[Playing]
    ) -> list[ResultTable]:
        """Play all matches. Returns one table per board size and budget per rank."""
        tables = []
        for s in size or self.sizes:
            for n in simulations or self.simulations:
                tallies = play_all(self.pairings(s, n), GAMES, **playing)
                tables.append(self._table(s, n, tallies))
        return tables

    def seconds(self, size: Sequence[int] = (), simulations: Sequence[int] = (), games: int = GAMES) -> float:
        """Return the expected CPU seconds of ``run``."""
        budgets = simulations or self.simulations
        return sum(seconds_of_pairings(self.pairings(s, n), games) for s in size or self.sizes for n in budgets)

    def pairings(self, size: int, simulations: int) -> list[Pairing]:
        points = game_named(self.game).n_points(size)
        settings = MatchSettings(game=self.game, size=size, opening_moves=OPENING_MOVES, scoring="area")
        pairings = []
        for row in self.rows:
            a, b = (side.words(self.base, row.times * simulations, points) for side in (row.a, row.b))
            pairings.append(Pairing(row.label, a, b, settings))
        return pairings

    def _table(self, size: int, simulations: int, tallies: Sequence[Tally]) -> ResultTable:
        rows = tuple(
            (row.label, row.times * simulations, rate_and_interval(tally), row.paper.get(size, ""), tally.n_games)
            for row, tally in zip(self.rows, tallies, strict=True)
        )
        board = game_named(self.game).board_name(size)
        return ResultTable(
            f"{self.title}, {board} {self.game.capitalize()}, {simulations:,} simulations per rank",
            (self.first_column, "simulations per rank", "win rate, 95% Wilson", "paper (Go)", "games"),
            rows,
            self.note,
        )


_PAPER_4 = {
    1: {9: "75.85 ± 2.49%", 19: "95.10 ± 1.37%"},
    2: {9: "66.30 ± 2.82%", 19: "82.38 ± 2.74%"},
    4: {9: "62.63 ± 2.88%", 19: "73.49 ± 3.42%"},
    8: {9: "59.64 ± 2.93%", 19: "63.07 ± 4.23%"},
    16: {9: "52.00 ± 3.01%", 19: "63.15 ± 5.53%"},
    32: {9: "48.91 ± 3.00%", 19: "48.00 ± 9.99%"},
}
_PAPER_5 = {9: "63.6 ± 4.6%", 19: "94 ± 3.2%"}
_PAPER_DEPTH = {1: "2 s: 50.1 ± 1.1%", 2: "4 s: 51.4 ± 1.5%", 4: "8 s: 52.3 ± 1%", 8: "16 s: 51.5 ± 1%"}

_SPEED_UP = tuple(
    Row(f"32 against {ranks}", Side("slow_tree", 32), Side("slow_tree", ranks), paper)
    for ranks, paper in _PAPER_4.items()
)
_VOTING = tuple(
    Row(f"{scheme} against voting", Side(scheme, 40), Side("voting", 40), _PAPER_5)
    for scheme in ("slow_root", "slow_tree")
)
_DEPTH = tuple(
    Row(
        f"depth 1 against depth 0, {times}x the budget",
        Side("slow_tree", 40, depth=1),
        Side("slow_tree", 40, depth=0),
        {9: words, 19: words},
        times,
    )
    for times, words in _PAPER_DEPTH.items()
)
_PAIRS = f"Pairs with colours swapped from {OPENING_MOVES} random moves. The cluster is virtual: every rank has "
_PAIRS += "exactly its simulations. "
_SPEED_UP_NOTE = _PAIRS + f"Slow tree, {SHARES} shares per move, x = 5%, depth 3; the paper shares every 0.05 s."
_VOTING_NOTE = (
    _PAIRS
    + f"40 ranks; {SHARES} shares per move, as the paper's 0.35 s of 2 s. Its text says slow root, its caption slow "
    "tree, so both are shown beside its one result."
)
_DEPTH_NOTE = _PAIRS + f"Slow tree with 40 ranks, {SHARES} shares per move; the paper has 2, 4, 8 and 16 s per move."


def _in(game: str, sizes: tuple[int, ...], simulations: int, base: str) -> tuple[Comparison, Comparison, Comparison]:
    """Return the three comparisons for one game."""
    budget = (simulations,)
    return (
        Comparison("Table 4", game, "ranks", _SPEED_UP, sizes, budget, _SPEED_UP_NOTE, base),
        Comparison("Table 5", game, "schemes", _VOTING, sizes, budget, _VOTING_NOTE, base),
        Comparison("Slow tree by depth", game, "depths", _DEPTH, sizes, budget, _DEPTH_NOTE, base),
    )


GO, GO_VOTING, GO_DEPTH = _in("go", (9,), 48, "resign_below=0.05")
HAVANNAH, HAVANNAH_VOTING, HAVANNAH_DEPTH = _in("havannah", (5,), 48, "resign_below=0")
