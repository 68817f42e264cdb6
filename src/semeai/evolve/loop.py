"""Running an evolution: race after race, and games of their own for what was accepted.

All that it does is a run of its own in the ledger, below the evolution's name. To resume is to do the same again: what
is recorded is read, what is missing is played.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from semeai.errors import ConfigError, PlayerFailed, RunNotFound
from semeai.evolve.change import Change, Params, change_of
from semeai.evolve.config import EvolutionConfig
from semeai.evolve.evolution import Evolution, passed, step_seed, with_simulations
from semeai.evolve.history import (
    DEEP,
    FIRST,
    KIND,
    OPPONENT,
    PREVIOUS,
    SCREEN,
    History,
    program_name,
    read_history,
    step_run,
)
from semeai.evolve.output import write_player
from semeai.evolve.proposers import config_of
from semeai.evolve.sample import sample_positions
from semeai.match.pair import warm_up
from semeai.match.run import Match, MatchCallbacks, MatchResult, run_match
from semeai.players.catalog import parse_spec
from semeai.players.gnugo import gnugo
from semeai.players.specs import PlayerSpec
from semeai.race.candidate import Candidate, Verdict
from semeai.rng import derive
from semeai.runs.driver import Driver
from semeai.runs.race import Callbacks, RaceResult, run_config, versions
from semeai.runs.race_file import RaceConfig
from semeai.store.ledger import Ledger
from semeai.work.executors import ResilientPool, default_workers, executor_factory

GNU_GO_SIZES = range(5, 20)
GNU_GO_LEVEL = 1
"""A tenth of the CPU time of level 10, and strong enough for what is being grown."""


class Watcher:
    """How an evolution is watched; none of it changes what it does."""

    def say(self, text: str) -> None:
        """What it is doing now, where that takes a while."""

    def race(self, step: int, n_steps: int, what: str) -> Callbacks:
        return Callbacks()

    def match(self, title: str, match: Match) -> MatchCallbacks:
        return MatchCallbacks()

    def stepped(self, step: int, change: Change | None, races: Sequence[RaceResult]) -> None:
        """The end of a step: what was accepted, and in which races."""

    def played(self, title: str, result: MatchResult) -> None:
        """The end of a match."""


@dataclass(frozen=True)
class EvolutionResult:
    history: History
    player: Params
    """As it is now."""
    finished: bool
    """False: stopped before its end, and it can be resumed."""
    reason: str
    """Why it ended."""
    seconds: float
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""


class _Stopped(Exception):
    """Somebody has told the run under way to stop."""


class _TimeUp(Exception):
    """``hours`` are over."""


def run_evolution(
    config: EvolutionConfig,
    folder: Path,
    *,
    name: str,
    ledger: str,
    output: Path,
    workers: int | None = None,
    watcher: Watcher | None = None,
) -> EvolutionResult:
    """Start the evolution ``name`` of ``config``, or resume it, in the ledger at ``ledger``.

    ``folder`` is where engines and files of players are looked for; patterns and player are written to ``output``.
    """
    began = time.perf_counter()
    watcher = watcher or Watcher()
    opponent, notes = find_opponent(config, folder)
    factory = executor_factory(config.executor.name)
    warm_up(config.match, [parse_spec(config.player, folder, config.match.game)], watcher.say)
    with (
        contextlib.closing(Ledger(ledger)) as store,
        contextlib.closing(store.open_run(name, KIND, config.identity(), config.seed, versions())) as writer,
        ResilientPool(factory, workers or config.executor.workers or default_workers()) as pool,
    ):
        loop = _Loop(config, folder, name, ledger, output, store, pool, watcher, opponent, notes)
        state = "error"
        writer.set_state("running")
        try:
            reason, finished = loop.run()
            state = "finished" if finished else "interrupted"
        except (_Stopped, KeyboardInterrupt):
            reason, finished, state = "stopped", False, "interrupted"
        finally:
            writer.set_state(state)
        write_player(output, loop.evolution.context)
        history = read_history(store, name)
    return EvolutionResult(
        history, loop.evolution.context.baseline, finished, reason, time.perf_counter() - began, notes
    )  # fmt: skip


def find_opponent(config: EvolutionConfig, folder: Path) -> tuple[PlayerSpec | None, list[str]]:
    """The foreign engine of the validation, or why there is none."""
    v, match = config.validation, config.match
    if v.opponent_games == 0:
        return None, ["Not played against a foreign engine: validation.opponent_games is 0."]
    if v.opponent is not None:
        try:
            return parse_spec(v.opponent, folder, match.game), []
        except ConfigError as error:
            raise ConfigError(f"validation.opponent: {error}") from None
    if match.game != "go":
        return None, [f"Not played against a foreign engine: name one for {match.game} as validation.opponent."]
    if match.size not in GNU_GO_SIZES:
        return None, [f"Not played against a foreign engine: GNU Go has no board of {match.size} lines."]
    try:
        label = f"GNU Go level {GNU_GO_LEVEL}"
        return replace(parse_spec(gnugo(GNU_GO_LEVEL), folder, match.game), label=label), []
    except ConfigError as error:
        return None, [f"Not played against a foreign engine: {error}."]


@dataclass
class _Loop:
    config: EvolutionConfig
    folder: Path
    name: str
    ledger: str
    output: Path
    store: Ledger
    pool: ResilientPool
    watcher: Watcher
    opponent: PlayerSpec | None
    notes: list[str]

    def __post_init__(self) -> None:
        self.evolution = Evolution.begin(self.config)
        self.programs: list[tuple[int, Params]] = [(0, self.config.player)]
        """The step that made it, and the program: the first, and one for each acceptance."""
        hours = self.config.hours
        self.deadline = None if hours is None else time.monotonic() + 3600 * hours
        self.time_is_up = False

    def run(self) -> tuple[str, bool]:
        """Why it ended, and whether that was its end."""
        reason, finished = f"all {self.config.steps:,} steps are done", True
        for step in range(1, self.config.steps + 1):
            try:
                candidates = self._proposals(step)
                if not candidates:
                    reason = f"nothing new is left to propose after step {step - 1}"
                    break
                accepted = self._step(step, candidates)
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

    def _proposals(self, step: int) -> list[Candidate]:
        """Those that the ledger has; where a step is new, new ones."""
        known = self._recorded(step, SCREEN if self.config.screen else "")
        if known is not None:
            return known
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise _TimeUp
        if self.config.needs_sample and self.evolution.context.sample is None:
            self.watcher.say(f"looking at {self.config.sample:,} positions of its own games …")
            first, size = self.config.first, self.config.match.size
            self.evolution.look_at(
                sample_positions(first, size, self.config.sample, derive(self.config.seed, "sample"))
            )
        self.watcher.say(f"proposing candidates for step {step} …")
        return self.evolution.propose(step)

    def _recorded(self, step: int, part: str) -> list[Candidate] | None:
        try:
            run = self.store.run(step_run(self.name, step, part))
        except RunNotFound:
            return None
        rows = [dict(row) for row in run.config["candidates"]["list"]]
        return [self._as_proposed(Candidate(row.pop("name"), row)) for row in rows]

    def _as_proposed(self, recorded: Candidate) -> Candidate:
        """The same change of the program as it is: a ledger has neither the place of a database nor, of a candidate
        that was screened, the budget.
        """
        context = self.evolution.context
        return Candidate(recorded.name, change_of(recorded, context.geometry).apply(context.baseline, context.config))

    def _step(self, step: int, candidates: Sequence[Candidate]) -> Change | None:
        verdicts: dict[str, Verdict] = {}
        racing, races = list(candidates), []
        if self.config.screen is not None:
            screened = self._race(step, SCREEN, self.evolution.screen(step, candidates))
            races.append(screened)
            told = {s.candidate.name: s.verdict for s in screened.standings}
            rates = {s.candidate.name: s.win_rate for s in screened.standings}
            chosen = {c.name for c in passed(candidates, told, rates, self.config.candidates)}
            verdicts = {n: v for n, v in told.items() if v in (Verdict.DISCARDED, Verdict.FAILED)}
            racing = [c for c in candidates if c.name in chosen]
        if racing:
            result = self._race(step, "", self.evolution.race(step, racing))
            races.append(result)
            verdicts |= {s.candidate.name: s.verdict for s in result.standings}
        accepted = self.evolution.tell(candidates, verdicts)
        self.watcher.stepped(step, accepted, races)
        return accepted

    def _race(self, step: int, part: str, config: RaceConfig) -> RaceResult:
        callbacks = self.watcher.race(step, self.config.steps, part or "race")
        result = run_config(
            config, self.folder, name=step_run(self.name, step, part), ledger=self.ledger,
            callbacks=replace(callbacks, on_progress=self._until_deadline(callbacks)), pool=self.pool,
        )  # fmt: skip
        if not result.finished:
            raise _TimeUp if self.time_is_up else _Stopped
        return result

    def _until_deadline(self, callbacks: Callbacks) -> Callable[[Driver], None]:
        def progress(driver: Driver) -> None:
            callbacks.on_progress(driver)
            if self.deadline is not None and time.monotonic() > self.deadline and not driver.stopping:
                self.time_is_up = True
                driver.stop()

        return progress

    # -- validation --------------------------------------------------------------------------------------------

    def _validate_step(self) -> None:
        """The grown program against the one before, and against the first (BGP paper, section 5)."""
        games, last = self.config.validation.games, len(self.programs) - 1
        self._play(PREVIOUS, last, self._program(last), self._program(last - 1), games)
        if last > 1:
            self._play(FIRST, last, self._program(last), self._program(0), games)

    def _validate_last(self) -> None:
        """Where gains made against oneself may be lost: at other budgets, and against others."""
        v, last = self.config.validation, len(self.programs) - 1
        if last > 0:
            a, b = (self._program(i, v.deep_factor) for i in (last, 0))
            self._play(DEEP, last, a, b, v.deep_games)
        if self.opponent is not None:
            for i in sorted({0, last}):
                self._play(OPPONENT, i, self._program(i), self.opponent, v.opponent_games)

    def _program(self, i: int, factor: float = 1.0) -> PlayerSpec:
        """Program ``i``, with ``factor`` times its budget."""
        params = self.programs[i][1]
        config = config_of(params, self.config.match.game)
        if factor != 1.0 and config.simulations is not None:
            params = with_simulations(params, round(factor * config.simulations))
        elif factor != 1.0:
            params = {**params, "seconds": factor * (config.seconds or 0.0)}
        label = program_name(i) + (f", {factor:g} times the budget" if factor != 1.0 else "")
        return replace(parse_spec(dict(params), self.folder, self.config.match.game), label=label)

    def _play(self, part: str, i: int, a: PlayerSpec, b: PlayerSpec, games: int) -> None:
        if games == 0:
            return
        step = self.programs[i][0]
        match = Match(a, b, self.config.match, step_seed(self.config.seed, "validation", part, step))
        title = f"{a.label} against {b.label}"
        try:
            result = run_match(
                match, games, ledger=self.ledger, name=step_run(self.name, step, part),
                callbacks=self.watcher.match(title, match), pool=self.pool,
            )  # fmt: skip
        except PlayerFailed as error:
            if b.kind != "gtp":
                raise
            self.notes.append(f"Not played against {b.label}: {error}.")
            return
        if not result.finished:
            raise _Stopped
        self.watcher.played(title, result)
