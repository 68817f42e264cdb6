"""Experiments that play matches: small, real, and resumed from their ledger."""

import signal
from collections import Counter

import pytest
from tools.tune_go import UNITS, first_values, player, value

from semeai.errors import ConfigError
from semeai.experiments import ablation, scaling, speed
from semeai.experiments.catalog import EXPERIMENTS
from semeai.experiments.figure import draw
from semeai.experiments.matches import STOPPING, MatchTeller, Pairing, play_all
from semeai.games.catalog import new_position
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.catalog import parse_spec
from semeai.table import Chart, Curve


@pytest.mark.slow
def test_scaling_shows_both_columns_and_takes_played_games_from_the_ledger(tmp_path):
    told = []
    options = dict(games=4, size=(5,), simulations=(10, 20), workers=1, ledger=str(tmp_path / "e.db"))
    [table] = scaling.GO.run(**options, progress=told.append)
    assert [row[0] for row in table.rows] == [10, 20]
    assert all(row[3] == 4 for row in table.rows)
    assert "paper" in " ".join(table.columns)
    again = scaling.GO.run(**options)
    assert again == [table]
    pictures = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for picture in pictures:
        draw(table.charts, picture)
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    assert b"<svg" in pictures[0].read_bytes()


def test_ctrl_c_during_the_last_games_of_a_row_ends_the_experiment(tmp_path, monkeypatch):
    rows = [Pairing(label, "random", "random", MatchSettings(size=3)) for label in ("first", "second")]
    told = []

    def press_once(self, driver):
        if not driver.stopping:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(MatchTeller, "progress", press_once)
    with pytest.raises(KeyboardInterrupt):
        play_all(rows, 2, workers=1, ledger=str(tmp_path / "e.db"), progress=told.append)
    assert told == ["first (1 of 2): 2 games …", STOPPING, "stopped in first (1 of 2); the same command resumes"]
    monkeypatch.undo()
    first, second = play_all(rows, 2, workers=1, ledger=str(tmp_path / "e.db"))
    assert first.n_games == second.n_games == 2


def test_a_chart_shows_ours_beside_the_papers():
    tallies = [Tally(levels=Counter({1000: 6, 0: 4}))] * 4
    chart = scaling.HAVANNAH._chart(5, (50, 500), tallies)
    assert [(curve.label, curve.measured) for curve in chart.curves] == [
        ("fast", True), ("fast (paper)", False), ("slow", True), ("slow (paper)", False),
    ]  # fmt: skip
    ours, papers = chart.curves[:2]
    assert [point[:2] for point in ours.points] == [(50, 60), (500, 60)]
    assert [point[:2] for point in papers.points] == [(50, 68.6), (500, 63.57)]


def test_what_cannot_be_drawn_is_said(tmp_path):
    with pytest.raises(ConfigError, match="no curves"):
        draw([], tmp_path / "a.svg")
    chart = Chart("", "x", "y", (Curve("", ((1.0, 2.0, 1.0, 3.0),)),))
    with pytest.raises(ConfigError, match=r"a\.xyz"):
        draw([chart], tmp_path / "a.xyz")
    with pytest.raises(ConfigError, match="nowhere"):
        draw([chart], tmp_path / "nowhere" / "a.svg")


def test_the_papers_column_stands_beside_its_cells():
    assert scaling.GO.kinds[0].paper_cell(9, 1_000).startswith("71.1")
    assert scaling.GO.kinds[0].paper_cell(19, 256_000).startswith("58.5")


def test_every_ablation_is_a_player_that_exists():
    for table in (ablation.GO, ablation.HAVANNAH):
        for _, change in table.changes:
            parse_spec(table.player(change, 5), game=table.game)


def what_is_searched(words):
    """What a player finds at each of its first four moves, the same player for both sides."""
    player, found = parse_spec(words).make(), []
    player.start(new_position("go", 9), seed=1)
    for _ in range(4):
        choice = player.choose()
        lines = sorted((line.move, line.visits, line.win_rate) for line in player.report())
        found.append((choice.move, choice.simulations, lines))
        player.observe(choice.move)
    return found


def test_every_ablation_of_go_changes_what_the_default_player_finds():
    default = what_is_searched(ablation.GO.player("default", 250))
    assert what_is_searched(ablation.GO.player("default", 250)) == default
    for label, change in ablation.GO.changes:
        assert what_is_searched(ablation.GO.player(change, 250)) != default, label


def test_every_tuned_constant_changes_what_the_default_player_finds():
    first = first_values()
    default = what_is_searched(player(first, dict.fromkeys(UNITS, 0.0), 250))
    for name in UNITS:
        for units in (-3, 3):
            if value(name, first[name], units) != first[name]:
                moved = {**dict.fromkeys(UNITS, 0.0), name: units}
                assert what_is_searched(player(first, moved, 250)) != default, (name, units)


@pytest.mark.slow
def test_speed_has_a_row_a_size_and_positive_rates():
    [table] = speed.run(size=(5,), seconds=0.05)
    [row] = table.rows
    assert row[0] == "go 5x5"
    assert all(rate > 0 for rate in row[1:])


def test_an_option_that_means_nothing_is_refused():
    with pytest.raises(ConfigError, match="'guarantee' has no option --games"):
        EXPERIMENTS["guarantee"].checked({"games": 4, "races": None})
    with pytest.raises(ConfigError, match="havannah is played on sizes 2 to 10, not 11"):
        EXPERIMENTS["scaling-havannah"].checked({"size": (5, 11)})
    assert EXPERIMENTS["scaling-go"].checked({"size": (9, 11)}) == {"size": (9, 11)}
