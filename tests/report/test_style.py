"""The colours of the pages: text can be read on every ground, light and dark (WCAG 2, level AA)."""

import re

import pytest

from semeai.report.page import static_text

SCHEMES = re.findall(r":root \{(.*?)\}", static_text("style.css"), re.DOTALL)
TEXT = ("ink", "faint", "accent", "good", "bad", "warn")
GROUND = ("ground", "card", "soft")


def colours(scheme):
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", SCHEMES[scheme]))


def luminance(colour):
    """Return the relative luminance of a colour such as #1d2125."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUND)
@pytest.mark.parametrize("text", TEXT)
def test_text_can_be_read(scheme, text, ground):
    known = colours(scheme)
    dark, light = sorted((luminance(known[text]), luminance(known[ground])))
    assert (light + 0.05) / (dark + 0.05) >= 4.5
