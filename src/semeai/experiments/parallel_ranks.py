"""Simulated clusters of up to 1,024 ranks: the worth of more ranks, and how many bytes they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from semeai.experiments.figure import win_rates
from semeai.experiments.matches import Pairing, Playing, play_all, rate_and_interval
from semeai.experiments.parallel import OPENING_MOVES, SHARES, Side
from semeai.games.catalog import game_named
from semeai.match.settings import MatchSettings
from semeai.parallel.program import Budget
from semeai.parallel.slow import SlowSharing
from semeai.parallel.team import LocalTeam
from semeai.players.config import PlayerConfig
from semeai.players.mcts import team_settings
from semeai.table import Cell, Chart, Curve, ResultTable

RANKS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

GAMES = 100


@dataclass(frozen=True)
class RankStudy:
    game: str
    sizes: tuple[int, ...]
    simulations: tuple[int, ...]
    base: str
    ranks: tuple[int, ...] = RANKS

    def run(
        self, size: Sequence[int] = (), simulations: Sequence[int] = (), **playing: Unpack[Playing]
    ) -> list[ResultTable]:
        """Play all matches. Returns one table per board size and budget per rank."""
        tables = []
        for s in size or self.sizes:
            settings = MatchSettings(game=self.game, size=s, opening_moves=OPENING_MOVES, scoring="area")
            for n in simulations or self.simulations:
                players = [self._words(ranks, s, n) for ranks in (1, *self.ranks)]
                pairings = [
                    Pairing(f"{ranks} ranks against 1", words, players[0], settings)
                    for ranks, words in zip(self.ranks, players[1:], strict=True)
                ]
                tallies = play_all(pairings, GAMES, **playing)
                volumes = [
                    share_bytes(words.removeprefix("mcts:"), self.game, s, playing.get("seed", 1))
                    for words in players[1:]
                ]
                rows = tuple(
                    (ranks, rate_and_interval(tally), volume, 2 * (ranks - 1) * volume, tally.n_games)
                    for ranks, tally, volume in zip(self.ranks, tallies, volumes, strict=True)
                )
                board = game_named(self.game).board_name(s)
                charts = (
                    Chart(
                        f"{board} {self.game.capitalize()}, {n} simulations per rank",
                        "ranks",
                        "wins against 1 rank, %",
                        (win_rates("", self.ranks, tallies),),
                    ),
                    Chart(
                        "Bytes sent per rank and share",
                        "ranks",
                        "bytes",
                        (Curve("", tuple((float(r), v, v, v) for r, v in zip(self.ranks, volumes, strict=True))),),
                        even=None,
                    ),
                )
                tables.append(_table(self.game, s, n, rows, charts))
        return tables

    def _words(self, ranks: int, size: int, simulations: int) -> str:
        points = game_named(self.game).n_points(size)
        return Side("slow_tree", ranks).words(self.base, simulations, points)


def share_bytes(words: str, game: str, size: int, seed: int) -> float:
    """Return the mean length of a share's message in a search of the empty board."""
    config = PlayerConfig.from_text(words, game)
    team = LocalTeam(team_settings(config))
    team.seed(seed)
    team.set_position(game_named(game).new_position(size))
    team.run(Budget(config.simulations))
    program = team.program
    assert isinstance(program, SlowSharing)
    return program.bytes_sent / program.n_shares


def _table(
    game: str, size: int, simulations: int, rows: tuple[tuple[Cell, ...], ...], charts: tuple[Chart, ...]
) -> ResultTable:
    board = game_named(game).board_name(size)
    return ResultTable(
        f"Slow tree by ranks, {board} {game.capitalize()}, {simulations:,} simulations per rank",
        ("ranks", "win rate against 1 rank, 95% Wilson", "bytes per share and rank", "sent by all in a ring", "games"),
        rows,
        f"{SHARES} shares per move, or more if the simulations cannot be divided evenly; x = 5%, depth 3. A share is "
        "one sum over all ranks. In a ring every rank sends its message 2 - 2 / ranks times, in a tree log2(ranks) "
        "times.",
        charts,
    )


GO = RankStudy("go", (9,), (24,), "resign_below=0.05")
HAVANNAH = RankStudy("havannah", (5,), (24,), "resign_below=0")
