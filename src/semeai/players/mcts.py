"""The player that chooses its moves by Monte-Carlo tree search."""

import time
from collections.abc import Callable, Iterable
from functools import partial

from semeai.errors import ConfigError, IllegalMove
from semeai.games.catalog import game_named
from semeai.games.game import PolicyRecord
from semeai.games.position import Position
from semeai.jit import compile_kernels
from semeai.parallel.program import Budget
from semeai.parallel.ranks import make_team
from semeai.parallel.team import LocalTeam, TeamSettings
from semeai.players.base import Choice, Player
from semeai.players.config import PlayerConfig
from semeai.search.report import MoveReport

MIN_TO_RESIGN = 32
"""Simulations needed before the player may resign."""


class MctsPlayer(Player):
    """Search by a configuration. With a budget in simulations, the same seed and moves give the same game."""

    def __init__(self, config: PlayerConfig, name: str | None = None) -> None:
        self.config = config
        self.name = name or f"mcts-{config.identity()}"
        self._game = game_named(config.game)
        settings = team_settings(config)
        self._policy = settings.policy
        self._team = make_team(settings)
        self._search = self._team.search
        self._position: Position | None = None
        self._is_current = False

    def start(self, position: Position, seed: int) -> None:
        self._team.seed(seed)
        self._team.forget()
        self.set_position(position)

    @property
    def position(self) -> Position:
        assert self._position is not None, "start a game first"
        return self._position

    @property
    def policy(self) -> PolicyRecord:
        """The record that steers the playouts, for kernels; it must not be changed."""
        return self._policy

    def set_position(self, position: Position) -> None:
        """Go to any position. The part of the tree that belongs to it is kept."""
        if position.game != self.config.game:
            raise ConfigError(f"player {self.name!r} plays {self.config.game}, and this is a game of {position.game}")
        self._position = position.copy()
        self._is_current = False

    def observe(self, move: int) -> None:
        self.position.play(move)
        self._is_current = False

    def _prepare(self) -> None:
        if not self._is_current:
            self._team.set_position(self.position)
            self._is_current = True

    def think(self, simulations: int) -> int:
        """Run more simulations on each rank. Returns the number run on rank 0; 0 if the game is over."""
        self._prepare()
        return self._team.run(Budget(simulations, final=False))

    def choose(self, seconds: float | None = None) -> Choice:
        start, helped = time.thread_time(), self._search.helper_seconds
        known = self._game.book_move(self.position) if self.config.book else None
        if known is not None:
            return Choice(*known, cpu_seconds=time.thread_time() - start)
        self._prepare()
        if seconds is None:
            seconds = self.config.seconds
        simulations = None if seconds is not None else self.config.simulations
        if seconds is not None:
            seconds = max(0.0, seconds - (time.thread_time() - start))
        self._team.run(Budget(simulations, seconds, self.config.stop_early))
        return self._choice(time.thread_time() - start + self._search.helper_seconds - helped)

    def conclude(self) -> Choice:
        """Choose by what ``think`` has found so far, without more simulations."""
        self._prepare()
        self._team.finish()
        return self._choice(0.0)

    def _choice(self, cpu: float) -> Choice:
        position = self.position
        if position.is_over:
            raise IllegalMove("the game is over: there is no move to choose")
        if not len(self._search.children()):
            return Choice(int(position.legal_moves()[-1]), cpu_seconds=cpu)
        move = self._search.best_move()
        rate = self._search.win_rate(move)
        simulations = self._team.simulations
        final = self._game.final_move(position, self._policy)
        if final is not None:
            move = final
        elif rate < self.config.resign_below and simulations >= MIN_TO_RESIGN:
            return Choice(None, self._comment(rate), rate, simulations, cpu)
        return Choice(move, self._comment(rate), rate, simulations, cpu)

    def _comment(self, rate: float) -> str:
        if not self.explains:
            return ""
        best = self._search.report()[:3]
        text = self.position.move_to_text
        lines = [f"win rate {rate:.1%} of {self._team.simulations} simulations, {self._search.visits} visits"]
        lines += [f"{text(r.move)} {r.visits} {r.win_rate:.1%}: {' '.join(map(text, r.pv[:6]))}" for r in best]
        return "\n".join(lines)

    def report(self) -> list[MoveReport]:
        """Return what rank 0 has found so far. A later search is not changed by asking."""
        self._prepare()
        return self._search.report()

    def dead_stones(self) -> list[int] | None:
        return self._game.dead_stones(self.position, self._policy)

    def close(self) -> None:
        self._team.close()


def team_settings(config: PlayerConfig) -> TeamSettings:
    """Return what every rank of the player needs. Builds both records, so call it once per player."""
    search, policy = config.search.to_record(), config.policy.to_record()
    return TeamSettings(
        config.game, search, policy, config.max_nodes, config.threads, config.reuse_tree, config.parallel
    )


def compile_players(
    games: Iterable[str], say: Callable[[str], object] | None = None, players: Iterable[PlayerConfig] = ()
) -> dict[str, float]:
    """Compile the kernels of these games before workers start. Returns seconds by family of kernels.

    Threads and ranks of ``players`` need more families of kernels.
    """
    families = {f"{game.capitalize()} search": partial(_play_a_little, game) for game in games}
    for config in players:
        small = config.with_changes({"simulations": 20, "memory_mb": 1})
        if config.threads > 1:
            families[f"{config.game.capitalize()} threads"] = partial(_search_a_little, small)
        if config.parallel.ranks > 1:
            name = "fast tree" if config.parallel.scheme == "fast_tree" else "sharing"
            parallel = {"parallel.ranks": 2, "parallel.share_period": 5, "parallel.share_unit": "simulations"}
            families[f"{config.game.capitalize()} {name}"] = partial(_search_a_little, small.with_changes(parallel))
    return compile_kernels(say, families)


def _search_a_little(config: PlayerConfig) -> None:
    """Search once on a team inside this process, even if MPI has started others."""
    team = LocalTeam(team_settings(config))
    team.seed(1)
    team.set_position(_small_position(config.game))
    team.run(Budget(20))
    team.close()


def _play_a_little(game: str) -> None:
    """Play a few moves of a small game."""
    player = MctsPlayer(PlayerConfig(game=game, simulations=20, memory_mb=1))
    player.start(_small_position(game), 1)
    for _ in range(3):
        if player.position.is_over:
            break
        player.observe(int(player.choose().move or 0))
    player.dead_stones()
    player.report()


def _small_position(name: str) -> Position:
    game = game_named(name)
    return game.new_position(5 if 5 in game.sizes else None)
