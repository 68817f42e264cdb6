"""Entry point of ``semeai``. It imports very little, so that Ctrl-C is handled almost from the start."""

import sys

from semeai.cli.interrupt import INTERRUPTED, leave, take_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Run the command line. With several ranks started by mpiexec, rank 0 runs it and the others search for it."""
    take_over()
    try:
        run(_start)
    finally:
        leave()


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
