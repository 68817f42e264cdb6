"""The tables and figures of the three papers: which experiment makes each, at which scales, and how long it takes.

The papers: "Bandit-Based Genetic Programming" (BGP), its long version, and "Scalability and Parallelization of
Monte-Carlo Tree Search" (MCTS).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semeai.errors import ConfigError, did_you_mean
from semeai.experiments import figures, growing, guarantee, parallel, races, scaling
from semeai.experiments.catalog import EXPERIMENTS, Experiment
from semeai.experiments.cost import in_words
from semeai.table import Cell, ResultTable

SCALES = ("minutes", "hour", "night")
ALL = "all"

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """Tables and figures of the papers that one experiment makes."""

    item: str
    name: str
    """Name of the experiment."""
    seconds: Callable[..., float]
    """Expected CPU seconds, by the options that set the scale."""
    scales: Mapping[str, tuple[Options, ...]]
    """Options of the runs of each scale; an experiment is run once per entry."""

    @property
    def experiment(self) -> Experiment:
        return EXPERIMENTS[self.name]

    def runs(self, scale: str | None) -> tuple[Options, ...]:
        """Return the options of each run; without a scale one run with the experiment's own defaults."""
        return ({},) if scale is None else self.scales[scale]

    def cpu_seconds(self, scale: str | None) -> float:
        return sum(self.seconds(**options) for options in self.runs(scale))


def checked_scale(scale: str) -> str:
    if scale not in SCALES:
        raise ConfigError(f"--scale {scale!r}: {did_you_mean(scale, SCALES)}")
    return scale


def part_named(name: str) -> Part:
    """Return the part that an experiment makes. Raises ConfigError for an experiment that is in no paper."""
    for part in PARTS:
        if part.name == name:
            return part
    names = ", ".join(part.name for part in PARTS)
    raise ConfigError(f"experiment {name!r} has no --scale, because it is in no paper; those that have one: {names}")


def listing(workers: int) -> ResultTable:
    """Return the tables and figures of the papers, with the expected durations on ``workers`` free cores."""
    rows: list[tuple[Cell, ...]] = []
    for part in PARTS:
        durations = [in_words(part.cpu_seconds(scale) / workers) for scale in (None, *SCALES)]
        rows.append((part.item, part.name, _default_scale(part), *durations))
    return ResultTable(
        "Tables and figures of the papers",
        ("table or figure", "experiment", "default scale", "by default", *SCALES),
        tuple(rows),
        f"Expected durations with --workers {workers} on free cores, right within a factor of two. They assume 36,000 "
        "simulations of the default player per CPU second on 9x9; `semeai bench` measures this machine.",
    )


def _default_scale(part: Part) -> str:
    """Return the named scale whose cost is nearest to that of the experiment's own defaults."""
    cost = math.log(part.cpu_seconds(None))
    return min(SCALES, key=lambda scale: abs(math.log(part.cpu_seconds(scale)) - cost))


def _seconds_of_guarantee(races: int = guarantee.DEFAULT_RACES) -> float:
    return 40.0 + 0.03 * races


def _shapes(minutes: Options, hour: Options, night: Options) -> dict[str, tuple[Options, ...]]:
    return dict(zip(SCALES, ((minutes,), (hour,), (night,)), strict=True))


def _at(simulations: Sequence[int], games: int, size: Sequence[int] = (9,)) -> dict[str, Any]:
    return {"simulations": tuple(simulations), "games": games, "size": tuple(size)}


def _grown(simulations: int, steps: int, games: int, start: str = "bare") -> dict[str, Any]:
    return {"simulations": (simulations,), "steps": steps, "games": games, "start": start}


PARTS = (
    Part(
        "BGP, section 4: cost and errors of the race", "guarantee", _seconds_of_guarantee,
        _shapes({"races": 2_000}, {"races": 50_000}, {"races": 400_000}),
    ),
    Part(
        "BGP, section 5.1: good shapes on 9x9", "bgp-9x9-good", growing.GOOD_9.seconds,
        _shapes(_grown(50, 2, 100), _grown(200, 3, 400), _grown(1_000, 2, 1_000, "strong")),
    ),
    Part(
        "BGP, section 5.2: bad shapes on 9x9", "bgp-9x9-bad", growing.BAD_9.seconds,
        _shapes(_grown(50, 2, 100), _grown(200, 5, 400), _grown(1_000, 10, 1_000, "strong")),
    ),
    Part(
        "BGP, section 5.3: 19x19 with the database", "bgp-19x19-with-database", growing.WITH_DATABASE_19.seconds,
        _shapes(_grown(10, 1, 20), _grown(50, 4, 100), _grown(50, 40, 400)),
    ),
    Part(
        "BGP, section 5.4: 19x19 without the database", "bgp-19x19-without-database",
        growing.WITHOUT_DATABASE_19.seconds,
        _shapes(_grown(10, 1, 20), _grown(50, 4, 100), _grown(50, 40, 400)),
    ),
    Part(
        "MCTS, Table 1: 2N simulations against N, Go", "scaling-go", scaling.GO.seconds,
        {
            "minutes": (_at((125, 250, 500, 1_000), 200),),
            "hour": (_at((125, 250, 500, 1_000, 2_000, 4_000), 400),),
            "night": (_at((1_000, 4_000), 1_000), _at((16_000,), 200), _at((1_000,), 200, (19,))),
        },
    ),
    Part(
        "MCTS, Table 2: 2N simulations against N, Havannah", "scaling-havannah", scaling.HAVANNAH.seconds,
        {
            "minutes": (_at((50, 100, 250, 500), 400, (5,)),),
            "hour": (_at((50, 100, 250, 500, 1_000, 2_000), 1_000, (5,)), _at((5_000,), 400, (5,))),
            "night": (_at((50, 500, 1_000, 2_000, 5_000, 10_000), 1_000, (5,)), _at((50, 500, 1_000), 400, (8,))),
        },
    ),
    Part(
        "MCTS, Table 3 and Figure 2: capturing races", "semeai", races.seconds_of_races,
        {
            "minutes": ({"simulations": (1_000,), "runs": 100},),
            "hour": ({"simulations": (1_000,), "runs": 400}, {"simulations": (30_000,), "runs": 20, "size": (9,)}),
            "night": ({"simulations": (1_000,), "runs": 1_000}, {"simulations": (30_000,), "runs": 200, "size": (9,)}),
        },
    ),
    Part(
        "MCTS, Figure 1: moves that are good only if played first", "rave-problems",
        races.seconds_of_rave_problems,
        {
            "minutes": ({"simulations": (1_000,), "runs": 100},),
            "hour": ({"simulations": (1_000, 10_000, 30_000), "runs": 100},),
            "night": ({"simulations": (1_000, 10_000, 30_000), "runs": 400},),
        },
    ),
    Part(
        "All figures as positions", "figures", figures.seconds,
        _shapes({"runs": 4}, {"runs": 100}, {"simulations": (1_000, 30_000, 300_000), "runs": 100}),
    ),
    Part(
        "MCTS, Table 4: 32 machines against 1 to 32", "parallel-go", parallel.GO.seconds,
        {
            "minutes": (_at((12,), 200),),
            "hour": (_at((48,), 400),),
            "night": (_at((48,), 1_000), _at((12,), 100, (19,))),
        },
    ),
    Part(
        "MCTS, Table 5: sharing against voting", "parallel-voting", parallel.GO_VOTING.seconds,
        {
            "minutes": (_at((12,), 200),),
            "hour": (_at((48,), 400), _at((12,), 40, (19,))),
            "night": (_at((48,), 1_000), _at((12,), 400, (19,))),
        },
    ),
    Part(
        "MCTS, section 4: depth 1 against depth 0", "parallel-depth", parallel.GO_DEPTH.seconds,
        {
            "minutes": (_at((6,), 100),),
            "hour": (_at((12,), 400),),
            "night": (_at((12,), 1_000), _at((48,), 400)),
        },
    ),
)  # fmt: skip
