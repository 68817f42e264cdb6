"""The base class of games: how a game begins, and how it is configured, judged and written down."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel

from semeai.errors import ConfigError, IllegalMove, did_you_mean
from semeai.games.move_model import Features, ModelPolicy
from semeai.games.opening import Opening
from semeai.games.position import Position
from semeai.games.record import GameRecord

PolicyRecord = NDArray[Any]
"""The result of ``policy.to_record()``, of shape (1,)."""


class Game(ABC):
    """A game, as ``games.catalog`` lists it. Its module imports the game's kernels, so that the search knows them."""

    name: str
    sizes: range
    """Sizes of the board."""
    default_size: int
    default_komi = 0.0
    has_komi = False
    has_swap = False
    """Whether the second player may take over the first move."""
    colours: tuple[str, str] = ("black", "white")
    """Colours of players 0 and 1: "black" and "white" in either order."""
    coordinates: tuple[str, ...] = ("standard",)
    """Ways to name points, the usual one first."""
    record_coordinates = "standard"
    """The way to name points that records use."""
    record_suffix = ".sgf"
    """How the names of files with records end."""
    rated_in_elo = False
    """Whether matches show differences in Elo too."""
    has_scores = False
    """Whether engines report scores in hundredths of a pawn, by which a match may end a game."""
    endings: tuple[str, ...]
    """All results of ``ending``: the ways in which a game ends by its rules."""
    policy: type[BaseModel]
    """The game's part of a player's configuration; its ``to_record`` makes the record that kernels read."""
    presets: Mapping[str, Mapping[str, Any]]
    """Named changes of the default player; one of them is "default"."""
    bare_player = "mcts"
    """What ``semeai evolve`` grows if no player is named: a player that knows little of the game."""

    @property
    def features(self) -> Features:
        """The features of the game's move model. Raises ConfigError if its players have none."""
        if not issubclass(self.policy, ModelPolicy):
            raise ConfigError(f"players of {self.name} have no move model")
        return self.policy.features

    @abstractmethod
    def make(self, size: int, komi: float, swap: bool) -> Position:
        """Return the first position; the arguments have been checked."""

    @abstractmethod
    def read_record(self, data: bytes, place: str) -> GameRecord:
        """Return the game in a file. Raises ConfigError in one sentence that names ``place`` if anything is wrong."""

    @abstractmethod
    def write_record(self, record: GameRecord) -> str:
        """Return the text of a record; equal records have equal texts."""

    def new_position(self, size: int | None = None, komi: float | None = None, swap: bool = False) -> Position:
        """Return the first position, by default with the usual size and komi. Raises ConfigError if there is none."""
        size = self.default_size if size is None else size
        komi = self.default_komi if komi is None else komi
        self.check_size(size)
        if komi and not self.has_komi:
            raise ConfigError(f"{self.name} has no komi, and {komi:g} was given")
        if swap and not self.has_swap:
            raise ConfigError(f"{self.name} has no swap rule")
        return self.make(size, komi, swap)

    def check_size(self, size: int) -> None:
        """Raise ConfigError if the game has no board of this size."""
        if size not in self.sizes:
            raise ConfigError(f"{self.name} is played on sizes {self.sizes.start} to {self.sizes.stop - 1}, not {size}")

    def name_points(self, position: Position, coordinates: str) -> None:
        """Let ``position`` use these coordinates in texts. Raises ConfigError if the game does not have them."""
        if coordinates not in self.coordinates:
            known = did_you_mean(coordinates, self.coordinates)
            raise ConfigError(f"{self.name} has no coordinates {coordinates!r}: {known}")
        position.coordinates = coordinates

    def replay(self, record: GameRecord, n_moves: int | None = None, may_repeat: bool = False) -> Position:
        """Return the position after ``n_moves`` moves (default: all). IllegalMove names file, move and number.

        ``may_repeat``: accept moves that repeat an earlier position, see ``Position.play_recorded``.
        """
        return self.replayed(self.new_position(record.size, record.komi, record.swap), record, n_moves, may_repeat)

    @staticmethod
    def replayed(
        position: Position, record: GameRecord, n_moves: int | None = None, may_repeat: bool = False
    ) -> Position:
        """Play the moves of a record from its starting position."""
        place = record.place or "the game record"
        n = len(record.moves) if n_moves is None else n_moves
        if not 0 <= n <= len(record.moves):
            raise ConfigError(f"{place} has {len(record.moves)} moves, so it cannot be replayed up to move {n}")
        for i, (player, move) in enumerate(record.moves[:n]):
            try:
                (position.play_recorded if may_repeat else position.play)(move, player)
            except IllegalMove as error:
                raise IllegalMove(f"{place}, move {i + 1}: {error}") from None
        return position

    def position_from(self, start: str) -> Position:
        """Return a position in the game's notation, such as FEN. Raises ConfigError if it is invalid."""
        raise ConfigError(f"{self.name} has no notation for positions, such as {start[:40]!r}")

    def move_limit(self, size: int) -> int:
        """Return the number of moves after which a match stops a game, unless its settings say otherwise."""
        return 3 * size * size

    def read_suite(self, data: bytes, place: str) -> Sequence[Opening]:
        """Return the openings of a file, at least one. Raises ConfigError that names ``place`` if it is invalid."""
        raise ConfigError(f"{place}: {self.name} has no opening suites; give openings as lists of moves")

    @property
    def own_suite(self) -> bytes:
        """The suite of openings that comes with the game; empty if there is none."""
        return b""

    def won_by(self, player: int, how: str) -> str:
        """Return the result of a game that was not played to its end: ``how`` is R, T or F, as in SGF."""
        return f"{self.letter(player)}+{how}"

    def drawn(self) -> str:
        """Return the result of a draw."""
        return "0"

    def ending_properties(self, reason: str) -> dict[str, str]:
        """Return what a record says on how the game ended, beside its comment."""
        return {}

    def letter(self, player: int) -> str:
        """Return the letter of a player in results: ``B`` or ``W``."""
        return self.colours[player][0].upper()

    def board_name(self, size: int) -> str:
        """Return the name of a board in tables and messages."""
        return f"{size}x{size}"

    def n_points(self, size: int) -> int:
        """Return the number of points of the board."""
        return size * size

    def ending(self, position: Position) -> str:
        """Return how a finished game has ended: one of ``endings``."""
        return self.endings[0]

    @property
    def book_digest(self) -> str:
        """Sixteen letters that identify the opening book; empty if the game has none."""
        return ""

    def book_move(self, position: Position) -> tuple[int, str] | None:
        """Return a move of the game's opening book and a comment on it; None if the book does not know the position."""
        return None

    def final_move(self, position: Position, policy: PolicyRecord) -> int | None:
        """Return a move that ends the game with a win, whatever a search says; None if there is none."""
        return None

    def dead_stones(self, position: Position, policy: PolicyRecord) -> list[int] | None:
        """Return the stones to remove before the game is counted; None in a game without dead stones."""
        return None

    def adjudicate(self, position: Position, dead: Sequence[int] = ()) -> tuple[float, str]:
        """Return the reward of player 0 if the game stopped now, and the result as records write it."""
        return position.reward(), position.result()

    def setup_stones(self, position: Position) -> tuple[list[int], list[int]]:
        """Return the stones of each player that were on the board before the first move."""
        return [], []
