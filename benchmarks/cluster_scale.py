"""Simulate how workers, batches under way and latency change the games that a race needs."""

import math
from pathlib import Path

from benchmarks.simulated_workers import Simulated, simulate
from semeai.experiments.figure import draw
from semeai.race.settings import RaceSettings
from semeai.table import Chart, Curve, ResultTable, percent

TRUTH = (0.42, 0.44, 0.46, 0.48, 0.49, 0.5, 0.52, 0.54, 0.56, 0.58)
RACES = 3
WORKERS = (1, 10, 100, 1_000, 10_000)
LATENCIES = (0.01, 0.1, 1.0)
LOOKAHEAD = 2
THRESHOLDS = {"accept_above": 0.505, "discard_below": 0.515}


def recommended(workers: int, n_candidates: int, latency: float = 0.1) -> dict[str, int]:
    """Return batch, lookahead and width that keep the workers busy while a quarter of the candidates are undecided.

    ``latency`` is in units of the length of a game.
    """
    under_way = max(1, n_candidates // 4) * LOOKAHEAD
    batch = max(8, math.ceil(workers * (1 + latency) / under_way))
    return {"batch": batch, "lookahead": LOOKAHEAD, "width": LOOKAHEAD * n_candidates}


def measured(workers: int, latency: float, **settings: int) -> list[Simulated]:
    chosen = RaceSettings(mode="plain", **THRESHOLDS, **settings)
    return [simulate(chosen, TRUTH, workers, latency, seed) for seed in range(1, RACES + 1)]


def mean(found: list[Simulated], name: str) -> float:
    return sum(getattr(one, name) for one in found) / len(found)


def duration(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds:.0f} s"


def by_batch() -> ResultTable:
    """Return what fewer games under way would waste on more workers than the race has use for."""
    rows = []
    for batch in (500, 1000, 1500, 2750):
        found = measured(10_000, 0.1, batch=batch, lookahead=LOOKAHEAD, width=LOOKAHEAD * len(TRUTH))
        games = mean(found, "games")
        shares = (percent(mean(found, name) / n) for name, n in (("wasted", games), ("utilization", 1)))
        rows.append((batch, round(games), *shares, duration(mean(found, "seconds"))))
    return ResultTable(
        "10,000 workers, by batch",
        ("batch", "games", "wasted", "workers play", "duration"),
        tuple(rows),
        "10,000 workers that are all busy have 10,000 games under way. That is a fifth of all games that this race "
        "needs, and more than some of its candidates need, so a verdict comes while many games of its candidate are "
        "under way. Smaller batches waste less, and leave workers without work. They can play for another race: "
        "several races may share a scheduler.",
    )


def run() -> list[ResultTable]:
    rows, alone = [], mean(measured(1, 0.1, **recommended(1, len(TRUTH))), "games")
    curves: dict[str, list[tuple[float, float, float, float]]] = {"recommended": [], "default": []}
    for workers in WORKERS:
        for name, settings in (("default", {}), ("recommended", recommended(workers, len(TRUTH)))):
            found = measured(workers, 0.1, **settings)
            games, wasted = mean(found, "games"), mean(found, "wasted") / mean(found, "games")
            used = mean(found, "utilization")
            words = ", ".join(f"{key} = {value}" for key, value in settings.items()) or "default"
            length = duration(mean(found, "seconds"))
            rows.append((workers, words, round(games), f"{games / alone:.2f}", percent(wasted), percent(used), length))
            curves[name].append((workers, 100 * used, 100 * used, 100 * used))
    lines = tuple(Curve(name, tuple(points)) for name, points in curves.items())
    chart = Chart("Time that workers play, in percent", "workers", "%", lines, even=None)
    draw([chart], Path("docs/benchmarks/cluster-scale.svg"))
    first = ResultTable(
        f"A race of {len(TRUTH)} candidates, by workers",
        ("workers", "settings", "games", "x games of 1 worker", "wasted", "workers play", "duration"),
        tuple(rows),
        f'Means of {RACES} simulated races with `mode = "plain"`, accept_above = {THRESHOLDS["accept_above"]} and '
        f"discard_below = {THRESHOLDS['discard_below']}; win rates {', '.join(map(str, TRUTH))}. A game takes one "
        "second (standard deviation 0.3), and 0.1 s more until its worker has the next one. Wasted: games of "
        "candidates that had their verdict. Recommended: `lookahead = 2`, `width` = 2 x candidates, and `batch` so "
        "that a quarter of the candidates keep all workers busy.\n\n![Time that workers play](cluster-scale.svg)",
    )
    delays = []
    for latency in LATENCIES:
        found = measured(1_000, latency, **recommended(1_000, len(TRUTH), latency))
        batch = recommended(1_000, len(TRUTH), latency)["batch"]
        share = mean(found, "wasted") / mean(found, "games")
        delays.append(
            (f"{latency:g} s", batch, round(mean(found, "games")), percent(share), percent(mean(found, "utilization")))
        )
    second = ResultTable(
        "1,000 workers, by latency",
        ("latency", "batch", "games", "wasted", "workers play"),
        tuple(delays),
        "Games of one second. With a latency of one second, a worker cannot play for more than half of its time.",
    )
    widths = []
    for lookahead in (1, 2, 4, 8, 16):
        found = measured(1_000, 0.1, batch=100, lookahead=lookahead, width=lookahead * len(TRUTH))
        share = mean(found, "wasted") / mean(found, "games")
        widths.append(
            (
                lookahead,
                lookahead * len(TRUTH),
                round(mean(found, "games")),
                percent(share),
                percent(mean(found, "utilization")),
            )
        )
    third = ResultTable(
        "1,000 workers, batch = 100, by batches under way",
        ("lookahead", "width", "games", "wasted", "workers play"),
        tuple(widths),
        "More batches under way keep more workers busy towards the end, and waste more games at each verdict.",
    )
    return [first, second, third, by_batch()]
