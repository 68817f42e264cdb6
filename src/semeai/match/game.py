"""Play one game between two players; a referee checks every move."""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from semeai.errors import IllegalMove, PlayerFailed
from semeai.games.catalog import game_named
from semeai.games.game import Game
from semeai.games.position import Position
from semeai.games.record import GameRecord
from semeai.match.settings import MatchSettings
from semeai.players.base import Choice, Player
from semeai.rng import derive

REASONS = ("resign", "move limit", "adjudication", "illegal move", "bad answer", "timeout", "crash")
"""Endings not defined by the rules; the last four are forfeits."""
_FORFEITS = {"resign": "R", "timeout": "T"}  # the letters of game records; all other forfeits are F

Players = tuple[Player, Player]


@dataclass(frozen=True)
class GameOutcome:
    """Outcome of a game. Pairs of numbers belong to players 0 and 1."""

    record: GameRecord
    reward: float
    """Player 0's reward: 1, 0, or 1/2."""
    reason: str
    n_moves: int
    cpu_seconds: tuple[float, float]
    simulations: tuple[int, int]
    failure: str = ""
    """One sentence about the loser's failure; empty if there was none."""
    stderr: str = ""
    failed_to_start: bool = False
    killed: bool = False
    """Whether somebody else killed the engine of the loser, so that the game says nothing about it."""


def play_game(players: Players, settings: MatchSettings, seed: int, opening: Position | None = None) -> GameOutcome:
    """Play a whole game from the end of ``opening`` on; without it, player 0 moves first.

    A player that crashes, hangs or plays an illegal move loses and is closed.
    """
    position = settings.new_position() if opening is None else opening.copy()
    game = _Game(players, settings, position)
    game.rules.name_points(position, game.rules.record_coordinates)  # comments name points as the record does
    for side, player in enumerate(players):
        try:
            player.start(position.copy(), derive(seed, "player", side))
        except PlayerFailed as error:
            return game.forfeited(side, error, failed_to_start=True)
    while not position.is_over:
        if len(position.moves) >= settings.most_moves:
            return game.counted("move limit")
        side = position.to_move
        try:
            if not game.one_move(side):
                return game.lost(side, "resign")
        except _Forfeit as forfeit:
            return game.forfeited(forfeit.side, forfeit.error)
        if (reward := game.adjudicated()) is not None:
            return game.stopped(reward, "adjudication")
    return game.counted(None, game.dead_stones() if settings.scoring == "agreed" else [])


class _Forfeit(Exception):
    def __init__(self, side: int, error: PlayerFailed) -> None:
        self.side, self.error = side, error


@dataclass
class _Game:
    """A game under way."""

    players: Players
    settings: MatchSettings
    position: Position
    cpu: list[float] = field(default_factory=lambda: [0.0, 0.0])
    simulations: list[int] = field(default_factory=lambda: [0, 0])
    comments: dict[int, str] = field(default_factory=dict)
    scores: list[int | None] = field(default_factory=list)
    """The score of each move, from the view of player 0."""

    @property
    def rules(self) -> Game:
        return game_named(self.settings.game)

    def one_move(self, side: int) -> bool:
        """Ask for a move and play it. Returns False if the player resigns."""
        try:
            choice = self._timed_choice(side)
        except PlayerFailed as error:
            raise _Forfeit(side, error) from error
        move = self._pass_for_resigning() if choice.move is None else choice.move
        if move is None:
            return False
        try:
            self.position.play(move)
        except IllegalMove as error:
            name = self.players[side].name
            failed = PlayerFailed(f"player {name!r} played an illegal move: {error}", "", "illegal move")
            raise _Forfeit(side, failed) from error
        self.scores.append(choice.score if choice.score is None or side == 0 else -choice.score)
        if choice.comment:
            self.comments[len(self.position.moves) - 1] = choice.comment
        for i, player in enumerate(self.players):
            try:
                player.observe(move)
            except PlayerFailed as error:
                raise _Forfeit(i, error) from error
        return True

    def _timed_choice(self, side: int) -> Choice:
        before = time.process_time()
        choice = self.players[side].choose()
        self.cpu[side] += choice.cpu_seconds or time.process_time() - before
        self.simulations[side] += choice.simulations
        return choice

    def adjudicated(self) -> float | None:
        """Return player 0's reward if the scores end the game."""
        rules = self.settings.adjudication
        if rules is None or self.position.is_over:
            return None
        return rules.reward(self.scores, len(self.position.moves))

    def stopped(self, reward: float, reason: str) -> GameOutcome:
        """Return the outcome of a game that the referee ends with this reward of player 0."""
        result = self.rules.drawn() if reward == 0.5 else self._win_of(int(reward == 0), reason)
        return self._outcome(reward, result, reason)

    def _pass_for_resigning(self) -> int | None:
        if not self.settings.resign:
            with contextlib.suppress(IllegalMove):
                return self.position.text_to_move("pass")
        return None

    def dead_stones(self) -> list[int]:
        """Return the stones that every player with an opinion calls dead; empty if they disagree."""
        opinions = []
        for player in self.players:
            try:
                opinion = player.dead_stones()
            except PlayerFailed:  # the game is over, so this failure does not lose it
                player.close()
                opinion = None
            if opinion is not None:
                opinions.append(set(opinion))
        agreed = opinions and all(opinion == opinions[0] for opinion in opinions)
        return sorted(opinions[0]) if agreed else []

    def counted(self, reason: str | None, dead: Sequence[int] = ()) -> GameOutcome:
        """Return the outcome of the present board. Without a ``reason`` the game is over by its rules."""
        reward, result = self.rules.adjudicate(self.position, dead)
        return self._outcome(reward, result, reason or self.rules.ending(self.position))

    def lost(self, side: int, reason: str) -> GameOutcome:
        return self._outcome(float(side), self._win_of(1 - side, reason), reason)

    def forfeited(self, side: int, error: PlayerFailed, failed_to_start: bool = False) -> GameOutcome:
        self.players[side].close()  # its next game starts a new engine
        result = self._win_of(1 - side, error.reason)
        outcome = self._outcome(float(side), result, error.reason, str(error), error.stderr)
        return replace(outcome, failed_to_start=failed_to_start, killed=error.killed)

    def _win_of(self, winner: int, reason: str) -> str:
        return self.rules.won_by(winner, _FORFEITS.get(reason, "F"))

    def _outcome(self, reward: float, result: str, reason: str, failure: str = "", stderr: str = "") -> GameOutcome:
        return GameOutcome(
            self._record(result, reason, failure),
            reward,
            reason,
            len(self.position.moves),
            (self.cpu[0], self.cpu[1]),
            (self.simulations[0], self.simulations[1]),
            failure,
            stderr,
        )

    def _record(self, result: str, reason: str, failure: str) -> GameRecord:
        position = self.position
        names = dict(zip(self.rules.colours, (player.name for player in self.players), strict=True))
        return GameRecord(
            game=position.game,
            size=position.size,
            komi=self.settings.komi,
            swap=self.settings.swap,
            moves=tuple(position.moves),
            comments=tuple(self.comments.get(i, "") for i in range(len(position.moves))),
            result=result,
            black=names["black"],
            white=names["white"],
            start=getattr(position, "start", ""),
            properties={
                "GC": f"Ended by {reason}." + (f" {failure}" if failure else ""),
                **self.rules.ending_properties(reason),
            },
        )
