"""Evaluators: run a candidate on a seed. The program is a Python callable, a command, or another registered kind.

An evaluator is data that workers open. It returns one number, or several if it plays several games per seed.
Without ``better`` the numbers are rewards in [0, 1], where 0.5 is as good as the baseline. With ``better`` they may be
any numbers: the baseline is run on the same seed, and the reward tells which of the two did better, or by how much if
the range of the numbers is known.
"""

import math
import os
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field

from semeai.errors import BadReward, BaselineFailed, ConfigError, ProgramFailed, did_you_mean
from semeai.mirror import located
from semeai.processes import fill_in, find_program, placeholders
from semeai.registry import Registry
from semeai.work import heartbeat
from semeai.work.command import run_command
from semeai.work.metrics import Metric, printed_numbers, run_metric
from semeai.work.needs import Needs, needs_of_command, needs_of_folder
from semeai.work.parameters import WatchedParams, check_names, check_signature
from semeai.work.targets import load_target

Better = Literal["higher", "lower"]
Answer = Sequence[float]
Params = Mapping[str, Any]
Play = Callable[[Params, int], Answer]
Say = Callable[[str], object]

DEFAULT_TIMEOUT, LONGEST_TIMEOUT = 60.0, 1e6  # seconds


class Evaluator(ABC):
    """A program that evaluates candidates, as data that can be sent to workers."""

    @abstractmethod
    def open(self) -> Play:
        """Return the program as a function. Called in the worker, once per job."""

    def complete(self, params: Params) -> Params:
        """Return the parameters, with file names replaced by the contents of the files."""
        return params

    def check(self, who: str, params: Params) -> None:
        """Raise ConfigError if the program cannot be run with these parameters. Its message begins with ``who``."""

    @property
    def function(self) -> str:
        """Name of the Python function that gets the parameters as a dictionary; empty if there is none."""
        return ""

    @property
    def time_limit(self) -> float | None:
        """Seconds after which a worker that runs the program is ended; None if the program is ended otherwise."""
        return None

    def recorded(self, params: Params) -> Params:
        """Return the parameters as the ledger records them: independent of where files are."""
        return params

    def prepare(self, say: Say) -> None:
        """Do work that every worker would need first, such as compiling kernels. Call ``say`` before slow work."""

    def needs(self, candidates: Sequence[Params] = ()) -> Needs:
        """Return the files and programs that workers on other machines need to run these candidates."""
        return Needs()


@dataclass(frozen=True)
class CallableEvaluator(Evaluator):
    """A Python function ``function(params, seed)``, given as ``module:function`` or as an object."""

    target: str | Callable[..., Any]
    folder: str | None = None
    timeout: float = DEFAULT_TIMEOUT

    @property
    def time_limit(self) -> float | None:
        return self.timeout

    @property
    def function(self) -> str:
        if isinstance(self.target, str):
            return self.target.partition(":")[2]
        return getattr(self.target, "__name__", type(self.target).__name__)

    def check(self, who: str, params: Params) -> None:
        """Raise ConfigError if the function does not take params and seed, or declares no such parameter."""
        function = self._load()
        check_signature(function, self.function)
        check_names(function, self.function, who, params)

    def _load(self) -> Callable[..., Any]:
        if not isinstance(self.target, str):
            return self.target
        return load_target(self.target, self.folder and located(self.folder))

    def needs(self, candidates: Sequence[Params] = ()) -> Needs:
        self._load()
        return needs_of_folder(self.folder)

    def prepare(self, say: Say) -> None:
        """Import the function: a machine that cannot do so is left out before it gets work."""
        self._load()

    def open(self) -> Play:
        function = self._load()

        def play(params: Params, seed: int) -> Answer:
            given = params.fresh() if isinstance(params, WatchedParams) else dict(params)
            try:
                answer = function(given, seed)
            except (Exception, SystemExit) as error:
                raise ProgramFailed(f"{type(error).__name__}: {error}", traceback.format_exc()) from error
            return as_numbers(answer)

        return play


def as_numbers(answer: Any) -> Answer:
    """Return a callable's answer as a list of numbers. Raises BadReward if it is not a number or a list of numbers."""
    if type(answer) in (float, int):  # by far the most frequent case
        return (answer,)
    many = answer if isinstance(answer, list | tuple) else (answer,)
    try:
        return [float(number) for number in many]
    except (TypeError, ValueError, OverflowError):
        raise BadReward(f"it returned {answer!r:.200}, which is neither a number nor a list of numbers") from None


@dataclass(frozen=True)
class CommandEvaluator(Evaluator):
    """A program that is started without a shell and prints one or more numbers on its last line.

    ``{name}`` in an argument stands for the candidate's parameter of that name, and ``{seed}`` for the seed. ``{{`` and
    ``}}`` stand for single braces.
    """

    command: tuple[str, ...]
    folder: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    metric: Metric = "stdout"
    """What is compared: what it prints, or the time or memory that it takes."""

    def open(self) -> Play:
        def play(params: Params, seed: int) -> Answer:
            arguments = fill_in(self.command, {**params, "seed": seed})
            folder = self.folder and located(self.folder)
            if self.metric != "stdout":
                return run_metric(self.metric, arguments, folder=folder, timeout=self.timeout)[0]
            return printed_numbers(run_command(arguments, folder=folder, timeout=self.timeout))

        return play

    def needs(self, candidates: Sequence[Params] = ()) -> Needs:
        found = needs_of_command(self.command, self.folder)
        for params in candidates:  # a parameter may be the name of a file
            found |= needs_of_command(fill_in(self.command, {**params, "seed": 0}), self.folder)
        return found

    def check(self, who: str, params: Params) -> None:
        """Raise ConfigError if the command does not use a parameter or has a placeholder without a parameter."""
        used = placeholders(self.command)
        if "seed" in params:
            raise ConfigError(f"{who}: {{seed}} of evaluator.command is the evaluation's, not a parameter")
        for name in sorted(used - params.keys() - {"seed"}):
            raise ConfigError(f"{who} gives no value for {{{name}}} of evaluator.command")
        for name in sorted(params.keys() - used):
            raise ConfigError(f"{who}: evaluator.command has no {{{name}}}; {did_you_mean(name, used - {'seed'})}")
        try:
            fill_in(self.command, {**params, "seed": 0})
        except ConfigError as error:
            raise ConfigError(f"{who}: {error}") from None


class Compared(list[float]):
    """Rewards of an evaluation, with the numbers of candidate and baseline that they come from."""

    def __init__(self, judge: "Judge", ours: Answer, theirs: Answer) -> None:
        super().__init__(judge.rewards(ours, theirs))
        self.ours = ours
        self.theirs = theirs


@dataclass(frozen=True)
class Judge:
    """Turns the numbers of a candidate and of the baseline on the same seed into rewards.

    Without a range, the reward is 1 for better, 1/2 for equal and 0 for worse. With a range it is 1/2 for equal
    numbers, and 0 or 1 if one number is at the lower end of the range and the other one at its upper end.
    """

    better: Better = "higher"
    range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.better not in get_args(Better):
            raise ConfigError(f"better is 'higher' or 'lower', not {self.better!r}")
        if self.range is not None and not -math.inf < self.range[0] < self.range[1] < math.inf:
            raise ConfigError(f"the range of the numbers must go from low to high, not {list(self.range)}")

    def rewards(self, ours: Answer, theirs: Answer) -> list[float]:
        """Return the rewards. Raises BadReward if the candidate's numbers cannot be compared."""
        if len(ours) != len(theirs):
            raise BadReward(f"it gave {len(ours)} numbers where the baseline gave {len(theirs)}")
        return [self._reward(a, b) for a, b in zip(ours, theirs, strict=True)]

    def _reward(self, a: float, b: float) -> float:
        if math.isnan(a):
            raise BadReward(f"cannot compare {a} with the baseline's {b}")
        if self.range is not None:
            self._check_range(a)
            low, high = self.range
            gain = (a - b if self.better == "higher" else b - a) / (high - low)
            return min(1.0, max(0.0, (1 + gain) / 2))
        if a == b:
            return 0.5
        return float(a > b if self.better == "higher" else a < b)

    def check_baseline(self, theirs: Answer) -> None:
        """Raise BaselineFailed if nothing can be compared with these numbers."""
        if any(map(math.isnan, theirs)):
            raise BaselineFailed(f"the baseline failed: nothing can be compared with {math.nan}")
        try:
            for number in theirs:
                self._check_range(number)
        except BadReward as error:
            raise BaselineFailed(f"the baseline failed: {error}") from None

    def _check_range(self, number: float) -> None:
        if self.range is not None and not self.range[0] <= number <= self.range[1]:
            raise BadReward(f"the number {number:g} is outside evaluator.range {list(self.range)}")


@dataclass(frozen=True)
class AgainstBaseline(Evaluator):
    """Runs candidate and baseline on the same seed, and gives the rewards of a ``Judge``."""

    program: Evaluator
    baseline: Params = field(default_factory=dict)
    better: Better = "higher"
    range: tuple[float, float] | None = None
    shared: bool = False
    """Whether all candidates get the same seeds, so that the baseline runs once per seed (see ``runs.driver``)."""

    def __post_init__(self) -> None:
        if self.shared and self.is_timed:
            raise ConfigError("share_baseline: a time or memory is compared with one measured at the same moment")
        _ = self.judge

    @property
    def judge(self) -> Judge:
        return Judge(self.better, self.range)

    @property
    def is_timed(self) -> bool:
        """Whether the numbers depend on the moment, and not only on the seed."""
        return isinstance(self.program, CommandEvaluator) and self.program.metric != "stdout"

    def open(self) -> Play:
        play, judge = self.program.open(), self.judge

        def play_baseline(params: Params, seed: int) -> Answer:
            baseline = params.like(self.baseline) if isinstance(params, WatchedParams) else self.baseline
            here = heartbeat.here()
            here[heartbeat.STAGE] = heartbeat.BASELINE
            try:
                theirs = play(baseline, seed)
            except (BadReward, ProgramFailed) as error:
                killed = isinstance(error, ProgramFailed) and error.killed
                raise BaselineFailed(f"the baseline failed: {error}", killed=killed) from error
            finally:
                here[heartbeat.STAGE] = 0
            judge.check_baseline(theirs)
            return theirs

        def compare(params: Params, seed: int) -> Answer:
            # In random order, so that neither always runs on a machine that the other one has warmed up.
            first = play_baseline(params, seed) if self.is_timed and bin(seed).count("1") % 2 else None
            try:
                ours = play(params, seed)
            except BadReward:
                play_baseline(params, seed)  # if it fails too, the candidate is not to blame
                raise
            return Compared(judge, ours, play_baseline(params, seed) if first is None else first)

        return compare

    def check(self, who: str, params: Params) -> None:
        self.program.check(who, params)

    def needs(self, candidates: Sequence[Params] = ()) -> Needs:
        return self.program.needs([self.baseline, *candidates])

    def prepare(self, say: Say) -> None:
        self.program.prepare(say)

    @property
    def function(self) -> str:
        return self.program.function

    @property
    def time_limit(self) -> float | None:
        return self.program.time_limit


class EvaluatorKind(ABC):
    """A key of the table ``[evaluator]`` in a race file: the type of its value, and the evaluator made from it."""

    setting: Any
    """Type of the key's value, as a pydantic annotation."""
    games_per_seed: ClassVar[int] = 1
    """Rewards per seed."""
    baseline: ClassVar[str] = ""
    """Meaning of [baseline] if the program itself plays against it; empty if ``better`` does the comparison."""

    @abstractmethod
    def make(self, value: Any, folder: str, timeout: float, baseline: Params | None) -> Evaluator:
        """Return the evaluator. Raises ConfigError if its program cannot be run here."""

    def located(self, value: Any, folder: str) -> Any:
        """Return the value with files that it names by their absolute paths and their contents' digests."""
        return value

    def identity(self, value: Any) -> Any:
        """Return the value as the ledger records it."""
        return value


def evaluator_identity(
    own: Params,
    better: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    retries: int = 0,
    **options: Any,
) -> dict[str, Any]:
    """Return what the ledger records for ``[evaluator]``; ``own`` is the key of the kind with its value.

    The keys ``callable`` and ``command`` are always present, those of other kinds and ``options`` only if they are
    used.
    """
    found = {"callable": None, "command": None, **own, "better": better, "timeout": timeout, "retries": retries}
    return {**found, **{name: value for name, value in options.items() if value not in (None, False)}}


EVALUATORS: Registry[EvaluatorKind] = Registry("evaluator", "semeai.evaluators")


class _Callable(EvaluatorKind):
    setting = str

    def make(self, value: str, folder: str, timeout: float, baseline: Params | None) -> Evaluator:
        load_target(value, folder)
        return CallableEvaluator(value, folder, timeout)


class _Command(EvaluatorKind):
    setting = Annotated[tuple[str, ...], Field(min_length=1)]

    def make(self, value: tuple[str, ...], folder: str, timeout: float, baseline: Params | None) -> Evaluator:
        check_command(value, folder)
        return CommandEvaluator(value, folder, timeout)

    def identity(self, value: tuple[str, ...]) -> list[str]:
        return list(value)


EVALUATORS.add("callable", _Callable())
EVALUATORS.add("command", _Command())


def check_command(command: Sequence[str], folder: str | None) -> None:
    """Raise ConfigError if the command's program does not exist, before a batch fails because of it."""
    program = command[0]
    if "{" not in program and find_program(program, folder) is None:
        exists = os.sep in program and os.path.isfile(os.path.join(folder or "", program))
        wrong = f"{program!r} is not executable (chmod +x)" if exists else f"there is no program {program!r}"
        raise ConfigError(f"evaluator.command: {wrong}")
