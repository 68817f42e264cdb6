"""Run a comparison: warm-up, then rounds in random order, until it is decided, a limit is reached or Ctrl-C comes."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Literal

from semeai.compare.commands import Command
from semeai.compare.comparison import Comparison
from semeai.compare.goal import Goal
from semeai.errors import BadReward, ConfigError, ProgramFailed
from semeai.rng import derive, evaluation_seeds, generator
from semeai.work.command import check_status, measure_command
from semeai.work.metrics import run_metric

Pin = Literal["auto", "yes", "no"]
End = Literal["decided", "max_rounds", "max_seconds", "interrupted"]

ONE_CORE = 1.1  # processor seconds per second in the warm-up, up to which a command is taken for single-threaded
SHORT_SECONDS = 0.005  # a command that takes less is measured with a large part of the time to start a process


@dataclass(frozen=True)
class Plan:
    """Commands to compare, and how they are run."""

    commands: Sequence[Command]
    goal: Goal = field(default_factory=Goal)
    warmup: int = 1
    """Runs of each command before the first round, which are not counted."""
    prepare: Command | None = None
    """Command to run before each measured run."""
    pin: Pin = "auto"
    """Run the commands on one processor: yes, no, or if the warm-up shows that they use no more than one."""
    timeout: float = 600.0
    """Seconds that one run may take."""
    any_status: bool = False
    """Whether to accept exit statuses other than 0."""
    seed: int = 1
    """Seed of the random order, and of the seeds that ``{seed}`` stands for."""


@dataclass(frozen=True)
class Result:
    """What a comparison has found."""

    plan: Plan
    comparison: Comparison
    end: End
    seconds: float
    cpus: tuple[int, ...] = ()
    """Processors that the commands ran on; empty if any."""
    warnings: tuple[str, ...] = ()


class Watcher:
    """Callbacks that watch a comparison. Override the methods that you need."""

    def warm_up(self, command: Command) -> None:
        """Called before each run of the warm-up."""

    def progress(self, run: "Run") -> None:
        """Called after each round."""


class Run:
    """A running comparison."""

    def __init__(self, plan: Plan, watcher: Watcher | None = None) -> None:
        if len(plan.commands) < 2:
            raise ConfigError("a comparison needs at least two commands")
        self.plan = plan
        self.comparison = Comparison(plan.goal, len(plan.commands))
        self.cpus: tuple[int, ...] = ()
        self._watcher = watcher or Watcher()
        self._key = derive(plan.seed, "compare")
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the first round began."""
        return time.monotonic() - self._began

    def run(self) -> Result:
        """Measure until the end. Ctrl-C and SIGTERM end it early, and what is known by then is returned."""
        end: End = "interrupted"
        with contextlib.suppress(KeyboardInterrupt), _interrupted_by_sigterm():
            self._warm_up()
            self._began = time.monotonic()
            while not (over := self._over()):
                self.comparison.tell(self._round(self.comparison.n_rounds))
                self._watcher.progress(self)
            end = over
        return Result(self.plan, self.comparison, end, self.seconds, self.cpus, tuple(self._warnings()))

    def _over(self) -> End | None:
        goal, comparison = self.plan.goal, self.comparison
        if not comparison.wanted:
            return "decided"
        if goal.max_rounds is not None and comparison.n_rounds >= goal.max_rounds:
            return "max_rounds"
        if goal.max_seconds is not None and self.seconds >= goal.max_seconds:
            return "max_seconds"
        return None

    def _warm_up(self) -> None:
        may_pin = hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1
        one_core = True
        seed = int(evaluation_seeds(derive(self.plan.seed, "warm-up"), 0, 1)[0])
        for _ in range(self.plan.warmup):
            for command in self.plan.commands:
                self._watcher.warm_up(command)
                self._prepare()
                with _naming(command, seed):
                    finished = measure_command(
                        command.with_seed(seed), folder=None, timeout=self.plan.timeout, fast=True
                    )
                    if not self.plan.any_status:
                        check_status(finished)
                one_core &= finished.cpu_seconds <= ONE_CORE * finished.seconds
        known = self.plan.warmup > 0 and one_core and self.plan.goal.metric in ("time", "cpu")
        if may_pin and (self.plan.pin == "yes" or (self.plan.pin == "auto" and known)):
            self.cpus = (max(os.sched_getaffinity(0)),)  # the first one serves most interrupts
        elif self.plan.pin == "yes":
            raise ConfigError("--pin yes: this system cannot pin, or has only one processor for semeai")

    def _round(self, number: int) -> dict[int, float]:
        """Measure each command that is wanted once, in random order, with the same seed."""
        wanted = self.comparison.wanted
        seed = int(evaluation_seeds(self._key, number, 1)[0])
        order = generator(self.plan.seed, "order", number).permutation(len(wanted))
        numbers = {wanted[i]: self._measure(self.plan.commands[wanted[i]], seed) for i in order}
        return {i: numbers[i] for i in wanted}

    def _measure(self, command: Command, seed: int) -> float:
        self._prepare()
        with _naming(command, seed):
            numbers, _ = run_metric(
                self.plan.goal.metric,
                command.with_seed(seed),
                folder=None,
                timeout=self.plan.timeout,
                cpus=self.cpus,
                any_status=self.plan.any_status,
            )
            if len(numbers) != 1:
                raise BadReward(f"its last line has {len(numbers)} numbers, not one")
            return numbers[0]

    def _prepare(self) -> None:
        if self.plan.prepare is not None:
            with _naming(self.plan.prepare, None):
                arguments = self.plan.prepare.arguments
                check_status(measure_command(arguments, folder=None, timeout=self.plan.timeout, fast=True))

    def _warnings(self) -> Iterator[str]:
        for command, values in zip(self.plan.commands, self.comparison.values, strict=True):
            if self.plan.goal.metric == "time" and values and sorted(values)[len(values) // 2] < SHORT_SECONDS:
                yield (
                    f"{command.name!r} takes less than {1000 * SHORT_SECONDS:g} ms, "
                    "and starting a process is part of it: let one run do more work"
                )


@contextlib.contextmanager
def _naming(command: Command, seed: int | None) -> Iterator[None]:
    """Let errors begin with the name of the command."""
    given = f", seed {seed}" if seed is not None and any("{seed}" in part for part in command.arguments) else ""
    try:
        yield
    except ProgramFailed as error:
        last = error.stderr.strip().splitlines()[-1:]
        raise ProgramFailed(
            f"{command.name!r}{given}: {error}" + "".join(f"; it wrote: {line[:200]}" for line in last), error.stderr
        ) from None
    except BadReward as error:
        raise BadReward(f"{command.name!r}{given}: {error}") from None


@contextlib.contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def compare_commands(plan: Plan, watcher: Watcher | None = None) -> Result:
    """Compare commands, as ``semeai compare`` does. Returns what was found."""
    return Run(plan, watcher).run()
