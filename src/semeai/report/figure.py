"""Figures of runs for papers, with matplotlib, which the extra ``report`` installs."""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError

FORMATS = (".svg", ".pdf", ".png")
SIZE = (6.4, 4.0)
"""Width and height in inches."""
COLOURS = {"accepted": "#1a7f4b", "discarded": "#b3403a", "undecided": "#3b6fb5"}
OTHER = "#8a7a2f"
Limits = tuple[float, float]


def check_figure(path: Path) -> None:
    """Raise ConfigError if ``draw_run`` cannot write such a file."""
    if path.suffix not in FORMATS:
        raise ConfigError(f"--figure {path}: write a name that ends in {', '.join(FORMATS)}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ConfigError("figures need matplotlib (pip install 'semeai[report]')")


def draw_run(run: Mapping[str, Any], path: Path) -> None:
    """Draw the funnel of a race, the interval of a match, or the line of an evolution. Equal runs give equal SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    draw = {"race": _race, "match": _match, "evolution": _evolution}.get(run["kind"])
    if draw is None:
        raise ConfigError(f"--figure {path}: there is no figure of a run of kind {run['kind']!r}")
    settings = {"svg.hashsalt": "semeai", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        figure = Figure(figsize=SIZE, layout="constrained")
        draw(figure.subplots(), run)
        metadata: dict[str, Any] | None = {"Date": None} if path.suffix == ".svg" else None
        if path.suffix == ".pdf":
            metadata = {"CreationDate": None}
        try:
            figure.savefig(path, metadata=metadata, dpi=200)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--figure {path}: {error}") from None


def _funnels(axes: Any, funnels: Sequence[tuple[Mapping[str, Any], str, str | None]], window: Limits) -> None:
    """Draw curves with their intervals, colours and labels, from where the first interval ends within the figure."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    alpha = max(0.015, 0.16 / len(funnels))
    for curve, colour, label in funnels:
        axes.fill_between(curve["n"], curve["lower"], curve["upper"], color=colour, alpha=alpha, linewidth=0)
        for side in ("lower", "upper"):
            axes.plot(curve["n"], curve[side], color=colour, alpha=0.35, linewidth=0.6)
        axes.plot(curve["n"], curve["mean"], color=colour, linewidth=1.4, label=label)
    curves = [curve for curve, _, _ in funnels]
    axes.set_xscale("log")
    axes.set_xlim(_start(curves, window) * 0.95, max(curve["n"][-1] for curve in curves) * 1.1)
    axes.set_ylim(*window)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _start(curves: Sequence[Mapping[str, Any]], window: Limits) -> float:
    """Return the first number of games whose interval ends within the window; before it there is little to see."""
    ends = [
        n
        for curve in curves
        for n, lower, upper in zip(curve["n"], curve["lower"], curve["upper"], strict=True)
        if lower > window[0] or upper < window[1]
    ]
    return float(min(ends, default=min(curve["n"][0] for curve in curves)))


def _race(axes: Any, run: Mapping[str, Any]) -> None:
    data = run["data"]
    seen: set[str] = set()
    funnels = []
    for key, curve in run.get("curves", {}).items():
        verdict = data["candidates"][int(key) - 1][2]
        if curve["n"]:
            funnels.append((curve, COLOURS.get(verdict, OTHER), verdict if verdict not in seen else None))
            seen.add(verdict)
    if not funnels:
        raise ConfigError(f"--figure: race {run['name']!r} has no evaluations yet")
    for key in ("accept_above", "discard_below"):
        axes.axhline(data[key], color="0.5", linewidth=0.8, linestyle="--")
    _funnels(axes, funnels, _window([f[0] for f in funnels], (data["accept_above"], data["discard_below"]), 0.2))
    axes.set_xlabel("evaluations of the candidate")
    axes.set_ylabel("win rate, with its always-valid interval")
    axes.legend(frameon=False)


def _window(curves: Sequence[Mapping[str, Any]], around: Limits, most: float = 1.0) -> Limits:
    """Return the part of the win rates to show: where the curves end, not the wide intervals of their beginnings.

    Intervals add at most ``most`` on each side of the means and of ``around``.
    """
    inner = [curve["mean"][-1] for curve in curves] + list(around)
    low, high = min(inner), max(inner)
    low = max(low - most, min([low, *(curve["lower"][-1] for curve in curves)]))
    high = min(high + most, max([high, *(curve["upper"][-1] for curve in curves)]))
    room = 0.1 * (high - low) + 0.005
    return max(0.0, low - room), min(1.0, high + room)


def _match(axes: Any, run: Mapping[str, Any]) -> None:
    data = run["data"]
    if not data["n_games"]:
        raise ConfigError(f"--figure: match {run['name']!r} has no pair of games yet")
    axes.axhline(0.5, color="0.5", linewidth=0.8, linestyle="--")
    _funnels(axes, [(data["curve"], COLOURS["undecided"], None)], _window([data["curve"]], (0.5, 0.5)))
    axes.set_xlabel("games")
    axes.set_ylabel("score of A, with its always-valid interval")


def _evolution(axes: Any, run: Mapping[str, Any]) -> None:
    data = run["data"]
    steps = data["steps"]
    if not steps:
        raise ConfigError(f"--figure: evolution {run['name']!r} has no step yet")
    colours = [COLOURS["accepted" if step["accepted"] else "discarded"] for step in steps]
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.bar([step["number"] for step in steps], [step["n_games"] for step in steps], color=colours)
    axes.set_xlabel("step (green: a change was accepted)")
    axes.set_ylabel("games")
