"""Settings of a match: frozen, validated, and part of its identity."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from semeai.errors import ConfigError, IllegalMove
from semeai.games.catalog import game_named
from semeai.match.adjudication import Adjudication
from semeai.match.openings import OWN, digest_of, located, openings_of
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
    """A longer game ends here and is scored as it stands; None: three times the square of the board size; in chess
    1000, and then it is a draw."""
    openings: tuple[tuple[str, ...], ...] = ()
    """Lists of moves as texts. Each pair of games begins with one of them, chosen by its seed."""
    suite: str = ""
    """A file of openings, see ``match.openings``. Default in chess: ``own``, unless openings are given otherwise."""
    opening_moves: Annotated[int, Field(ge=0, le=1000)] = 0
    """Number of random moves at the beginning of each pair of games, after its opening if there is one."""
    scoring: Literal["agreed", "area"] = "agreed"
    """agreed: remove stones that every player with an opinion calls dead. area: all stones count as alive."""
    resign: bool = True
    """False: a player that resigns passes instead, if the game has a pass."""
    adjudication: Adjudication | None = None
    """Rules by which games end early, in a game whose engines report scores."""
    records: str = ""
    """Folder for the games of a race, one file per game; empty: they are not kept. Not part of the identity."""

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
        own: dict[str, Any] = {"size": game.default_size, "komi": game.default_komi}
        if game.own_suite and not values.get("openings") and not values.get("opening_moves"):
            own["suite"] = OWN
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
        if self.suite and self.openings:
            raise ValueError("give a suite or openings, not both")
        if self.adjudication is not None and not game_named(self.game).has_scores:
            raise wrong_at("adjudication", f"engines of {self.game} report no scores")
        longest = max((len(opening) for opening in self.openings), default=0) + self.opening_moves
        if longest >= self.most_moves:
            raise ValueError(f"move_limit {self.most_moves} leaves no move after openings of {longest}")
        for i, opening in enumerate(self.openings):
            if wrong := self._wrong_with(opening, position):
                raise ValueError(f"openings[{i}]: {wrong}")
        return self

    def _wrong_with(self, opening: Sequence[str], start: "Position") -> str:
        """Return why no game can begin with these moves; empty if it can."""
        trial = start.copy()
        try:
            for text in opening:
                trial.play(trial.text_to_move(text))
        except IllegalMove as error:
            return str(error)
        return "the game is over after it" if trial.is_over else ""

    def new_position(self) -> "Position":
        """Return the starting position, before any opening."""
        return game_named(self.game).new_position(self.size, self.komi, self.swap)

    @property
    def most_moves(self) -> int:
        return game_named(self.game).move_limit(self.size) if self.move_limit is None else self.move_limit

    def located(self, folder: str | Path) -> Self:
        """Return the settings with files by their absolute paths. Raises ConfigError if the suite cannot be read."""
        records = str((Path(folder) / self.records).resolve()) if self.records else ""
        suite = located(self.suite, self.game, folder)
        self._check_suite(suite)
        return self.model_copy(update={"suite": suite, "records": records})

    def _check_suite(self, suite: str) -> None:
        """Raise ConfigError if an opening of moves alone does not fit the board. Others were checked when read."""
        if "@" not in suite:
            return
        start = self.new_position()
        for number, opening in enumerate(openings_of(suite, self.game), 1):
            if opening.start:
                return
            longest = len(opening.moves) + self.opening_moves
            wrong = self._wrong_with(opening.moves, start)
            if longest >= self.most_moves:
                wrong = f"move_limit {self.most_moves} leaves no move after {longest} moves"
            if wrong:
                raise ConfigError(f"suite {suite.partition('@')[2]}, opening {number}: {wrong}")

    def identity(self) -> dict[str, Any]:
        """Return the settings as recorded. What is not used is left out, so that old identities stay valid."""
        found = self.model_dump(mode="json", exclude={"records"})
        found["suite"] = digest_of(self.suite)
        unused = {"swap": not self.swap, "suite": not self.suite, "adjudication": self.adjudication is None}
        return {key: value for key, value in found.items() if not unused.get(key)}
