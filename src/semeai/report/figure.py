"""Figures of runs for papers, with matplotlib, which the extra ``report`` installs."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError

FORMATS = (".svg", ".pdf", ".png")
SIZE = (6.4, 4.0)
"""Width and height in inches."""
COLOURS = {"accepted": "#1a7f4b", "discarded": "#b3403a", "undecided": "#3b6fb5"}
OTHER = "#8a7a2f"


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


def _funnel(axes: Any, curve: Mapping[str, Any], colour: str, label: str | None) -> None:
    axes.fill_between(curve["n"], curve["lower"], curve["upper"], color=colour, alpha=0.13, linewidth=0)
    axes.plot(curve["n"], curve["mean"], color=colour, linewidth=1.4, label=label)


def _race(axes: Any, run: Mapping[str, Any]) -> None:
    data = run["data"]
    if not run.get("curves"):
        raise ConfigError(f"--figure: race {run['name']!r} has no evaluations yet")
    for key in ("accept_above", "discard_below"):
        axes.axhline(data[key], color="0.5", linewidth=0.8, linestyle="--")
    seen: set[str] = set()
    for key, curve in run["curves"].items():
        verdict = data["candidates"][int(key) - 1][2]
        _funnel(axes, curve, COLOURS.get(verdict, OTHER), verdict if verdict not in seen else None)
        seen.add(verdict)
    axes.set_xscale("log")
    axes.set_ylim(*_window(run["curves"].values(), (data["accept_above"], data["discard_below"])))
    axes.set_xlabel("evaluations of the candidate")
    axes.set_ylabel("win rate, with its always-valid interval")
    axes.legend(frameon=False)


def _window(curves: Any, around: tuple[float, float]) -> tuple[float, float]:
    """Return the part of the win rates to show: where the curves end, not the wide intervals of their beginnings."""
    ends = [curve[side][-1] for curve in curves for side in ("lower", "upper", "mean") if curve["n"]]
    low, high = min([*ends, *around]), max([*ends, *around])
    room = 0.25 * (high - low) + 0.005
    return max(0.0, low - room), min(1.0, high + room)


def _match(axes: Any, run: Mapping[str, Any]) -> None:
    data = run["data"]
    if not data["n_games"]:
        raise ConfigError(f"--figure: match {run['name']!r} has no pair of games yet")
    axes.axhline(0.5, color="0.5", linewidth=0.8, linestyle="--")
    _funnel(axes, data["curve"], COLOURS["undecided"], None)
    axes.set_xscale("log")
    axes.set_ylim(*_window([data["curve"]], (0.5, 0.5)))
    axes.set_xlabel("games")
    axes.set_ylabel("score of A, with its always-valid interval")


def _evolution(axes: Any, run: Mapping[str, Any]) -> None:
    data = run["data"]
    steps = data["steps"]
    if not steps:
        raise ConfigError(f"--figure: evolution {run['name']!r} has no step yet")
    colours = [COLOURS["accepted" if step["accepted"] else "discarded"] for step in steps]
    axes.bar([step["number"] for step in steps], [step["n_games"] for step in steps], color=colours)
    axes.set_xlabel("step (green: a change was accepted)")
    axes.set_ylabel("games")
