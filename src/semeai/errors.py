"""Every error that semeai raises on purpose.

::

    SemeaiError
    ├── ConfigError            a setting, a file or an argument is wrong
    ├── EvaluationError        a program gave no usable reward
    │   ├── BadReward          it answered, but not with a number that can be a reward
    │   ├── ProgramFailed      it crashed, or ran past its time limit
    │   │   └── BaselineFailed the baseline did, so there is nothing to compare with
    │   └── WorkersLost        the machines kept dying before any answer came back
    ├── IllegalMove            a move that the rules, or the board, do not allow
    ├── PlayerFailed           a player crashed, hung, or answered nonsense
    ├── RankFailed             a rank of a parallel search fell out of step with the others
    ├── ProtocolError          a race was told something it did not ask for
    └── LedgerError            the store refuses
        ├── RunNotFound        no run of that name
        ├── RunChanged         the run exists with another configuration
        └── RunLocked          another process is writing this run

Each message is one sentence that names the place and the value. The command line prints it and exits with the
class's ``exit_code``.
"""

import difflib
from collections.abc import Iterable


class SemeaiError(Exception):
    """Base of the tree."""

    exit_code = 1


class ConfigError(SemeaiError):
    exit_code = 2


class EvaluationError(SemeaiError):
    exit_code = 3


class BadReward(EvaluationError):
    pass


class ProgramFailed(EvaluationError):
    """``stderr`` is what the program said of it: the end of its standard error, or a traceback."""

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


class BaselineFailed(ProgramFailed):
    pass


class WorkersLost(EvaluationError):
    pass


class IllegalMove(SemeaiError):
    exit_code = 2


class PlayerFailed(SemeaiError):
    """``stderr`` is the end of what an engine said of it; ``reason`` is how a game record names it."""

    exit_code = 3

    def __init__(self, message: str, stderr: str = "", reason: str = "crash") -> None:
        super().__init__(message)
        self.stderr = stderr
        self.reason = reason


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
    """A closing clause for an error about an unknown name: the nearest known one, or all of them."""
    names = sorted(known)
    if not names:
        return "there are none"
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
