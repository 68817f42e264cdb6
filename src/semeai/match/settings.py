"""Settings of a match: frozen, validated, and part of its identity."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from semeai.errors import ConfigError, IllegalMove
from semeai.games.catalog import game_named
from semeai.models import Model, wrong_at

if TYPE_CHECKING:
    from semeai.games.position import Position


class MatchSettings(Model):
    """The game, how it begins, and how it is scored."""

    game: str = "go"
    size: int = 0
    """Board size; default: the game's."""
    komi: Annotated[float, Field(ge=-1000, le=1000)] = 0.0
    """Komi; default: the game's."""
    swap: bool = False
    """Whether the second player may take over the first move, in a game with the swap rule."""
    move_limit: Annotated[int, Field(ge=1)] | None = None
    """A longer game ends here and is scored as it stands; None: three times the square of the board size."""
    openings: tuple[tuple[str, ...], ...] = ()
    """Lists of moves as texts. Each pair of games begins with one of them, chosen by its seed."""
    opening_moves: Annotated[int, Field(ge=0, le=1000)] = 0
    """Number of random moves at the beginning of each pair of games, after its opening if there is one."""
    scoring: Literal["agreed", "area"] = "agreed"
    """agreed: remove stones that every player with an opinion calls dead. area: all stones count as alive."""
    resign: bool = True
    """False: a player that resigns passes instead, if the game has a pass."""

    @model_validator(mode="before")
    @classmethod
    def _games_own(cls, values: Any) -> Any:
        """Fill in the game's own size and komi if they are missing."""
        if not isinstance(values, Mapping):
            return values
        try:
            game = game_named(str(values.get("game", "go")))
        except ConfigError as error:
            raise wrong_at("game", str(error)) from None
        own = {"size": game.default_size, "komi": game.default_komi}
        return {**own, **{key: value for key, value in values.items() if key not in own or value is not None}}

    @field_validator("openings", mode="before")
    @classmethod
    def _split_texts(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [opening.split() if isinstance(opening, str) else opening for opening in value]
        return value

    @model_validator(mode="after")
    def _playable(self) -> Self:
        try:
            game_named(self.game).check_size(self.size)
        except ConfigError as error:
            raise wrong_at("size", str(error)) from None
        try:
            position = self.new_position()
        except ConfigError as error:
            raise ValueError(str(error)) from None
        longest = max((len(opening) for opening in self.openings), default=0) + self.opening_moves
        if longest >= self.most_moves:
            raise ValueError(f"move_limit {self.most_moves} leaves no move after openings of {longest}")
        for i, opening in enumerate(self.openings):
            trial = position.copy()
            try:
                for text in opening:
                    trial.play(trial.text_to_move(text))
            except IllegalMove as error:
                raise ValueError(f"openings[{i}]: {error}") from None
            if trial.is_over:
                raise ValueError(f"openings[{i}]: the game is over after it")
        return self

    def new_position(self) -> "Position":
        """Return the starting position, before any opening."""
        return game_named(self.game).new_position(self.size, self.komi, self.swap)

    @property
    def most_moves(self) -> int:
        return 3 * self.size * self.size if self.move_limit is None else self.move_limit

    def identity(self) -> dict[str, Any]:
        """Return the settings as recorded. ``swap`` is left out if it is off, so that old identities stay valid."""
        found = self.model_dump(mode="json")
        if not self.swap:
            del found["swap"]
        return found
