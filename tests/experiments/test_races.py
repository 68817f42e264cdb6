"""The experiments on capturing races: small, real, and the same each time."""

from dataclasses import replace

import pytest

from semeai.errors import ConfigError
from semeai.experiments.catalog import experiment_named
from semeai.experiments.race_coverage import run as coverage
from semeai.experiments.race_games import RacePosition, opening_moves, spread_evenly
from semeai.experiments.race_strength import is_large
from semeai.experiments.races import VERSIONS, run_races, words
from semeai.games.catalog import game_named
from semeai.games.go.game import GAME
from semeai.games.go.races import races_of
from semeai.games.record import GameRecord
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec


def test_every_version_is_a_player():
    labels = [parse_spec(words(version, 100), game="go").label for version in VERSIONS]
    assert len(set(labels)) == len(VERSIONS)


@pytest.mark.slow
def test_table_3_has_a_row_per_version_and_splits_the_bad_moves():
    [table] = run_races(simulations=(30,), runs=2, size=(9,), workers=1, executor="inline")
    assert [row[0] for row in table.rows] == [version.label for version in VERSIONS]
    for row in table.rows:
        for good, bad in ((row[1], row[2]), (row[4], row[5])):
            share = float(str(good).split("%")[0]) / 100
            in_race, elsewhere = map(int, str(bad).split(" / "))
            assert round(2 * share) + in_race + elsewhere == 2
    assert sum(name.endswith("MoGo (paper)") for name in table.columns) == 2
    assert len(set(table.columns)) == len(table.columns)


@pytest.mark.slow
def test_coverage_reads_games_from_a_folder(tmp_path):
    board = GAME.new_position(9)
    for move in board.sensible_moves()[:30]:
        board.play(int(move))
    record = GameRecord("go", 9, 7.5, tuple(board.moves))
    (tmp_path / "a.sgf").write_text(game_named("go").write_record(record))
    table, by_size = coverage(tmp_path, games=1, size=(), simulations=(20,), workers=1, executor="inline")
    assert [row[1] for row in table.rows] == [2]
    assert [str(cell).split("%")[0] for cell in by_size.rows[0][1:2]] == [str(table.rows[0][3]).split("%")[0]]


def test_openings_are_moves_by_turns_from_black():
    board = GAME.new_position(9)
    points = [board.text_to_move(text) for text in ("E5", "D4", "C3")]
    record = GameRecord("go", 9, 7.5, tuple((i % 2, point) for i, point in enumerate(points)))
    assert opening_moves(record, 2) == ("E5", "D4")
    MatchSettings(openings=(opening_moves(record, 3),))
    assert opening_moves(GameRecord("go", 9, 7.5, ((0, points[0]), (0, points[1]))), 2) is None
    assert opening_moves(GameRecord("go", 9, 7.5, ((0, 0),)), 1) is None


def test_matches_begin_with_open_races_of_three_stones_or_more():
    board = GAME.new_position(9)
    rows = [".XX.OX.O.", "XXX.OX.OO", ".XX.OX.O.", *["XXXXOXOOO"] * 6]
    for player, stone in enumerate("XO"):
        board.place(player, [board.point(r, c) for r in range(9) for c in range(9) if rows[r][c] == stone])
    [race] = [race for race in races_of(board) if race.is_urgent]
    assert is_large(race)
    assert not is_large(replace(race, black_stones=2))
    assert not is_large(replace(race, white_first="black"))


def test_positions_are_spread_evenly():
    positions = [RacePosition(game, 20, ()) for game in range(10)]
    assert [p.game for p in spread_evenly(positions, 5)] == [0, 2, 4, 6, 8]
    assert spread_evenly(positions, 20) == positions
    assert spread_evenly([], 5) == []


def test_an_experiment_refuses_options_that_it_does_not_have():
    with pytest.raises(ConfigError, match="has no option --games, it has --runs"):
        experiment_named("semeai").checked({"games": 4})
