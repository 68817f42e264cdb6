"""Opening suites: files of chess positions (EPD or FEN, one per line) or of short games (PGN)."""

import re

from semeai.errors import ConfigError, IllegalMove
from semeai.games.charset import decoded
from semeai.games.chess.pgn import read_games
from semeai.games.chess.position import ChessPosition
from semeai.games.opening import Opening

FIRST_CHECKED = 500
"""The first so many positions are checked in full when a file is read; that takes a tenth of a second."""
_LINE = re.compile(
    r"(?P<board>[1-8pnbrqkPNBRQK]+(/[1-8pnbrqkPNBRQK]+){7})"
    r" (?P<state>[wb] (-|[KQkq]{1,4}) (-|[a-h][36]))(?P<rest>(\s.*)?)"
)
_CLOCKS = re.compile(r" (\d{1,3}) (\d{1,4})\s*$")


def read_suite(data: bytes, place: str) -> tuple[Opening, ...]:
    """Return the openings of a file. Raises ConfigError that names ``place`` and the line if anything is wrong.

    The positions of a long EPD file are checked as far as their form goes; whether they are possible is checked when
    they are played.
    """
    text = decoded(data)
    found = _from_pgn(text, place) if _is_pgn(text) else _from_lines(text, place)
    if not found:
        raise ConfigError(f"{place}: there is no opening in it")
    return found


def _is_pgn(text: str) -> bool:
    first = text.lstrip("\ufeff \t\r\n")[:2]
    return first.startswith("[") or first == "1."


def _from_lines(text: str, place: str) -> tuple[Opening, ...]:
    found = []
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ConfigError(f"{place}, line {number}: {line[:80]!r} is no position in EPD or FEN")
        clocks = _CLOCKS.match(match["rest"])
        fen = f"{match['board']} {match['state']} {'0 1' if clocks is None else ' '.join(clocks.groups())}"
        found.append(Opening(fen))
        if len(found) <= FIRST_CHECKED:
            _check(found[-1], f"{place}, line {number}")
    return tuple(found)


def _from_pgn(text: str, place: str) -> tuple[Opening, ...]:
    found = []
    for number, record in enumerate(read_games(text, place), 1):
        start = ChessPosition(record.start)
        moves = tuple(start.move_to_text(move) for _, move in record.moves)
        found.append(Opening(record.start, moves))
        _check(found[-1], f"{place}, game {number}")
    return tuple(found)


def _check(opening: Opening, place: str) -> None:
    try:
        position = ChessPosition(opening.start)
        for text in opening.moves:
            position.play(position.text_to_move(text))
    except (ConfigError, IllegalMove) as error:
        raise ConfigError(f"{place}: {error}") from None
    if position.is_over:
        raise ConfigError(f"{place}: the game is over in this position ({position.ending})")
