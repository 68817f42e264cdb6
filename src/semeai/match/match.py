"""Definition of a match (players, settings, seed) and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from semeai.match.pair import PairTask, PlayedGame
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.specs import PlayerSpec
from semeai.rng import derive
from semeai.store.identity import hash_config


@dataclass(frozen=True)
class Match:
    """A match without its number of games, which may grow later."""

    a: PlayerSpec
    b: PlayerSpec
    settings: MatchSettings = field(default_factory=MatchSettings)
    seed: int = 1

    def identity(self) -> dict[str, Any]:
        settings = self.settings.identity()
        return {"a": self.a.identity(), "b": self.b.identity(), "settings": settings, "seed": self.seed}

    @classmethod
    def from_identity(cls, data: Mapping[str, Any]) -> Self:
        a, b = (PlayerSpec.from_identity(data[key]) for key in ("a", "b"))
        return cls(a, b, MatchSettings.model_validate(data["settings"]), data["seed"])

    @property
    def name(self) -> str:
        """Name of the match's run, derived from its arguments: the same arguments find the run again."""
        return f"match-{hash_config(self.identity())[:10]}"

    def task(self, number: int) -> PairTask:
        return PairTask(self.a, self.b, self.settings, derive(self.seed, "match"), number)


@dataclass(frozen=True)
class MatchResult:
    tally: Tally
    n_planned: int
    """Planned number of games."""
    finished: bool
    decided: bool
    """Whether the match ended before its last game because its winner was clear."""
    seconds: float
    failures: list[PlayedGame] = field(default_factory=list)
    """The first games in which a player failed."""
    stopped: bool = False
    """Whether it was told to stop. It may be finished too, if only its last games were under way."""
