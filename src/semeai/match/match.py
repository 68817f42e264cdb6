"""Definition of a match (players, settings, seed) and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from semeai.match.pair import PairTask, PlayedGame
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.specs import PlayerSpec
from semeai.rng import derive
from semeai.stats.intervals import wilson_interval
from semeai.store.identity import hash_config
from semeai.table import Cell, ResultTable

if TYPE_CHECKING:
    import pandas


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

    def to_frame(self) -> "pandas.DataFrame":
        """Return one row per side that player A had as a frame of pandas: games, score, and its 95% interval."""
        return self._table().to_frame()

    def _table(self) -> ResultTable:
        tally = self.tally
        rows: list[tuple[Cell, ...]] = []
        for side, rewards in (("first", tally.as_first), ("second", tally.as_second)):
            n, score = rewards.total(), sum(reward * k for reward, k in rewards.items())
            interval = wilson_interval(score, n) if n else (None, None)
            rows.append((side, n, score, score / n if n else None, *interval))
        interval = tally.interval if tally.n_games else (None, None)
        rows.append(("both", tally.n_games, tally.total, tally.win_rate if tally.n_games else None, *interval))
        columns = ("A moves", "games", "score of A", "win rate", "lower", "upper")
        note = "Intervals: Wilson's 95% of one side, and always valid for both, with one observation per pair."
        return ResultTable(f"Match, {tally.n_games} of {self.n_planned} games", columns, tuple(rows), note)

    def _repr_html_(self) -> str:
        return self._table().to_html()
