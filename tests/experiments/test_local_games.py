"""The exact search behind the labels of the test bed."""

import random

import pytest
from reference.go import BLACK, EMPTY, OTHER, WHITE, Board, Point, empty_cells
from reference.local_games import Fight, Sum, Unclear, race_result
from tools.build_semeai import Plan, draw, find, name_of, plans

from semeai.experiments.problems import own_problems
from semeai.experiments.races import RACES


def fights_of(plan: Plan, seed: str, doubt: str = BLACK) -> list[Fight] | None:
    layout = draw(plan, random.Random(seed))
    if layout is None:
        return None
    board = Board(layout.size, empty_cells(layout.size) | layout.cells)
    return [Fight(board, points, main, doubt) for points, main in layout.fights]


@pytest.mark.parametrize("doubt", [BLACK, WHITE])
def test_who_has_more_liberties_wins_a_plain_race(doubt):
    """Mueller 1999: without eyes and shared liberties, who moves first wins unless he has fewer liberties."""
    for black in (1, 2, 3, 4):
        for white in (1, 2, 3, 4):
            fights = fights_of(Plan("", 13, (black, white)), f"{black} {white}", doubt)
            assert fights is not None
            assert race_result(fights[0], BLACK) == (1 if black >= white else -1)
            assert race_result(fights[0], WHITE) == (1 if black > white else -1)


def test_points_of_a_class_are_really_alike():
    """A fight in which every point is looked at for itself has the same values."""
    plain = type("Plain", (Fight,), {"classes": []})
    compared = 0
    for seed in range(12):
        plan = Plan("", 9, (1 + seed % 3, 1 + seed // 3 % 3), shared=seed % 2, stakes=("capture 1",))
        fights = fights_of(plan, str(seed))
        if fights is None:
            continue
        others = []
        for fight in fights:
            other = plain.__new__(plain)
            other.__dict__ |= fight.__dict__ | {"_options": {}}
            others.append(other)
        one, two = Sum(fights), Sum(others)
        for color in (BLACK, WHITE):
            try:
                assert one.value(one.start, 0, color) == two.value(two.start, 0, color)
                compared += 1
            except Unclear:
                pass
    assert compared >= 10


def test_a_lane_of_four_points_cannot_be_cut():
    """The claim of ``Fight._has_lane``: Black connects though White moves first, whatever lies around the lane."""
    assert [can_be_connected(length) for length in (1, 2, 3, 4)] == [False, False, False, True]


def can_be_connected(length: int) -> bool:
    """Search everything between living stones and a chain that is two points away and has no other liberty."""
    size = length + 4
    cells = empty_cells(size)
    for r in range(size):
        for c in range(size):
            cells[r, c] = BLACK if c == 0 else WHITE
    points: list[Point] = [(r, c) for r in range(1, length + 1) for c in (2, 3, 4)]
    for r, c in points:
        cells[r, 1], cells[r, c] = BLACK, BLACK if c == 4 else EMPTY
    fight = Fight(Board(size, cells), points)
    stone = fight.index[1, 4]
    graph: dict[tuple[str, str], list[tuple[str, str]]] = {}
    won: set[tuple[str, str]] = set()
    waiting = [(fight.start, WHITE)]
    while waiting:
        node = state, color = waiting.pop()
        if node in graph or state[stone] != BLACK:
            continue
        if fight.is_safe(state, fight.chain(state, stone)):
            won.add(node)
            continue
        graph[node] = [(str(new), OTHER[color]) for new in fight.options(state, color)] + [(state, OTHER[color])]
        waiting += graph[node]
    grown = True
    while grown:  # a win is counted if it can be forced in a finite number of moves
        new = {
            n for n, after in graph.items() if n not in won and (any if n[1] == BLACK else all)(a in won for a in after)
        }
        won |= new
        grown = bool(new)
    return (fight.start, WHITE) in won


@pytest.mark.slow
def test_the_test_bed_is_what_the_tool_writes():
    """The first position of the file, made and labelled again."""
    first = own_problems(RACES)[0]
    plan, wanted = next(plans())
    found = next(find(plan, wanted, random.Random("1 0")))
    assert found.komi == first.komi
    assert len(found.good) == len(first.good)
    assert {name_of(p, plan.size) for p in found.good} <= {name_of(p, plan.size) for p in found.race}
