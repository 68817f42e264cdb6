"""Command lines as users type them: split into arguments without a shell, or given to one if that is wanted."""

import shlex
from dataclasses import dataclass

from semeai.errors import ConfigError
from semeai.printable import one_line
from semeai.processes import find_program

SEED = "{seed}"
"""Stands for the seed of a round, which is the same for all commands of the round."""
_OPERATORS = "|&;<>()"
_EXPANDED = "$`"
LONGEST_NAME = 200


@dataclass(frozen=True)
class Command:
    """A command to measure, with the name that it has in tables."""

    name: str
    text: str
    arguments: tuple[str, ...]

    def with_seed(self, seed: int) -> list[str]:
        return [argument.replace(SEED, str(seed)) for argument in self.arguments]


def parse_command(text: str, *, shell: bool, name: str | None = None, place: str = "command") -> Command:
    """Return the command of a command line. With ``shell`` it is run by ``sh -c``, otherwise it is split into words.

    Raises ConfigError if it is empty, needs a shell, or names a program that does not exist.
    """
    label = one_line(text if name is None else name)[:LONGEST_NAME]
    if not text.strip():
        raise ConfigError(f"{place}: the command is empty")
    if shell:
        return Command(label, text, ("sh", "-c", text))
    try:
        needs = _needs_shell(text)
        arguments = tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigError(f"{place}: {text!r}: {str(error).lower()}") from None
    if needs:
        raise ConfigError(f"{place}: {text!r} has {needs!r}, which needs a shell: add --shell, or put it in quotes")
    if not arguments or not arguments[0]:
        raise ConfigError(f"{place}: the command is empty")
    if find_program(arguments[0]) is None:
        raise ConfigError(f"{place}: there is no program {arguments[0]!r}")
    return Command(label, text, arguments)


def _needs_shell(text: str) -> str:
    """Return the first part outside quotes that only a shell understands, such as ``|``; empty if there is none."""
    lexer = shlex.shlex(text, posix=False, punctuation_chars=_OPERATORS)
    lexer.whitespace_split = True
    lexer.commenters = ""
    for token in lexer:
        if set(token) <= set(_OPERATORS):
            return token
        if token[0] not in "'\"" and any(letter in token for letter in _EXPANDED):
            return token
    return ""
