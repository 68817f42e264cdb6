"""Choose the patterns of a database: all neighbourhoods that were seen often enough, as a tree by size."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.neighbourhoods import MAX_PATTERNS, N_SIZES
from semeai.learn.competitions import Competitions

UNKNOWN = 0
"""Pattern of the points that no other pattern fits; parent of the smallest patterns."""
NO_SIZE = -1


@dataclass(frozen=True, eq=False)
class PatternTree:
    """Patterns from small to large; a pattern's parent is the next smaller pattern inside it."""

    keys: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    parents: NDArray[np.int64]
    seen: NDArray[np.int64]
    """How often each pattern was seen."""

    def __len__(self) -> int:
        """Return the number of patterns without UNKNOWN."""
        return len(self.keys) - 1

    def of_size(self, size: int) -> slice:
        first, end = np.searchsorted(self.sizes, (size, size + 1))
        return slice(int(first), int(end))

    def within(self, kept: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the largest kept pattern inside each pattern, which may be the pattern itself."""
        found = np.arange(len(self.keys))
        for size in range(N_SIZES):
            part = self.of_size(size)
            found[part] = np.where(kept[part], found[part], found[self.parents[part]])
        return found

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """Return the tree of the kept patterns. The parent of a kept pattern must be kept too."""
        number = np.cumsum(kept) - 1
        parents = number[self.parents[kept]]
        return type(self)(self.keys[kept], self.sizes[kept], parents, self.seen[kept])

    def find(self, competitions: Competitions) -> NDArray[np.int64]:
        """Return the largest pattern around each point."""
        found = np.full(competitions.n_points, UNKNOWN, np.int64)
        alive = np.ones(competitions.n_points, np.bool_)
        for size in range(N_SIZES):
            part = self.of_size(size)
            order = np.argsort(self.keys[part])
            known = self.keys[part][order]
            keys = competitions.keys(size, alive)
            if not len(known):
                break
            place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            alive &= known[place] == keys
            found[alive] = part.start + order[place[alive]]
        return found


def harvest(
    competitions: Competitions,
    min_seen: int,
    most: int = MAX_PATTERNS,
    n_sizes: int = N_SIZES,
    say: Callable[[str], object] = lambda text: None,
) -> tuple[PatternTree, NDArray[np.int64]]:
    """Return the patterns seen at ``min_seen`` or more points, and the largest of them around each point.

    Only the first ``n_sizes`` sizes count. If there are more than ``most`` patterns, the least seen are left out.
    """
    leaves = np.full(competitions.n_points, UNKNOWN, np.int64)
    alive = np.ones(competitions.n_points, np.bool_)
    parts = [(np.zeros(1, np.uint64), np.array([NO_SIZE]), np.array([UNKNOWN]), np.array([competitions.n_points]))]
    n = 1
    for size in range(n_sizes):
        keys = competitions.keys(size, alive)[alive]
        found, first, inverse, seen = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        kept = seen >= min_seen
        number = np.where(kept, n + np.cumsum(kept) - 1, 0)[inverse]
        parents = leaves[alive][first[kept]]
        parts.append((found[kept], np.full(kept.sum(), size), parents, seen[kept]))
        at = np.flatnonzero(alive)
        leaves[at[number > 0]] = number[number > 0]
        alive[at[number == 0]] = False
        n += int(kept.sum())
        say(f"size {size + 1} of {n_sizes}: {int(kept.sum()):,} patterns")
    keys, sizes, parents, seen = (np.concatenate(column) for column in zip(*parts, strict=True))
    tree = PatternTree(keys, sizes, parents, seen)
    if len(tree) <= most:
        return tree, leaves
    least = int(np.sort(tree.seen)[::-1][most])  # of the first pattern too many, counting UNKNOWN
    kept = tree.seen > least
    kept[UNKNOWN] = True
    return tree.only(kept), (np.cumsum(kept) - 1)[tree.within(kept)][leaves]
