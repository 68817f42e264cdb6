"""What a game is beside its kernels and its positions: how it begins, is configured, judged and written down."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel

from semeai.errors import ConfigError, IllegalMove, did_you_mean
from semeai.games.position import Position
from semeai.games.record import GameRecord

PolicyRecord = NDArray[Any]
"""Shape (1,): what ``policy.to_record()`` gives."""


class Game(ABC):
    """An entry of the catalog. Its module imports the game's kernels, so that the search knows them."""

    name: str
    sizes: range
    default_size: int
    default_komi = 0.0
    has_komi = False
    has_swap = False
    """Whether the second player may take over the first move."""
    colours: tuple[str, str] = ("black", "white")
    """What players 0 and 1 are called."""
    coordinates: tuple[str, ...] = ("standard",)
    """The ways to name points, the usual one first."""
    record_coordinates = "standard"
    """The one that records use."""
    endings: tuple[str, ...]
    """How a game ends by its rules, see ``ending``."""
    policy: type[BaseModel]
    """The game's part of a player's configuration; its ``to_record`` is what kernels read."""
    presets: Mapping[str, Mapping[str, Any]]
    """Named changes of the default player; one of them is "default"."""
    bare_player = "mcts"
    """What ``semeai evolve`` grows if no player is named: a player that knows little of the game."""

    @abstractmethod
    def make(self, size: int, komi: float, swap: bool) -> Position:
        """The first position; what it gets has been checked."""

    @abstractmethod
    def read_record(self, data: bytes, place: str) -> GameRecord:
        """A game of a file; ConfigError, in one sentence that names ``place``, for whatever is wrong with it."""

    @abstractmethod
    def write_record(self, record: GameRecord) -> str:
        """The same record always gives the same text."""

    def new_position(self, size: int | None = None, komi: float | None = None, swap: bool = False) -> Position:
        """The first position; the game's own size and komi where none are given."""
        size = self.default_size if size is None else size
        komi = self.default_komi if komi is None else komi
        self.check_size(size)
        if komi and not self.has_komi:
            raise ConfigError(f"{self.name} has no komi, and {komi:g} was given")
        if swap and not self.has_swap:
            raise ConfigError(f"{self.name} has no swap rule")
        return self.make(size, komi, swap)

    def check_size(self, size: int) -> None:
        if size not in self.sizes:
            raise ConfigError(f"{self.name} is played on sizes {self.sizes.start} to {self.sizes.stop - 1}, not {size}")

    def name_points(self, position: Position, coordinates: str) -> None:
        """Let texts of ``position`` name points so from now on."""
        if coordinates not in self.coordinates:
            known = did_you_mean(coordinates, self.coordinates)
            raise ConfigError(f"{self.name} has no coordinates {coordinates!r}: {known}")
        position.coordinates = coordinates

    def replay(self, record: GameRecord, n_moves: int | None = None) -> Position:
        """The position after ``n_moves`` moves, or after all; IllegalMove names the file, the move and its number."""
        place = record.place or "the game record"
        n = len(record.moves) if n_moves is None else n_moves
        if not 0 <= n <= len(record.moves):
            raise ConfigError(f"{place} has {len(record.moves)} moves, so it cannot be replayed up to move {n}")
        position = self.new_position(record.size, record.komi, record.swap)
        for i, (player, move) in enumerate(record.moves[:n]):
            try:
                position.play(move, player)
            except IllegalMove as error:
                raise IllegalMove(f"{place}, move {i + 1}: {error}") from None
        return position

    def letter(self, player: int) -> str:
        """The player in results: ``B`` or ``W``."""
        return self.colours[player][0].upper()

    def board_name(self, size: int) -> str:
        return f"{size}x{size}"

    def n_points(self, size: int) -> int:
        """Of the board."""
        return size * size

    def ending(self, position: Position) -> str:
        """How a game that is over has ended: one of ``endings``."""
        return self.endings[0]

    @property
    def book_digest(self) -> str:
        """Sixteen letters that differ where the opening book does; none where the game has no book."""
        return ""

    def book_move(self, position: Position) -> tuple[int, str] | None:
        """A move of the opening book that comes with the game, and a word on it; None: the book does not know."""
        return None

    def final_move(self, position: Position, policy: PolicyRecord) -> int | None:
        """A move that wins the game at once by the rules for its end, whatever a search says; None: there is none."""
        return None

    def dead_stones(self, position: Position, policy: PolicyRecord) -> list[int] | None:
        """Stones that will be taken off when the game is counted; None in a game where nothing is."""
        return None

    def adjudicate(self, position: Position, dead: Sequence[int] = ()) -> tuple[float, str]:
        """What player 0 gets of the position as it stands, and the result as records write it."""
        return position.reward(), position.result()

    def setup_stones(self, position: Position) -> tuple[list[int], list[int]]:
        """The stones of each player that were on the board before the first move."""
        return [], []
