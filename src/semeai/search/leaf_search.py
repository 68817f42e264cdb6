"""A search whose playouts may run in other processes. Leaves and results are messages in bytes."""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import MAX_PLAYED, SCRATCH
from semeai.search.kernels.leaves import back_up_leaves, pick_leaves, play_leaf
from semeai.search.kernels.tree import ROOT
from semeai.search.search import MAX_VISITS, Search

# Depth of the leaf; its state, the moves before it and their players follow. Negative: nothing to play out.
_LEAF = struct.Struct("<q")
_RESULT = struct.Struct("<dq")  # player 0's reward, number of moves; the moves and their players follow
NOTHING = _LEAF.pack(-1)


class LeafSearch(Search):
    """A search in three parts: ``pick`` leaves, ``play_out`` each in any process, and ``back_up`` the results."""

    def __init__(self, params: NDArray[Any], policy: NDArray[Any], max_nodes: int, most: int) -> None:
        super().__init__(params, policy, max_nodes)
        self._out = np.zeros(most, SCRATCH)
        self._leaves = np.empty(0)
        self._depths = np.zeros(most, np.int64)
        self._playing = np.zeros(most, np.bool_)
        self._n = 0

    def pick(self, n: int) -> list[bytes]:
        """Return up to ``n`` leaves as messages; empty if the game is over, the root proven or the counter full."""
        n = min(n, MAX_VISITS - self.visits, len(self._out))
        if self._nodes[ROOT]["n_children"] == 0 or n <= 0:
            return []
        if self._leaves.dtype != self._states.dtype:
            self._leaves = np.zeros(len(self._out), self._states.dtype)
        self._out[0]["rng"] = self._scratch[0]["rng"]
        self._n = pick_leaves(
            self._nodes, self._tree, self._states, self._params, self._policy, self._out,
            self._leaves, self._depths, self._playing, n,
        )  # fmt: skip
        self._scratch[0]["rng"] = self._out[0]["rng"]
        return [self._message(i) if self._playing[i] else NOTHING for i in range(self._n)]

    def _message(self, i: int) -> bytes:
        depth, scratch = int(self._depths[i]), self._out[i]
        path = scratch["played"][:depth].tobytes() + scratch["played_by"][:depth].tobytes()
        return b"".join((_LEAF.pack(depth), self._leaves[i].tobytes(), path))

    def play_out(self, leaf: bytes) -> bytes:
        """Play a game from the leaf's position to its end. Returns the result as a message."""
        (depth,) = _LEAF.unpack_from(leaf)
        if depth < 0:
            return _RESULT.pack(0.0, 0)
        state = np.frombuffer(leaf, self._states.dtype, 1, _LEAF.size).copy()
        scratch, path = self._scratch[0], _LEAF.size + state.nbytes
        scratch["played"][:depth] = np.frombuffer(leaf, np.uint16, depth, path)
        scratch["played_by"][:depth] = np.frombuffer(leaf, np.uint8, depth, path + 2 * depth)
        reward = play_leaf(state, self._policy, self._scratch, depth)
        if not self._params[0]["rave"]:
            return _RESULT.pack(reward, 0)
        end = int(scratch["n_played"])
        moves, players = scratch["played"][depth:end].tobytes(), scratch["played_by"][depth:end].tobytes()
        return b"".join((_RESULT.pack(reward, end - depth), moves, players))

    def back_up(self, results: Sequence[bytes]) -> None:
        """Add the results to the tree. They must be in the order of the picked leaves."""
        rewards = np.zeros(len(self._out))
        for i, data in enumerate(results[: self._n]):
            rewards[i], n = _RESULT.unpack_from(data)
            depth, scratch = int(self._depths[i]), self._out[i]
            end = min(depth + n, MAX_PLAYED)
            scratch["played"][depth:end] = np.frombuffer(data, np.uint16, n, _RESULT.size)[: end - depth]
            scratch["played_by"][depth:end] = np.frombuffer(data, np.uint8, n, _RESULT.size + 2 * n)[: end - depth]
            scratch["n_played"] = end
        back_up_leaves(self._nodes, self._tree, self._params, self._out, self._leaves, self._depths, rewards, self._n)
        self._n = 0
