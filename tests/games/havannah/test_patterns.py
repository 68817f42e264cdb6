"""Hex patterns in kernels agree with the plain reference."""

import numpy as np
from reference.patterns import matches

from semeai.games.havannah.position import HavannahPosition
from semeai.patterns.geometry import HEX
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.config import PlayerConfig
from semeai.search.search import Search

KINDS = [cell for cell in Cell if cell != Cell.ANY]
PLAIN = {"policy.model": "", "policy.prior_even": 0.0, "policy.decisive": False, "policy.anti_decisive": False}


def random_pattern(draw, bias):
    around = HEX.around(int(draw.integers(1, 4)))
    offsets = draw.choice(len(around), int(draw.integers(1, 4)), replace=False)
    return Pattern({around[i]: KINDS[int(draw.integers(5))] for i in offsets}, bias, HEX)


def kernel_values(position, patterns):
    """H of each of the root's moves, all of it from the patterns."""
    texts = [p.text for p in patterns]
    config = PlayerConfig(game="havannah").with_changes(
        {**PLAIN, "policy.patterns": texts, "policy.pattern_heuristic": 1}
    )
    search = Search(config.search.to_record(), config.policy.to_record(), 1000)
    search.set_position(position)
    return {int(c["move"]): float(c["heuristic"]) for c in search.children()}


def test_hex_patterns_agree_with_the_reference():
    draw = np.random.default_rng(5)
    n_matches = 0
    for i in range(60):
        position = HavannahPosition(int(draw.integers(2, 9)))
        for _ in range(int(draw.integers(0, 20))):
            if len(moves := position.legal_moves()) > 1 and not position.is_over:
                position.play(int(draw.choice(moves)))
        if position.is_over:
            continue
        w = int(position.states[0]["stride"])
        color = position.states[0]["color"]
        board = {divmod(p, w): ".XO"[color[p]] for p in range(len(color)) if color[p] < 3}
        patterns = {p.shape: p for p in (random_pattern(draw, 2.0**-k) for k in range(5))}.values()
        letters = [(p.bias, {offset: cell.value for offset, cell in p.cells}) for p in patterns]
        mover = "XO"[position.to_move]
        for move, value in kernel_values(position, patterns).items():
            fits = [bias for bias, cells in letters if matches(cells, board, divmod(move, w), mover, "hex")]
            assert value == sum(fits), (i, move)
            n_matches += len(fits)
    assert n_matches > 1000
