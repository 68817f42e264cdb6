"""Slow tree parallelization of the searches of ``reference.uct``, with dictionaries by path.

A share that is sent at one exchange is added to the trees at the next one, because messages travel while ranks search.
"""

import math
from dataclasses import dataclass, field

from reference.uct import Node, Uct, f32

SUMS = ("visits", "wins", "rave_visits", "rave_wins")
Path = tuple[int, ...]


@dataclass
class Rank:
    uct: Uct
    seen: dict[tuple[Path, str], float] = field(default_factory=dict)
    """The part of each child's sums that was already shared. The artificial tree has no priors."""
    sent: dict[tuple[Path, str], float] = field(default_factory=dict)

    def node(self, path: Path) -> Node:
        node = self.uct.root
        for i, move in enumerate(path):
            if not node.children and i < self.uct.game.height:
                node.children = [Node(k) for k in range(self.uct.game.branching)]
            node = node.children[move]
        return node

    def grown(self, child: Path, name: str) -> float:
        growth = float(getattr(self.node(child), name)) - self.seen.get((child, name), 0.0)
        return math.floor(growth * 65536 + 0.5) / 65536


@dataclass
class SlowTree:
    ranks: list[Rank]
    fraction: float
    depth: int
    weight: float
    known: dict[Path, float] = field(default_factory=dict)
    """Visits that all ranks have received."""
    under_way: list[Path] = field(default_factory=list)
    """Children whose growth was sent and not yet received."""

    def shared_children(self) -> list[Path]:
        game = self.ranks[0].uct.game
        enough = self.fraction * sum(visits for path, visits in self.known.items() if len(path) == 1)
        parents: list[Path] = [()]
        found: list[Path] = []
        for parent in parents:
            children = [(*parent, move) for move in range(game.branching)] if len(parent) < game.height else []
            found += children
            if len(parent) < self.depth and enough > 0:
                parents += [child for child in children if self.known.get(child, 0.0) >= enough]
        return found

    def share(self) -> None:
        self.receive()
        self.under_way = self.shared_children()
        for rank in self.ranks:
            rank.sent = {(child, name): rank.grown(child, name) for child in self.under_way for name in SUMS}

    def receive(self) -> None:
        for child in self.under_way:
            for name in SUMS:
                key = child, name
                total = sum(rank.sent[key] for rank in self.ranks)
                for rank in self.ranks:
                    node = rank.node(child)
                    before = getattr(node, name)
                    after = before + f32(self.weight * total - rank.sent[key])
                    setattr(node, name, after)
                    rank.seen[key] = rank.seen.get(key, 0.0) + rank.sent[key] + (float(after) - float(before))
                    if name == "visits" and len(child) == 1:
                        rank.uct.root.visits = rank.uct.root.visits + (after - before)
                if name == "visits":
                    self.known[child] = self.known.get(child, 0.0) + total
        self.under_way = []
