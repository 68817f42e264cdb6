"""Settings of a race: frozen, validated, and part of the identity of a run."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from semeai.models import Model, one_of
from semeai.race.methods import METHODS, Rule
from semeai.race.selection import SELECTION_RULES

Probability = Annotated[float, Field(ge=1e-100, lt=1)]
"""A risk. It is divided by the number of candidates and of looks, and must not become 0 by that."""
Threshold = Annotated[float, Field(ge=1e-6, le=1 - 1e-6)]
"""A win rate that candidates are compared with. Near 0 and 1, bets on it exceed the largest number."""
Count = Annotated[int, Field(ge=1, le=10**15)]
"""A number of evaluations. Sums of them fit into a column of a ledger."""

THROUGHPUT_DISCARD_RISK = 0.47


class RaceSettings(Model):
    """Settings of a race. A field that is None gets the default of the mode and the method."""

    model_config = ConfigDict(strict=True)

    mode: Literal["bgp", "plain", "stream"] = "bgp"
    """bgp: the first acceptance ends the race. plain: every candidate gets a verdict. stream: one after the other."""
    risk: Probability = 0.05
    """Largest probability of a wrong verdict, over all candidates and all looks (delta0 in the papers)."""
    accept_above: Threshold = 0.501
    discard_below: Threshold = 0.504
    method: Annotated[str, one_of(METHODS)] = "betting"
    spending: Literal["geometric", "quadratic", "countable"] | None = None
    """Only for hoeffding and bernstein: variant 1, 2 or 3 of computeBounds."""
    coverage: bool = False
    """Only for betting: guarantee the bounds of all candidates simultaneously (Eq. 2), not only the verdicts."""
    throughput: bool = False
    """Only for betting: discard early. Fewer games per candidate, more good ones lost, no more wrong acceptances."""
    discard_risk: Probability | None = None
    """Only for betting: largest probability to discard a good candidate; overrides the mode's share of the risk."""
    fdr: bool = False
    """Only for betting in a stream: risk bounds the expected part of bad ones among the accepted (e-LOND), not the
    probability that any bad one is accepted."""
    selection: Annotated[str, one_of(SELECTION_RULES)] | None = None
    batch: Count | None = None
    """Minimum number of evaluations between two looks at a candidate."""
    growth: Annotated[float, Field(ge=0, le=1)] | None = None
    """Minimum size of a batch as a part of the candidate's evaluations so far; 1 is the doubling of the papers."""
    lookahead: Count | None = None
    """Maximum number of batches of one candidate under way; more keep workers busy, but waste more at its verdict."""
    width: Count | None = None
    """Maximum number of batches under way. It influences the choices, so it does not follow the number of workers."""
    games_per_seed: Count = 1
    """Rewards per evaluation, whose mean counts as one reward: 2 for a pair of games with colours swapped."""
    max_evaluations: Count | None = None
    max_per_candidate: Count | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.discard_below < self.accept_above:
            raise ValueError(
                f"discard_below ({self.discard_below}) must not be less than accept_above ({self.accept_above})"
            )
        for option in ("spending", "coverage", "throughput", "discard_risk", "fdr"):
            if getattr(self, option) not in (None, False) and option not in METHODS[self.method].options:
                raise ValueError(f"method {self.method!r} has no {option}")
        if self.spending == "geometric" and self.growth == 0:
            raise ValueError("geometric spending on equally spaced looks never ends: growth must be above 0")
        if self.throughput and self.discard_risk is not None:
            raise ValueError("give throughput or discard_risk, not both")
        if self.coverage and (self.throughput or self.discard_risk is not None):
            raise ValueError("coverage fixes the discard risk: give neither throughput nor discard_risk with it")
        if self.fdr and (self.mode != "stream" or self.coverage):
            raise ValueError("fdr is for streams, and not together with coverage")
        if self.mode == "stream" and self.selection not in (None, "first_alive"):
            raise ValueError("a stream is raced one after the other: its selection is 'first_alive'")
        return self

    def resolved(self) -> "RaceSettings":
        """Return the same settings with all defaults filled in."""
        rule = METHODS[self.method]
        lookahead = self.lookahead or rule.lookahead
        # A plain race needs all verdicts in any order, so all candidates can be under way at the same time.
        order = {"bgp": rule.selection, "plain": "round_robin", "stream": "first_alive"}
        defaults = {
            "selection": order[self.mode],
            "batch": rule.batch,
            "growth": rule.growth,
            "lookahead": lookahead,
            "width": max(lookahead, 64) if self.mode == "plain" else lookahead,
        }
        if "spending" in rule.options:
            defaults["spending"] = "countable" if self.mode == "stream" else "quadratic"
        missing = {key: value for key, value in defaults.items() if getattr(self, key) is None}
        return self.model_copy(update=missing)

    def identity(self) -> dict[str, object]:
        """Return what the ledger records. Settings that are younger than format 2 are left out if they are not used."""
        found = self.resolved().model_dump(mode="json")
        return {name: value for name, value in found.items() if name != "fdr" or value}

    def rule(self, n_candidates: int) -> Rule:
        """Return the method's rule for a race of ``n_candidates``."""
        return METHODS[self.method](self, n_candidates)

    def batch_size(self, n_dispatched: int) -> int:
        """Return the size of the next batch of a candidate with ``n_dispatched`` requested evaluations."""
        assert self.batch is not None
        assert self.growth is not None
        return max(self.batch, int(n_dispatched * self.growth))
