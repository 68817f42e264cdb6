"""The goal of a comparison: what is measured, which is better, and when the evidence is sufficient."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from semeai.models import Model
from semeai.race.settings import Count, Probability
from semeai.work.metrics import Metric

Effect = Literal["ratio", "difference"]
Amount = Annotated[float, Field(ge=0, le=1e300)]


class Goal(Model):
    """What is compared, and when it is decided."""

    metric: Metric = "time"
    better: Literal["lower", "higher"] = "lower"
    effect: Effect = "ratio"
    """How a command is compared with the first one in each round: divide their numbers, or subtract them."""
    risk: Probability = 0.05
    """Largest probability of any wrong verdict or interval, over all commands and all looks."""
    margin: Amount = 0.02
    """Two commands are the same if their ratio differs from 1, or their difference from 0, by at most this."""
    fail_above: Amount | None = None
    """If set, decide only whether a command is worse than the first one by more than this."""
    precision: Annotated[float, Field(gt=0, le=1e300)] | None = None
    """If set, go on until the interval is at most this far from its middle."""
    min_rounds: Count = 10
    max_rounds: Count | None = None
    max_seconds: Annotated[float, Field(gt=0, le=1e7)] | None = 120.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.max_rounds is not None and self.max_rounds < self.min_rounds:
            raise ValueError(f"max_rounds ({self.max_rounds}) must not be less than min_rounds ({self.min_rounds})")
        return self

    @property
    def neutral(self) -> float:
        """The effect of two equal commands."""
        return 1.0 if self.effect == "ratio" else 0.0

    @property
    def limit(self) -> float | None:
        """The effect beyond which a command fails."""
        if self.fail_above is None:
            return None
        return self.neutral + (self.fail_above if self.better == "lower" else -self.fail_above)
