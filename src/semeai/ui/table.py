"""The game on the board: its moves, the move that is shown, who plays which colour, and dead stones. No threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from semeai.errors import ConfigError, IllegalMove, SemeaiError
from semeai.games.catalog import game_named
from semeai.games.game import Game
from semeai.games.position import Position
from semeai.games.record import GameRecord
from semeai.report.boards import board_data, move_place, points_of, stones
from semeai.report.values import Json, number, text

SEATS = ("black", "white", "both", "none")
"""Colours that the person plays; the player has the others."""
MAX_HANDICAP = 25


@dataclass(frozen=True)
class GameChoice:
    """What a new game is like."""

    game: str = "go"
    size: int | None = None
    komi: float | None = None
    handicap: int = 0
    swap: bool = False
    human: str = "black"

    def record(self) -> GameRecord:
        """Return the game before its first move. Raises ConfigError if there is no such game."""
        rules = game_named(self.game)
        if self.human not in SEATS:
            raise ConfigError(f"you can play {', '.join(SEATS)}, not {self.human!r}")
        position = rules.new_position(self.size, self.komi, self.swap)
        setup: tuple[tuple[int, int], ...] = ()
        if self.handicap:
            setup = tuple((0, point) for point in _handicap(position, self.handicap))
        komi = getattr(position, "komi", 0.0)
        first = 1 if setup else 0
        return GameRecord(self.game, position.size, komi, setup=setup, first_player=first, swap=self.swap)


def _handicap(position: Position, n: int) -> list[int]:
    from semeai.gtp.handicap import free_handicap

    if position.game != "go":
        raise ConfigError(f"{position.game} has no handicap stones")
    most = min(MAX_HANDICAP, position.size**2 - 1)
    if not 2 <= n <= most:
        raise ConfigError(f"there are 2 to {most} handicap stones on this board, not {n}")
    size = position.size
    return [(size - line) * (size + 1) + column + 1 for column, line in free_handicap(size, n)]


@dataclass
class Table:
    """A game under way or being looked at. Every change has a new ``generation``."""

    choice: GameChoice = field(default_factory=GameChoice)
    opponent: str = "semeai"
    """Name of the player that has the colours which the person does not play."""

    def __post_init__(self) -> None:
        self.generation = 0
        self.begin(self.choice)

    # -- changes: each raises a SemeaiError and then changes nothing ---------------------------------------------

    def begin(self, choice: GameChoice) -> None:
        """Start a new game."""
        record = choice.record()
        self._set(record, choice.human)
        self.choice = choice

    def load(self, data: bytes, games: Sequence[str]) -> None:
        """Show a recorded game from its first position; nobody plays. It is of the first of ``games`` that can read it.

        Raises the error of the first game if none can.
        """
        problem: SemeaiError | None = None
        for game in games:
            try:
                rules = game_named(game)
                record = rules.read_record(data, "the file")
                rules.replay(record, may_repeat=True)
                break
            except SemeaiError as error:
                problem = problem or error
        else:
            assert problem is not None
            raise problem
        self._set(record, "both")
        self.choice = GameChoice(game, record.size, record.komi if rules.has_komi else None, 0, record.swap, "both")

    def _set(self, record: GameRecord, human: str) -> None:
        self.rules: Game = game_named(record.game)
        self.position = self.rules.replay(record, 0)
        self.start = replace(record, moves=(), comments=(), result="")
        self.line: list[tuple[int, int]] = list(record.moves)
        self.comments: dict[int, str] = {i: c for i, c in enumerate(record.comments) if c}
        self.human = human
        self.dead: set[int] | None = None
        self.resigned: int | None = None
        self.rates: dict[int, float] = {}
        self._changed()

    def _changed(self) -> None:
        self.generation += 1

    def play(self, move: int) -> None:
        """Play a move at the position that is shown. Moves after it are replaced if it differs from them."""
        if self.resigned is not None:
            raise IllegalMove("the game is over: one side has resigned")
        if self.position.is_over:
            raise IllegalMove("the game is over")
        player, at = self.position.to_move, self.at
        self.position.play(move)
        if at >= len(self.line) or self.line[at] != (player, move):
            del self.line[at:]
            self.line.append((player, move))
            self.rates = {n: rate for n, rate in self.rates.items() if n <= at}
            self.comments = {n: c for n, c in self.comments.items() if n < at}
        self.dead = None
        self._changed()

    def resign(self, player: int) -> None:
        self.resigned = player
        self._changed()

    def undo(self) -> None:
        """Take back the last move, or the last two if the player has answered."""
        if self.resigned is not None:
            self.resigned = None
            self._changed()
            return
        if not self.at:
            raise IllegalMove("there is no move to take back")
        self.position.undo()
        if self.at and self.human in ("black", "white") and not self.is_humans(self.position.to_move):
            self.position.undo()
        del self.line[self.at :]
        self.dead = None
        self._changed()

    def go_to(self, n: int) -> None:
        """Show the position after ``n`` moves."""
        n = max(0, min(n, len(self.line)))
        while self.at > n:
            self.position.undo()
        while self.at < n:
            player, move = self.line[self.at]
            self.position.play_recorded(move, player)
        self.dead = None
        self._changed()

    def seat(self, human: str) -> None:
        if human not in SEATS:
            raise ConfigError(f"you can play {', '.join(SEATS)}, not {human!r}")
        self.human = human
        self._changed()

    def toggle_dead(self, place: int) -> None:
        """Call a chain of stones dead, or alive again, when a game of Go is counted."""
        if self.rules.name != "go" or not self.position.is_over:
            raise IllegalMove("stones are called dead after both have passed")
        state = self.position.states[0]
        move = self.move_at(place)
        chain = int(state["chain"][move])
        if not chain:
            raise IllegalMove("there is no stone")
        stones_of = {int(p) for p in (state["chain"] == chain).nonzero()[0]}
        dead = set(self.dead or ())
        self.dead = dead - stones_of if move in dead else dead | stones_of
        self._changed()

    # -- what is shown -----------------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        """Number of moves before the position that is shown."""
        return len(self.position.moves)

    @property
    def is_over(self) -> bool:
        return self.position.is_over or self.resigned is not None

    def is_humans(self, player: int) -> bool:
        return self.human == "both" or self.rules.colours[player] == self.human

    @property
    def awaits_player(self) -> bool:
        """Whether the player, and not the person, has the next move."""
        at_end = self.at == len(self.line)
        return at_end and not self.is_over and not self.is_humans(self.position.to_move)

    @property
    def needs_dead_stones(self) -> bool:
        """Whether a game of Go is over, and nobody has said yet which stones are dead."""
        return self.rules.name == "go" and self.position.is_over and self.resigned is None and self.dead is None

    def move_at(self, place: int) -> int:
        points = points_of(self.rules.name, self.position.size)
        if not 0 <= place < len(points):
            raise IllegalMove(f"the board has no point {place}")
        return points[place]

    def result(self) -> str:
        """Return the result as records write it; empty while the game goes on."""
        if self.resigned is not None:
            return f"{self.rules.letter(1 - self.resigned)}+R"
        if not self.position.is_over:
            return ""
        return self.rules.adjudicate(self.position, sorted(self.dead or ()))[1]

    def record(self) -> GameRecord:
        """Return the whole game, for a file."""
        comments = tuple(self.comments.get(i, "") for i in range(len(self.line)))
        at_end = self.at == len(self.line)
        names = {self.rules.colours[player]: self._name_of(player) for player in (0, 1)}
        return replace(
            self.start, moves=tuple(self.line), comments=comments, result=self.result() if at_end else "",
            black=names["black"], white=names["white"],
        )  # fmt: skip

    def _name_of(self, player: int) -> str:
        """Return the name of a player as the record has it, or who plays the colour here."""
        known: str = getattr(self.start, self.rules.colours[player])
        return known or ("you" if self.is_humans(player) else self.opponent)

    def data(self) -> Json:
        """Return everything that the page draws."""
        position = self.position
        last = position.moves[-1][1] if position.moves else None
        return {
            "generation": self.generation,
            "board": board_data(position.game, position.size),
            "komi": getattr(position, "komi", None),
            "human": self.human,
            "stones": stones(position),
            "to_move": position.to_move,
            "last": None if last is None else move_place(position, last),
            "at": self.at,
            "moves": self._names(),
            "over": self.is_over,
            "result": self.result(),
            "dead": self._places(self.dead or ()),
            "area": self._area(),
            "counting": self.rules.name == "go" and position.is_over and self.resigned is None,
            "uncounted": self.needs_dead_stones,
            "win": self._places(self._winning()),
            "kind": getattr(position, "win_kind", ""),
            "may_pass": self.rules.name == "go" and not self.is_over,
            "may_swap": bool(getattr(position, "may_swap", False)),
            "comment": self.comments.get(self.at - 1, ""),
            "rates": [[n, number(rate)] for n, rate in sorted(self.rates.items())],
            "names": [text(self._name_of(player)) for player in (0, 1)],
        }

    def _names(self) -> list[Json]:
        name = self.position.move_to_text
        return [{"player": player, "name": name(move)} for player, move in self.line]

    def _area(self) -> list[int] | None:
        """Return who owns each point when a game of Go is counted: 1 Black, -1 White, 0 nobody."""
        if self.rules.name != "go" or not self.position.is_over or self.resigned is not None:
            return None
        from semeai.games.go.position import GoPosition

        return [int(owner) for owner in cast(GoPosition, self.position).owners(self.dead or ()).flat]

    def _places(self, moves: Any) -> list[int]:
        found = [move_place(self.position, int(move)) for move in moves]
        return sorted(place for place in found if isinstance(place, int))

    def _winning(self) -> Sequence[int]:
        if self.rules.name != "havannah" or not self.position.is_over:
            return ()
        from semeai.games.havannah.position import HavannahPosition
        from semeai.games.havannah.shapes import winning_shape

        return winning_shape(cast(HavannahPosition, self.position))
