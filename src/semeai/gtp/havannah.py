"""What GTP says about Havannah alone: who has won and how, the swap, and the free cells."""

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
    """`white`, `black`, `draw`, or `none` while the game goes on."""
    position = board_of(session)
    if position.winner is not None:
        return session.dialect.game.colours[position.winner]
    return "draw" if position.is_over else "none"


@COMMANDS.add("havannah_win_kind")
def havannah_win_kind(session: Session, words: Sequence[str]) -> str:
    """`ring`, `bridge` or `fork`, several joined by `+`; `none` where nobody has won."""
    return board_of(session).win_kind or "none"


@COMMANDS.add("final_score")
def final_score(session: Session, words: Sequence[str]) -> str:
    """The result: `W+ring`, `B+fork`, `0` for a draw, `?` while the game goes on."""
    return session.position.result()


@COMMANDS.add("all_legal")
def all_legal(session: Session, words: Sequence[str]) -> str:
    """All legal moves of the player to move."""
    return " ".join(session.position.move_to_text(int(move)) for move in session.position.legal_moves())


@COMMANDS.add("swap")
def swap(session: Session, words: Sequence[str]) -> str:
    """Take over the first stone, as the second player's first move where the swap rule is on."""
    position = session.position
    try:
        position.play(position.text_to_move("swap"))
    except IllegalMove:
        raise CommandFailed("illegal move") from None
    return ""
