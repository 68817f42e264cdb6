"""The solver agrees with brute force and with openings whose solutions are known."""

from itertools import permutations

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games.havannah.kernels.bitboard import STRIDE
from semeai.games.havannah.kernels.proof_search import look_into
from semeai.games.havannah.kernels.tables import cells, touches
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.solver import Solver


def after(base, moves, swap=False):
    position = HavannahPosition(base, swap=swap)
    for text in moves.split():
        position.play(position.text_to_move(text))
    return position


def winner_by_trying(position, known):
    """All moves to the end; None for a draw."""
    if position.is_over:
        return position.winner
    key = position.states[0]["color"].tobytes()
    if key not in known:
        mover = position.to_move
        known[key] = 1 - mover
        for move in position.legal_moves():
            position.play(int(move))
            found = winner_by_trying(position, known)
            position.undo()
            if found == mover:
                known[key] = mover
                break
            if found is None:
                known[key] = None
    return known[key]


def quiet_position(base, n_empty, rng):
    """From a random game in which nobody takes a win; whoever is to move cannot win at once, or lose."""
    while True:
        position = HavannahPosition(base)
        while not position.is_over and position.states[0]["n_empty"] > n_empty:
            quiet = np.setdiff1d(position.legal_moves(), position.winning_cells(position.to_move))
            position.play(int(rng.choice(quiet if len(quiet) else position.legal_moves())))
        if not position.is_over and all(len(position.winning_cells(player)) == 0 for player in (0, 1)):
            return position


@pytest.mark.slow
@pytest.mark.parametrize("threat_limit", [0, 2, 100])
@pytest.mark.parametrize(("base", "results"), [(3, {0, 1}), (4, {0, 1, None})])
def test_late_positions_are_proven_as_by_trying_all_moves(base, results, threat_limit):
    rng = np.random.default_rng(base)
    solver, proofs = Solver(base, memory=2, threat_limit=threat_limit), []
    for _ in range(40):
        position = quiet_position(base, 11, rng)
        proof = solver.solve(position)
        proofs.append(proof)
        assert proof.is_proven
        assert proof.winner == winner_by_trying(position, {})
        assert (proof.move is not None) == (proof.winner in (position.to_move, None))
        if proof.move is not None:
            position.play(proof.move)
            assert winner_by_trying(position, {}) == proof.winner
    assert {proof.winner for proof in proofs} == results
    assert sum(proof.visited > 1 for proof in proofs) >= 2  # others by threats alone


@pytest.mark.slow
@pytest.mark.parametrize(("base", "n_empty"), [(3, 10), (3, 13), (4, 13)])
def test_moves_that_do_not_break_a_sequence_of_threats_lose(base, n_empty):
    rng = np.random.default_rng(n_empty)
    solver, judge = Solver(base, memory=2), Solver(base, memory=16, threat_limit=0)  # the judge drops no move
    n_dropped = 0
    for _ in range(600):
        position = quiet_position(base, n_empty, rng)
        words, mover = solver._words(position), position.to_move
        result, moves = look_into(solver._boards[0], solver._threats[0], words[mover], words[1 - mover], mover)
        for x, y in cells(base) if result <= 0 else ():
            if position.color_at(x, y) or int(moves) >> STRIDE * y + x & 1:
                continue
            n_dropped += 1
            position.play(position.point(x, y))
            assert judge.solve(position, 10**7).winner == 1 - mover
            position.undo()
    assert n_dropped > 300


def test_the_same_stones_are_two_positions_by_who_is_to_move():
    """After a swap the first stone is Black's, and White moves with as many stones as Black has."""
    texts = [HavannahPosition(2).move_to_text(int(move)) for move in HavannahPosition(2).legal_moves()]
    n_different = 0
    for white, black in permutations(texts, 2):
        solver, winners = Solver(2, memory=1), []
        for position in (after(2, f"{white} {black}"), after(2, f"{black} swap {white}", swap=True)):
            winners.append(solver.solve(position).winner)
            assert winners[-1] == winner_by_trying(position, {})
        n_different += winners[0] != winners[1]
    assert n_different > 10


def test_where_black_may_swap_there_is_no_proof():
    with pytest.raises(ConfigError, match="Black may still swap"):
        Solver(3).solve(after(3, "a1", swap=True))


def test_a_proof_is_known_though_what_led_to_it_is_forgotten():
    solver, position = Solver(3, memory=1), after(3, "b1")
    proof = solver.solve(position)
    root = solver._table["work"].argmax()
    solver._table[np.arange(len(solver._table)) != root] = 0
    again = solver.solve(position, limit=1)
    assert (again.winner, again.move, again.visited) == (proof.winner, proof.move, 0)


@pytest.mark.parametrize(("base", "openings"), [(2, "a1 b1 b2 c3"), (3, "a1 b1 b2 c1 c3")])
def test_the_corners_win_and_all_else_loses(base, openings):
    for text in openings.split():
        is_corner = touches(base, ord(text[0]) - ord("a"), int(text[1]) - 1) >= 64
        assert Solver(base).solve(after(base, text)).winner == (0 if is_corner else 1)


@pytest.mark.parametrize("moves", ["d4 c3 g7 b2", "d4 c3 g7 c2", "d4 c3 g7 f6"])
def test_lines_of_base_four_are_won_by_white(moves):
    assert Solver(4).solve(after(4, moves)).winner == 0


def test_a_limit_leaves_the_winner_open():
    solver = Solver(4, memory=1)
    proof = solver.solve(after(4, "d4"), limit=200)
    assert not proof.is_proven
    assert proof.winner is None
    assert 200 <= proof.visited < 300


def test_a_game_that_is_over_needs_no_proof():
    position = after(2, "a1 c3 b1")
    assert position.winner == 0
    assert Solver(2).solve(position).visited == 0


def test_other_boards_are_refused():
    with pytest.raises(ConfigError, match="base 5: proofs are for boards of base 2 to 4"):
        Solver(5)
    with pytest.raises(ConfigError, match=r"base 3, .* base 4"):
        Solver(4).solve(HavannahPosition(3))


def test_moves_that_are_the_same_when_turned_or_mirrored_are_proven_once():
    texts = [HavannahPosition(4).move_to_text(m) for m in Solver(4).different_moves(HavannahPosition(4))]
    assert texts == ["a1", "b1", "b2", "c2", "c3", "d4"]
    assert len(Solver(4).different_moves(after(4, "d4"))) == 5
    assert len(Solver(4).different_moves(after(4, "d4 b2 g5"))) == 34
