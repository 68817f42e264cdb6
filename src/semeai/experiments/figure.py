"""Draw the curves of an experiment with matplotlib, which the extra ``report`` installs."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from semeai.errors import ConfigError
from semeai.match.tally import Tally
from semeai.table import Chart, Curve

FORMATS = (".svg", ".png", ".pdf")
PANEL = (5.4, 3.8)
"""Width and height of a chart, in inches."""


def win_rates(label: str, xs: Sequence[float], tallies: Sequence[Tally]) -> Curve:
    """Return a curve of win rates in percent, with Wilson intervals."""
    points = []
    for x, tally in zip(xs, tallies, strict=True):
        low, high = tally.plain_interval or (tally.win_rate, tally.win_rate)
        points.append((float(x), 100 * tally.win_rate, 100 * low, 100 * high))
    return Curve(label, tuple(points))


def check_format(path: Path) -> None:
    """Raise ConfigError if ``draw`` cannot write such a file."""
    if path.suffix not in FORMATS:
        raise ConfigError(f"--figure {path}: write a name that ends in {', '.join(FORMATS)}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ConfigError("figures need matplotlib (pip install 'semeai[report]')")


def draw(charts: Sequence[Chart], path: Path) -> None:
    """Draw all charts side by side. The file suffix sets the format; the same charts give the same SVG.

    Raises ConfigError if there is no chart or the file cannot be written.
    """
    if not charts:
        raise ConfigError(f"--figure {path}: this experiment has no curves to draw")
    check_format(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings = {"svg.hashsalt": "semeai", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        figure = Figure(figsize=(PANEL[0] * len(charts), PANEL[1]), layout="constrained")
        for chart, axes in zip(charts, figure.subplots(1, len(charts), squeeze=False)[0], strict=True):
            _panel(axes, chart)
        metadata = {"Date": None} if path.suffix == ".svg" else None
        try:
            figure.savefig(path, metadata=metadata)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--figure {path}: {error}") from None


def _panel(axes, chart: Chart) -> None:  # type: ignore[no-untyped-def]
    if chart.even is not None:
        axes.axhline(chart.even, color="0.75", linewidth=1)
    for i, curve in enumerate(chart.curves):
        x, y, low, high = zip(*curve.points, strict=True)
        below, above = ([abs(a - b) for a, b in zip(y, end, strict=True)] for end in (low, high))
        style = "o-" if curve.measured else "s--"
        axes.errorbar(
            x, y, yerr=[below, above], fmt=style, label=curve.label, capsize=2, color=f"C{i}",
            alpha=1 if curve.measured else 0.5,
        )  # fmt: skip
    if chart.log_x:
        axes.set_xscale("log")
    if chart.log_y:
        axes.set_yscale("log")
    if chart.log_x:
        ticks = sorted({point[0] for curve in chart.curves for point in curve.points if curve.measured})
        axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks], rotation=45 if len(ticks) > 6 else 0)
        axes.minorticks_off()
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    axes.set_title(chart.title)
    if len(chart.curves) > 1:
        axes.legend(frameon=False)
