"""Entry point of ``semeai``. It imports next to nothing, so that Ctrl-C is handled almost from the first moment."""

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Run the command line. Of several ranks started by mpiexec, the first runs it and the others search for it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if it is ignored, as below nohup
        signal.signal(signal.SIGINT, _interrupt)
    run(_start)


def _start() -> None:
    from semeai.cli.app import app
    from semeai.parallel.launch import started_ranks

    if started_ranks() == 1:
        app()
        return
    from semeai.parallel.ranks import on_rank_0

    on_rank_0(lambda: run(app))


def run(command: "Callable[[], object]") -> None:
    """Call ``command``; an error becomes one sentence on standard error and the exit code of its kind."""
    try:
        command()
    except KeyboardInterrupt:  # before or after a run, which handles its own
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # `semeai export | head`
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        from semeai.errors import SemeaiError

        if not isinstance(error, SemeaiError):
            raise
        print(f"semeai: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _interrupt(number: int, frame: "FrameType | None") -> None:
    """Raise KeyboardInterrupt; but end the process at once while a module is imported.

    An exception there may be swallowed or printed by whoever is in the middle of the import, and nothing is lost yet.
    """
    caller = frame
    while caller is not None:
        if caller.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(INTERRUPTED)
        caller = caller.f_back
    signal.default_int_handler(number, frame)
