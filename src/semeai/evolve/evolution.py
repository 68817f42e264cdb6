"""What an evolution knows and how it goes on: proposals in, verdicts back, the baseline grows. No clock, no I/O.

One iteration of the papers' experiments (BGP, section 5): propose |S0| changes, race them against the program as it is,
and make the accepted one, if there is one, a part of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from semeai.evolve.change import Change, change_of
from semeai.evolve.config import EvolutionConfig
from semeai.evolve.proposers import Context, Proposer
from semeai.evolve.sample import Sample
from semeai.race.candidate import Candidate, Verdict
from semeai.race.settings import RaceSettings
from semeai.rng import derive, generator
from semeai.runs.race_file import CandidatesConfig, EvaluatorConfig, RaceConfig
from semeai.stats.spending import countable_share

SCREEN_ORDER = (Verdict.ACCEPTED, Verdict.UNDECIDED, Verdict.EXHAUSTED)


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

    def propose(self, step: int) -> list[Candidate]:
        """New changes of the baseline for a step, as far as there are any."""
        draw = generator(self.config.seed, "proposals", step)
        drafted, found = self.context, []
        for number in range(1, self.config.n_proposed + 1):
            change = self.proposer.propose(drafted, draw)
            if change is None:
                break
            found.append(change.as_candidate(number, self.context.baseline, self.context.config))
            drafted = drafted.after(change, accepted=False)
        return found

    def tell(self, candidates: Sequence[Candidate], verdicts: Mapping[str, Verdict]) -> Change | None:
        """The verdicts of a step; returns the change that was accepted.

        Who has no verdict because another was accepted first, or found no place in the race, may be proposed again.
        """
        accepted = None
        ended = Verdict.ACCEPTED in verdicts.values()
        for candidate in candidates:
            change = change_of(candidate, self.context.geometry)
            verdict = verdicts.get(candidate.name)
            if verdict == Verdict.ACCEPTED:
                accepted = change
            elif verdict is not None and not (ended and verdict == Verdict.UNDECIDED):
                self.context = self.context.after(change, accepted=False)
        if accepted is not None:
            self.context = self.context.after(accepted, accepted=True)
        return accepted

    # -- the races of a step -----------------------------------------------------------------------------------

    def race(self, step: int, candidates: Sequence[Candidate]) -> RaceConfig:
        """The race that decides, at the budget that matters."""
        settings = step_settings(self.config, step, len(candidates))
        return self._race(("race", step), candidates, dict(self.context.baseline), settings)

    def screen(self, step: int, candidates: Sequence[Candidate]) -> RaceConfig:
        """The cheap one before it."""
        screen = self.config.screen
        assert screen is not None
        cheap = [Candidate(c.name, with_simulations(c.params, screen.simulations)) for c in candidates]
        baseline = with_simulations(self.context.baseline, screen.simulations)
        return self._race(("screen", step), cheap, baseline, screen.settings(self.config.race.risk))

    def _race(
        self, place: tuple[str, int], candidates: Sequence[Candidate], baseline: dict[str, object], s: RaceSettings
    ) -> RaceConfig:
        return RaceConfig(
            seed=step_seed(self.config.seed, *place),
            race=s,
            evaluator=EvaluatorConfig(match=self.config.match),
            baseline=baseline,
            candidates=CandidatesConfig(list=tuple({**c.params, "name": c.name} for c in candidates)),
            executor=self.config.executor,
        )


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


def with_simulations(params: Mapping[str, object], simulations: int) -> dict[str, object]:
    """A player's table with another budget."""
    return {**{key: value for key, value in params.items() if key != "seconds"}, "simulations": simulations}


def passed(
    candidates: Sequence[Candidate], verdicts: Mapping[str, Verdict], rates: Mapping[str, float], n: int
) -> list[Candidate]:
    """The ``n`` best that a screen did not discard, in the order in which they were proposed."""
    through = [c for c in candidates if verdicts[c.name] in SCREEN_ORDER]
    best = sorted(through, key=lambda c: (SCREEN_ORDER.index(verdicts[c.name]), -rates[c.name]))[:n]
    return [c for c in candidates if c in best]
