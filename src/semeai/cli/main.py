"""Entry point of ``semeai``. It imports very little, so that Ctrl-C is handled almost from the start."""

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
    """Run the command line. With several ranks started by mpiexec, rank 0 runs it and the others search for it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if the signal is ignored, as under nohup
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
    """Call ``command``. An error is printed as one sentence on standard error, and sets the exit code of its kind."""
    try:
        command()
    except KeyboardInterrupt:  # before or after a run; runs handle Ctrl-C themselves
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
    """Raise KeyboardInterrupt, but end the process at once while a module is being imported.

    An import may swallow or print an exception, and at that time nothing can be lost yet.
    """
    caller = frame
    while caller is not None:
        if caller.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(INTERRUPTED)
        caller = caller.f_back
    signal.default_int_handler(number, frame)
