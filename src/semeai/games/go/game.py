"""Go as a game of the catalog: passing, dead stones, area scoring, SGF."""

import math
from collections.abc import Sequence
from typing import cast

from semeai.games.game import Game, PolicyRecord
from semeai.games.go.book import own_book
from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels import protocol as kernels  # noqa: F401 - tells the search what Go is
from semeai.games.go.kernels.board import MAX_SIZE, MIN_SIZE, PASS
from semeai.games.go.kernels.tables import BLACK, WHITE
from semeai.games.go.openings import read_openings
from semeai.games.go.ownership import dead_stones
from semeai.games.go.position import GoPosition, format_result
from semeai.games.go.sgf import read_sgf, replay, write_sgf
from semeai.games.opening import Opening
from semeai.games.position import Position
from semeai.games.record import GameRecord

_NO_PRIORS = {"policy.prior_even": 0.0, "policy.model": ""}


class Go(Game):
    """Go with area scoring and positional superko."""

    name = "go"
    sizes = range(MIN_SIZE, MAX_SIZE + 1)
    default_size = 9
    default_komi = 7.5
    has_komi = True
    bare_player = "mcts:rave,search.exploration=0"
    endings = ("score",)
    policy = GoPolicy
    presets = {  # noqa: RUF012 - never changed
        "default": {},
        "uct": {  # Algorithm 1 of "Scalability and parallelization of MCTS", all moves admitted
            "search.rave": "off",
            "search.exploration": math.sqrt(2.0),
            "search.first_play_urgency": 1e9,
            "search.expansion_threshold": 1,
            "policy.playout": "light",
            "policy.pass_in_tree": False,
            "policy.skip_empty_edges": False,
            **_NO_PRIORS,
        },
        "mogo": {  # the playout rules of Gelly et al. 2006 and no others
            "policy.save": 1.0,
            "policy.nakade": 0.0,
            "policy.two_liberties": 0.0,
            "policy.capture_anywhere": 0.0,
            "policy.refuse_self_atari": 0.0,
        },
        "rave": {  # what limit programs measure: light playouts, RAVE, nothing else
            "search.exploration": 0.2,
            "search.rave_bias": 0.002,
            "search.rave_fade": 0.0,
            "search.plain_every": 0,
            "search.first_play_urgency": 0.7,
            "search.expansion_threshold": 1,
            "policy.playout": "light",
            "policy.pass_in_tree": False,
            "policy.skip_empty_edges": False,
            **_NO_PRIORS,
        },
    }

    def make(self, size: int, komi: float, swap: bool) -> GoPosition:
        return GoPosition(size, komi)

    def read_record(self, data: bytes, place: str) -> GameRecord:
        return read_sgf(data, place)

    def write_record(self, record: GameRecord) -> str:
        return write_sgf(record)

    def replay(self, record: GameRecord, n_moves: int | None = None, may_repeat: bool = False) -> GoPosition:
        return replay(record, n_moves, may_repeat)

    def read_suite(self, data: bytes, place: str) -> Sequence[Opening]:
        return read_openings(data, place)

    @property
    def book_digest(self) -> str:
        return own_book().digest

    def book_move(self, position: Position) -> tuple[int, str] | None:
        board = cast(GoPosition, position)
        found = own_book().look_up(board)
        if found is None or found.move not in board.legal_moves():
            return None
        return found.move, f"book: {found.win_rate:.1%} of {found.source}"

    def final_move(self, position: Position, policy: PolicyRecord) -> int | None:
        """Return a pass after the opponent's pass if that wins, whether dead stones are removed or not."""
        if not position.moves or position.moves[-1][1] != PASS:
            return None
        board = cast(GoPosition, position)
        sign = 1 if board.to_move == 0 else -1
        wins = sign * board.margin(dead_stones(board, policy)) > 0 and sign * board.margin() > 0
        return PASS if wins else None

    def dead_stones(self, position: Position, policy: PolicyRecord) -> list[int]:
        return dead_stones(cast(GoPosition, position), policy)

    def adjudicate(self, position: Position, dead: Sequence[int] = ()) -> tuple[float, str]:
        """Count by area; a ``dead`` point without a stone is ignored."""
        board = cast(GoPosition, position)
        stones = board.states[0]["color"]
        margin = board.margin([p for p in dead if stones[p] in (BLACK, WHITE)])
        return 0.5 if margin == 0 else float(margin > 0), format_result(margin)

    def setup_stones(self, position: Position) -> tuple[list[int], list[int]]:
        start = cast(GoPosition, position.copy())
        while start.moves:
            start.undo()
        color = start.states[0]["color"]
        black, white = ([int(p) for p in (color == c).nonzero()[0]] for c in (BLACK, WHITE))
        return black, white


GAME = Go()
