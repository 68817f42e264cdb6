"""Havannah as a game of the catalog: White begins, the swap is optional, records are LittleGolem's."""

import math
from typing import cast

from semeai.games.game import Game
from semeai.games.havannah.config import HavannahPolicy
from semeai.games.havannah.kernels import protocol as kernels  # noqa: F401 - tells the search what Havannah is
from semeai.games.havannah.kernels.tables import KINDS, MAX_BASE, MIN_BASE, n_cells
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.records import read_littlegolem, write_littlegolem
from semeai.games.position import Position
from semeai.games.record import GameRecord

_RAVE = {"search.rave_bias": 0.001, "search.rave_fade": 0.0, "search.plain_every": 0}
_PLAIN_TREE = {
    **_RAVE,
    "search.expansion_threshold": 1,
    "policy.model": "",
    "policy.prior_even": 0.0,
    "policy.decisive": False,
    "policy.anti_decisive": False,
}
_RAVE_ONLY = {**_PLAIN_TREE, "search.exploration": 0.0, "reuse_tree": False}


class Havannah(Game):
    """Havannah with an optional swap."""

    name = "havannah"
    sizes = range(MIN_BASE, MAX_BASE + 1)
    default_size = 8
    has_swap = True
    colours = ("white", "black")
    coordinates = ("openspiel", "littlegolem")
    record_coordinates = "littlegolem"
    bare_player = "mcts:fast"
    endings = (*KINDS.values(), "draw")
    policy = HavannahPolicy
    presets = {  # noqa: RUF012 - never changed
        # Simple features, which act only without the move model, have no priors for connections: these lost matches
        # with 1,000 simulations and more. Half the nodes get children, because the model costs as much as a playout.
        "default": {
            **_RAVE,
            "search.rave_per_move": 50.0,
            "search.proof_backup": True,
            "policy.prior_join": 0.0,
            "policy.prior_virtual": 0.0,
        },
        "uct": {  # Algorithm 1 of "Scalability and parallelization of MCTS"
            **_PLAIN_TREE,
            "search.rave": "off",
            "search.exploration": math.sqrt(2.0),
            "search.first_play_urgency": 1e9,
            "policy.playout": "fast",
        },
        # The players of Table 2: RAVE without exploration, and nothing else in the tree.
        "fast": {**_RAVE_ONLY, "policy.playout": "fast"},
        "slow": {**_RAVE_ONLY, "policy.playout": "slow", "policy.block": 1.0, "policy.last_good_reply": 0.0},
    }

    def make(self, size: int, komi: float, swap: bool) -> HavannahPosition:
        return HavannahPosition(size, swap)

    def read_record(self, data: bytes, place: str) -> GameRecord:
        return read_littlegolem(data, place)

    def write_record(self, record: GameRecord) -> str:
        return write_littlegolem(record)

    def board_name(self, size: int) -> str:
        return f"base {size}"

    def n_points(self, size: int) -> int:
        return n_cells(size)

    def ending(self, position: Position) -> str:
        """Return the kind of win, the first one if a stone has completed several, or "draw"."""
        return cast(HavannahPosition, position).win_kind.split("+")[0] or "draw"


GAME = Havannah()
