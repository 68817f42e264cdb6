"""Read and write Go games as SGF (FF[4], https://www.red-bean.com/sgf/): the main line of a file's first game.

Files come from anywhere, so every value is checked here; ``place`` names the file in each error.
"""

import math
from collections.abc import Iterable

from sgfmill import sgf, sgf_grammar
from sgfmill.sgf_properties import Presenter, interpret_go_point, serialise_go_point

from semeai.errors import ConfigError, IllegalMove, did_you_mean
from semeai.games.charset import decoded
from semeai.games.go.kernels.board import MAX_SIZE, MIN_SIZE, PASS
from semeai.games.go.position import GoPosition
from semeai.games.record import GameRecord

MAX_LENGTH = 2_000_000
"""Limit of characters in which the first game has to end."""
MAX_MOVES = 4096
MAX_KOMI = 1000.0
COLORS = ("B", "W")

INFO = frozenset([
    "AN", "BR", "BT", "C", "CP", "DT", "EV", "GC", "GN", "HA",
    "ON", "OT", "PC", "RO", "RU", "SO", "TM", "US", "WR", "WT",
])  # fmt: skip
"""Names that ``GameRecord.properties`` may have; ``C`` is the comment before the first move."""
_TEXT = frozenset(["C", "GC"])

Properties = dict[str, list[bytes]]


def write_sgf(record: GameRecord) -> str:
    """Return a record as SGF; equal records have equal texts."""
    _check_written(record)
    game = sgf.Sgf_game(record.size)
    root = game.get_root()
    root.set_raw("KM", _decimal(record.komi))
    named = {"PB": record.black, "PW": record.white, "RE": record.result}
    for name, text in {**{k: v for k, v in named.items() if v}, **record.properties}.items():
        root.set_raw(name, _escaped(text))
    stones = [sorted(_raw_point(p, record) for owner, p in record.setup if owner == player) for player in (0, 1)]
    for name, points in zip(("AB", "AW"), stones, strict=True):
        if points:
            root.set_raw_list(name, points)
    if record.setup or record.first_player != (record.moves[0][0] if record.moves else 0):
        root.set_raw("PL", COLORS[record.first_player].encode())
    node = root
    for (player, move), comment in zip(record.moves, record.comments or [""] * len(record.moves), strict=True):
        node = node.new_child()
        node.set_raw(COLORS[player], b"" if move == PASS else _raw_point(move, record))
        if comment:
            node.set_raw("C", _escaped(comment))
    written: bytes = game.serialise()
    return written.decode("utf-8")


def read_sgf(data: bytes | str, place: str = "the game record") -> GameRecord:
    """Return the first game of ``data`` without variations. Raises ConfigError in one sentence if anything is wrong."""
    return _Reader(_nodes(data, place), place).record()


def replay(record: GameRecord, n_moves: int | None = None, may_repeat: bool = False) -> GoPosition:
    """Return the position after ``n_moves`` moves (default: all). IllegalMove names file, move and number."""
    place = record.place or "the game record"
    _check_go(record)
    n = len(record.moves) if n_moves is None else n_moves
    if not 0 <= n <= len(record.moves):
        raise ConfigError(f"{place} has {len(record.moves)} moves, so it cannot be replayed up to move {n}")
    position = GoPosition(record.size, record.komi)
    for player in (0, 1):
        try:
            position.place(player, [p for owner, p in record.setup if owner == player])
        except IllegalMove as error:
            raise IllegalMove(f"{place}, stones before the first move: {error}") from None
    if record.setup and all(owner == 0 for owner, _ in record.setup) and record.first_player == 1:
        position.handicap = [p for _, p in record.setup]
    position.set_to_move(record.first_player)
    for number, (player, move) in enumerate(record.moves[:n], start=1):
        try:
            (position.play_recorded if may_repeat else position.play)(move, player)
        except IllegalMove as error:
            raise IllegalMove(f"{place}, move {number} of {COLORS[player]}: {error}") from None
    return position


class _Reader:
    """Reads the nodes of a main line, once."""

    def __init__(self, nodes: Iterable[Properties], place: str) -> None:
        self._place = place
        self._nodes = iter(nodes)
        self._root = next(self._nodes)
        self._moves: list[tuple[int, int]] = []
        self._comments: list[list[str]] = [[]]
        """The comments before the first move, then those of each move."""
        self._stones: dict[int, int] = {}
        self._n_setup_values = 0
        self._to_move: int | None = None

    def record(self) -> GameRecord:
        if (game := self._number("GM", 1)) != 1:
            raise self._error(f"holds a game of type GM[{game}], and Go is GM[1]")
        if self._text(self._root, "EV").lower().startswith("havannah"):  # as LittleGolem says it, without GM
            raise self._error("holds a game of Havannah, not of Go")
        self._size = self._board_size()
        self._presenter = Presenter(self._size, "UTF-8")
        handicap = self._number("HA", 0)
        info = {name: self._text(self._root, name) for name in INFO & self._root.keys() - {"C"}}
        self._node(self._root)
        for node in self._nodes:
            self._node(node)
        opening, *comments = ("\n\n".join(texts) for texts in self._comments)
        if opening:
            info["C"] = opening
        first = self._moves[0][0] if self._moves else int(handicap >= 2 and 0 in self._stones.values())
        return GameRecord(
            game="go",
            size=self._size,
            komi=self._komi(),
            moves=tuple(self._moves),
            comments=tuple(comments),
            setup=tuple(sorted((player, point) for point, player in self._stones.items())),
            first_player=first if self._to_move is None else self._to_move,
            result=self._text(self._root, "RE"),
            black=self._text(self._root, "PB"),
            white=self._text(self._root, "PW"),
            properties=dict(sorted(info.items())),
            place=self._place,
        )

    def _error(self, sentence: str) -> ConfigError:
        return ConfigError(f"{self._place} {sentence}")

    def _at(self) -> str:
        return f"after move {len(self._moves)}" if self._moves else "before the first move"

    def _node(self, node: Properties) -> None:
        if node.keys() & {"AB", "AW", "AE"}:
            self._set_up(node)
        if "PL" in node and not self._moves:
            self._to_move = self._player(node["PL"])
        if "B" in node and "W" in node:
            raise self._error(f"has moves of both colours in one node, {self._at()}")
        for player, name in enumerate(COLORS):
            if name in node:
                self._move(player, node[name])
        if comment := self._text(node, "C"):  # it belongs to the last move, also in a node of its own
            self._comments[-1].append(comment)

    def _move(self, player: int, values: list[bytes]) -> None:
        name, number = COLORS[player], len(self._moves) + 1
        if number > MAX_MOVES:
            raise self._error(f"has more than {MAX_MOVES} moves")
        if len(values) > 1:
            raise self._error(f"has {len(values)} points for move {number}, {name}{_shown(values[0])}")
        try:
            point = interpret_go_point(values[0].strip(), self._size)
        except ValueError:
            where = f"is no point of a {self._size}x{self._size} board"
            raise self._error(f"has {name}{_shown(values[0])} as move {number}, which {where}") from None
        self._moves.append((player, PASS if point is None else self._point(*point)))
        self._comments.append([])

    def _set_up(self, node: Properties) -> None:
        """Set up black, white and empty points; later nodes change earlier ones."""
        if self._moves:
            raise self._error(f"sets up stones {self._at()}, which is only understood before the first one")
        black, white, empty = (self._points(name, node.get(name, [])) for name in ("AB", "AW", "AE"))
        if twice := black & white | black & empty | white & empty:
            row, column = divmod(min(twice), self._size + 1)
            raise self._error(f"sets up [{chr(96 + column)}{chr(96 + row)}] in two ways at once")
        for player, points in enumerate((black, white)):
            self._stones |= dict.fromkeys(points, player)
        for point in empty:
            self._stones.pop(point, None)

    def _points(self, name: str, values: list[bytes]) -> set[int]:
        self._n_setup_values += len(values)
        if self._n_setup_values > 3 * self._size**2:  # each may be a rectangle: keep the work small
            raise self._error("sets up more points than the board has")
        found: set[int] = set()
        for value in values:
            try:
                points = self._presenter.interpret(name, [value.strip()])
            except ValueError:
                where = f"is no point of a {self._size}x{self._size} board"
                raise self._error(f"sets up {name}{_shown(value)}, which {where}") from None
            found |= {self._point(*point) for point in points}
        return found

    def _point(self, row: int, column: int) -> int:
        """Return the point of sgfmill's row, which is counted from below, and column."""
        return (self._size - row) * (self._size + 1) + column + 1

    def _player(self, values: list[bytes]) -> int:
        letter = values[0].strip().lower()
        if letter not in (b"b", b"black", b"w", b"white"):
            raise self._error(f"has PL{_shown(values[0])}, which is neither B nor W")
        return int(letter.startswith(b"w"))

    def _board_size(self) -> int:
        values = self._root.get("SZ", [b"19"])
        columns, _, rows = values[0].partition(b":")
        try:
            size = _integer(columns)
            square = not rows or _integer(rows) == size
        except ValueError:
            size, square = 0, False
        if not square or not MIN_SIZE <= size <= MAX_SIZE:
            raise self._error(f"has SZ{_shown(values[0])}, and a Go board has {MIN_SIZE} to {MAX_SIZE} lines")
        return size

    def _number(self, name: str, default: int) -> int:
        raw = self._root.get(name, [b""])[0].strip()
        try:
            return _integer(raw) if raw else default
        except ValueError:
            raise self._error(f"has {name}{_shown(raw)}, which is no number") from None

    def _komi(self) -> float:
        raw = self._root.get("KM", [b""])[0].strip()
        try:
            komi = float(raw) if raw else 0.0
        except ValueError:
            komi = math.nan
        if not abs(komi) <= MAX_KOMI:
            raise self._error(f"has KM{_shown(raw)}, which is no komi")
        return komi

    def _text(self, node: Properties, name: str) -> str:
        convert = sgf_grammar.text_value if name in _TEXT else sgf_grammar.simpletext_value
        text: bytes = convert(node.get(name, [b""])[0])
        return text.decode("utf-8", "replace")


def _nodes(data: bytes | str, place: str) -> Iterable[Properties]:
    text = data if isinstance(data, str) else decoded(data)
    try:
        tree = sgf_grammar.parse_sgf_game(text[:MAX_LENGTH].encode("utf-8", "replace"))
    except ValueError as error:
        if len(text) > MAX_LENGTH:
            raise ConfigError(f"{place} has no complete SGF game in its first {MAX_LENGTH} characters") from None
        raise ConfigError(f"{place} is no SGF file: {error}") from None
    nodes: Iterable[Properties] = sgf_grammar.main_sequence_iter(tree)
    return nodes


def _integer(raw: bytes) -> int:
    """Return a number. Raises ValueError also if it has more digits than any number of a game."""
    digits = raw.strip()
    if len(digits) > 9:
        raise ValueError(f"{len(digits)} digits")
    return int(digits)


def _shown(value: bytes) -> str:
    """Return a value of the file for an error message: short, and on one line."""
    text = value.decode("utf-8", "replace")
    start = "".join(letter if letter.isprintable() else "?" for letter in text[:20])
    return f"[{start}{'…' if len(text) > 20 else ''}]"


def _check_go(record: GameRecord) -> None:
    if record.game != "go":
        raise ConfigError(f"a record of {record.game!r} is no game of Go")


def _check_written(record: GameRecord) -> None:
    _check_go(record)
    if not MIN_SIZE <= record.size <= MAX_SIZE:
        raise ConfigError(f"a Go board has {MIN_SIZE} to {MAX_SIZE} lines, not {record.size}")
    if not abs(record.komi) <= MAX_KOMI:
        raise ConfigError(f"{record.komi} is no komi")
    for name in record.properties:
        if name not in INFO:
            raise ConfigError(f"a game record has no property {name!r}; {did_you_mean(name, INFO)}")


def _decimal(number: float) -> bytes:
    text = f"{number:.6f}".rstrip("0").rstrip(".")
    return text.replace("-0", "0").encode() if float(text) == 0 else text.encode()


def _escaped(text: str) -> bytes:
    escaped: bytes = sgf_grammar.escape_text(text.encode("utf-8", "replace"))
    return escaped


def _raw_point(point: int, record: GameRecord) -> bytes:
    row, column = divmod(point, record.size + 1)
    try:
        raw: bytes = serialise_go_point((record.size - row, column - 1), record.size)
    except ValueError:
        raise ConfigError(f"{point} is no point of a {record.size}x{record.size} board") from None
    return raw
