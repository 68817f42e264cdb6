"""Algorithm 1 of "Scalability and parallelization of Monte-Carlo Tree Search" with RAVE, priors, progressive bias and
progressive widening, one object per node, on the artificial tree of ``semeai.games.toys.tree``.

It is slow and simple. It draws the same random numbers in the same order as the kernels, and rounds to 32 bits like
them. So both must grow the same tree.
"""

import math
from dataclasses import dataclass, field

import numpy as np

f32 = np.float32
ZERO = f32(0)
MASK = (1 << 64) - 1


class Xorshift:
    def __init__(self, state: int) -> None:
        self.state = state

    def below(self, m: int) -> int:
        x = self.state
        x ^= x << 13 & MASK
        x ^= x >> 7
        x ^= x << 17 & MASK
        self.state = x
        return (x >> 32) * m >> 32


@dataclass
class Game:
    branching: int
    height: int
    key: int
    eighths_drawn: int = 0

    def reward(self, path: tuple[int, ...]) -> float:
        number = 0
        for move in path:
            number = number * self.branching + move
        x = number * 0x9E3779B97F4A7C15 + self.key & MASK
        x ^= x >> 31
        x = x * 0xBF58476D1CE4E5B9 & MASK
        return float(x >> 40 & 1) if x >> 41 & 7 >= self.eighths_drawn else 0.5


@dataclass
class Node:
    move: int = -1
    visits: f32 = ZERO
    wins: f32 = ZERO
    rave_visits: f32 = ZERO
    rave_wins: f32 = ZERO
    heuristic: f32 = ZERO
    proof: str = ""
    """Empty, or won, lost or drawn for the player who moved here; at the root, for the player who is not to move."""
    children: list["Node"] = field(default_factory=list)


@dataclass
class Uct:
    """One search. ``settings`` has the names of ``SearchConfig``, with f32 values."""

    game: Game
    settings: dict
    rng: Xorshift
    root: Node = field(default_factory=Node)

    def score(self, child: Node, log_visits: f32, n_moves: int) -> f32:
        s = self.settings
        rave_bias, k = s["rave_bias"], s["rave_equivalence"]
        if s["rave_per_move"] > 0:
            longer = s["rave_per_move"] * f32(n_moves)
            rave_bias = rave_bias / (f32(1) + rave_bias * longer)
            k = k + longer
        n, m = child.visits, child.rave_visits
        explore = s["exploration"] * f32(math.sqrt(log_visits)) if s["exploration"] > 0 else f32(0)
        if n > 0:
            value = child.wins / n
            if m > 0:
                if s["rave"] == "hand_picked":
                    beta = f32(math.sqrt(k / (f32(3) * n + k)))
                else:
                    beta = m / (m + n + m * n * rave_bias)
                value = value + beta * (child.rave_wins / m - value)
            if explore > 0:
                value = value + explore / f32(math.sqrt(n))
        elif m > 0:
            value = child.rave_wins / m + explore
        else:
            value = s["first_play_urgency"]
        if s["bias_constant"] != 0 or s["bias_decay"] != 0:
            weight = s["bias_constant"] + s["bias_decay"] / f32(math.log(f32(2) + n))
            value = value + weight * child.heuristic
        return value

    def plain_score(self, child: Node) -> f32:
        n = self.settings["plain_visits"]
        expected = min(max(f32(0.5) + child.heuristic, f32(0)), f32(1))
        return (child.wins + n * expected) / (child.visits + n)

    def select(self, node: Node) -> Node:
        s = self.settings
        admitted = [child for child in node.children if child.proof != "lost"]
        if s["widening"] > 0:
            admitted = admitted[: max(1, int(s["widening"] * f32(math.sqrt(f32(math.sqrt(node.visits))))))]
        log_visits = f32(math.log(max(node.visits, f32(1))))
        is_plain = s["rave"] != "off" and s["plain_every"] > 0 and (int(node.visits) + 1) % int(s["plain_every"]) == 0
        best, best_score, ties = None, f32(-1e30), 1
        for child in admitted:
            value = self.plain_score(child) if is_plain else self.score(child, log_visits, len(node.children))
            if value > best_score:
                best, best_score, ties = child, value, 1
            elif value == best_score:
                ties += 1
                if self.rng.below(ties) == 0:
                    best = child
        return best

    def simulate(self) -> None:
        if self.root.proof:
            return
        game = self.game
        nodes, moves = [self.root], []
        while len(moves) < game.height and not nodes[-1].proof:
            node = nodes[-1]
            if not node.children:
                if node.visits < self.settings["expansion_threshold"]:
                    break
                node.children = [Node(i) for i in range(game.branching)]
            nodes.append(self.select(node))
            moves.append(nodes[-1].move)
        depth = len(moves)
        if nodes[-1].proof:  # drawn, because a win would prove the parent too
            self.back_up(nodes, moves, depth, f32(0.5))
            return
        while len(moves) < game.height:
            moves.append(self.rng.below(game.branching))
        reward = f32(game.reward(tuple(moves)))
        self.back_up(nodes, moves, depth, reward)
        if self.settings["proof_backup"] and depth == game.height:
            nodes[-1].proof = {0: "lost", 0.5: "drawn", 1: "won"}[reward if depth % 2 else 1 - reward]
            for node in reversed(nodes[:-1]):
                node.proof = self.proven(node)

    def proven(self, node: Node) -> str:
        """Return the proof of a node from its children: the opposite of the best result for the player to move."""
        found = {child.proof for child in node.children}
        if "won" in found:
            return "lost"
        if "" in found:
            return ""
        return "drawn" if "drawn" in found else "won"

    def back_up(self, nodes: list[Node], moves: list[int], depth: int, reward: f32) -> None:
        def seen_by(ply: int) -> f32:
            return reward if ply % 2 == 0 else f32(1) - reward

        end = len(moves)
        if self.settings["rave_horizon"] < 1:
            end = depth + int(self.settings["rave_horizon"] * f32(end - depth))
        slope = self.settings["rave_fade"] / f32(max(end, 1))
        for i, node in enumerate(nodes):
            if i < depth and self.settings["rave"] != "off":
                later = [*range(i, depth), *range(max(depth, i), end)]
                for child in node.children:
                    first = next((ply for ply in later if moves[ply] == child.move), None)
                    if first is not None and first % 2 == i % 2:
                        weight = f32(1) if first < depth else f32(1) - slope * f32(first)
                        child.rave_visits = child.rave_visits + weight
                        child.rave_wins = child.rave_wins + weight * seen_by(i)
            node.visits = node.visits + f32(1)
            node.wins = node.wins + (reward if i == 0 else seen_by(i - 1))
