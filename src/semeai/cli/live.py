"""The common part of all live displays: an area below the printed lines that is redrawn during the work."""

import time
from types import TracebackType
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from semeai.cli.console import Console

REDRAW_SECONDS = 0.5


class LiveView:
    """A display that is redrawn at most twice per second, and disappears at the end."""

    console: Console

    def __enter__(self) -> Self:
        self._live = Live(console=self.console, auto_refresh=False, transient=True)
        self._live.start()
        self._drawn = 0.0
        self.note = ""
        """Text after the status line."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def warning(self, text: str) -> None:
        """Print a warning above what is redrawn."""
        self.console.print(Text(f"warning: {text}", style="yellow"), soft_wrap=True)

    def draw(self, *parts: RenderableType, at_once: bool = False) -> None:
        if at_once or time.monotonic() - self._drawn >= REDRAW_SECONDS:
            self._drawn = time.monotonic()
            self._live.update(Group(*parts), refresh=True)

    def say_stopping(self, what: str) -> None:
        """Show that the run is stopping. The next ``draw`` shows it without delay."""
        self.note = f"  —  stopping: finishing the running {what} (Ctrl-C again: drop them)"
        self._drawn = 0.0
