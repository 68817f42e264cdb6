"""Files of openings for matches: the moves of one opening per line, by turns from Black's first move.

::

    # a comment
    E5 E3 C4 pass D7
"""

from semeai.errors import ConfigError
from semeai.games.charset import decoded
from semeai.games.go.kernels.board import MAX_SIZE
from semeai.games.go.position import LETTERS
from semeai.games.opening import Opening

MAX_MOVES = 1000


def read_openings(data: bytes, place: str) -> tuple[Opening, ...]:
    """Return the openings of a file. Raises ConfigError that names ``place`` and the line if a word is no move.

    Whether the moves are legal depends on the board of the match, which checks them.
    """
    found = []
    for number, line in enumerate(decoded(data).lstrip("\ufeff").splitlines(), 1):
        words = line.partition("#")[0].split()
        for word in words:
            if not _is_move(word):
                raise ConfigError(f"{place}, line {number}: {word[:20]!r} is no move: write points such as D4, or pass")
        if len(words) > MAX_MOVES:
            raise ConfigError(f"{place}, line {number}: {len(words):,} moves, at most {MAX_MOVES:,} are possible")
        if words:
            found.append(Opening("", tuple(words)))
    if not found:
        raise ConfigError(f"{place}: there is no opening in it")
    return tuple(found)


def _is_move(word: str) -> bool:
    digits = word[1:]
    if word.upper() == "PASS":
        return True
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 2
    return word[:1].upper() in LETTERS and is_number and 1 <= int(digits) <= MAX_SIZE
