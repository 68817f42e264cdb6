"""Tune the Go player's constants against itself: ``python tools/tune_go.py OUT.jsonl --pairs 4000``.

The method is SPSA (Spall 1992), as used for chess engines. All constants are moved at once, each up or down at random.
This player plays a pair of games against the player moved the other way, and all constants move a little towards the
winner. Each constant has its own unit of steps: ratios for virtual visits, differences for probabilities. Every batch
is a line of the output file, which holds the whole state: the tool can be stopped and started again at any time, with
any number of workers.

The result is only a candidate: test with ``semeai match`` or a race whether it is better.
"""

import argparse
import json
import math
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from semeai.match.pair import play_pair, prepare_players
from semeai.match.player_cache import worker_players
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.players.config import PlayerConfig
from semeai.rng import generator

RATIO, DIFFERENCE = "ratio", "difference"
UNITS = {
    "policy.model_even": (RATIO, 0.3),
    "policy.model_visits": (RATIO, 0.3),
    "policy.model_heuristic": (RATIO, 0.3),
    "policy.model_exponent": (RATIO, 0.2),
    "policy.prior_pass": (RATIO, 0.3),
    "search.rave_bias": (RATIO, 0.4),
    "search.plain_every": (RATIO, 0.35),
    "search.plain_visits": (RATIO, 0.3),
    "search.rave_fade": (DIFFERENCE, 0.2),
    "policy.save": (DIFFERENCE, 0.07),
    "policy.capture": (DIFFERENCE, 0.07),
    "policy.shape": (DIFFERENCE, 0.1),
    "policy.two_liberties": (DIFFERENCE, 0.2),
    "policy.capture_anywhere": (DIFFERENCE, 0.2),
    "policy.shape_before": (DIFFERENCE, 0.1),
}
"""Setting -> its scale, and the length of a unit on that scale."""
WHOLE = ("search.plain_every",)
BATCH = 4
"""Pairs that start from the same constants, so that the result does not depend on the number of workers."""
GAIN, DECAY = 0.06, 0.6
"""A pair with two wins moves every constant by GAIN units at first, and by 3 ** -DECAY times that at the end."""

Units = dict[str, float]
"""Setting -> distance from its first value, in units."""


def value(name: str, first: float, units: float) -> float:
    scale, unit = UNITS[name]
    if scale == DIFFERENCE:
        return min(1.0, max(0.0, first + unit * units))
    moved = first * math.exp(unit * units)
    return max(1, round(moved)) if name in WHOLE else moved


def first_values() -> dict[str, float]:
    """Return the constants of the default player."""
    start = PlayerConfig()
    return {name: float(getattr(getattr(start, name.split(".")[0]), name.split(".")[1])) for name in UNITS}


def player(first: Mapping[str, float], units: Units, simulations: int) -> str:
    words = "".join(f",{name}={value(name, first[name], units[name]):.6g}" for name in UNITS)
    return f"mcts:default,resign_below=0.07,memory_mb=60,simulations={simulations}{words}"


def play(a: str, b: str, settings: MatchSettings, seed: int) -> float:
    """Play a pair of games. Returns half of (games won by A - games lost by A)."""
    one, two = play_pair(parse_spec(a), parse_spec(b), settings, seed, worker_players(), explain=False)
    return one.reward - two.reward


def tune(path: Path, size: int, pairs: int, simulations: int, seed: int, workers: int) -> None:
    settings = MatchSettings(size=size, opening_moves=2, scoring="area")
    first = first_values()
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    done = json.loads(lines[-1]) if lines else {"pairs": 0, "units": dict.fromkeys(UNITS, 0.0)}
    units: Units = done["units"]
    prepare_players(settings, [parse_spec(player(first, units, 20))], print)
    with ProcessPoolExecutor(workers) as pool:
        for k in range(done["pairs"], pairs, BATCH):
            draw = generator(seed, "spsa", k)
            signs = draw.choice((-1, 1), (BATCH, len(UNITS)))
            games = []
            for row in signs:
                up = {name: units[name] + s for name, s in zip(UNITS, row, strict=True)}
                down = {name: units[name] - s for name, s in zip(UNITS, row, strict=True)}
                a, b = player(first, up, simulations), player(first, down, simulations)
                games.append(pool.submit(play, a, b, settings, int(draw.integers(2**31))))
            gain = GAIN / (1 + 2 * k / pairs) ** DECAY
            for row, game in zip(signs, games, strict=True):
                for name, sign in zip(UNITS, row, strict=True):
                    units[name] += gain * game.result() * int(sign)
            values = {name: float(f"{value(name, first[name], units[name]):.4g}") for name in UNITS}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"pairs": k + BATCH, "values": values, "units": units}) + "\n")
            if (k // BATCH) % 25 == 0:
                print(k + BATCH, values, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="output file, one line per batch; an existing file is continued")
    parser.add_argument("--size", type=int, default=9, help="board size")
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tune(options.out, options.size, options.pairs, options.simulations, options.seed, options.workers)
