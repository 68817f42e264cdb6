"""The features of Havannah's move model agree with the plain reference; so does what the search makes of them."""

import random
from collections import Counter

import numpy as np
import pytest
from reference.havannah import EMPTY
from reference.havannah_features import Situation, turns, values

from semeai.games.catalog import game_named
from semeai.games.havannah.config import HavannahPolicy
from semeai.games.havannah.kernels.features import FIRST_ID, N_IDS, N_SLOTS, SLOTS
from semeai.games.havannah.kernels.priors import expand_node
from semeai.games.havannah.model import FEATURES
from semeai.games.move_model import MoveModel, setting_of
from semeai.games.protocol import SCRATCH
from semeai.games.record import GameRecord
from semeai.jit import kernel
from semeai.learn.examples import GameMoves, Harvester
from semeai.learn.move_model import Settings, learn_model
from tests.games.havannah.faces import COLORS, positions, to_cell, to_move

game_named("havannah")  # its kernels
NAMES = list(SLOTS)


def game_of(base, seed, policy):
    """The moves of a game as cells, with the situations before each of them."""
    moves, found, last, before = [], [], None, None
    for states, board, color, cell in positions(base, seed, policy):
        cells = dict(board.cells)
        cells[cell] = EMPTY
        found.append((cells, color, last, before, int(states[0]["winner"])))
        moves.append((COLORS[color], to_move(cell, base)))
        last, before = cell, last
    return board, moves, found


def harvested(base, moves, game="havannah"):
    """Number of the move -> the cells before it, and their numbers."""
    rows = np.array(moves, np.int64)
    harvester = Harvester(game)
    found = harvester.harvest([GameMoves(base, rows[:0], rows, game=game)], [np.ones(len(rows), np.bool_)])
    spans = zip(found.starts[:-1], found.starts[1:], strict=True)
    return {int(n) - 1: found.ids[a:b] for n, (a, b) in zip(found.numbers, spans, strict=True)}, found


def replayed_cells(base, moves):
    """The empty cells before each move, in the order of the kernels."""
    position = game_named("havannah").new_position(base)
    for player, move in moves:
        state = position.states[0]
        yield [to_cell(p, base) for p in state["empties"][: state["n_empty"]]]
        position.play(move, player - 1)


@pytest.mark.parametrize(
    ("bases", "games", "most"),
    [((2, 3, 5, 8), 2, 12), pytest.param((2, 3, 4, 5, 6, 7, 8, 10), 30, 40, marks=pytest.mark.slow)],
    ids=["few", "thousands"],
)
def test_kernels_agree_with_the_reference(bases, games, most):
    """Equal values have equal numbers, and different ones have different numbers."""
    draw, number_of, value_of, seen = random.Random(1), {}, {}, Counter()
    for base in bases:
        for seed in range(games):
            board, moves, situations = game_of(base, seed, ("random", "clumpy")[seed % 2])
            ids, _ = harvested(base, moves)
            orders = list(replayed_cells(base, moves))
            for t in draw.sample(sorted(ids), min(len(ids), most)):
                cells, color, last, before, _ = situations[t]
                board.cells = cells
                situation = Situation(board, color, last, before)
                assert len(orders[t]) == len(ids[t])
                for i in draw.sample(range(len(orders[t])), min(len(orders[t]), 4)):
                    wanted = values(situation, orders[t][i])
                    for slot, name in enumerate(NAMES):
                        number, value = int(ids[t][i][slot]), wanted[name]
                        assert FIRST_ID[slot] <= number < FIRST_ID[slot + 1]
                        where = (base, seed, t, orders[t][i], name, value)
                        assert number_of.setdefault((name, value), number) == number, where
                        assert value_of.setdefault(number, (name, value)) == (name, value), where
                        seen[name, number] += 1
    if len(bases) > 4:
        variety = Counter(name for name, _ in seen)
        assert not {name for name, n in SLOTS.items() if variety[name] < min(n // 3, 90)}, variety


def test_turned_games_have_the_same_features():
    base, middle = 5, (4, 4)
    _, moves, _ = game_of(base, 7, "clumpy")
    plain, _ = harvested(base, moves)
    order = list(replayed_cells(base, moves))
    for turn in turns():

        def turned(cell, turn=turn):
            x, y = turn((cell[0] - middle[0], cell[1] - middle[1]))
            return x + middle[0], y + middle[1]

        changed = [(player, to_move(turned(to_cell(move, base)), base)) for player, move in moves]
        found, _ = harvested(base, changed)
        assert found.keys() == plain.keys()
        for t, cells in enumerate(replayed_cells(base, changed)):
            if t in plain:
                row = {cell: i for i, cell in enumerate(cells)}
                assert (found[t][[row[turned(cell)] for cell in order[t]]] == plain[t]).all()


def test_moves_that_win_at_once_are_no_examples():
    """There the search has no choice."""
    for seed in range(3):
        _, moves, _ = game_of(4, seed, "random")
        ids, found = harvested(4, moves)
        position = game_named("havannah").new_position(4)
        for t, (player, move) in enumerate(moves):
            assert (t in ids) == (not len(position.winning_cells(0)) and not len(position.winning_cells(1)))
            position.play(move, player - 1)
        assert found.targets.sum() == len(found) == len(ids)


@kernel
def _expand(states, policy, scratches):
    return expand_node(states[0], policy[0], scratches[0])


def test_the_search_adds_up_the_weights_of_all_features(tmp_path):
    draw, scratch = np.random.default_rng(5), np.zeros(1, SCRATCH)
    rows = draw.normal(0, 0.4, (N_IDS, 1)).astype(np.float32)
    empty = np.zeros(0, np.uint32)
    MoveModel(FEATURES, rows, empty, empty.astype(np.float32)).save(tmp_path / "m.npz")
    policy = HavannahPolicy(
        model=setting_of(tmp_path / "m.npz", FEATURES), model_even=4, model_visits=100, model_exponent=0.7,
        model_heuristic=0.3,
    )  # fmt: skip
    for base in (3, 5):
        _, moves, _ = game_of(base, 4, "random")
        ids, _ = harvested(base, moves)
        position = game_named("havannah").new_position(base)
        for t, (player, move) in enumerate(moves):
            if t in ids:
                n = _expand(position.states, policy.to_record(), scratch)
                assert n == len(ids[t])
                strength = rows[ids[t], 0].sum(axis=1)
                share = np.exp(0.7 * (strength - strength.max()))
                assert scratch[0]["prior_wins"][:n] == pytest.approx(2 + 100 * share, rel=1e-4)
                assert scratch[0]["prior_visits"][:n] == pytest.approx(4 + 100 * share, rel=1e-4)
                assert scratch[0]["heuristic"][:n] == pytest.approx(0.3 * share, rel=1e-4, abs=1e-6)
            position.play(move, player - 1)


def test_a_planted_rule_is_learnt(tmp_path):
    """Games in which each move lies beside the opponent's last one, if it can."""
    rules, records = game_named("havannah"), []
    for seed in range(40):
        shuffle, position = random.Random(seed), game_named("havannah").new_position(4)
        while not position.is_over and len(position.moves) < 16:
            free = position.legal_moves().tolist()
            near = [p for p in free if position.moves and abs(p - position.moves[-1][1]) in (1, 8, 9)]
            position.play(shuffle.choice(near or free))
        records.append(GameRecord("havannah", 4, 0.0, tuple(position.moves)))
    found = learn_model(records, Settings(held_out=0.2, epochs=3))
    distance = found.model.of_slot("distance")
    assert distance[1] > max(distance[2:7]) + 1
    assert found.judged.top(6) > 0.8
    assert (len(found.model), found.model.features.game) == (0, "havannah")
    found.model.save(tmp_path / "m.npz")
    assert setting_of(tmp_path / "m.npz", FEATURES).startswith(found.model.digest)
    assert rules.features is FEATURES


def test_every_slot_belongs_to_a_group():
    used = np.array([FEATURES.used_by([group]) for group in FEATURES.groups])
    assert (used.sum(axis=0) == 1).all()
    assert used.shape[1] == N_SLOTS
