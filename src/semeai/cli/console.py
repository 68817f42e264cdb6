"""The console of all displays: what it shows cannot steer the terminal, whatever names and messages contain."""

from collections.abc import Iterable
from typing import Any

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text

from semeai.printable import printable


class Console(rich.console.Console):
    """A console of rich that shows text as it is, without markup, and control characters in a visible form.

    Only text is changed: rich itself writes colours and moves the cursor by other means.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        # A text is changed before it is laid out, because the visible form is wider. Segments are the last chance.
        shown = _printable_text(renderable) if isinstance(renderable, Text) else renderable
        for segment in super().render(shown, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


def _printable_text(text: Text) -> Text:
    """Return the text in a form that can be printed, with the same styles at the same letters."""
    letters = [printable(letter) for letter in text.plain]
    if all(len(letter) == 1 for letter in letters):
        return text
    starts = [0]
    for letter in letters:
        starts.append(starts[-1] + len(letter))
    found = text.blank_copy("".join(letters))
    found.spans = [Span(starts[start], starts[min(end, len(letters))], style) for start, end, style in text.spans]
    return found
