"""The moves that ranks choose in seeded positions. ``mpiexec -n 4 python -m tests.parallel.positions`` prints them."""

import json
import sys

from semeai.games.catalog import game_named
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.rng import generator

SCHEMES = {"slow_tree": 20, "slow_root": 2, "voting": 4, "fast_tree": 2}
RANKS = 4


def seeded_position(game, number):
    draw = generator(number, "position", game)
    position = game_named(game).new_position(5)
    for _ in range(int(draw.integers(0, 8))):
        position.play(int(draw.choice(position.sensible_moves())))
    return position


def chosen_moves(scheme, count, changes=None):
    """For half of the positions in each game: the move, the win rate to the last bit, and then a second move."""
    chosen = []
    for game in ("go", "havannah"):
        simulations = 30 if scheme == "fast_tree" else 120
        settings = {"simulations": simulations, "memory_mb": 4, "parallel.scheme": scheme, "parallel.ranks": RANKS}
        config = PlayerConfig.from_preset("default", game).with_changes({**settings, "parallel.share_period": 15})
        player = MctsPlayer(config.with_changes(changes or {}))
        for number in range(count // 2):
            player.start(seeded_position(game, number), number)
            for _ in range(2):  # the second move begins with a tree that was searched before
                choice = player.choose()
                chosen.append([game, choice.move, float(choice.win_rate).hex(), choice.simulations])
                player.observe(choice.move)
        player.close()
    return chosen


def main():
    print(json.dumps({scheme: chosen_moves(scheme, count) for scheme, count in SCHEMES.items()}))


def main_in_seconds():
    """Budgets and shares by the clock: no two runs are equal, but all ranks must come to an end."""
    changes = {"seconds": 0.05, "parallel.share_unit": "seconds", "parallel.share_period": 0.01}
    moves = {scheme: chosen_moves(scheme, 2, changes) for scheme in SCHEMES}
    print(json.dumps({"seconds": moves, "voting": chosen_moves("voting", SCHEMES["voting"])}))


if __name__ == "__main__":
    from semeai.parallel.ranks import on_rank_0

    on_rank_0(main_in_seconds if "seconds" in sys.argv else main)
