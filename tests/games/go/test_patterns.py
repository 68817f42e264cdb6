"""Pattern matching in kernels agrees with the plain reference, move by move."""

import numpy as np
import pytest
from reference.patterns import matches

from semeai.errors import ConfigError
from semeai.games.go.kernels.patterns import pattern_values
from semeai.games.go.position import GoPosition
from semeai.games.patterns.masks import MAX_PLANES
from semeai.games.patterns.matching import add_moves
from semeai.patterns.geometry import SQUARE
from semeai.patterns.matcher import PatternMatcher
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer

KINDS = [Cell.BLACK, Cell.WHITE, Cell.EMPTY, Cell.STONE, Cell.OFF_BOARD]


def random_pattern(draw, bias=1.0, most_radius=4):
    radius = int(draw.integers(1, most_radius + 1))
    around = SQUARE.around(radius)
    n = int(draw.integers(1, min(5, len(around)) + 1))
    offsets = draw.choice(len(around), n, replace=False)
    cells = {around[i]: KINDS[int(draw.choice(5, p=[0.25, 0.25, 0.25, 0.1, 0.15]))] for i in offsets}
    return Pattern(cells, bias)


def random_position(draw, size):
    """A random game of any length; either player may be to move."""
    position = GoPosition(size)
    for _ in range(int(draw.integers(0, 2 * size * size))):
        points = position.sensible_moves()
        if points[0] == 0:
            break
        position.play(int(draw.choice(points)))
    return position


def board_of(position):
    return {(r, c): ".XO"[color] for r, row in enumerate(position.colors) for c, color in enumerate(row)}


def empty_points(position):
    return [(r, c) for r in range(position.size) for c in range(position.size) if position.colors[r, c] == 0]


def reference_values(position, patterns, points):
    board, mover = board_of(position), "XO"[position.to_move]
    letters = [(p.bias, {offset: cell.value for offset, cell in p.cells}) for p in patterns]
    return [sum(bias for bias, cells in letters if matches(cells, board, point, mover)) for point in points]


def kernel_values(position, patterns, points):
    return pattern_values(position.states, patterns, [position.point(*point) for point in points]).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_kernels_agree_with_the_reference(seed):
    """Five times 2,000 (pattern, position, symmetry) cases, every pattern alone at one random point."""
    draw = np.random.default_rng(seed)
    n_cases = n_matches = 0
    while n_cases < 2000:
        position = random_position(draw, int(draw.integers(2, 14)))
        points = empty_points(position)
        if not points:
            continue
        for _ in range(40):
            pattern = random_pattern(draw, bias=2.0 ** int(draw.integers(-3, 4)))
            turned = pattern.turned(int(draw.integers(8)))
            some = [points[int(draw.integers(len(points)))] for _ in range(3)]
            expected = reference_values(position, [pattern], some)
            assert kernel_values(position, [turned], some) == expected
            n_cases += 1
            n_matches += any(expected)
    assert n_matches > 200


@pytest.mark.slow
@pytest.mark.parametrize("size", range(2, 26))
def test_sets_of_patterns_on_every_size(size):
    """Sums over sets, with cells off the board on all sides, and the reach of the largest pattern for all."""
    draw = np.random.default_rng(size)
    edges = [Pattern({offset: Cell.OFF_BOARD}) for offset in ((0, 1), (1, 1), (2, 0), (0, 5), (3, 2), (12, 0), (7, 12))]
    sets = [edges, [random_pattern(draw, bias=2.0**-i, most_radius=6) for i in range(8)]]
    sets = [[p for i, p in enumerate(s) if p.shape not in {q.shape for q in s[:i]}] for s in sets]
    for patterns in sets:
        position = random_position(draw, size)
        points = empty_points(position)
        some = (
            [points[i] for i in sorted(draw.choice(len(points), min(25, len(points)), replace=False))] if points else []
        )
        assert kernel_values(position, patterns, some) == reference_values(position, patterns, some)


def test_colours_exchanged_on_the_board_and_in_turn_change_nothing():
    draw = np.random.default_rng(7)
    for _ in range(20):
        position = random_position(draw, 9)
        swapped = position.copy()
        state = swapped.states[0]
        color, code = state["color"], state["code"]
        state["color"] = np.array([0, 2, 1, 3], np.uint8)[color]
        state["code"] = (code & 0x5555) << 1 | code >> 1 & 0x5555
        swapped.set_to_move(1 - position.to_move)
        patterns = [random_pattern(draw, 2.0**-i) for i in range(6)]
        points = empty_points(position)
        assert kernel_values(position, patterns, points) == kernel_values(swapped, patterns, points)
        opponent = position.copy()
        opponent.set_to_move(1 - position.to_move)
        other = [p.swapped() for p in patterns]
        assert kernel_values(position, patterns, points) == kernel_values(opponent, other, points)


def test_surroundings_agree_with_the_kernels():
    draw = np.random.default_rng(3)
    patterns = [random_pattern(draw) for _ in range(60)]
    around, expected = PatternMatcher(4), []
    for size in (5, 9, 9, 13):
        position = random_position(draw, size)
        points = empty_points(position)
        add_moves(around, position, [position.point(*point) for point in points])
        expected.append([kernel_values(position, [p], points) for p in patterns])
    found = np.array([around.matches(p) for p in patterns], float)
    assert found.tolist() == np.concatenate([np.array(e).reshape(60, -1) for e in expected], axis=1).tolist()


def report_of(changes, preset="default"):
    config = PlayerConfig.from_preset(preset).with_changes({"simulations": 1, **changes})
    player = MctsPlayer(config)
    position = GoPosition(5)
    position.play(position.text_to_move("C3"))
    player.start(position, 1)
    player.think(1)
    return {player.position.move_to_text(c["move"]): c for c in player._search.children().copy()}


def test_patterns_become_virtual_visits_and_h():
    bare = report_of({})
    grown = report_of({"policy.patterns": ["+1 O*", "-0.5 O?*"], "policy.pattern_visits": 8})
    for name, before in bare.items():
        after = grown[name]
        value = {"C4": 1, "C2": 1, "B3": 1, "D3": 1, "C5": -0.5, "C1": -0.5, "A3": -0.5, "E3": -0.5}.get(name, 0)
        assert after["rave_visits"] - before["rave_visits"] == pytest.approx(8 * abs(value), abs=1.01)  # RAVE adds one
        assert after["heuristic"] - before["heuristic"] == pytest.approx(0.2 * value, abs=1e-6)
        if value < 0:
            assert after["rave_wins"] - before["rave_wins"] <= 1
    only_h = report_of({"policy.patterns": ["+1 O*"], "policy.pattern_visits": 0, "policy.pattern_heuristic": 3})
    assert only_h["C4"]["heuristic"] - bare["C4"]["heuristic"] == pytest.approx(3)


def test_patterns_act_without_any_priors():
    grown = report_of({"policy.patterns": ["+1 O*", "-1 ??O/*??"]}, "rave")
    assert grown["C4"]["rave_visits"] >= 10
    assert grown["C4"]["rave_wins"] >= 10
    assert grown["A2"]["rave_visits"] >= 10
    assert grown["A2"]["rave_wins"] <= 1


def test_the_identity_depends_on_what_patterns_say():
    default = PlayerConfig()
    make = lambda *texts: default.with_changes({"policy.patterns": texts})  # noqa: E731
    assert make("+1 X*", "-1 O*/?.").identity() == make("-1.0 .?/*O", "*X").identity()
    assert len({c.identity() for c in (default, make("+1 X*"), make("+2 X*"), make("+1 O*"))}) == 4
    with pytest.raises(ConfigError, match="same shape"):
        make("+1 X*", "-1 *X")
    with pytest.raises(ConfigError, match="no cell 'Q'"):
        make("+1 Q*")


def test_more_than_fits_is_refused():
    many = [Pattern({(dx, dy): cell, (1, 0): Cell.EMPTY}) for dx in range(2, 13) for dy in range(13) for cell in KINDS]
    assert len(many) * 8 > MAX_PLANES
    with pytest.raises(ConfigError, match="different cells in all symmetries, and 1000 are the most"):
        pattern_values(GoPosition(9).states, many, [])
