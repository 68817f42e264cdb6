"""Go, directly from its rules: the board is a dictionary of stones, and everything else is computed from it.

Points are (row, column) from the top left. A cell is ``X`` (Black), ``O`` (White), ``.`` (empty) or ``#`` (off the
board).
"""

from functools import cache

BLACK, WHITE, EMPTY, OFF_BOARD = "X", "O", ".", "#"
OTHER = {BLACK: WHITE, WHITE: BLACK}

Point = tuple[int, int]

# X and O: the two colours, or the same with colours swapped; x: not X, o: not O, ?: anything, #: off the board.
SHAPES = {
    "hane, enclosing": ("XOX", "...", "???"),
    "hane, not cutting": ("XO.", "...", "?.?"),
    "magari": ("XO?", "X..", "x.?"),
    "diagonal attachment": (".O.", "X..", "..."),
    "cut, unprotected": ("XO?", "O.o", "?o?"),
    "cut, peeped": ("XO?", "O.X", "???"),
    "de": ("?X?", "O.O", "ooo"),
    "keima cut": ("OX?", "o.O", "???"),
    "edge: chase": ("X.?", "O.?", "###"),
    "edge: block the side cut": ("OX?", "X.O", "###"),
    "edge: block the side connection": ("?X?", "x.O", "###"),
    "edge: sagari": ("?XO", "x.x", "###"),
    "edge: cut": ("?OX", "X.O", "###"),
}
SHAPES_FOR_X = {"hane, thin": ("XOO", "...", "?.?")}
"""Shapes that only the owner of the stones X may complete."""

_ALLOWED = {"X": "X", "O": "O", ".": ".", "#": "#", "x": "O.#", "o": "X.#", "?": "XO.#"}


class Board:
    """The cells with a frame of points off the board, and the point of a ko. Moves return new boards."""

    def __init__(self, size: int, cells: dict[Point, str] | None = None, ko: Point | None = None) -> None:
        self.size = size
        self.cells = cells if cells is not None else empty_cells(size)
        self.ko = ko

    @classmethod
    def drawn(cls, drawing: str) -> "Board":
        rows = drawing.split()
        cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
        return cls(len(rows), empty_cells(len(rows)) | cells)

    def draw(self) -> str:
        return "\n".join("".join(self.cells[r, c] for c in range(self.size)) for r in range(self.size))

    def __repr__(self) -> str:
        return f"ko {self.ko}\n{self.draw()}"

    def points(self) -> list[Point]:
        return [point for point, cell in self.cells.items() if cell != OFF_BOARD]

    def all_of(self, cell: str) -> list[Point]:
        return [point for point, found in self.cells.items() if found == cell]

    def region(self, point: Point) -> set[Point]:
        """Return all points of the same content that are connected with ``point``."""
        kind, found, waiting = self.cells[point], {point}, [point]
        while waiting:
            for q in beside(waiting.pop()):
                if q not in found and self.cells[q] == kind:
                    found.add(q)
                    waiting.append(q)
        return found

    def chains(self) -> list[set[Point]]:
        found: list[set[Point]] = []
        for point in self.all_of(BLACK) + self.all_of(WHITE):
            if not any(point in chain for chain in found):
                found.append(self.region(point))
        return found

    def liberties(self, chain: set[Point]) -> set[Point]:
        return {q for point in chain for q in beside(point) if self.cells[q] == EMPTY}

    def after(self, point: Point, color: str) -> "Board | None":
        """Return the board after a move of ``color``; None if it is suicide. Ko is not checked."""
        new = Board(self.size, dict(self.cells))
        new.cells[point] = color
        captured: set[Point] = set()
        for q in beside(point):
            if new.cells[q] == OTHER[color] and not new.liberties(chain := new.region(q)):
                captured |= chain
        for q in captured:
            new.cells[q] = EMPTY
        own = new.region(point)
        if not new.liberties(own):
            return None
        if len(captured) == 1 and len(own) == 1 and len(new.liberties(own)) == 1:
            new.ko = captured.pop()
        return new

    def after_pass(self) -> "Board":
        return Board(self.size, self.cells)

    def is_legal(self, point: Point, color: str) -> bool:
        """Return whether a point is empty, not a ko and not suicide. As in the kernels, a ko binds both colours."""
        if self.cells[point] != EMPTY or point == self.ko:
            return False
        return any(self.cells[q] == EMPTY for q in beside(point)) or self.after(point, color) is not None

    def neighbourhood(self, point: Point) -> str:
        """Return the 3x3 cells around ``point``, row by row, including the middle."""
        row, column = point
        return "".join(self.cells[row + dr, column + dc] for dr in (-1, 0, 1) for dc in (-1, 0, 1))

    def is_eye(self, point: Point, color: str) -> bool:
        """Return whether all neighbours are own stones, with at most one opponent diagonally (at the edge: none)."""
        if any(self.cells[q] not in (color, OFF_BOARD) for q in beside(point)):
            return False
        row, column = point
        corners = [self.cells[row + dr, column + dc] for dr in (-1, 1) for dc in (-1, 1)]
        return corners.count(OTHER[color]) <= (0 if OFF_BOARD in corners else 1)

    def owners(self) -> dict[Point, str]:
        """Return the owner of each point by Tromp-Taylor rules.

        A stone owns its point. A colour owns an empty region that touches only stones of this colour.
        """
        owner = {point: self.cells[point] for point in self.all_of(BLACK) + self.all_of(WHITE)}
        for point in self.all_of(EMPTY):
            if point not in owner:
                region = self.region(point)
                reached = {self.cells[q] for p in region for q in beside(p)} - {EMPTY, OFF_BOARD}
                owner |= dict.fromkeys(region, reached.pop() if len(reached) == 1 else EMPTY)
        return owner

    def score(self) -> int:
        """Return Black's area minus White's."""
        cells = list(self.owners().values())
        return cells.count(BLACK) - cells.count(WHITE)


class Game:
    """A game with positional superko: no move may repeat an earlier board."""

    def __init__(self, size: int) -> None:
        self.board = Board(size)
        self.seen = {self.board.draw()}

    def is_legal(self, point: Point, color: str) -> bool:
        if self.board.cells[point] != EMPTY:
            return False
        new = self.board.after(point, color)
        return new is not None and new.draw() not in self.seen

    def play(self, point: Point | None, color: str) -> None:
        new = self.board.after_pass() if point is None else self.board.after(point, color)
        assert new is not None
        self.board = new
        self.seen.add(new.draw())


def empty_cells(size: int) -> dict[Point, str]:
    inside = range(size)
    frame = range(-1, size + 1)
    return {(r, c): EMPTY if r in inside and c in inside else OFF_BOARD for r in frame for c in frame}


@cache
def beside(point: Point) -> tuple[Point, ...]:
    row, column = point
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)


def _turned(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Rotate by 90 degrees clockwise."""
    return tuple("".join(column) for column in zip(*reversed(rows), strict=True))


def _all_views(rows: tuple[str, ...]) -> set[str]:
    views = set()
    for shape in (rows, tuple(row[::-1] for row in rows)):
        for _ in range(4):
            shape = _turned(shape)
            views.add("".join(shape))
    return views


def _swapped(drawing: str) -> str:
    return drawing.translate(str.maketrans("XOxo", "OXox"))


@cache
def _views_for(color: str) -> tuple[str, ...]:
    """Return every drawing in which ``color`` should play in the middle."""
    views: set[str] = set()
    for shape in SHAPES.values():
        views |= _all_views(shape) | {_swapped(view) for view in _all_views(shape)}
    for shape in SHAPES_FOR_X.values():
        views |= {view if color == BLACK else _swapped(view) for view in _all_views(shape)}
    return tuple(sorted(views))


@cache
def is_shape(neighbourhood: str, color: str) -> bool:
    """Return whether ``color`` makes a shape of MoGo's playouts by playing in the middle of the nine cells."""
    return any(
        all(cell in _ALLOWED[letter] for letter, cell in zip(view, neighbourhood, strict=True))
        for view in _views_for(color)
    )
