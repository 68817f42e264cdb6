"""Harvesting, fitting and measuring on known data; and learning from start to end."""

from collections import Counter

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games.go.database import database_values
from semeai.games.go.kernels.neighbourhoods import N_SIZES
from semeai.games.go.position import GoPosition
from semeai.games.go.sgf import write_sgf
from semeai.games.record import GameRecord
from semeai.learn.accuracy import measure
from semeai.learn.bradley_terry import Model
from semeai.learn.competitions import Competitions
from semeai.learn.games import find_files, read_games
from semeai.learn.harvest import UNKNOWN, PatternTree, harvest
from semeai.learn.learn import Settings, learn, split


def random_games(n, size=5, seed=1, length=20):
    """Games in which a move beside the last one is most likely: there is something to learn."""
    draw, games = np.random.default_rng(seed), []
    for _ in range(n):
        position, last = GoPosition(size), 0
        for _ in range(length):
            points = position.sensible_moves()
            near = [p for p in points if abs(int(p) - last) in (1, size + 1)]
            last = int(draw.choice(near if near and draw.random() < 0.7 else points))
            position.play(last)
            if last == 0:
                break
        games.append(GameRecord("go", size, 7.5, tuple(position.moves)))
    return games


def test_planted_strengths_are_found_again():
    """Competitions that are drawn by known gammas of two sizes of patterns, the larger ones inside the smaller ones."""
    draw = np.random.default_rng(4)
    small, large = 6, 18
    parents = np.concatenate([[0] * (1 + small), 1 + np.arange(large) // 3])
    sizes = np.repeat([-1, 0, 1], [1, small, large])
    tree = PatternTree(np.arange(1 + small + large).astype(np.uint64), sizes, parents, np.zeros(len(sizes), np.int64))
    planted = draw.normal(0, 0.5, len(sizes))
    planted[UNKNOWN] = 0
    planted[1:] += planted[parents[1:]]
    leaves = draw.integers(0, len(sizes), (20_000, 8))
    noisy = planted[leaves] + draw.gumbel(size=leaves.shape)  # the largest is drawn with its share of all strengths
    winners = noisy.argmax(axis=1) + 8 * np.arange(len(leaves))
    starts = 8 * np.arange(len(leaves) + 1)
    likelihoods = []
    model = Model(tree, prior=0.5)
    model.fit(leaves.ravel(), starts, winners, 2, 300, 1e-8, lambda sweep, value: likelihoods.append(value))
    assert np.all(np.diff(likelihoods) > -1e-12)
    wins = np.bincount(leaves.ravel()[winners])
    errors = (model.weights - model.weights.mean()) - (planted - planted.mean())
    assert (np.abs(errors) < 4 / np.sqrt(wins)).all()  # four standard deviations of a logarithm of counts
    assert np.abs(errors).mean() < 0.06


def test_a_prior_keeps_rare_patterns_near_what_they_lie_in():
    tree = PatternTree(np.arange(3).astype(np.uint64), np.array([-1, 0, 1]), np.array([0, 0, 1]), np.ones(3, np.int64))
    leaves, starts, winners = np.array([2, 0, 1, 0, 1, 0]), np.array([0, 2, 4, 6]), np.array([0, 2, 4])
    weak, strong = Model(tree, 0.1), Model(tree, 10.0)
    weak.fit(leaves, starts, winners)
    strong.fit(leaves, starts, winners)
    assert 1 < strong.gammas[2] < 1.2 < weak.gammas[2]
    assert strong.weights[2] > strong.weights[1] > 0


def test_harvest_keeps_what_was_seen_often_enough():
    games = Competitions.of_games(random_games(12))
    tree, leaves = harvest(games, 8)
    expected = {}
    for size in range(N_SIZES):
        expected |= {key: n for key, n in Counter(games.keys(size).tolist()).items() if n >= 8}
    assert dict(zip(tree.keys[1:].tolist(), tree.seen[1:].tolist(), strict=True)) == expected
    assert (tree.sizes[tree.parents[1:]] == tree.sizes[1:] - 1).all()
    assert (tree.find(games) == leaves).all()
    assert (np.bincount(leaves, minlength=len(tree.keys)) <= tree.seen).all()
    fewer, their_leaves = harvest(games, 8, most=50)
    assert 20 < len(fewer) <= 50
    assert fewer.seen[1:].min() > sorted(tree.seen[1:])[-51]
    assert (fewer.find(games) == their_leaves).all()


def test_accuracy_of_known_ranks_and_ties():
    games = Competitions(
        np.array([2, 2]), np.zeros(8, np.uint8), np.zeros(8, np.int64), np.array([0, 4, 8]), np.array([1, 6])
    )
    weights = np.log([1.0, 2.0, 3.0])
    found = measure(games, np.array([0, 1, 2, 0, 1, 0, 1, 1]), weights)
    assert found.n_moves == 2
    assert found.first == pytest.approx((0 + 1 / 3) / 2)
    assert found.among_first == 1
    assert found.mean_rank == pytest.approx((2 + 2) / 2)
    assert found.log_likelihood == pytest.approx(np.log(2 / 7 * 2 / 7) / 2)


def test_the_same_games_give_the_same_database_and_it_predicts():
    games = random_games(60)
    settings = Settings(min_seen=5, held_out=0.2)
    one, two = learn(games, settings), learn(games, settings)
    assert one.database.digest == two.database.digest
    assert (one.n_games, one.n_held_out) == (48, 12)
    assert all(row.log_likelihood > one.uniform.log_likelihood + 0.3 for row in one.by_size)
    assert one.by_size[-1].first > 2 * one.uniform.first
    assert one.by_size[-1].mean_rank < one.uniform.mean_rank
    assert learn(games, Settings(min_seen=5, held_out=0.2, seed=2)).database.digest != one.database.digest
    # What a search sees is what was fitted:
    position = GoPosition(5)
    position.play(position.text_to_move("C3"))
    moves = [int(m) for m in position.sensible_moves()]
    near = [abs(m - position.moves[0][1]) in (1, 6) for m in moves]
    values = database_values(position.states, one.database, moves)
    assert values.max() == 1
    assert values[near].min() > values[np.logical_not(near)].max()


def test_patterns_reach_no_farther_than_the_distance_asked_for():
    games = random_games(12)
    found = learn(games, Settings(min_seen=5, held_out=0.2, distance=5))
    assert found.database.about["distances"] == [3, 4, 5]
    assert len(found.by_size) == 3
    assert set(found.database.sizes.tolist()) == {0, 1, 2}


def test_random_openings_and_too_many_positions_are_left_out():
    games = random_games(10)
    assert len(Competitions.of_games(games, 15)) == sum(move != 0 for game in games for _, move in game.moves[15:])
    training, held_out = split(games, Settings(max_positions=100))
    assert len(training) + len(held_out) == 5
    with pytest.raises(ConfigError, match="1 games: at least two are needed"):
        learn(games[:1], Settings())
    with pytest.raises(ConfigError, match="no neighbourhood was seen 100000 times"):
        learn(games, Settings(min_seen=100_000))
    with pytest.raises(ConfigError, match="no moves to learn from"):
        learn([GameRecord("go", 9, 0.0)] * 3, Settings())


def test_broken_files_are_named_and_the_others_read(tmp_path):
    good = write_sgf(random_games(1)[0])
    (tmp_path / "a.sgf").write_text(good)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.SGF").write_text(good)
    (tmp_path / "bad.sgf").write_text("(;GM[1]SZ[9];B[zz])")
    (tmp_path / "illegal.sgf").write_text("(;GM[1]SZ[9];B[aa];W[aa])")
    (tmp_path / "notes.txt").write_text("no game")
    paths = find_files([tmp_path, tmp_path / "none.sgf"])
    assert [p.name for p in paths] == ["a.sgf", "bad.sgf", "illegal.sgf", "b.SGF", "none.sgf"]
    files = read_games(paths)
    assert len(files.games) == 2
    bad, illegal, none = files.refused
    assert "bad.sgf has B[zz] as move 1" in bad
    assert "illegal.sgf, move 2 of W: A9 is occupied" in illegal
    assert none.endswith("none.sgf: cannot be read: No such file or directory")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"empty: there is no .sgf file"):
        find_files([tmp_path / "empty"])
