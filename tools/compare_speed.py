"""Compare the search speed of two source trees: ``python tools/compare_speed.py OLD/src NEW/src``.

One process per tree, asked in turn in random order, so that a busy moment of the machine affects both. Prints
simulations per CPU second and their ratio, new over old, by the 95th percentile of the rounds.
"""

import os
import random
import subprocess
import sys
import time

CASES = {
    "Go 9x9 default": ("go", 9, "default", 800, 1),
    "Go 19x19 default": ("go", 19, "default", 250, 1),
    "Havannah 8 default": ("havannah", 8, "default", 2500, 1),
    "Go 9x9 rave": ("go", 9, "rave", 2500, 1),
    "Go 19x19 rave": ("go", 19, "rave", 700, 1),
    "Havannah 8 fast": ("havannah", 8, "fast", 4000, 1),
    "Go 9x9 default, 2 threads": ("go", 9, "default", 1600, 2),
}
"""Game, size, preset, simulations per round (about 25 ms), threads."""
PROCESSES, ROUNDS = 4, 40


def serve() -> None:
    """Answer each case on standard input with its simulations per CPU second."""
    from semeai.games.catalog import new_position
    from semeai.players.config import PlayerConfig
    from semeai.players.mcts import MctsPlayer

    players = {
        name: MctsPlayer(PlayerConfig.from_preset(preset, game).with_changes({"memory_mb": 300, "threads": threads}))
        for name, (game, _, preset, _, threads) in CASES.items()
    }
    for line in sys.stdin:
        name = line.strip()
        game, size, _, n, _ = CASES[name]
        player = players[name]
        player.start(new_position(game, size), seed=1)
        player.think(50)
        began, helped = time.thread_time(), player._search.helper_seconds
        player.think(n)
        print(n / (time.thread_time() - began + player._search.helper_seconds - helped), flush=True)


def ask(process: "subprocess.Popen[str]", name: str) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(name + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compare(sources: list[str]) -> None:
    rates: dict[str, list[list[float]]] = {name: [[] for _ in sources] for name in CASES}
    for _ in range(PROCESSES):
        processes = [
            subprocess.Popen(
                [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": source},
            )
            for source in sources
        ]  # fmt: skip
        for round_number in range(ROUNDS + 1):
            for name in CASES:
                for i in random.sample(range(len(sources)), len(sources)):
                    rate = ask(processes[i], name)
                    if round_number:  # the first round compiles and warms up
                        rates[name][i].append(rate)
        for process in processes:
            process.communicate()
    for name, both in rates.items():
        old, new = (sorted(values)[int(0.95 * (len(values) - 1))] for values in both)
        print(f"{name:28} {old:10,.0f} {new:10,.0f} {new / old:6.3f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    elif len(sys.argv) == 3:
        compare(sys.argv[1:])
    else:
        sys.exit(__doc__)
