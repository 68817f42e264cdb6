"""The GTP commands for Go only: komi, handicap, scoring, and GoGui's menu.

Modules with kernels are imported where they are used, so listing the commands does not load the compiler.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from semeai.errors import IllegalMove
from semeai.games.position import Position
from semeai.gtp.handicap import Point, fixed_handicap, free_handicap, max_fixed_handicap
from semeai.gtp.protocol import SYNTAX_ERROR, CommandFailed, parse_float, parse_int, take
from semeai.gtp.session import CommandTable, Dialect, Session, Thinker

if TYPE_CHECKING:
    from semeai.games.go.ownership import OwnerCounts
    from semeai.games.go.position import GoPosition

COMMANDS = CommandTable()
PASS = 0
"""The code of a pass, as in ``games.go.board``."""
ANALYZE_COMMANDS = (
    "gfx/Search/semeai-gfx %c",
    "string/Explain Last Move/gomill-explain_last_move",
    "string/Final Score/final_score",
    "plist/Dead Stones/final_status_list dead",
    "none/Set Seed/semeai-seed %s",
)
GFX_SIMULATIONS = 2000
GFX_MOVES = 10


class GoDialect(Dialect):
    name = "go"
    commands = COMMANDS

    def is_over(self, position: Position) -> bool:
        """Return False: play may go on after two passes."""
        return False

    def to_think_about(self, position: Position, player: int) -> Position:
        copy = go_position(position).copy()
        copy.set_to_move(player)
        if copy.is_over:  # both have passed, but a move was asked for
            copy.states[0]["passes"] = 0
        return copy

    def owner_counts(self, position: Position, player: Thinker) -> "OwnerCounts | None":
        from semeai.games.go.ownership import OwnerCounts

        policy = getattr(player, "policy", None)
        return None if policy is None else OwnerCounts(go_position(position), policy)


def go_position(position: Position) -> "GoPosition":
    return cast("GoPosition", position)


def board_of(session: Session) -> "GoPosition":
    return go_position(session.position)


@COMMANDS.add("komi", "KOMI")
def komi(session: Session, words: Sequence[str]) -> str:
    """Set the komi, for this game and the next ones."""
    session.komi = parse_float(*take(words, 1))
    board_of(session).komi = session.komi
    return ""


@COMMANDS.add("get_komi")
def get_komi(session: Session, words: Sequence[str]) -> str:
    """Return the komi."""
    return f"{session.komi:g}"


@COMMANDS.add("fixed_handicap", "STONES")
def fixed_handicap_command(session: Session, words: Sequence[str]) -> str:
    """Place handicap stones for Black on the usual points. Return the vertices."""
    position, stones = board_of(session), parse_int(*take(words, 1))
    require_empty(position)
    if not 2 <= stones <= max_fixed_handicap(position.size):
        raise CommandFailed("invalid number of stones")
    return place(session, to_moves(position, fixed_handicap(position.size, stones)))


@COMMANDS.add("place_free_handicap", "STONES")
def place_free_handicap(session: Session, words: Sequence[str]) -> str:
    """Place handicap stones for Black on points that the engine chooses. Return the vertices."""
    position, stones = board_of(session), parse_int(*take(words, 1))
    require_empty(position)
    if not 2 <= stones < position.size**2:
        raise CommandFailed("invalid number of stones")
    return place(session, to_moves(position, free_handicap(position.size, stones)))


@COMMANDS.add("set_free_handicap", "VERTEX VERTEX ...")
def set_free_handicap(session: Session, words: Sequence[str]) -> str:
    """Place handicap stones for Black on the given points."""
    position = board_of(session)
    try:
        points = [position.text_to_move(word) for word in words]
    except IllegalMove:
        raise CommandFailed(SYNTAX_ERROR) from None
    require_empty(position)
    if PASS in points or len(set(points)) < len(points) or not 2 <= len(points) < position.size**2:
        raise CommandFailed("bad vertex list")
    place(session, points)
    return ""


def require_empty(position: "GoPosition") -> None:
    if position.moves or position.colors.any():
        raise CommandFailed("board not empty")


def to_moves(position: "GoPosition", points: Iterable[Point]) -> list[int]:
    return [position.point(position.size - 1 - line, column) for column, line in points]


def place(session: Session, points: list[int]) -> str:
    """Place Black's handicap stones, and let White move next. Returns the vertices."""
    position = board_of(session)
    position.place(0, points)
    position.handicap = points
    position.set_to_move(1)
    return " ".join(map(position.move_to_text, points))


@COMMANDS.add("final_score")
def final_score(session: Session, words: Sequence[str]) -> str:
    """Return the result by area scoring without dead stones: `B+3.5`, `W+0.5` or `0`."""
    from semeai.games.go.position import format_result

    return format_result(board_of(session).margin(dead_stones(session)))


@COMMANDS.add("final_status_list", "alive | dead | seki")
def final_status_list(session: Session, words: Sequence[str]) -> str:
    """List the stones with this status, one chain per line; stones in seki are listed as alive."""
    (status,) = take(words, 1)
    if status not in ("alive", "dead", "seki"):
        raise CommandFailed(SYNTAX_ERROR)
    if status == "seki":
        return ""
    position, dead = board_of(session), set(dead_stones(session))
    chosen = [chain for chain in chains(position) if (chain[0] in dead) == (status == "dead")]
    return "\n".join(" ".join(map(position.move_to_text, chain)) for chain in chosen)


def dead_stones(session: Session) -> list[int]:
    """Return the stones that the player considers dead."""
    session.player.set_position(session.dialect.to_think_about(session.position, session.position.to_move))
    return session.player.dead_stones() or []


def chains(position: "GoPosition") -> list[list[int]]:
    """Return the stones of each chain."""
    names = position.states[0]["chain"]
    return [np.flatnonzero(names == name).tolist() for name in np.unique(names[names > 0])]


@COMMANDS.add("kgs-genmove_cleanup", "COLOUR")
def kgs_genmove_cleanup(session: Session, words: Sequence[str]) -> str:
    """Like genmove, but it passes only when no dead stones of the opponent are left on the board."""
    player = session.player_named(*take(words, 1))
    position = board_of(session)
    colors = position.states[0]["color"]
    is_clean = all(colors[stone] != 2 - player for stone in dead_stones(session))
    choice = session.choose(player)
    if choice.move not in (None, PASS):
        return session.settle(player, choice)
    legal = set(position.legal_moves_of(player).tolist()) - {PASS}
    moves = [report.move for report in session.player.report() if report.move in legal]
    move = PASS if is_clean or not moves else moves[0]
    session.play(player, move)
    return position.move_to_text(move)


@COMMANDS.add("gogui-analyze_commands")
def gogui_analyze_commands(session: Session, words: Sequence[str]) -> str:
    """List the commands for GoGui's menu Analyze."""
    return "\n".join(ANALYZE_COMMANDS)


@COMMANDS.add("semeai-gfx", "[COLOUR]")
def semeai_gfx(session: Session, words: Sequence[str]) -> str:
    """Search, and show the result in GoGui: win rates in percent on the best moves, and the main line."""
    chosen = take(words, 0, 1)
    player = session.player_named(chosen[0]) if chosen else session.position.to_move
    position = session.prepare(player)
    session.player.think(GFX_SIMULATIONS)
    best = [report for report in session.player.report() if report.move != PASS][:GFX_MOVES]
    labels = [f"{position.move_to_text(r.move)} {100 * r.win_rate:.0f}" for r in best]
    colours = [("b", "w")[(player + i) % 2] for i in range(20)]
    line = [f"{c} {position.move_to_text(m)}" for c, m in zip(colours, best[0].pv if best else [], strict=False)]
    return "\n".join([f"LABEL {' '.join(labels)}", f"VAR {' '.join(line)}"]) if best else ""
