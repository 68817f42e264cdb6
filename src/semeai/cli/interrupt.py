"""Ctrl-C ends a command at any moment, within seconds and without a traceback.

The first Ctrl-C raises KeyboardInterrupt, the second one ends the process at once. While a run is open, its own handler
decides (``runs.run``): the first signal finishes the work under way, the second one drops it. Python calls a handler
only between two steps of the main thread, which may be inside a kernel for long. So another thread sees the signals
too, and ends a process that does not react to them.
"""

import contextlib
import os
import select
import signal
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C."""
REACT_SECONDS = 2.5
"""Seconds in which the main thread must react to a first Ctrl-C; some steps of the compiler need more."""
END_SECONDS = 4.0
"""Seconds in which the process must end after a second signal; workers have two of them to end themselves."""
_LAST_WORDS = b"ended before all was put away; the same command resumes from what is recorded\n"
"""What a run says if it has to be ended, for example on a machine that is too busy to end it in time."""
_RETRY_SECONDS = 0.01
_SWALLOWING = (os.path.join("llvmlite", "binding"), "weakref.py", "_weakrefset.py")

_raised = False  # whether KeyboardInterrupt was raised
_leaving = False  # whether the command is over


def take_over() -> None:
    """Handle Ctrl-C from now on, unless it is ignored, as under nohup."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if os.name == "posix":
        signal.signal(signal.SIGALRM, _interrupt)
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))  # a child's signals are its own
        threading.Thread(target=_follow, args=(read,), daemon=True, name="follow-signals").start()


def leave() -> None:
    """Note that the command is over: the next Ctrl-C ends the process at once. Nobody would catch an exception."""
    global _leaving
    _leaving = True


def _interrupt(number: int, frame: "FrameType | None") -> None:
    """Raise KeyboardInterrupt. End the process at once if it was raised before, or while a module is being imported.

    An import may swallow or print an exception, and at that time nothing can be lost yet.
    """
    global _raised
    if _raised or _leaving or _is_importing(frame):
        _end()
    if os.name == "posix" and _is_swallowed(frame):
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
        return
    _raised = True
    raise KeyboardInterrupt


def _is_importing(frame: "FrameType | None") -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _is_swallowed(frame: "FrameType | None") -> bool:
    """Return whether an exception would be printed and forgotten: in a destructor, or when the compiler calls back."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or any(part in code.co_filename for part in _SWALLOWING):
            return True
        frame = frame.f_back
    return False


def _follow(read: int) -> None:
    """End the process if it does not react to the signals that arrive at ``read``."""
    _signal_arrives(read)
    is_run = signal.getsignal(signal.SIGINT) is not _interrupt
    if is_run:  # it finishes its work, which may take long
        _signal_arrives(read)
    elif not _signal_arrives(read, REACT_SECONDS):
        if not _raised:
            _end()
        _signal_arrives(read)
    time.sleep(END_SECONDS)
    if is_run:
        with contextlib.suppress(OSError):
            os.write(2, _LAST_WORDS)
    _end()


def _signal_arrives(read: int, seconds: float | None = None) -> bool:
    """Wait for Ctrl-C or SIGTERM, at most this long. Returns whether one has come."""
    end = None if seconds is None else time.monotonic() + seconds
    while select.select([read], [], [], None if end is None else max(0.0, end - time.monotonic()))[0]:
        if os.read(read, 1)[0] in (signal.SIGINT, signal.SIGTERM):
            return True
    return False


def _end() -> None:
    """End this process at once, with the programs that it runs. Workers notice it, and a ledger stays whole."""
    if processes := sys.modules.get("semeai.processes"):
        getattr(processes, "end_programs", lambda: None)()
    os._exit(INTERRUPTED)
