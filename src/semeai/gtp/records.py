"""GTP commands that load and print game records, in the format of the current game."""

from collections.abc import Sequence
from pathlib import Path

from semeai.errors import SemeaiError
from semeai.games.record import GameRecord
from semeai.gtp.protocol import CommandFailed, parse_int, take
from semeai.gtp.session import CommandTable, Session

COMMANDS = CommandTable()
MAX_FILE_BYTES = 10_000_000


@COMMANDS.add("loadsgf", "FILE [MOVE_NUMBER]")
def loadsgf(session: Session, words: Sequence[str]) -> str:
    """Load a game up to the position before MOVE_NUMBER, or to its end."""
    name, *number = take(words, 1, 2)
    moves = max(0, parse_int(number[0]) - 1) if number else None
    try:
        record = read_file(session, Path(name))
        position = session.dialect.replay(record, None if moves is None else min(moves, len(record.moves)))
    except (OSError, ValueError, SemeaiError):
        raise CommandFailed("cannot load file") from None
    session.new_game(position)
    session.komi = record.komi
    return ""


def read_file(session: Session, path: Path) -> GameRecord:
    """Read a game record. Raises CommandFailed for a file that is too large or not a regular file, such as a pipe."""
    if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
        raise CommandFailed("cannot load file")
    return session.dialect.game.read_record(path.read_bytes(), str(path))


@COMMANDS.add("printsgf")
def printsgf(session: Session, words: Sequence[str]) -> str:
    """Print the game so far as a record."""
    position, game = session.position, session.dialect.game
    start = position.copy()
    while start.moves:
        start.undo()
    record = GameRecord(
        position.game,
        position.size,
        session.komi,
        tuple(position.moves),
        setup=tuple((player, stone) for player, stones in enumerate(game.setup_stones(start)) for stone in stones),
        first_player=start.to_move,
        swap=position.swap,
        result=position.result() if position.is_over else "",
    )
    return game.write_record(record).strip()
