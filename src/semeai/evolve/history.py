"""History of an evolution, read from its ledger: the races and matches of each step, also while it is running."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.errors import RunNotFound
from semeai.evolve.change import Change
from semeai.evolve.store import KIND, PREVIOUS, SCREEN, proposals_by_name, recorded_proposals
from semeai.match.match import Match
from semeai.match.run import replay_match
from semeai.match.tally import Tally
from semeai.players.pattern_files import geometry_of
from semeai.players.specs import MctsSpec
from semeai.race.candidate import Candidate
from semeai.race.race import Race
from semeai.race.selection import Standing
from semeai.runs.resume import read_race
from semeai.store.ledger import Ledger


@dataclass(frozen=True)
class Validation:
    """A match that was played to validate a program."""

    match: Match
    tally: Tally

    @property
    def budget(self) -> str:
        """The tested program's budget per move."""
        player = self.match.a
        assert isinstance(player, MctsSpec), "only players that search can be grown"
        simulations, seconds = player.config.simulations, player.config.seconds
        return f"{seconds:g} s" if simulations is None else f"{simulations:,} simulations"


@dataclass
class StepHistory:
    """One step: its proposals, its races, and the matches of the accepted program."""

    number: int
    changes: Mapping[str, Change] = field(default_factory=dict)
    """The proposed changes, by name of the candidate."""
    baseline: Mapping[str, Any] = field(default_factory=dict)
    """The program that the step began with."""
    screen: Race | None = None
    race: Race | None = None
    matches: dict[str, Validation] = field(default_factory=dict)
    confirm: Mapping[str, Any] | None = None
    """What separate games must confirm; None if the race alone decides."""

    @property
    def raced(self) -> Candidate | None:
        """Return the candidate that the race accepted; the last if games under way made it accept several."""
        return self.race.accepted[-1] if self.race and self.race.accepted else None

    @property
    def accepted(self) -> Candidate | None:
        """Return the candidate that is part of the program."""
        played = self.matches.get(PREVIOUS)
        if self.confirm is None or (played and is_confirmed(played.tally, self.confirm)):
            return self.raced
        return None

    @property
    def taken_out(self) -> Candidate | None:
        """Return the candidate that the race accepted and separate games did not confirm."""
        played = self.matches.get(PREVIOUS)
        ended = self.confirm is not None and played is not None and played.tally.n_games >= self.confirm["games"]
        return self.raced if ended and self.accepted is None else None

    @property
    def n_games(self) -> int:
        """Number of games in its races, without validation."""
        return 2 * sum(race.n_evaluations for race in (self.screen, self.race) if race)

    @property
    def candidates(self) -> dict[str, Standing]:
        """Final standing of each candidate, by name: in the race if it was raced, otherwise in the screen."""
        return {s.candidate.name: s for race in (self.screen, self.race) if race for s in race.standings}


@dataclass
class ProposerHistory:
    """Candidates, acceptances and games of one proposer."""

    candidates: int = 0
    acceptances: int = 0
    games: int = 0

    @property
    def games_per_acceptance(self) -> float | None:
        return self.games / self.acceptances if self.acceptances else None


@dataclass
class History:
    name: str
    config: Mapping[str, Any]
    steps: list[StepHistory]
    matches: dict[str, Validation]
    """Matches of the first program."""

    @property
    def game(self) -> str:
        return str(self.config["match"]["game"])

    @property
    def n_games(self) -> int:
        return sum(step.n_games for step in self.steps)

    @property
    def accepting(self) -> list[StepHistory]:
        """The steps that accepted a change: P1, P2, … of the papers."""
        return [step for step in self.steps if step.accepted]

    def accepted(self) -> Iterator[tuple[StepHistory, Change]]:
        for step in self.accepting:
            assert step.accepted is not None
            yield step, step.changes[step.accepted.name]

    def by_proposer(self) -> dict[str, ProposerHistory]:
        found: dict[str, ProposerHistory] = defaultdict(ProposerHistory)
        for step in self.steps:
            for name in step.candidates:
                entry = found[step.changes[name].proposer]
                entry.candidates += 1
                entry.acceptances += step.accepted is not None and step.accepted.name == name
            for race in (step.screen, step.race):
                for standing in race.standings if race else ():
                    found[step.changes[standing.candidate.name].proposer].games += 2 * standing.n_evaluations
        return dict(found)


def is_confirmed(tally: Tally, confirm: Mapping[str, Any]) -> bool:
    """Return whether all games of a confirmation are played and show an improvement."""
    interval = tally.plain_interval
    return tally.n_games >= confirm["games"] and interval is not None and interval[0] > confirm["above"]


def program_name(n_accepted: int) -> str:
    """Return the name of a program, as in the tables of the papers."""
    if n_accepted > 3:
        return f"first + P1 + … + P{n_accepted}"
    return " + ".join(["first", *(f"P{i}" for i in range(1, n_accepted + 1))])


def read_history(ledger: Ledger, name: str) -> History:
    """Return the history of the evolution ``name``. Raises RunNotFound if the ledger has no such evolution."""
    run = ledger.run(name)
    if run.kind != KIND:
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not an evolution")
    steps: dict[int, StepHistory] = {}
    place = re.compile(rf"{re.escape(name)}/step-(\d+)(?:/(.+))?")
    for row in ledger.runs():
        found = place.fullmatch(row.name)
        if not found:
            continue
        number, part = int(found[1]), found[2] or ""
        step = steps.setdefault(number, StepHistory(number, confirm=run.config.get("confirm")))
        if row.kind == "match":
            match, result = replay_match(ledger, row.name)
            step.matches[part] = Validation(match, result.tally)
        elif part == SCREEN:
            step.screen = read_race(ledger, row)
        else:
            step.race, step.baseline = read_race(ledger, row), row.config["baseline"]
    first = steps.pop(0, StepHistory(0))
    geometry = geometry_of(run.config["match"]["game"])
    known = recorded_proposals(ledger, name, geometry)
    for number, step in steps.items():
        proposed = known.get(number) or proposals_by_name(ledger, name, number, geometry)
        step.changes = {proposal.name: proposal.change for proposal in proposed}
    return History(name, run.config, [steps[i] for i in sorted(steps)], first.matches)
