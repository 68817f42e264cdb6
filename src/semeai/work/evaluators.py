"""What answers "how good is this candidate on this seed?": a Python callable or a command.

An evaluator is picklable data that workers open. It returns a number, or the numbers of the games it
played on that seed. Without ``better`` the numbers are rewards in [0, 1], where 0.5 is as good as the baseline. With
``better`` they may be any numbers: the baseline is run on the same seed and the reward says who did better.
"""

import importlib
import math
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, Protocol, get_args

from semeai.errors import BadReward, BaselineFailed, ConfigError, ProgramFailed
from semeai.processes import fill_in
from semeai.work.command import run_command

Better = Literal["higher", "lower"]
Answer = Sequence[float]
Play = Callable[[Mapping[str, Any], int], Answer]


class Evaluator(Protocol):
    """Picklable description of a program; ``open`` makes it callable where the work is done, once a job."""

    def open(self) -> Play: ...


def load_target(target: str, folder: str | None = None) -> Callable[..., Any]:
    """Import ``module:function``; ``folder`` is searched first, for modules beside a configuration file."""
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise ConfigError(f"{target!r} does not name a function: write module:function")
    try:
        found: Any = _import_from(module_name, folder)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # importing runs the module: anything can happen
        raise ConfigError(f"cannot load {target!r}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise ConfigError(f"{target!r} is a {type(found).__name__}, not a function")
    return found  # type: ignore[no-any-return]


def _import_from(module_name: str, folder: str | None) -> ModuleType:
    """Import a module, from ``folder`` if it is there, even if another one of that name was imported before."""
    if folder is None:
        return importlib.import_module(module_name)
    if sys.path[:1] != [folder]:
        sys.path[:] = [folder, *(place for place in sys.path if place != folder)]
    top = module_name.partition(".")[0]
    here = any(os.path.exists(os.path.join(folder, top + ending)) for ending in (".py", os.sep))
    known = sys.modules.get(top)
    if here and known is not None and not _lies_in(known, folder):
        for name in [name for name in sys.modules if name == top or name.startswith(top + ".")]:
            del sys.modules[name]
        importlib.invalidate_caches()
    return importlib.import_module(module_name)


def _lies_in(module: ModuleType, folder: str) -> bool:
    places = [module.__file__] if getattr(module, "__file__", None) else list(getattr(module, "__path__", ()))
    return any(place and os.path.realpath(place).startswith(os.path.realpath(folder) + os.sep) for place in places)


@dataclass(frozen=True)
class CallableEvaluator:
    """``function(params, seed)`` of an importable module, or a function object that can be pickled."""

    target: str | Callable[..., Any]
    folder: str | None = None

    def open(self) -> Play:
        function = load_target(self.target, self.folder) if isinstance(self.target, str) else self.target

        def play(params: Mapping[str, Any], seed: int) -> Answer:
            try:
                answer = function(dict(params), seed)
            except (Exception, SystemExit) as error:
                raise ProgramFailed(f"{type(error).__name__}: {error}", traceback.format_exc()) from error
            return as_numbers(answer)

        return play


def as_numbers(answer: Any) -> Answer:
    if type(answer) in (float, int):  # by far the most frequent
        return (answer,)
    many = answer if isinstance(answer, list | tuple) else (answer,)
    try:
        return [float(number) for number in many]
    except (TypeError, ValueError, OverflowError):
        raise BadReward(f"it returned {answer!r:.200}, which is neither a number nor a list of numbers") from None


@dataclass(frozen=True)
class CommandEvaluator:
    """A program started without a shell; the last line that it prints holds the number, or several.

    ``{name}`` in an argument stands for the candidate's parameter of that name, ``{seed}`` for the seed; doubled
    braces stand for themselves.
    """

    command: tuple[str, ...]
    folder: str | None = None
    timeout: float = 60.0

    def open(self) -> Play:
        def play(params: Mapping[str, Any], seed: int) -> Answer:
            arguments = fill_in(self.command, {**params, "seed": seed})
            output = run_command(arguments, folder=self.folder, timeout=self.timeout)
            return parse_numbers(output)

        return play


def parse_numbers(output: str) -> Answer:
    lines = [line for line in output.splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    try:
        return [float(word) for word in last.replace(",", " ").split()] or _no_number(last)
    except ValueError:
        return _no_number(last)


def _no_number(text: str) -> Answer:
    shown = text if len(text) <= 200 else text[:200] + "…"
    raise BadReward(f"the last line it printed is {shown!r}, not a number")


@dataclass(frozen=True)
class AgainstBaseline:
    """Runs candidate and baseline on the same seed; the reward is 1, 1/2 or 0 for better, equal or worse."""

    program: CallableEvaluator | CommandEvaluator
    baseline: Mapping[str, Any] = field(default_factory=dict)
    better: Better = "higher"

    def __post_init__(self) -> None:
        if self.better not in get_args(Better):
            raise ConfigError(f"better is 'higher' or 'lower', not {self.better!r}")

    def open(self) -> Play:
        play = self.program.open()
        sign = 1.0 if self.better == "higher" else -1.0

        def compare(params: Mapping[str, Any], seed: int) -> Answer:
            ours = play(params, seed)
            try:
                theirs = play(self.baseline, seed)
            except (BadReward, ProgramFailed) as error:
                raise BaselineFailed(f"the baseline failed: {error}") from error
            if len(ours) != len(theirs):
                raise BadReward(f"it gave {len(ours)} numbers where the baseline gave {len(theirs)}")
            return [_outcome(sign * a, sign * b) for a, b in zip(ours, theirs, strict=True)]

        return compare


def _outcome(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        raise BadReward(f"cannot compare {a} with the baseline's {b}")
    return 0.5 if a == b else float(a > b)


def check_command(command: Sequence[str], folder: str | None) -> None:
    """Refuse a command whose program does not exist, before any batch is lost to it."""
    program = command[0]
    path = os.path.join(folder, program) if folder and os.sep in program else program
    if "{" not in program and shutil.which(path) is None:
        raise ConfigError(f"command: no program {program!r} can be run here")
