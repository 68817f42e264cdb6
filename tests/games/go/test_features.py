"""The features of the move model agree with the plain reference; so does what the search makes of them."""

from collections import Counter
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from reference.features import Shapes, Situation, values
from reference.go import OTHER, Board

from semeai.games.catalog import game_named
from semeai.games.go.config import GoPolicy
from semeai.games.go.explain import judge_moves
from semeai.games.go.kernels.features import FIRST_ID, N_IDS, N_KEYS, N_SIZES, N_SLOTS, RESPONSES, SLOTS, WIDTH
from semeai.games.go.kernels.priors import expand_node
from semeai.games.go.model import FEATURES
from semeai.games.move_model import MoveModel, setting_of
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel
from semeai.learn.examples import GameMoves, Harvester
from tests.games.go.faces import COLORS, POLICIES, Pair, new_states, play, to_move, to_point

game_named("go")  # its kernels
NAMES = list(SLOTS)


def random_moves(size, seed):
    """A game of random, of light and of MoGo's moves, with a few passes and a few moves out of turn."""
    random, pair, moves = Random(f"{size} {seed}"), Pair(size, seed), []
    for _ in range(random.randrange(4, min(2 * size * size, 260) + 5)):
        if random.random() < 0.02:
            pair.color = OTHER[pair.color]
        policy = random.choice(("any", "light", "mogo", "mogo", "mogo"))
        point = None if random.random() < 0.02 else POLICIES[policy](pair, random)
        if point is not None and not pair.board.is_legal(point, pair.color):  # an answer to an own move out of turn
            point = pair.any_move(random)
        moves.append((pair.color, point))
        pair.play(point)
    return moves


def situations(size, moves):
    """Each situation before a move, with the legal points in the order of the kernels."""
    states, board, last, before = new_states(size), Board(size), None, None
    for color, point in moves:
        order = [to_point(p, size) for p in states[0]["empties"][: states[0]["n_empty"]].tolist()]
        yield Situation(board, color, last, before), [p for p in order if board.is_legal(p, color)]
        board = board.after_pass() if point is None else board.after(point, color)
        play(states, to_move(point, size), COLORS[color])
        last, before = point, last


def as_arrays(size, moves):
    rows = [(COLORS[color], to_move(point, size)) for color, point in moves]
    return GameMoves(size, np.zeros((0, 2), np.int64), np.array(rows, np.int64).reshape(-1, 2))


def harvested(harvester, size, moves, chosen=None):
    """Number of the move -> ids and keys of the legal points before it."""
    take = np.array([chosen is None or t in chosen for t in range(len(moves))])
    found = harvester.harvest([as_arrays(size, moves)], [take])
    rows = [slice(a, b) for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)]
    return {int(n) - 1: (found.ids[r], found.keys[r]) for n, r in zip(found.numbers, rows, strict=True)}


class Texts:
    """What each key, and each number of a 3x3 shape, was seen to stand for."""

    def __init__(self):
        self.key_of, self.texts = {}, {}

    def note(self, kind, text, key):
        """Equal texts have equal keys."""
        assert self.key_of.setdefault((kind, text), key) == key, (kind, text)
        self.texts.setdefault(key, set()).add((kind, text))

    @property
    def collisions(self):
        return sum(len(texts) - 1 for texts in self.texts.values())


def differences(situation, point, ids):
    """The slots whose value is not a possible one."""
    found = dict(zip(NAMES, (ids.astype(int) - FIRST_ID[:-1]).tolist(), strict=True))
    assert all(0 <= found[name] < n for name, n in SLOTS.items())
    return {name: (found[name], want) for name, want in values(situation, point).items() if found[name] not in want}


KINDS = [*(f"size {k}" for k in range(1, N_SIZES + 1)), *(f"after {k}" for k in RESPONSES), "before"]


@pytest.mark.parametrize(
    ("sizes", "per_size"),
    [((2, 3, 5, 9), 12), pytest.param(range(2, 20), 70, marks=pytest.mark.slow)],
    ids=["few", "thousands"],
)
def test_kernels_agree_with_the_reference(sizes, per_size):
    """Five points of each position: some anywhere, most of them near the last move, where much happens."""
    random, harvester = Random(1), Harvester()
    shapes, keys, seen, unsure = Texts(), Texts(), Counter(), 0
    for size in sizes:
        seed = n_positions = 0
        while n_positions < per_size:
            seed += 1
            moves = random_moves(size, seed)
            rows = harvested(harvester, size, moves)
            chosen = set(random.sample(sorted(rows), min(len(rows), 2 + size)))
            for t, (situation, points) in enumerate(situations(size, moves)):
                if t not in chosen:
                    continue
                n_positions += 1
                assert len(points) == len(rows[t][0])
                for i in near_and_far(random, situation, points):
                    ids, found = rows[t][0][i], rows[t][1][i].tolist()
                    where = (size, seed, t, points[i], situation)
                    assert not differences(situation, points[i], ids), where
                    texts = Shapes(situation, points[i])
                    shapes.note("3x3", texts.shape(0), int(ids[0]))
                    for kind, text, key in zip(KINDS, texts.all(), found, strict=True):
                        assert (text is None) == (key == 0), where
                        if text is not None:
                            keys.note(kind, text, key)
                    seen.update(ids.tolist())
                    unsure += any(len(want) > 1 for want in values(situation, points[i]).values())
    assert shapes.collisions == 0
    assert keys.collisions <= len(keys.key_of) ** 2 / 2**32 + 2  # keys have 32 bits
    assert unsure <= 0.01 * seen.total() / N_SLOTS
    if len(sizes) > 10:
        assert not {name for name, n in SLOTS.items() if values_seen(seen, name) < min(n // 2, 12)}
        assert values_seen(seen, "ko") == 3


def values_seen(seen, name):
    first = FIRST_ID[NAMES.index(name)]
    return sum(first <= found < first + SLOTS[name] for found in seen)


def near_and_far(random, situation, points):
    """Indices of up to five points."""
    near = [i for i, p in enumerate(points) if situation.from_last.get(p, 9) <= 2]
    chosen = random.sample(near, min(len(near), 3))
    return {*chosen, *random.sample(range(len(points)), min(len(points), 2))}


def test_hashes_do_not_depend_on_the_boards_before():
    """One harvester jumps between games, moves and sizes; fresh ones see each game from its beginning."""
    random, jumping = Random(2), Harvester()
    games = [(size, random_moves(size, seed)) for size in (2, 5, 5, 9, 9, 19, 25) for seed in (7,)]
    games += [(9, random_moves(9, 8)), (19, random_moves(19, 8))]
    expected = [harvested(Harvester(), size, moves) for size, moves in games]
    for _ in range(80):
        i = random.randrange(len(games))
        size, moves = games[i]
        chosen = {random.choice(sorted(expected[i]))}
        for t, (ids, keys) in harvested(jumping, size, moves, chosen).items():
            assert (ids == expected[i][t][0]).all(), (size, t)
            assert (keys == expected[i][t][1]).all(), (size, t)


@pytest.mark.parametrize("size", [2, 4, 7, 9, 13, 19, 25])
def test_turns_mirrors_and_colours_do_not_matter(size):
    moves = random_moves(size, 3)[:120]
    everything = list(situations(size, moves))
    chosen = range(0, len(moves), 1 + size // 4)
    plain = harvested(Harvester(), size, moves, chosen)
    for turn in range(8):
        for swap in (False, True):
            if not turn and not swap:
                continue
            changed = [(OTHER[c] if swap else c, p and turned(p, size, turn)) for c, p in moves]
            found = harvested(Harvester(), size, changed, chosen)
            assert found.keys() == plain.keys()
            orders = [points for _, points in situations(size, changed)]
            for t, (ids, keys) in plain.items():
                situation, points = everything[t]
                row = {p: i for i, p in enumerate(orders[t])}
                rows = [row[turned(p, size, turn)] for p in points]
                assert (found[t][1][rows] == keys).all(), (turn, swap, t, situation)
                for i, slot in np.argwhere(found[t][0][rows] != ids):
                    possible = values(situation, points[i])[NAMES[slot]]
                    assert len(possible) > 1, (NAMES[slot], points[i], turn, swap, t, situation)


def turned(point, size, turn):
    x, y = point[::-1] if turn & 1 else point
    return (size - 1 - x if turn & 2 else x, size - 1 - y if turn & 4 else y)


@kernel
def _expand(states, policy, scratches):
    return expand_node(states[0], states[1], policy[0], scratches[0])


def test_the_search_adds_up_the_weights_of_all_features(tmp_path):
    """With random weights: the priors of each move are those of the plain sum, and explanations have the same ratios.

    The rules of the player's playouts do not matter: answers are a feature of the position.
    """
    draw, scratch, n = np.random.default_rng(5), np.zeros(1, SCRATCH), 0
    for size in (3, 9, 19):
        moves = random_moves(size, 5)
        rows = harvested(Harvester(), size, moves)
        keys = np.unique(np.concatenate([keys.ravel() for _, keys in rows.values()]))
        keys = keys[(keys > 0) & (draw.random(len(keys)) < 0.8)]
        model = MoveModel(
            FEATURES,
            draw.normal(0, 0.3, (N_IDS, WIDTH)).astype(np.float32),
            keys,
            draw.normal(0, 0.5, len(keys)).astype(np.float32),
        )
        model.save(tmp_path / f"{size}.npz")
        policy = GoPolicy(
            playout="light" if size == 3 else "mogo", capture=0.5, save=0.3, two_liberties=0.0,
            skip_empty_edges=False, model=setting_of(tmp_path / f"{size}.npz", FEATURES),
            model_even=6.0, model_visits=30.0, model_heuristic=0.5, model_exponent=0.7,
        ).to_record()  # fmt: skip
        for t, points, states in boards(size, moves, rows):
            found = expanded(states, policy, scratch)
            sums = {p: total for p, total in zip(points, plain_sums(model, *rows[t]), strict=True) if p in found}
            assert set(found) - {None} == set(sums)
            best = max(sums.values(), default=0.0)
            for p, total in sums.items():
                share = np.exp(0.7 * (total - best))
                expected = (6 + 30 * share, 3 + 30 * share, 0.5 * share)
                assert found[p] == pytest.approx(expected, rel=2e-5, abs=1e-5), (size, t, p)
                n += 1
            judged = judge_moves(Standing(size, states), model)
            assert {to_point(move.move, size) for move in judged} == set(points)
            assert sum(move.probability for move in judged) == pytest.approx(1)
            most = max((move.probability for move in judged if to_point(move.move, size) in found), default=1)
            for move in judged:
                if (p := to_point(move.move, size)) in found:
                    _, wins, h = found[p]
                    share = (move.probability / most) ** 0.7
                    assert (wins, h) == pytest.approx((3 + 30 * share, 0.5 * share), rel=2e-5, abs=1e-5), (size, t, p)
    assert n > 1000


class Standing(NamedTuple):
    """What ``judge_moves`` reads of a position."""

    size: int
    states: np.ndarray


def boards(size, moves, rows):
    """Number of the move, legal points and the kernels' states, for every third position that has been harvested."""
    states = new_states(size)
    for t, (situation, points) in enumerate(situations(size, moves)):
        if t in rows and t % 3 == 0:
            states[0]["to_move"] = COLORS[situation.mover]
            yield t, points, states
        play(states, to_move(moves[t][1], size), COLORS[moves[t][0]])


def expanded(states, policy, scratch):
    """Point -> visits, wins and H of the moves that are expanded; None is the pass."""
    n = _expand(np.concatenate([states[:1], states[:1]]), policy, scratch)
    columns = (scratch[0][name][:n].tolist() for name in ("moves", "prior_visits", "prior_wins", "heuristic"))
    return {to_point(move, int(states[0]["size"])): tuple(rest) for move, *rest in zip(*columns, strict=True)}


def plain_sums(model, ids, keys):
    """The sum of weights of each point, and of the products of factors of each two of its values.

    If a shape is not in the model, those that contain it do not count either.
    """
    weight = dict(zip(model.keys.tolist(), model.shapes.tolist(), strict=True))
    for row, shapes in zip(ids, keys.tolist(), strict=True):
        weights, factors = np.split(model.rows[row].astype(float), [1], axis=1)
        total = float(weights.sum()) + sum(float(a @ b) for a, b in combinations(factors, 2))
        for chain in (shapes[:N_SIZES], shapes[N_SIZES : N_KEYS - 1], shapes[N_KEYS - 1 :]):
            for key in chain:
                if key not in weight:
                    break
                total += weight[key]
        yield total
