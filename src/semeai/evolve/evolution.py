"""What an evolution knows and how it goes on: proposals in, verdicts back, the baseline grows. No clock, no I/O.

One iteration of the papers' experiments (BGP, section 5): propose |S0| changes, race them against the program as it is,
and make the accepted one, if there is one, a part of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from semeai.evolve.change import Change, Params
from semeai.evolve.config import EvolutionConfig
from semeai.evolve.context import Context
from semeai.evolve.proposal import Proposal
from semeai.evolve.proposers.base import Proposer
from semeai.evolve.sample import Sample
from semeai.match.evaluator import MatchEvaluator
from semeai.race.candidate import Candidate, Verdict
from semeai.race.settings import RaceSettings
from semeai.rng import derive, generator
from semeai.runs.race import RacePlan, race_identity
from semeai.stats.spending import countable_share
from semeai.work.evaluators import evaluator_identity

SCREEN_ORDER = (Verdict.ACCEPTED, Verdict.UNDECIDED, Verdict.EXHAUSTED)
NO_OTHER_SOURCE = {"grid": None, "generator": None, "limit": None}
"""What a race file with a list of candidates also records."""


@dataclass
class Evolution:
    """Steps count from 1; ``propose`` and ``tell`` take turns."""

    config: EvolutionConfig
    proposer: Proposer
    context: Context

    @classmethod
    def begin(cls, config: EvolutionConfig) -> "Evolution":
        return cls(config, config.make_proposer(), Context(config.player, config.match.game))

    def look_at(self, sample: Sample) -> None:
        """Positions, for the proposers that need some."""
        self.context = replace(self.context, sample=sample)

    def propose(self, step: int) -> list[Proposal]:
        """Return new changes of the baseline for a step, as far as there are any."""
        draw = generator(self.config.seed, "proposals", step)
        drafted, found = self.context, []
        for number in range(1, self.config.n_proposed + 1):
            change = self.proposer.propose(drafted, draw)
            if change is None:
                break
            found.append(Proposal(number, change))
            drafted = drafted.after(change, accepted=False)
        return found

    def tell(self, proposals: Sequence[Proposal], verdicts: Mapping[str, Verdict]) -> Change | None:
        """Take the verdicts of a step, by name. Returns the change that was accepted.

        A change without a verdict, because another was accepted first or it found no place in the race, may be
        proposed again.
        """
        accepted = None
        ended = Verdict.ACCEPTED in verdicts.values()
        for proposal in proposals:
            verdict = verdicts.get(proposal.name)
            if verdict == Verdict.ACCEPTED:
                accepted = proposal.change
            elif verdict is not None and not (ended and verdict == Verdict.UNDECIDED):
                self.context = self.context.after(proposal.change, accepted=False)
        if accepted is not None:
            self.context = self.context.after(accepted, accepted=True)
        return accepted

    # -- the races of a step -----------------------------------------------------------------------------------

    def race(self, step: int, proposals: Sequence[Proposal], folder: str) -> RacePlan:
        """Return the race that decides, at the budget that matters."""
        settings = step_settings(self.config, step, len(proposals))
        candidates = [proposal.candidate(self.context) for proposal in proposals]
        return self._race(("race", step), candidates, self.context.baseline, settings, folder)

    def screen(self, step: int, proposals: Sequence[Proposal], folder: str) -> RacePlan:
        """Return the cheap race before it."""
        screen = self.config.screen
        assert screen is not None
        found = [proposal.candidate(self.context) for proposal in proposals]
        cheap = [Candidate(c.name, with_budget(c.params, screen.simulations)) for c in found]
        baseline = with_budget(self.context.baseline, screen.simulations)
        return self._race(("screen", step), cheap, baseline, screen.settings(self.config.race.risk), folder)

    def _race(
        self,
        place: tuple[str, int],
        candidates: Sequence[Candidate],
        baseline: Params,
        settings: RaceSettings,
        folder: str,
    ) -> RacePlan:
        match, seed = self.config.match, step_seed(self.config.seed, *place)
        evaluator = MatchEvaluator(dict(baseline), match, folder)
        listed = {"list": [{**c.params, "name": c.name} for c in candidates], **NO_OTHER_SOURCE}
        identity = race_identity(
            seed,
            settings,
            evaluator_identity({"match": match.identity()}),
            evaluator.recorded(baseline),
            evaluator.recorded(listed),
        )
        return RacePlan(settings, evaluator, candidates, identity, seed)


def step_settings(config: EvolutionConfig, step: int, n_candidates: int) -> RaceSettings:
    """Variant 3 over steps: step i may accept wrongly with 6 risk / (pi^2 i^2), so all steps together with risk.

    Only acceptances need it. A good candidate is lost by its own discard alone, so that risk stays what it is.
    """
    race = config.race
    if config.fresh_risk:
        return race
    settings = race.model_copy(update={"risk": countable_share(race.risk, step)})
    if race.method != "betting" or race.coverage or race.throughput or race.discard_risk is not None:
        return settings
    return settings.model_copy(update={"discard_risk": race.risk if n_candidates == 1 else race.risk / 2})


def step_seed(seed: int, *place: str | int) -> int:
    return derive(seed, *place) >> 1


def with_budget(params: Params, simulations: int) -> dict[str, Any]:
    """Return a player's table with so many simulations per move."""
    return {**{key: value for key, value in params.items() if key != "seconds"}, "simulations": simulations}


def passed(
    proposals: Sequence[Proposal], verdicts: Mapping[str, Verdict], rates: Mapping[str, float], n: int
) -> list[Proposal]:
    """Return the ``n`` best that a screen did not discard, in the order in which they were proposed."""
    through = [p for p in proposals if verdicts[p.name] in SCREEN_ORDER]
    best = sorted(through, key=lambda p: (SCREEN_ORDER.index(verdicts[p.name]), -rates[p.name]))[:n]
    return [p for p in proposals if p in best]
