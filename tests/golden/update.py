"""Golden values: what kernels play and search from fixed seeds, written only by ``python -m tests.golden.update``.

If the hashes change, every seeded game changes too. This must be stated in the changelog.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.catalog import new_position
from semeai.games.go.kernels.scoring import area_owners
from semeai.games.protocol import playout
from semeai.jit import kernel
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from tests.games.go.faces import base_rules, new_scratch
from tests.games.havannah.faces import rules

FOLDER = Path(__file__).parent
GO_SIZES = (9, 13, 19)
HAVANNAH_BASES = (5, 8)
PLAYOUTS = 20
TREES = (("go", 9), ("havannah", 5), ("havannah", 3))
"""Base 3 is small enough for proofs."""
PLAYERS = {
    "go": ("default", "database=own", "uct"),
    "havannah": ("default", "model=none,search.expansion_threshold=1", "uct"),
}
SIMULATIONS = 400
FIELDS = {
    "visits": "<f4", "wins": "<f4", "rave_visits": "<f4", "rave_wins": "<f4", "heuristic": "<f4",
    "first_child": "<i4", "n_children": "<u2", "move": "<u2", "proof": "u1",
}  # fmt: skip
"""Fields of a node in the order in which they are hashed; their names are not."""


@kernel
def run_playout(states, policy, scratches):
    """Play one game of any kind to its end. Returns the number of moves."""
    scratches[0].n_played = 0
    playout(states[0], policy[0], scratches[0])
    return scratches[0].n_played


def playout_hash(game: str, size: int, policy: NDArray[Any], result: Callable[[Any], NDArray[Any]]) -> str:
    """Hash the moves, who played them and the results of playouts that follow each other on one random stream."""
    digest, scratches = hashlib.sha256(), new_scratch(size)
    for _ in range(PLAYOUTS):
        states = new_position(game, size).states.copy()
        n = run_playout(states, policy, scratches)
        digest.update(scratches[0]["played"][:n].astype("<u2").tobytes())
        digest.update(scratches[0]["played_by"][:n].tobytes())
        digest.update(np.ascontiguousarray(result(states[0])).tobytes())
    return digest.hexdigest()


def go_hash(size: int, mogo: bool) -> str:
    return playout_hash("go", size, base_rules(mogo), lambda state: area_owners(state["color"], size))


def havannah_hash(base: int, slow: bool) -> str:
    return playout_hash("havannah", base, rules(slow), lambda state: np.array([state["winner"], state["kind"]], "<i8"))


def playouts() -> dict[str, str]:
    return {
        f"{'mogo' if mogo else 'light'} {size}": go_hash(size, mogo) for mogo in (False, True) for size in GO_SIZES
    } | {
        f"havannah {'slow' if slow else 'fast'} {base}": havannah_hash(base, slow)
        for slow in (False, True)
        for base in HAVANNAH_BASES
    }


def tree_hash(game: str, size: int, words: str) -> str:
    """Hash every field of every node after one search of the empty board."""
    player = MctsPlayer(PlayerConfig.from_text(words, game).with_changes({"memory_mb": 20}))
    player.start(new_position(game, size), seed=1)
    assert player.think(SIMULATIONS) == SIMULATIONS
    search = player._search
    digest = hashlib.sha256()
    for name, kind in FIELDS.items():
        digest.update(search.nodes[name][: search.n_nodes].astype(kind).tobytes())
    player.close()
    return digest.hexdigest()


def trees() -> dict[str, str]:
    return {f"{game} {size} {words}": tree_hash(game, size, words) for game, size in TREES for words in PLAYERS[game]}


GOLDEN = {"playouts.json": playouts, "trees.json": trees}


if __name__ == "__main__":
    for name, values in GOLDEN.items():
        (FOLDER / name).write_text(json.dumps(values(), indent=2) + "\n")
        print(f"wrote {name}; say in the change log why seeded games are no longer the same")
