"""GTP commands that load and print game records, in the format of the current game."""

from collections.abc import Sequence

from semeai.errors import SemeaiError
from semeai.files import read_bytes
from semeai.games.record import MAX_RECORD_BYTES, GameRecord
from semeai.gtp.protocol import CommandFailed, parse_int, take
from semeai.gtp.session import CommandTable, Session

COMMANDS = CommandTable()


@COMMANDS.add("loadsgf", "FILE [MOVE_NUMBER]")
def loadsgf(session: Session, words: Sequence[str]) -> str:
    """Load a game up to the position before MOVE_NUMBER, or to its end."""
    name, *number = take(words, 1, 2)
    moves = max(0, parse_int(number[0]) - 1) if number else None
    try:
        record = session.dialect.game.read_record(read_bytes(name, limit=MAX_RECORD_BYTES), name)
        position = session.dialect.replay(record, None if moves is None else min(moves, len(record.moves)))
    except SemeaiError:
        raise CommandFailed("cannot load file") from None
    session.new_game(position)
    session.komi = record.komi
    return ""


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
