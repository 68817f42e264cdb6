"""Golden playouts of the kernels from fixed seeds. Only ``python -m tests.golden.update`` writes them.

If the hashes change, every seeded game changes too. This must be stated in the changelog.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

from semeai.games.go.kernels.scoring import area_owners
from tests.games.go.faces import base_rules, new_scratch, new_states, run_playout

FILE = Path(__file__).with_name("playouts.json")
SIZES = (9, 13, 19)
PLAYOUTS = 20


def playout_hash(size: int, mogo: bool) -> str:
    """Of the moves, who played them and the final areas of playouts that follow each other on one random stream."""
    digest, scratches = hashlib.sha256(), new_scratch(size)
    for _ in range(PLAYOUTS):
        states = new_states(size)
        n = run_playout(states, base_rules(mogo), scratches)
        digest.update(scratches[0]["played"][:n].astype("<u2").tobytes())
        digest.update(scratches[0]["played_by"][:n].tobytes())
        digest.update(np.ascontiguousarray(area_owners(states[0]["color"], size)).tobytes())
    return digest.hexdigest()


def golden() -> dict[str, str]:
    return {
        f"{'mogo' if mogo else 'light'} {size}": playout_hash(size, mogo) for mogo in (False, True) for size in SIZES
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(golden(), indent=2) + "\n")
    print(f"wrote {FILE.name}; say in the change log why seeded games are no longer the same")
