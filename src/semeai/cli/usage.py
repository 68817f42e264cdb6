"""Error messages for mistakes on the command line, worded as in ``semeai.models``.

For example: ``--games: must be at least 1, not 0``.
"""

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from semeai.cli.help import Parameter, parameters_of
from semeai.errors import ConfigError, did_you_mean

# Depending on its version, typer uses click or its own copy of click. In both, this is the base class of user errors.
UsageError: Any = typer.BadParameter.__mro__[1]


@contextmanager
def blamed_on(ctx: Any) -> Iterator[None]:
    """Add the command to a UsageError that does not name one."""
    try:
        yield
    except UsageError as error:
        error.ctx = error.ctx or ctx
        raise


class WrongUsage(ConfigError):
    """A mistake on the command line. A second line says where to find help."""

    def __init__(self, sentence: str, command: str) -> None:
        super().__init__(sentence, command)
        self._sentence, self._command = ConfigError(sentence), command

    def __str__(self) -> str:
        return f"{self._sentence}\ntry: {self._command} --help"


def as_config_error(error: Any) -> ConfigError:
    """Convert a UsageError to a ConfigError."""
    return WrongUsage(_sentence(error), error.ctx.command_path)


def _sentence(error: Any) -> str:
    parameter = _parameter(error)
    if parameter is not None:
        return f"{parameter.names[0]}: {_wrong_value(parameter, error)}"
    option = getattr(error, "option_name", None)
    if option is None:
        return re.sub(r"^Got unexpected extra argument.*? \((.*)\)$", r"unexpected argument: \1", error.message)
    known = [name for p in error.ctx.command.get_params(error.ctx) for name in p.opts if name.startswith("-")]
    if option not in known:
        return f"no option {option!r}: {did_you_mean(option, known)}"
    return f"{option}: {error.message.removeprefix(f'Option {option!r} ').rstrip('.')}"


def _parameter(error: Any) -> Parameter | None:
    key = getattr(getattr(error, "param", None), "name", None)
    if key is None:
        return None
    found = parameters_of(inspect.unwrap(error.ctx.command.callback))
    return next((parameter for parameter in found if parameter.key == key), None)


def _wrong_value(parameter: Parameter, error: Any) -> str:
    from pydantic import ValidationError

    from semeai.models import describe, limit_words

    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return str(error.message) or "missing"
    found = cause.errors()[0]
    text = found["input"]
    if parameter.choices:
        return f"{text!r} is unknown; {did_you_mean(str(text), parameter.choices)}"
    if found["type"] in ("greater_than_equal", "less_than_equal"):
        return f"{limit_words(ge=parameter.low, le=parameter.high)}, not {text}"
    return describe(cause)
