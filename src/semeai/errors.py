"""All errors that semeai raises on purpose.

::

    SemeaiError
    ├── ConfigError            a setting, a file or an argument is invalid
    ├── EvaluationError        a program returned no usable reward
    │   ├── BadReward          it returned something that is not a valid reward
    │   ├── ProgramFailed      it crashed or exceeded its time limit
    │   │   └── BaselineFailed the baseline's program failed, so there is nothing to compare with
    │   └── WorkersLost        workers die as soon as they start, or their scheduler does not answer any more
    ├── IllegalMove            a move that the rules or the board do not allow
    ├── PlayerFailed           a player crashed, did not answer in time, or gave an invalid answer
    ├── RankFailed             a rank of a parallel search is silent, or not in step with the others
    ├── ProtocolError          a race received results that it did not ask for
    └── LedgerError            the ledger cannot be read or written
        ├── RunNotFound        no run has this name
        ├── RunChanged         the run exists with a different configuration
        └── RunLocked          another process is writing this run

Each message is one sentence that names the place and the value. The command line prints it and exits with the
class's ``exit_code``.
"""

import difflib
from collections.abc import Iterable

from semeai.printable import one_line, printable


class SemeaiError(Exception):
    """Base class of all errors of semeai. ``exit_code`` is the exit status of the command line.

    A message may quote anything, such as the name of a file, so its text is one line that is safe to print.
    """

    exit_code = 1

    def __str__(self) -> str:
        return one_line(super().__str__())


class ConfigError(SemeaiError):
    exit_code = 2


class EvaluationError(SemeaiError):
    exit_code = 3


class BadReward(EvaluationError):
    pass


class ProgramFailed(EvaluationError):
    """A failure of a program. ``stderr`` is the end of its standard error, or a Python traceback.

    ``killed``: whether somebody else killed it, so that another try may succeed.
    """

    def __init__(self, message: str, stderr: str = "", killed: bool = False) -> None:
        super().__init__(message)
        self.stderr = printable(stderr)
        self.killed = killed


class BaselineFailed(ProgramFailed):
    pass


class WorkersLost(EvaluationError):
    pass


class IllegalMove(SemeaiError):
    exit_code = 2


class PlayerFailed(SemeaiError):
    """A failure of a player. ``stderr`` is the end of an engine's standard error; ``reason`` stands in game records.

    ``killed``: whether somebody else killed the engine, so that another try may succeed.
    """

    exit_code = 3

    def __init__(self, message: str, stderr: str = "", reason: str = "crash", killed: bool = False) -> None:
        super().__init__(message)
        self.stderr = printable(stderr)
        self.reason = reason
        self.killed = killed


class RankFailed(SemeaiError):
    exit_code = 3


class ProtocolError(SemeaiError):
    pass


class LedgerError(SemeaiError):
    exit_code = 4


class RunNotFound(LedgerError):
    pass


class RunChanged(LedgerError):
    pass


class RunLocked(LedgerError):
    pass


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of an error message about an unknown name: the most similar known name, or all known names."""
    names = sorted(known)
    if not names:
        return "there are none"
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
