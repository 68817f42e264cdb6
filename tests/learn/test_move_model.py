"""Learning a move model: planted weights, the same file again, a stop in the middle, and games that are too few."""

from dataclasses import replace

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games import move_model as model
from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels.features import FIRST_ID, N_IDS, N_KEYS, N_SLOTS, SLOTS, WIDTH
from semeai.games.go.model import FEATURES
from semeai.games.move_model import load_model
from semeai.games.record import GameRecord
from semeai.learn import move_model
from semeai.learn.examples import Examples, GameMoves, Harvester
from semeai.learn.logit import Judged, ShapeNumbers, Weights
from semeai.learn.move_model import Fit, Settings, by_group, count_shapes, learn_model, split
from tests.learn.test_learn import random_games

SMALL = Settings(min_seen=5, held_out=0.2, epochs=2)
EVERYTHING = np.ones(N_SLOTS + N_KEYS, np.bool_)


def drawn_examples(draw, rows, weights_of_shapes, n):
    """Positions of 12 random points each, of which one is drawn with its share of all strengths."""
    used = np.minimum(list(SLOTS.values()), 5)
    ids = (FIRST_ID[:-1] + draw.integers(0, used, (12 * n, N_SLOTS))).astype(np.uint16)
    keys = np.zeros((12 * n, N_KEYS), np.uint32)
    keys[:, 0] = draw.integers(1, len(weights_of_shapes) + 1, 12 * n)
    factors = rows[ids, 1:]
    pairs = (factors.sum(axis=1) ** 2 - (factors**2).sum(axis=1)).sum(axis=1) / 2
    sums = rows[ids, 0].sum(axis=1) + pairs + weights_of_shapes[keys[:, 0] - 1]
    noisy = sums.reshape(n, 12) + draw.gumbel(size=(n, 12))
    winners = noisy.argmax(axis=1) + 12 * np.arange(n)
    return examples_of(ids, keys, 12 * np.arange(n + 1), winners, np.ones(n, np.int64))


def examples_of(ids, keys, starts, winners, numbers):
    """Examples in which one point was played in each position."""
    targets = np.zeros(len(ids), np.float32)
    targets[winners] = 1
    return Examples(ids, keys, starts, winners, numbers, targets)


def planted(draw, factor):
    rows = np.zeros((N_IDS, WIDTH))
    rows[:, 0] = draw.normal(0, 0.7, N_IDS)
    rows[:, 1:] = draw.normal(0, 1, (N_IDS, WIDTH - 1)) * factor
    return rows, draw.normal(0, 0.7, 10)


def fitted(draw, examples, factor_step):
    """Weights after a few passes, and the log-likelihood in each."""
    numbers = ShapeNumbers(np.arange(1, 11, dtype=np.uint32), FEATURES)
    shapes = numbers.find(examples)
    assert shapes[:, 0].tolist() == (examples.keys[:, 0].astype(int) - 1).tolist()
    assert (shapes[:, 1:] == -1).all()
    weights, likelihoods = Weights.first(FEATURES, 10, seed=1, factors=factor_step > 0), []
    for epoch, step in enumerate((1, 0.5, 0.3, 0.2)):
        order = draw.permutation(len(examples))
        steps = (0.1 * step, factor_step * step)
        likelihoods.append(weights.fit(examples, shapes, order, steps, epoch, EVERYTHING) / len(examples))
    return weights, shapes, likelihoods


@pytest.mark.slow
def test_planted_weights_are_found_again():
    """Up to a constant per slot, which changes no probability."""
    draw = np.random.default_rng(3)
    rows, of_shapes = planted(draw, 0)
    examples = drawn_examples(draw, rows, of_shapes, 8000)
    weights, shapes, likelihoods = fitted(draw, examples, 0)
    assert likelihoods == sorted(likelihoods)
    slots = [slice(FIRST_ID[slot], FIRST_ID[slot] + min(n, 5)) for slot, n in enumerate(SLOTS.values())]
    pairs = [(weights.rows[slot, 0], rows[slot, 0]) for slot in slots]
    for found, expected in [*pairs, (weights.shapes, of_shapes)]:
        error = (found - found.mean()) - (expected - expected.mean())
        assert np.abs(error).max() < 0.2, error
    never_seen = np.ones(N_IDS, np.bool_)
    for slot in slots:
        never_seen[slot] = False
    assert (weights.rows[never_seen] == 0).all()
    judged = weights.judge(examples, shapes, EVERYTHING)
    exact = Weights(rows.astype(np.float32), weights.row_squares, of_shapes.astype(np.float32), weights.shape_squares)
    best = exact.judge(examples, shapes, EVERYTHING)
    assert judged.log_likelihood == pytest.approx(best.log_likelihood, abs=0.01)
    assert judged.top(1) == pytest.approx(best.top(1), abs=0.02)


@pytest.mark.slow
def test_planted_pairs_are_found_again():
    """Factors find what no sum of weights can say, on positions that they have not seen."""
    draw = np.random.default_rng(4)
    rows, of_shapes = planted(draw, 0.25)
    examples, others = (drawn_examples(draw, rows, of_shapes, n) for n in (12_000, 3000))
    likelihoods = []
    for factor_step in (0, 0.05):
        weights, _, _ = fitted(draw, examples, factor_step)
        found = ShapeNumbers(np.arange(1, 11, dtype=np.uint32), FEATURES).find(others)
        likelihoods.append(weights.judge(others, found, EVERYTHING).log_likelihood)
    exact = Weights(rows.astype(np.float32), weights.row_squares, of_shapes.astype(np.float32), weights.shape_squares)
    best = exact.judge(others, found, EVERYTHING).log_likelihood
    plain, with_pairs = likelihoods
    assert best > with_pairs > plain + 0.5 * (best - plain)


def test_judging_known_chances():
    """Two positions: chances 1/7, 2/7, 4/7, and three equal points."""
    ids = np.zeros((6, N_SLOTS), np.uint16)
    ids[:3, 0] = (1, 2, 3)
    keys = np.zeros((6, N_KEYS), np.uint32)
    examples = examples_of(ids, keys, np.array([0, 3, 6]), np.array([1, 4]), np.array([1, 40]))
    weights = Weights.first(FEATURES, 0, seed=1, factors=False)
    weights.rows[:4, 0] = np.log([1, 1, 2, 4])
    used = FEATURES.used_by(["shapes"])
    judged = weights.judge(examples, ShapeNumbers(np.zeros(0, np.uint32), FEATURES).find(examples), used)
    assert judged.ranks.tolist() == [1, 1]
    assert np.exp(judged.log_chances) == pytest.approx([2 / 7, 1 / 3])
    assert (judged.top(1), judged.top(2)) == (0, 1)
    assert judged.log_likelihood == pytest.approx(np.log(2 / 21) / 2)
    assert judged.between(31, 100).ranks.tolist() == [1]
    assert judged.bins.sum(axis=0) == pytest.approx([6, 2, 2])
    assert judged.bins[int(20 / 7)] == pytest.approx([1, 1 / 7, 0])
    both = Judged.joined([judged, judged])
    assert (len(both.ranks), both.bins.sum()) == (4, pytest.approx(20))


def test_a_shape_inside_an_unknown_one_is_unknown():
    keys = np.zeros((3, N_KEYS), np.uint32)
    keys[0] = np.arange(1, N_KEYS + 1)
    keys[1], keys[1, 1] = keys[0], 99
    keys[2], keys[2, 7] = keys[0], 99
    examples = examples_of(np.zeros((3, N_SLOTS), np.uint16), keys, np.array([0, 3]), np.array([0]), np.array([1]))
    found = ShapeNumbers(np.arange(1, N_KEYS + 1, dtype=np.uint32), FEATURES).find(examples)
    assert found[0].tolist() == list(range(N_KEYS))
    assert (found[1] >= 0).tolist() == [True] + [False] * 6 + [True] * 4
    assert (found[2] >= 0).tolist() == [True] * 7 + [False] * 3 + [True]


def test_the_same_games_give_the_same_file_and_it_predicts(tmp_path):
    games = random_games(60)
    one, two = learn_model(games, SMALL), learn_model(games, SMALL)
    for name, found in (("one", one), ("two", two)):
        found.model.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert load_model(tmp_path / "one", FEATURES).digest == one.model.digest
    assert (one.n_games, one.n_held_out) == (48, 12)
    assert one.n_moves == sum(move != 0 for game in split(games, SMALL)[0] for _, move in game.moves)
    assert one.judged.log_likelihood > -np.log(25) + 0.8
    assert one.judged.top(1) > 0.15
    about = one.model.about
    assert (about["games"], about["games_held_out"], about["held_out"], about["seed"]) == (48, 12, 0.2, 1)
    other = learn_model(games, Settings(min_seen=5, held_out=0.2, epochs=2, seed=2))
    assert other.model.digest != one.model.digest


def test_held_out_games_are_not_learnt_from():
    games = random_games(30)
    training, held_out = split(games, SMALL)
    assert len(training) == 24
    assert len(held_out) == 6
    names = {game.moves.tobytes() for game in held_out}
    assert not names & {game.moves.tobytes() for game in training}
    shorter = [
        GameRecord("go", 5, 7.5, game.moves[:9]) if GameMoves.of_record(game).moves.tobytes() in names else game
        for game in games
    ]
    assert shorter != games
    one, two = learn_model(games, SMALL), learn_model(shorter, SMALL)
    assert one.model.digest == two.model.digest
    assert len(one.judged.ranks) > len(two.judged.ranks)
    most = Settings(held_out=0.5, max_held_out=2)
    assert [len(part) for part in split(games, most)] == [28, 2]


def test_a_stopped_fit_goes_on_to_the_same_weights(tmp_path, monkeypatch):
    monkeypatch.setattr(move_model, "CHUNK_POSITIONS", 150)
    games, path, lines = random_games(30), tmp_path / "model.part", []
    expected = learn_model(games, SMALL).model

    class Stop(Exception):
        pass

    def stop_at(text):
        lines.append(text)
        if text.startswith("chunk 4 of"):
            raise Stop

    with pytest.raises(Stop):
        learn_model(games, SMALL, path, stop_at)
    found = learn_model(games, SMALL, path, lines.append)
    assert "going on after chunk 3" in lines
    assert sum(line.startswith("chunk 4 of") for line in lines) == 2
    assert sum(line.startswith("chunk 3 of") for line in lines) == 1
    assert found.model.digest == expected.digest
    assert found.model.about == expected.about
    again = learn_model(games, SMALL, path, lines.append)  # all is done
    assert again.model.digest == expected.digest
    # A checkpoint of other games or settings is not used:
    for others, settings in ((games[1:], SMALL), (games, Settings(min_seen=5, held_out=0.2, epochs=1))):
        lines.clear()
        fresh, resumed = learn_model(others, settings), learn_model(others, settings, path, lines.append)
        assert any("is the checkpoint of another fit: beginning again" in line for line in lines)
        assert resumed.model.digest == fresh.model.digest
    path.write_bytes(b"PK")
    with pytest.raises(ConfigError, match=r"model\.part: is damaged"):
        learn_model(games, SMALL, path)


def test_a_checkpoint_belongs_to_boards_and_setup_stones_too(tmp_path):
    """The same moves on another board, or after other setup stones, are other games."""
    path, harvester, keys = tmp_path / "model.part", Harvester(), np.array([5], np.uint32)
    moves = GameMoves.of_record(random_games(1)[0]).moves
    stone = np.array([(1, 7)], np.int64)
    kinds = [GameMoves(5, stone[:0], moves), GameMoves(5, stone, moves), GameMoves(7, stone[:0], moves)]
    fit = Fit(kinds[:1], keys, SMALL, harvester)
    fit.n_done = 1
    fit.save(path)
    for game, n_done in zip(kinds, (1, 0, 0), strict=True):
        other = Fit([game], keys, SMALL, harvester)
        other.resume(path, lambda text: None)
        assert other.n_done == n_done


def test_a_model_says_what_it_was_learnt_from():
    """The digest is that of the games, in any order, learnt from or held out; sources are as they are given."""
    games = random_games(12)
    settings = Settings(min_seen=2, held_out=0.2, epochs=1)
    about = learn_model(games, settings, sources=["games"]).model.about
    assert about["sources"] == ["games"]
    assert len(about["games_digest"]) == 16
    same = learn_model(games[::-1], replace(settings, seed=2), sources=map(str, range(1000))).model.about
    assert same["games_digest"] == about["games_digest"]
    assert len(same["sources"]) == move_model.MOST_SOURCES
    other = learn_model([*games[1:], games[1]], settings).model.about
    assert other["games_digest"] != about["games_digest"]


def test_learning_needs_no_model_that_fits_the_features(monkeypatch):
    """When features change, models of the features before are refused; a new one must still be learnt."""

    def refuse(path, features):
        raise ConfigError(f"{path}: is of other features")

    model.model_of.cache_clear()
    monkeypatch.setattr(model, "load_model", refuse)
    with pytest.raises(ConfigError, match="of other features"):
        GoPolicy().to_record()
    assert learn_model(random_games(8), Settings(min_seen=2, held_out=0.2, epochs=1)).n_moves > 0


def test_too_few_games_are_refused():
    games = random_games(12)
    with pytest.raises(ConfigError, match="1 games: at least two are needed"):
        learn_model(games[:1], SMALL)
    with pytest.raises(ConfigError, match="no moves to learn from"):
        learn_model([GameRecord("go", 9, 0.0)] * 3, SMALL)
    with pytest.raises(ConfigError, match="shape"):
        learn_model(games, Settings(min_seen=100_000))


def test_held_out_games_without_moves_are_no_test():
    games = random_games(20)
    held_out = {id(games[i]) for i in move_model.generator(1, "games").permutation(20)[:4]}
    empty = [GameRecord("go", 5, 7.5) if id(game) in held_out else game for game in games]
    with pytest.raises(ConfigError, match="held"):
        learn_model(empty, SMALL)


def test_the_shapes_seen_most_are_kept():
    training, _ = split(random_games(40), SMALL)
    found, every = (
        count_shapes(training, Settings(min_seen=3, max_shapes=n), Harvester(), lambda text: None) for n in (100, 10**6)
    )
    assert len(found) == 100 < len(every)
    assert found.tolist() == every[:100].tolist()
    assert 0 not in every
    assert len(set(every.tolist())) == len(every)


def test_a_fit_without_factors_has_none():
    found = learn_model(random_games(8), Settings(min_seen=2, held_out=0.2, epochs=1, factor_step=0)).model
    assert (found.rows[:, 1:] == 0).all()


def test_skipped_moves_are_not_learnt():
    found = learn_model(random_games(20), Settings(min_seen=2, held_out=0.2, epochs=1, skip=12))
    assert found.judged.numbers.min() == 13
    assert 0 < found.n_moves <= 16 * 8


@pytest.mark.slow
def test_every_group_of_features_is_fitted():
    used = np.array([FEATURES.used_by([group]) for group in FEATURES.groups])
    assert (used.sum(axis=0) == 1).all()
    found = by_group(random_games(20), SMALL)
    assert [name.removeprefix("+ ") for name, _ in found] == list(FEATURES.groups)
    assert found[-1][1].log_likelihood > found[0][1].log_likelihood
