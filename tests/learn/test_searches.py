"""Learning what deep searches prefer: known visits, the file of searches, a stop, and a model to start from."""

import json
from dataclasses import replace

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games.go.kernels.features import N_KEYS, N_SLOTS
from semeai.games.go.model import FEATURES
from semeai.games.go.position import GoPosition
from semeai.games.record import GameRecord
from semeai.learn.examples import GameMoves, Harvester
from semeai.learn.logit import ShapeNumbers, Weights
from semeai.learn.move_model import Fit, Settings, learn_model, split
from semeai.learn.searches import SearchSettings, chosen_positions, read_searches, search_games, searcher
from semeai.players.catalog import parse_spec
from semeai.runs.run import Observer, Place
from tests.learn.test_learn import random_games

SMALL = Settings(min_seen=5, held_out=0.2, epochs=2)
INLINE = Place(None, "inline", 1)


def small_searcher(simulations=20, words="mcts:rave,memory_mb=1"):
    return SearchSettings(searcher(parse_spec(words, None, "go"), simulations), per_game=2, seed=3)


def visits_of(games, draw, n=3):
    """Visits that a search could have, for a few positions of each game."""
    found = []
    for game in games:
        numbers = sorted(draw.choice(len(game.moves) - 2, n, replace=False).tolist())
        found.append({})
        for number in numbers:
            position = GoPosition(game.size)
            for _, move in game.moves[:number]:
                position.play(move)
            points = draw.choice([p for p in position.legal_moves() if p], 3, replace=False).tolist()
            found[-1][number] = dict(zip(points, (60, 30, 10), strict=True))
    return found


def test_targets_are_the_shares_of_the_visits():
    games = random_games(4)
    visits = visits_of(games, np.random.default_rng(1))
    moves = [GameMoves.of_record(game, found) for game, found in zip(games, visits, strict=True)]
    takes = [game.takes(0) for game in moves]
    assert [take.nonzero()[0].tolist() for take in takes] == [sorted(found) for found in visits]
    examples = Harvester().harvest(moves, takes)
    assert len(examples) == 12
    assert examples.numbers.tolist() == [number + 1 for found in visits for number in sorted(found)]
    plain = Harvester().harvest([GameMoves.of_record(game) for game in games], takes)
    assert (plain.ids == examples.ids).all()
    for i in range(12):
        here = examples.targets[examples.starts[i] : examples.starts[i + 1]]
        assert sorted(here[here > 0].tolist()) == pytest.approx([0.1, 0.3, 0.6])
        assert examples.targets[examples.winners[i]] == pytest.approx(0.6)
        assert plain.targets[plain.winners[i]] == 1
        assert plain.targets[plain.starts[i] : plain.starts[i + 1]].sum() == 1
    assert moves[0].takes(99).sum() == 0
    assert not moves[0].teaches(99)


def test_a_share_is_learnt_as_if_the_point_were_played_so_often():
    """The gradient of the shares 3/4 and 1/4 is the mean gradient of four games that play the points so often."""
    game = random_games(1)[0]
    shared = visits_of([game], np.random.default_rng(2), n=1)[0]
    number, points = next(iter(shared.items()))
    one, two, _ = points
    harvester = Harvester()

    def judged(visits):
        moves = GameMoves.of_record(game, {number: visits})
        examples = harvester.harvest([moves], [moves.takes(0)])
        weights = Weights.first(FEATURES, 0, seed=1)
        found = ShapeNumbers(np.zeros(0, np.uint32), FEATURES).find(examples)
        return weights.judge(examples, found, np.ones(N_SLOTS + N_KEYS, np.bool_))

    first, second, both = judged({one: 8}), judged({two: 8}), judged({one: 30, two: 10})
    expected = 0.75 * first.log_likelihood + 0.25 * second.log_likelihood
    assert both.log_likelihood == pytest.approx(expected)
    assert both.bins[:, :2].tolist() == first.bins[:, :2].tolist()
    assert both.bins[:, 2] == pytest.approx(0.75 * first.bins[:, 2] + 0.25 * second.bins[:, 2])


@pytest.mark.slow
def test_a_model_learns_what_the_searches_prefer():
    """Searches that always like a corner, where the games do not play: the model follows the searches."""
    games = random_games(60)
    draw, visits = np.random.default_rng(5), []
    for game in games:
        visits.append({})
        position = GoPosition(game.size)
        for number, (_, move) in enumerate(game.moves):
            others = [p for p in position.legal_moves() if p not in (0, move)]
            corners = [p for p in others if p in (7, 11, 31, 35)]
            if move and others:
                visits[-1][number] = {int(draw.choice(others)): 9, move: 1, int(draw.choice(corners or others)): 90}
            position.play(move)
    played, searched = learn_model(games, SMALL), learn_model(games, SMALL, visits=visits)
    assert searched.model.about["targets"] == "visits"
    assert searched.model.about["start"] is None
    _, held_out = split(games, SMALL, visits)
    by_moves = Fit([], played.model.keys, SMALL, Harvester(), start=played.model).judge(held_out)
    assert searched.judged.log_likelihood > by_moves.log_likelihood + 0.8
    assert searched.judged.top(4) > by_moves.top(4) + 0.4


def test_a_model_to_start_from_keeps_what_it_knows_and_moves_slowly():
    games = random_games(30)
    first = learn_model(games, SMALL).model
    again = learn_model(random_games(30, seed=9), SMALL, start=first)
    assert again.model.about["start"] == first.digest
    assert np.isin(first.keys, again.model.keys).all()
    fresh = learn_model(random_games(30, seed=9), SMALL).model
    change, whole = (np.abs(rows[:, 0] - first.rows[:, 0]).mean() for rows in (again.model.rows, fresh.rows))
    assert 0 < change < 0.7 * whole
    _, held_out = split(games, SMALL)
    unchanged = Fit([], first.keys, SMALL, Harvester(), start=first).judge(held_out)
    assert unchanged.log_likelihood == pytest.approx(learn_model(games, SMALL).judged.log_likelihood, abs=1e-4)


def test_a_checkpoint_belongs_to_its_start_and_visits(tmp_path):
    games, path, lines = random_games(20), tmp_path / "model.part", []
    first = learn_model(games, SMALL, path).model
    visits = visits_of(games, np.random.default_rng(1))
    others = [{number: {8: 1} for number in found} for found in visits]
    kinds = [{"visits": visits}, {"visits": others}, {"start": first}, {"visits": visits, "start": first}]
    for kind in kinds:
        lines.clear()
        learn_model(games, replace(SMALL, min_seen=2), path, lines.append, **kind)
        assert any("is the checkpoint of another fit" in line for line in lines), kind


def test_searches_are_kept_and_made_once(tmp_path):
    games, path, settings = random_games(3, length=12), tmp_path / "searches", small_searcher()
    seen = []

    class Watcher(Observer):
        def start(self, driver):
            seen.append(len(driver.tasks))

    stopped, visits = search_games(games, settings, path, INLINE, Watcher())
    assert not stopped
    assert [sorted(found) for found in visits] == [sorted(keys) for keys in chosen_positions(games, settings)]
    for game, found in zip(games, visits, strict=True):
        for number, counts in found.items():
            position = GoPosition(game.size)
            for _, move in game.moves[:number]:
                position.play(move)
            assert set(counts) <= {int(p) for p in position.legal_moves()} - {0}
            assert 0 < sum(counts.values()) <= 20
    whole = path.read_text()
    assert search_games(games, settings, path, INLINE, Watcher()) == (False, visits)
    assert path.read_text() == whole
    path.write_text(whole[:-5])  # the program was killed while it wrote the last line
    assert search_games(games, settings, path, INLINE, Watcher())[1] == visits
    more = search_games([*random_games(2, seed=7, length=12), *games], settings, path, INLINE, Watcher())[1]
    assert more[2:] == visits
    assert seen == [6, 1, 4]


def test_a_stop_loses_no_search(tmp_path):
    games, path, settings = random_games(3, length=12), tmp_path / "searches", small_searcher()

    class Stopper(Observer):
        def progress(self, driver):
            if driver.n_new == 2:
                driver.stop()

    stopped, visits = search_games(games, settings, path, INLINE, Stopper())
    assert stopped
    assert 2 <= sum(map(len, visits)) < 6
    expected = search_games(games, settings, tmp_path / "other", INLINE)[1]
    assert search_games(games, settings, path, INLINE) == (False, expected)
    assert len(path.read_text().splitlines()) == 7


def test_searches_of_another_player_and_broken_files_are_refused(tmp_path):
    games, path, settings = random_games(2, length=8), tmp_path / "searches", small_searcher()
    search_games(games, settings, path, INLINE)
    assert len(read_searches(path, settings)) == 4
    for other in (small_searcher(30), replace(settings, seed=4)):
        with pytest.raises(ConfigError, match="has searches of another player or seed"):
            read_searches(path, other)
    for text in ("", "x\n", "{}\n", "[]\n", path.read_text() + '{"position": 1}\n'):
        path.write_text(text)
        with pytest.raises(ConfigError, match="is no file of searches"):
            read_searches(path, settings)
    with pytest.raises(ConfigError, match="does not tell its visits"):
        searcher(parse_spec("random", None, "go"), 10)


def test_positions_of_a_player_out_of_turn_are_left_out():
    moves = ((0, 8), (0, 9), (1, 14), (0, 15), (0, 16))
    game = GameRecord("go", 5, 7.5, moves)
    settings = replace(small_searcher(), per_game=9)
    assert sorted(chosen_positions([game], settings)[0]) == [0, 2, 3]
    assert sorted(chosen_positions([game], replace(settings, skip=1))[0]) == [2, 3]
    assert json.dumps(chosen_positions([game], settings)) == json.dumps(chosen_positions([game, game], settings)[:1])
