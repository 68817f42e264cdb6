"""The GTP commands for Havannah only: the winner and how it won, the swap, and the legal moves."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from semeai.errors import IllegalMove
from semeai.games.position import Position
from semeai.gtp.protocol import CommandFailed
from semeai.gtp.session import CommandTable, Dialect, Session

if TYPE_CHECKING:
    from semeai.games.havannah.position import HavannahPosition

COMMANDS = CommandTable()


class HavannahDialect(Dialect):
    name = "havannah"
    commands = COMMANDS

    def to_think_about(self, position: Position, player: int) -> Position:
        if position.is_over:
            raise CommandFailed("game is over")
        copy = position.copy()
        copy.states[0]["to_move"] = player + 1
        return copy


def board_of(session: Session) -> "HavannahPosition":
    return cast("HavannahPosition", session.position)


@COMMANDS.add("havannah_winner")
def havannah_winner(session: Session, words: Sequence[str]) -> str:
    """Return the winner: `white`, `black`, `draw`, or `none` while the game goes on."""
    position = board_of(session)
    if position.winner is not None:
        return session.dialect.game.colours[position.winner]
    return "draw" if position.is_over else "none"


@COMMANDS.add("havannah_win_kind")
def havannah_win_kind(session: Session, words: Sequence[str]) -> str:
    """Return `ring`, `bridge` or `fork`, or several joined by `+`; `none` if nobody has won."""
    return board_of(session).win_kind or "none"


@COMMANDS.add("final_score")
def final_score(session: Session, words: Sequence[str]) -> str:
    """Return the result: `W+ring`, `B+fork`, `0` for a draw, `?` while the game goes on."""
    return session.position.result()


@COMMANDS.add("all_legal")
def all_legal(session: Session, words: Sequence[str]) -> str:
    """List all legal moves of the player to move."""
    return " ".join(session.position.move_to_text(int(move)) for move in session.position.legal_moves())


@COMMANDS.add("swap")
def swap(session: Session, words: Sequence[str]) -> str:
    """Take over the first stone, as the first move of the second player if the swap rule is on."""
    position = session.position
    try:
        position.play(position.text_to_move("swap"))
    except IllegalMove:
        raise CommandFailed("illegal move") from None
    return ""
