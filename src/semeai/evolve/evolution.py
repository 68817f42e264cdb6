"""State of an evolution: it makes proposals, takes verdicts and grows the baseline. No clock, no I/O.

One step is one iteration of the papers' experiments (BGP, section 5): propose |S0| changes, race them against the
present program, and add the accepted one, if any, to it.
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
from semeai.rng import generator, run_seed
from semeai.runs.race import RacePlan, candidate_list, race_identity
from semeai.stats.spending import countable_share
from semeai.work.evaluators import evaluator_identity

SCREEN_ORDER = (Verdict.ACCEPTED, Verdict.UNDECIDED, Verdict.EXHAUSTED)


@dataclass
class Evolution:
    """An evolution. Steps count from 1; each step calls ``propose``, then ``tell``."""

    config: EvolutionConfig
    proposer: Proposer
    context: Context

    @classmethod
    def begin(cls, config: EvolutionConfig) -> "Evolution":
        return cls(config, config.make_proposer(), Context(config.player, config.match.game))

    def look_at(self, sample: Sample) -> None:
        """Set the sample of positions, for the proposers that need one."""
        self.context = replace(self.context, sample=sample)

    def propose(self, step: int) -> list[Proposal]:
        """Return new changes of the baseline for a step; fewer than usual, or none, if the proposers have no more."""
        draw = generator(self.config.seed, "proposals", step)
        drafted, found = self.context, []
        for number in range(1, self.config.n_proposed + 1):
            change = self.proposer.propose(drafted, draw)
            if change is None:
                break
            found.append(Proposal(number, change))
            drafted = drafted.after(change, accepted=False)
        return found

    def tell(
        self, proposals: Sequence[Proposal], verdicts: Mapping[str, Verdict], confirmed: bool = True
    ) -> Change | None:
        """Take the verdicts of a step, by name of the candidate. Returns the accepted change, or None.

        ``confirmed`` is False if separate games did not confirm the accepted change. A change without a verdict may be
        proposed again: another one was accepted first, or the screen left it out.
        """
        chosen = accepted_of(proposals, verdicts)
        for proposal in proposals:
            verdict = verdicts.get(proposal.name)
            open_still = chosen is not None and verdict in (Verdict.ACCEPTED, Verdict.UNDECIDED)
            if verdict is not None and proposal is not chosen and not open_still:
                self.context = self.context.after(proposal.change, accepted=False)
        if chosen is None:
            return None
        self.context = self.context.after(chosen.change, accepted=confirmed)
        return chosen.change if confirmed else None

    # -- the races of a step -----------------------------------------------------------------------------------

    def race(self, step: int, proposals: Sequence[Proposal], folder: str) -> RacePlan:
        """Return the race that decides, at the player's own budget."""
        settings = step_settings(self.config, step, len(proposals))
        candidates = [proposal.candidate(self.context) for proposal in proposals]
        return self._race(("race", step), candidates, self.context.baseline, settings, folder)

    def screen(self, step: int, proposals: Sequence[Proposal], folder: str) -> RacePlan:
        """Return the cheap race before the deciding one."""
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
        match, seed = self.config.match, run_seed(self.config.seed, *place)
        evaluator = MatchEvaluator(dict(baseline), match, folder)
        identity = race_identity(
            seed,
            settings,
            evaluator_identity({"match": match.identity()}),
            evaluator.recorded(baseline),
            evaluator.recorded(candidate_list(candidates)),
        )
        return RacePlan(settings, evaluator, candidates, identity, seed)


def accepted_of(proposals: Sequence[Proposal], verdicts: Mapping[str, Verdict]) -> Proposal | None:
    """Return the proposal that a step adds to the program.

    A race may accept several, since it ends only after the games under way: then it is the last of them.
    """
    accepted = [proposal for proposal in proposals if verdicts.get(proposal.name) == Verdict.ACCEPTED]
    return accepted[-1] if accepted else None


def step_settings(config: EvolutionConfig, step: int, n_candidates: int) -> RaceSettings:
    """Return the race settings of a step, with the papers' variant 3 applied to steps.

    Step i may accept wrongly with probability 6 risk / (pi^2 i^2), so all steps together with probability ``risk``. The
    risk of a wrong discard is not divided: a good candidate can be lost only in its own step.
    """
    race = config.race
    if config.fresh_risk:
        return race
    settings = race.model_copy(update={"risk": countable_share(race.risk, step)})
    if race.method != "betting" or race.coverage or race.throughput or race.discard_risk is not None:
        return settings
    return settings.model_copy(update={"discard_risk": race.risk if n_candidates == 1 else race.risk / 2})


def with_budget(params: Params, simulations: int) -> dict[str, Any]:
    """Return a player's table with this many simulations per move."""
    return {**{key: value for key, value in params.items() if key != "seconds"}, "simulations": simulations}


def passed(
    proposals: Sequence[Proposal], verdicts: Mapping[str, Verdict], rates: Mapping[str, float], n: int
) -> list[Proposal]:
    """Return the ``n`` best proposals that a screen did not discard, in the order in which they were proposed."""
    through = [p for p in proposals if verdicts[p.name] in SCREEN_ORDER]
    best = sorted(through, key=lambda p: (SCREEN_ORDER.index(verdicts[p.name]), -rates[p.name]))[:n]
    return [p for p in proposals if p in best]
