"""Run an evolution: race after race, with separate games to validate what was accepted.

Each race and match is a run in the ledger, named below the evolution. To resume, the loop does the same again:
recorded runs are read, missing ones are played.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from semeai.errors import ConfigError, PlayerFailed
from semeai.evolve.change import Change, Params
from semeai.evolve.config import EvolutionConfig
from semeai.evolve.context import config_of
from semeai.evolve.evolution import Evolution, accepted_of, passed, with_budget
from semeai.evolve.history import History, is_confirmed, program_name, read_history
from semeai.evolve.output import write_player
from semeai.evolve.proposal import Proposal
from semeai.evolve.sample import sample_positions
from semeai.evolve.store import (
    DEEP,
    EVOLUTION,
    FIRST,
    KIND,
    PREVIOUS,
    SCREEN,
    opponent_part,
    proposals_by_name,
    record_proposals,
    recorded_proposals,
    step_run,
)
from semeai.match.match import Match, MatchResult
from semeai.match.pair import MatchSetup, prepare_players
from semeai.match.run import run_match
from semeai.players.catalog import parse_spec
from semeai.players.gnugo import gnugo
from semeai.players.specs import PlayerSpec
from semeai.race.candidate import Verdict
from semeai.race.race import Decision
from semeai.rng import derive, run_seed
from semeai.runs.driver import RaceDriver
from semeai.runs.race import RacePlan, RaceResult, run_plan
from semeai.runs.run import Observer, Place, Run, open_run
from semeai.table import percent
from semeai.work.spread import Spread

GNU_GO_SIZES = range(5, 20)
GNU_GO_LEVEL = 1
"""Level 1 needs a tenth of the CPU time of level 10, and is strong enough for the programs that are grown."""


class EvolutionObserver(Observer):
    """Watches an evolution. Its races and matches have observers of their own."""

    def race(self, step: int, n_steps: int, what: str) -> Observer:
        """Return the observer of a step's race, or of the screen before it."""
        return Observer()

    def match(self, title: str, match: Match) -> Observer:
        """Return the observer of a validation match."""
        return Observer()

    def stepped(self, step: int, change: Change | None, races: Sequence[RaceResult]) -> None:
        """Called at the end of a step, with the accepted change, if any, and the races of the step."""

    def played(self, title: str, result: MatchResult) -> None:
        """Called at the end of a match."""


@dataclass(frozen=True)
class EvolutionResult:
    history: History
    player: Params
    """The present player."""
    finished: bool
    """False if it was stopped before its end; it can be resumed."""
    reason: str
    """Why it ended."""
    seconds: float
    notes: list[str] = field(default_factory=list)
    """Which validation matches were left out, and why."""


class _Stopped(Exception):
    """The running race or match was told to stop."""


class _TimeUp(Exception):
    """The time limit ``hours`` has passed."""


def run_evolution(
    config: EvolutionConfig,
    folder: Path,
    place: Place,
    *,
    name: str,
    output: Path,
    observer: EvolutionObserver | None = None,
) -> EvolutionResult:
    """Start or resume the evolution ``name``.

    Names of engines and player files are relative to ``folder``. Patterns and player are written to ``output``.
    """
    began = time.perf_counter()
    observer = observer or EvolutionObserver()
    opponents, notes = find_opponents(config, folder)
    prepare_players(config.match, [parse_spec(config.player, folder, config.match.game)], observer.say)
    with open_run(name, KIND, config.identity(), config.seed, place, observer, EVOLUTION.tables) as run:
        loop = _Loop(config, folder, name, replace(place, pool=run.pool), output, run, observer, opponents, notes)
        try:
            reason, finished = loop.run()
        except (_Stopped, KeyboardInterrupt):
            reason, finished = "stopped", False
        run.state = "finished" if finished else "interrupted"
        write_player(output, loop.evolution.context)
        history = read_history(loop.store, name)
    return EvolutionResult(
        history, loop.evolution.context.baseline, finished, reason, time.perf_counter() - began, notes
    )  # fmt: skip


def find_opponents(config: EvolutionConfig, folder: Path) -> tuple[list[PlayerSpec], list[str]]:
    """Return the foreign engines of the validation; without one, a note that says why."""
    v, match = config.validation, config.match
    if v.opponent_games == 0:
        return [], ["Not played against a foreign engine: validation.opponent_games is 0."]
    if v.opponent is not None:
        try:
            named = v.opponent if isinstance(v.opponent, tuple) else (v.opponent,)
            return [parse_spec(words, folder, match.game) for words in named], []
        except ConfigError as error:
            raise ConfigError(f"validation.opponent: {error}") from None
    if match.game != "go":
        return [], [f"Not played against a foreign engine: name one for {match.game} as validation.opponent."]
    if match.size not in GNU_GO_SIZES:
        return [], [f"Not played against a foreign engine: GNU Go has no board of {match.size} lines."]
    try:
        label = f"GNU Go level {GNU_GO_LEVEL}"
        return [replace(parse_spec(gnugo(GNU_GO_LEVEL), folder, match.game), label=label)], []
    except ConfigError as error:
        return [], [f"Not played against a foreign engine: {error}."]


@dataclass
class _Loop:
    config: EvolutionConfig
    folder: Path
    name: str
    place: Place
    output: Path
    own: Run
    observer: EvolutionObserver
    opponents: Sequence[PlayerSpec]
    notes: list[str]

    def __post_init__(self) -> None:
        assert self.own.writer is not None, "an evolution is kept in a ledger"
        self.writer = self.own.writer
        self.store = self.writer.ledger
        self.evolution = Evolution.begin(self.config)
        self.programs: list[tuple[int, Params]] = [(0, self.config.player)]
        """The first program and one program per acceptance, each with the number of its step."""
        self.known = recorded_proposals(self.store, self.name, self.evolution.context.geometry)
        hours = self.config.hours
        self.deadline = None if hours is None else time.monotonic() + 3600 * hours

    def run(self) -> tuple[str, bool]:
        """Run all steps. Returns why it ended, and whether it is finished."""
        reason, finished = f"all {self.config.steps:,} steps are done", True
        for step in range(1, self.config.steps + 1):
            try:
                proposals = self._proposals(step)
                if not proposals:
                    reason = f"nothing new is left to propose after step {step - 1}"
                    break
                accepted = self._step(step, proposals)
            except _TimeUp:
                reason, finished = f"the time was up in step {step}", False
                break
            if accepted is not None:
                self.programs.append((step, self.evolution.context.baseline))
                write_player(self.output, self.evolution.context)
                self._validate_step()
        self._validate_last()
        return reason, finished

    # -- a step ------------------------------------------------------------------------------------------------

    def _proposals(self, step: int) -> list[Proposal]:
        """Return the recorded proposals of a step; for a new step, make and record them. Raises _TimeUp."""
        context = self.evolution.context
        known = self.known.get(step) or proposals_by_name(self.store, self.name, step, context.geometry)
        if known:
            return known
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise _TimeUp
        if self.config.needs_sample:  # its searches run on the workers
            self.own.pool.begin(MatchSetup(self.config.match, (self._program(0),)))
        if self.config.needs_sample and context.sample is None:
            self.observer.say(f"sampling {self.config.sample:,} positions from self-play …")
            first, size, seed = self.config.first, self.config.match.size, derive(self.config.seed, "sample")
            sample = sample_positions(
                first, size, self.config.sample, seed, radius=self.config.reach, spread=Spread(self.own.pool)
            )
            self.evolution.look_at(sample)
        self.observer.say(f"proposing candidates for step {step} …")
        proposed = self.evolution.propose(step)
        record_proposals(self.writer, step, proposed)
        return proposed

    def _step(self, step: int, proposals: Sequence[Proposal]) -> Change | None:
        verdicts: dict[str, Verdict] = {}
        racing, races, folder = list(proposals), [], str(self.folder.resolve())
        if self.config.screen is not None:
            screened = self._race(step, SCREEN, self.evolution.screen(step, proposals, folder))
            races.append(screened)
            told = {s.candidate.name: s.verdict for s in screened.standings}
            rates = {s.candidate.name: s.win_rate for s in screened.standings}
            racing = passed(proposals, told, rates, self.config.candidates)
            verdicts = {n: v for n, v in told.items() if v in (Verdict.DISCARDED, Verdict.FAILED)}
        if racing:
            result = self._race(step, "", self.evolution.race(step, racing, folder))
            races.append(result)
            verdicts |= {s.candidate.name: s.verdict for s in result.standings}
        chosen = accepted_of(proposals, verdicts)
        confirmed = chosen is None or self._confirm(step, chosen.change)
        accepted = self.evolution.tell(proposals, verdicts, confirmed)
        self.observer.stepped(step, accepted, races)
        return accepted

    def _confirm(self, step: int, change: Change) -> bool:
        """Return whether separate games show that an accepted change is an improvement; True if none are asked for."""
        confirm = self.config.confirm
        if confirm is None:
            return True
        n, grown = len(self.programs), self.evolution.context.after(change, accepted=True).baseline
        result = self._play(PREVIOUS, step, self._spec(grown, n), self._program(n - 1), confirm.games)
        assert result is not None, "both players are our own"
        if is_confirmed(result.tally, confirm.model_dump()):
            return True
        rate = percent(result.tally.win_rate, result.tally.plain_interval)
        self.observer.say(f"taken out: {change} has {rate} in {result.tally.n_games:,} separate games")
        return False

    def _race(self, step: int, part: str, plan: RacePlan) -> RaceResult:
        observer = _Deadline(self.observer.race(step, self.config.steps, part or "race"), self.deadline)
        result = run_plan(plan, step_run(self.name, step, part), self.place, observer)
        if observer.stopped:  # even if the race is finished, because only its last games were under way
            raise _Stopped
        if not result.finished:
            raise _TimeUp if observer.passed else _Stopped
        return result

    # -- validation --------------------------------------------------------------------------------------------

    def _validate_step(self) -> None:
        """Play the grown program against the previous one and against the first (BGP paper, section 5)."""
        games, last = self.config.validation.games, len(self.programs) - 1
        step = self.programs[last][0]
        if self.config.confirm is None:
            self._play(PREVIOUS, step, self._program(last), self._program(last - 1), games)
        if last > 1:
            self._play(FIRST, step, self._program(last), self._program(0), games)

    def _validate_last(self) -> None:
        """Play programs against foreign engines and at another budget, where their gains may be lost."""
        v, last = self.config.validation, len(self.programs) - 1
        for number, opponent in enumerate(self.opponents, 1):
            for i in range(last + 1) if v.every_program else sorted({0, last}):
                part = opponent_part(number)
                self._play(part, self.programs[i][0], self._program(i), opponent, v.opponent_games)
        for i in range(1, last + 1) if v.every_program else {0, last} - {0}:
            grown, first = self._program(i, v.deep_factor), self._program(0, v.deep_factor)
            self._play(DEEP, self.programs[i][0], grown, first, v.deep_games)

    def _program(self, i: int, factor: float = 1.0) -> PlayerSpec:
        """Return program ``i`` with ``factor`` times its budget."""
        return self._spec(self.programs[i][1], i, factor)

    def _spec(self, params: Params, i: int, factor: float = 1.0) -> PlayerSpec:
        """Return the player of a table as program ``i``, with ``factor`` times its budget."""
        config = config_of(params, self.config.match.game)
        if factor != 1.0 and config.simulations is not None:
            params = with_budget(params, round(factor * config.simulations))
        elif factor != 1.0:
            params = {**params, "seconds": factor * (config.seconds or 0.0)}
        label = program_name(i) + (f", {factor:g} times the budget" if factor != 1.0 else "")
        return replace(parse_spec(dict(params), self.folder, self.config.match.game), label=label)

    def _play(self, part: str, step: int, a: PlayerSpec, b: PlayerSpec, games: int) -> MatchResult | None:
        """Play a match of the validation. Returns None if it was left out."""
        if games == 0:
            return None
        match = Match(a, b, self.config.match, run_seed(self.config.seed, "validation", part, step))
        title = f"{a.label} against {b.label}"
        try:
            observer = self.observer.match(title, match)
            result = run_match(match, games, self.place, name=step_run(self.name, step, part), observer=observer)
        except PlayerFailed as error:
            if b.kind != "gtp":
                raise
            self.notes.append(f"Not played against {b.label}: {error}.")
            return None
        if result.stopped:
            raise _Stopped
        self.observer.played(title, result)
        return result


class _Deadline(Observer):
    """Forwards events to another observer, and stops the race once the time is up.

    Remembers whether the time was up, and whether a signal has stopped the race.
    """

    def __init__(self, inner: Observer, deadline: float | None) -> None:
        self.inner = inner
        self.deadline = deadline
        self.passed = False
        self.stopped = False

    def say(self, text: str) -> None:
        self.inner.say(text)

    def start(self, driver: RaceDriver) -> None:
        self.inner.start(driver)

    def progress(self, driver: RaceDriver) -> None:
        self.inner.progress(driver)
        if self.deadline is not None and time.monotonic() > self.deadline and not driver.stopping:
            self.passed = True
            driver.stop()

    def decision(self, decision: Decision) -> None:
        self.inner.decision(decision)

    def warning(self, text: str) -> None:
        self.inner.warning(text)

    def stop(self, driver: RaceDriver) -> None:
        self.stopped = True
        self.inner.stop(driver)
