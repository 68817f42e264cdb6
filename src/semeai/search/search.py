"""The search as Python sees it: a tree that grows from a position, follows the game, and reports what it found."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from semeai.games.position import Moves
from semeai.games.protocol import MAX_CODES, SCRATCH
from semeai.rng import derive
from semeai.search.kernels.sharing import list_children
from semeai.search.kernels.simulation import open_root, simulate
from semeai.search.kernels.threads import POOL
from semeai.search.kernels.tree import (
    DRAWN,
    LOST,
    NODE,
    OPEN,
    ROOT,
    TREE,
    UNEXPANDED,
    WON,
    child_with_move,
    clear_tree,
    copy_subtree,
)
from semeai.search.report import MoveReport

MAX_VISITS = 1 << 24
"""Largest number of visits that 32-bit sums count exactly."""
CHUNK = 256
"""Simulations per kernel call; between calls the clock is read and Ctrl-C is handled."""


class Root(Protocol):
    """Where a search begins: a position of any game, or the description of one that another process received."""

    @property
    def states(self) -> NDArray[Any]: ...
    @property
    def moves(self) -> Sequence[tuple[int, int]]: ...
    @property
    def start_key(self) -> bytes: ...
    @property
    def to_move(self) -> int: ...
    def legal_moves(self) -> Moves: ...


class Search:
    """One tree, searched by one thread or by several together.

    ``params`` and ``policy`` are records of shape (1,), see ``kernels.params`` and the game. With one thread the same
    seed gives the same tree.
    """

    def __init__(self, params: NDArray[Any], policy: NDArray[Any], max_nodes: int, threads: int = 1) -> None:
        self._params, self._policy = params, policy
        self.threads = threads
        self._nodes = np.empty(max_nodes, NODE)
        self._other = np.empty(0, NODE)  # the second space of a copying collector, made when first needed
        self._tree = np.zeros(1, TREE)
        self._scratch = np.zeros(threads, SCRATCH)
        self._pools = np.zeros(threads, POOL)
        self._states = np.empty(0)
        self._played: list[tuple[int, int]] | None = None  # the moves before the root; None: unknown
        self._start_key, self._turn = b"", 0
        self._helpers: ThreadPoolExecutor | None = None
        self.helper_seconds = 0.0
        """CPU time of all threads except the caller's, since the search was made."""

    def seed(self, seed: int) -> None:
        self._scratch[0]["rng"] = np.uint64(derive(seed, "search") | 1)
        for i in range(1, self.threads):
            self._scratch[i]["rng"] = np.uint64(derive(seed, "search", i) | 1)

    def forget(self) -> None:
        """Start a new game: the next position does not reuse the tree."""
        self._played = None

    def set_position(self, position: Root, reuse: bool = True) -> bool:
        """Set the root position. Returns True if the subtree of the last search was reused."""
        path = self.moves_to(position) if reuse else None
        child = UNEXPANDED if path is None else self._descendant(path)
        if child == UNEXPANDED:
            self._clear()
        elif child != ROOT:
            self._move_root(child)
        self._played, self._start_key, self._turn = list(position.moves), position.start_key, position.to_move
        allowed = np.zeros(MAX_CODES, np.bool_)
        allowed[position.legal_moves()] = True
        self._open(position.states, allowed)
        return child != UNEXPANDED

    def set_state(self, states: NDArray[Any]) -> None:
        """Set the root to a bare state, a record of shape (1,), with a new tree."""
        self._played = None
        self._clear()
        self._open(states, np.ones(MAX_CODES, np.bool_))

    def _clear(self) -> None:
        """Forget all that the tree and the playouts have learned."""
        clear_tree(self._nodes, self._tree)
        self._scratch["replies"] = 0

    def _open(self, states: NDArray[Any], allowed: NDArray[np.bool_]) -> None:
        self._tree[0]["simulations"] = self._tree[0]["full"] = 0
        self._pools["next"] = self._pools["end"] = 0
        self._states = np.repeat(states, 3 * self.threads)
        open_root(self._nodes, self._tree, self._states, self._policy, self._params, self._scratch, allowed)

    def moves_to(self, position: Root) -> list[int] | None:
        """List the moves from the last position to this one. Returns None if players did not take turns since then."""
        before = self._played
        if before is None or list(position.moves[: len(before)]) != before or position.start_key != self._start_key:
            return None
        path, turn = [], self._turn
        for player, move in position.moves[len(before) :]:
            if player != turn:
                return None
            path.append(move)
            turn = 1 - player
        return path if turn == position.to_move else None

    def _descendant(self, path: Sequence[int]) -> int:
        node = ROOT
        for move in path:
            node = child_with_move(self._nodes, node, move)
            if node == UNEXPANDED:
                break
        return node

    def _move_root(self, child: int) -> None:
        if len(self._other) == 0:
            self._other = np.empty(len(self._nodes), NODE)
        n = copy_subtree(self._nodes, child, self._other)
        self._nodes, self._other = self._other, self._nodes
        self._tree[0]["n_nodes"] = n

    def run(self, n: int) -> int:
        """Run ``n`` simulations.

        Returns the number run; 0 if the game is over, the root is proven or the counter is full.
        """
        n = min(n, MAX_VISITS - self.visits)
        if self._nodes[ROOT]["n_children"] == 0 or n <= 0:
            return 0
        before = self.simulations
        if self.threads == 1:
            self._run_thread(self._tree, 0, before + n)
        else:
            self._run_together(before + n)
        return self.simulations - before

    def _run_together(self, limit: int) -> None:
        """Run all threads, this one too, until there are ``limit`` simulations of this position."""
        if self._helpers is None:
            self._helpers = ThreadPoolExecutor(self.threads - 1, "search")
        running = [self._helpers.submit(self._run_thread, self._pools, i, limit) for i in range(1, self.threads)]
        self._run_thread(self._pools, 0, limit)
        self.helper_seconds += sum(thread.result() for thread in running)

    def _run_thread(self, writers: NDArray[Any], thread: int, limit: int) -> float:
        """Run one thread's part; ``writers`` say how it changes the tree. Returns its CPU seconds."""
        began = time.thread_time()
        simulate(
            writers, self._nodes, self._tree, self._states, self._params, self._policy, self._scratch, thread, limit
        )
        return time.thread_time() - began

    def close(self) -> None:
        """End the helper threads; the search can still be used."""
        if self._helpers is not None:
            self._helpers.shutdown()
            self._helpers = None

    def list_children(self, path: Sequence[int], children: NDArray[Any], start: int) -> int:
        """Write the moves after ``path`` into ``children``, see ``kernels.sharing``. Returns their number."""
        return int(
            list_children(
                self._nodes, self._tree, self._states, self._params, self._policy, self._scratch,
                np.array(path, np.int64), children, start,
            )
        )  # fmt: skip

    @property
    def nodes(self) -> NDArray[Any]:
        """All node records; a different array after each ``set_position``."""
        return self._nodes

    @property
    def simulations(self) -> int:
        """Simulations since this position was set."""
        return int(self._tree[0]["simulations"])

    @property
    def visits(self) -> int:
        """Visits of the root, including those of a reused tree."""
        return int(self._nodes[ROOT]["visits"])

    @property
    def is_full(self) -> bool:
        return bool(self._tree[0]["full"])

    @property
    def is_solved(self) -> bool:
        """Whether the outcome of best play is proven; it is then the ``win_rate`` of the best move."""
        return bool(self._nodes[ROOT]["proof"] != OPEN)

    @property
    def n_nodes(self) -> int:
        return int(self._tree[0]["n_nodes"])

    def children(self) -> NDArray[Any]:
        """Return the root's children as records of ``NODE``."""
        root = self._nodes[ROOT]
        return (
            self._nodes[root["first_child"] : root["first_child"] + root["n_children"]]
            if root["n_children"]
            else self._nodes[:0]
        )

    def is_decided(self, remaining: int) -> bool:
        """Return whether no other move can overtake the most visited one in the remaining simulations."""
        visits = np.sort(self.children()["visits"])
        return self.is_solved or len(visits) < 2 or bool(visits[-1] - visits[-2] > remaining)

    def best_move(self) -> int:
        """Choose a move that is proven to win, else the most visited move that is not proven to lose (Algorithm 1).

        Of equally visited moves the one with the better mean is chosen; IndexError if there are no moves.
        """
        children = self.children()
        return int(children["move"][_order(children)[-1]])

    def win_rate(self, move: int) -> float:
        """Return the win rate of the player to move if ``move`` is played."""
        children = self.children()
        return float(_mean(children)[children["move"] == move][0])

    def report(self) -> list[MoveReport]:
        """Report on all moves, the most visited first."""
        children = self.children()
        order = _order(children)[::-1]
        rates = _mean(children)
        weights = np.exp(children["heuristic"].astype(np.float64))  # H may be negative
        return [
            MoveReport(
                int(children["move"][i]),
                int(children["visits"][i]),
                float(rates[i]),
                float(weights[i] / weights.sum()),
                [int(children["move"][i]), *self._line(int(self._nodes[ROOT]["first_child"]) + int(i))],
            )
            for i in order
        ]

    def _line(self, node: int, most: int = 12) -> list[int]:
        """List the moves that the search expects after ``node``."""
        line: list[int] = []
        while len(line) < most and (n := int(self._nodes[node]["n_children"])):
            first = int(self._nodes[node]["first_child"])
            node = first + int(np.argmax(self._nodes["visits"][first : first + n]))
            if self._nodes[node]["visits"] == 0:
                break
            line.append(int(self._nodes[node]["move"]))
        return line


def _mean(children: NDArray[Any]) -> NDArray[Any]:
    """Mean rewards: proven values if there are any, RAVE's, which hold the priors, for moves without visits."""
    own = children["wins"] / np.maximum(children["visits"], 1)
    rave = children["rave_wins"] / np.maximum(children["rave_visits"], 1e-9)
    result: NDArray[Any] = np.where(children["visits"] > 0, own, rave)
    for proof, value in ((WON, 1.0), (LOST, 0.0), (DRAWN, 0.5)):
        result = np.where(children["proof"] == proof, value, result)
    return result


def _order(children: NDArray[Any]) -> NDArray[np.int64]:
    """Sort children from worst to best: lost ones first, won ones last, the others by visits, then by mean."""
    rank = 1 + (children["proof"] == WON) - (children["proof"] == LOST).astype(np.int64)
    return np.lexsort((_mean(children), children["visits"], rank))


def uct(states: NDArray[Any], params: NDArray[Any], policy: NDArray[Any], simulations: int, seed: int) -> Search:
    """Search a state (function UCT of Algorithm 1). Returns the search; its ``best_move()`` is the decision."""
    search = Search(params, policy, max_nodes=min(100 * simulations + MAX_CODES, 4_000_000))
    search.seed(seed)
    search.set_state(states)
    search.run(simulations)
    return search
