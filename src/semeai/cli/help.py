"""The help of a command, read from its function: usage, parameters and examples.

Both ``--help`` and the reference page of the command line are made from it.
"""

import enum
import inspect
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from typer.models import ArgumentInfo, OptionInfo

_KINDS = {int: "INTEGER", float: "NUMBER", str: "TEXT", Path: "PATH"}


class Parameter(NamedTuple):
    """One argument or option of a command."""

    key: str
    """Name of the function's parameter."""
    names: tuple[str, ...]
    """``("--output", "-o")``, or ``("FILE",)`` for an argument."""
    is_argument: bool
    kind: type
    value: str
    """Name of the value after the option; empty for a switch."""
    repeated: bool
    choices: tuple[str, ...]
    low: float | None
    high: float | None
    required: bool
    default: str
    """The default as text; empty if there is none to show."""
    help: str
    envvar: str

    @property
    def limits(self) -> str:
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        ends = {"at least": self.low, "at most": self.high}
        return "".join(f"{words} {end:g}" for words, end in ends.items() if end is not None)


class Help(NamedTuple):
    """A command's docstring and parameters."""

    summary: str
    details: tuple[str, ...]
    """The paragraphs after the summary."""
    examples: tuple[str, ...]
    """Command lines; two spaces or more separate each from its explanation."""
    parameters: tuple[Parameter, ...]

    @property
    def usage(self) -> str:
        """The part of the usage line after the command's name."""
        arguments = [p for p in self.parameters if p.is_argument]
        options = [p for p in self.parameters if not p.is_argument]
        words = [p.names[0] + "..." * p.repeated for p in arguments]
        words = [word if p.required else f"[{word}]" for p, word in zip(arguments, words, strict=True)]
        words += [f"{p.names[0]} {p.value}" for p in options if p.required]
        return " ".join([*words, *["[OPTIONS]"] * any(not p.required for p in options)])


def help_of(function: Callable[..., Any]) -> Help:
    """Read the help of a command from its function."""
    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition("\nExamples:\n")
    summary, *details = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
    lines = tuple(line.strip() for line in examples.splitlines() if line.strip())
    return Help(summary, tuple(details), lines, parameters_of(function))


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    hints = typing.get_type_hints(function, include_extras=True)
    return tuple(_parameter(p, hints[p.name]) for p in inspect.signature(function).parameters.values())


def _parameter(parameter: inspect.Parameter, annotation: Any) -> Parameter:
    annotation, info = typing.get_args(annotation)[:2]
    kind, repeated = _bare(annotation)
    choices = tuple(member.value for member in kind) if issubclass(kind, enum.Enum) else ()
    is_argument = isinstance(info, ArgumentInfo)
    default = parameter.default
    required = default is inspect.Parameter.empty
    return Parameter(
        parameter.name,
        ((info.metavar or parameter.name).upper(),) if is_argument else _flags(parameter.name, info),
        is_argument,
        kind,
        "" if kind is bool else info.metavar or "|".join(choices) or _KINDS[kind],
        repeated,
        choices,
        info.min,
        info.max,
        required,
        "" if required or default in (None, "") or kind is bool else str(default),
        info.help or "",
        str(info.envvar or ""),
    )


def _bare(annotation: Any) -> tuple[type, bool]:
    """Return the type of one value, and whether there may be several."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = next(part for part in typing.get_args(annotation) if part is not types.NoneType)
    if typing.get_origin(annotation) is list:
        return typing.get_args(annotation)[0], True
    if typing.get_origin(annotation) is tuple:  # an option with several values; its metavar names them
        return tuple, False
    return annotation, False


def _flags(name: str, info: OptionInfo) -> tuple[str, ...]:
    given = (info.default, *(info.param_decls or ()))  # inside Annotated, typer stores the first flag as the default
    return tuple(word for word in given if isinstance(word, str)) or (f"--{name.replace('_', '-')}",)
