"""The settings of a race: frozen, validated, and part of its identity."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from semeai.errors import ConfigError

Probability = Annotated[float, Field(gt=0, lt=1)]

THROUGHPUT_DISCARD_RISK = 0.47


class RaceSettings(BaseModel):
    """How a race decides. A field that is None takes the default that suits the mode and the method."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    mode: Literal["bgp", "plain", "stream"] = "bgp"
    """bgp: the first acceptance ends it. plain: each candidate gets a verdict. stream: one after the other."""
    risk: Probability = 0.05
    """delta0: the probability that the race may be wrong, over all candidates and all looks."""
    accept_above: Probability = 0.501
    discard_below: Probability = 0.504
    method: Literal["betting", "hoeffding", "bernstein"] = "betting"
    spending: Literal["geometric", "quadratic", "countable"] | None = None
    """Only for hoeffding and bernstein: variants 1, 2, 3 of computeBounds."""
    coverage: bool = False
    """Only for betting: bounds that hold for all candidates at once (Eq. 2), not only right verdicts."""
    throughput: bool = False
    """Discard at the first hint: fewer games a candidate, more good ones lost, no more false accepts."""
    discard_risk: Probability | None = None
    """Only for betting: the probability of losing one good candidate; overrides the mode's share."""
    selection: (
        Literal["max_progress", "max_evidence", "max_upper", "first_alive", "round_robin", "hdoc", "thompson"] | None
    ) = None
    batch: Annotated[int, Field(ge=1)] | None = None
    """The fewest evaluations between two looks at a candidate."""
    growth: Annotated[float, Field(ge=0, le=1)] | None = None
    """A batch is at least this part of the evaluations so far; 1 is the papers' doubling."""
    lookahead: Annotated[int, Field(ge=1)] | None = None
    """Batches of one candidate under way at once; more keep workers busy, and waste more at its verdict."""
    width: Annotated[int, Field(ge=1)] | None = None
    """Batches under way in all. It decides what is asked for, so it is a setting, not a number of workers."""
    games_per_seed: Annotated[int, Field(ge=1)] = 1
    """2 where an evaluation is a pair of games with colours swapped; the unit is their mean."""
    max_evaluations: Annotated[int, Field(ge=1)] | None = None
    max_per_candidate: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.discard_below < self.accept_above:
            raise ValueError(
                f"discard_below ({self.discard_below}) must not be less than accept_above ({self.accept_above})"
            )
        paper = self.method != "betting"
        if paper and (self.throughput or self.discard_risk is not None or self.coverage):
            raise ValueError(f"throughput, discard_risk and coverage need method 'betting', not {self.method!r}")
        if not paper and self.spending is not None:
            raise ValueError("spending needs method 'hoeffding' or 'bernstein': betting needs no spending on looks")
        if self.spending == "geometric" and self.growth == 0:
            raise ValueError("geometric spending on equally spaced looks never ends: growth must be above 0")
        if self.throughput and self.discard_risk is not None:
            raise ValueError("give throughput or discard_risk, not both")
        if self.coverage and (self.throughput or self.discard_risk is not None):
            raise ValueError("coverage fixes the discard risk: give neither throughput nor discard_risk with it")
        if self.mode == "stream" and self.selection not in (None, "first_alive"):
            raise ValueError("a stream is raced one after the other: its selection is 'first_alive'")
        return self

    def resolved(self) -> "RaceSettings":
        """The same settings with every default written out."""
        paper = self.method != "betting"
        stream = self.mode == "stream"
        lookahead = self.lookahead or (1 if paper else 2)
        # A plain race needs all its verdicts: the order is free, so all candidates can be under way at once.
        order = {"bgp": "max_upper" if paper else "max_progress", "plain": "round_robin", "stream": "first_alive"}
        defaults = {
            "selection": order[self.mode],
            "batch": 1 if paper else 8,
            "growth": 1.0 if paper else 1 / 128,
            "lookahead": lookahead,
            "width": max(lookahead, 64) if self.mode == "plain" else lookahead,
        }
        if paper:
            defaults["spending"] = "countable" if stream else "quadratic"
        missing = {key: value for key, value in defaults.items() if getattr(self, key) is None}
        return self.model_copy(update=missing)

    def batch_size(self, n_dispatched: int) -> int:
        """Evaluations of the next batch of a candidate that has had ``n_dispatched``."""
        assert self.batch is not None
        assert self.growth is not None
        return max(self.batch, int(n_dispatched * self.growth))


def checked_settings(values: Mapping[str, Any]) -> RaceSettings:
    """Settings from plain values; one clear sentence where they are wrong."""
    try:
        return RaceSettings.model_validate(values)
    except ValidationError as error:
        raise ConfigError("; ".join(describe_error(details) for details in error.errors())) from None


def describe_error(error: ErrorDetails) -> str:
    """One of pydantic's findings as a sentence: the place, what is wrong, the value."""
    place = ".".join(str(part) for part in error["loc"])
    message = error["msg"].removeprefix("Value error, ").replace("tuple", "list")  # as TOML and JSON call it
    value = error["input"]
    shown = f" (got {value!r})" if not isinstance(value, Mapping | BaseModel) and value is not None else ""
    return f"{place + ': ' if place else ''}{message[0].lower()}{message[1:]}{shown}"
