"""Go positions as data: moves, and the board, the ko and the score that they must give."""

from typing import NamedTuple


class Case(NamedTuple):
    size: int
    moves: str
    """Names in turn, Black first; ``W:D4`` is White out of turn."""
    drawing: str
    ko: str | None
    score: int
    legal: str
    """Points that the player to move may play."""
    illegal: str
    """And may not."""


KO = "B3 C3 A2 D2 B1 C1 C2 B2"
SENT_TWO = "A2 C2 B2 D1 pass B1 pass A1 C1"
SNAPBACK = "A2 A3 B2 B3 pass C2 pass C1 pass A1 B1"

CASES = {
    "empty": Case(3, "", "... ... ...", None, 0, "A1 B2 C3", ""),
    "one stone owns the board": Case(3, "B2", "... .X. ...", None, 9, "A1 C3", "B2"),
    "capture in the corner": Case(3, "A1 A2 C3 B1", "..X O.. .O.", None, -2, "B2", "A1"),
    "capture at the edge": Case(3, "B1 A1 C3 C1 A3 B2", "X.X .O. O.O", None, -2, "A2", "B1"),
    "two chains captured": Case(3, "A1 A2 C1 C2 pass B2 pass B1", "... OOO .O.", None, -9, "A3", "A1 C1"),
    "four chains captured": Case(
        5,
        "B3 A3 D3 B4 C4 B2 C2 E3 pass D4 pass D2 pass C5 pass C1 pass C3",
        "..O.. .O.O. O.O.O .O.O. ..O..",
        None,
        -25,
        "A1 A5",
        "B3 C4 D3 C2",
    ),
    "ko": Case(4, KO, ".... .XO. XO.O .XO.", "C2", -2, "A4 D4", "C2 D1"),
    "ko in the corner": Case(3, "B3 C3 A2 B2 pass A3", "O.O XO. ...", "B3", -3, "A1", "B3"),
    "one stone taken by a chain is no ko": Case(3, "B2 A3 B3 B1 A1 A2", "OX. OX. .O.", None, -2, "A1 C1", "B1"),
    "a pass lifts the ko but not the superko": Case(4, f"{KO} pass pass", ".... .XO. XO.O .XO.", None, -2, "A4", "C2"),
    "retaking the ko after a threat": Case(4, f"{KO} A4 D4 C2", "X..O .XO. X.XO .XO.", "B2", 2, "C4", "B2"),
    "filling the ko out of turn": Case(4, f"{KO} W:C2", ".... .XO. XOOO .XO.", None, -2, "A4", "C2"),
    "suicide of a stone": Case(3, "A2 C3 B1", "..O X.. .X.", None, 2, "B2 C2", "A1"),
    "suicide of a chain": Case(3, "A2 A1 B2 C3 C1", "..O XX. O.X", None, 1, "A3 C2", "B1"),
    "throw-in, taken": Case(4, SNAPBACK, ".... OO.. XXO. .XO.", None, -8, "A1", "B1"),
    "snapback": Case(4, f"{SNAPBACK} A1", ".... OO.. ..O. O.O.", None, -16, "A2 B1", "A1"),
    "send two, return one": Case(4, SENT_TWO, ".... .... XXO. ..XO", None, 3, "A1 D2", "B1"),
    "returning one after a threat": Case(4, f"{SENT_TWO} D4 A4 B1", "X..O .... XXO. .O.O", None, -2, "A1 B3", "C1"),
    "the smallest board": Case(2, "A1 B2 A2", "XO X.", None, 1, "B1", "A1"),
    "the smallest board, captured": Case(2, "A1 B2 A2 B1", ".O .O", None, -4, "A1 A2", "B1"),
    "two passes": Case(5, "C3 pass pass", "..... ..... ..X.. ..... .....", None, 25, "A1", "C3"),
    "a wall": Case(5, "B5 C5 B4 C4 B3 C3 B2 C2 B1 C1", ".XO.. .XO.. .XO.. .XO.. .XO..", None, -5, "A1 E5", "B5"),
    "what lies between belongs to nobody": Case(
        5, "B5 D5 B4 D4 B3 D3 B2 D2 B1 D1", ".X.O. .X.O. .X.O. .X.O. .X.O.", None, 0, "C3", "B1"
    ),
}
