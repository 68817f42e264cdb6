"""Experiments that play: small, real, and resumed from their ledger."""

import pytest

from semeai.errors import ConfigError
from semeai.experiments import ablation, scaling, speed
from semeai.experiments.catalog import EXPERIMENTS


def test_scaling_shows_both_columns_and_takes_played_games_from_the_ledger(tmp_path):
    told = []
    options = dict(games=4, size=(5,), simulations=(10, 20), workers=1, ledger=str(tmp_path / "e.db"))
    [table] = scaling.GO.run(**options, progress=told.append)
    assert [row[0] for row in table.rows] == [10, 20]
    assert all(row[3] == 4 for row in table.rows)
    assert "the paper" in " ".join(table.columns)
    again = scaling.GO.run(**options)
    assert again == [table]


def test_the_papers_column_stands_beside_its_cells():
    assert scaling.GO.kinds[0].paper_cell(9, 1_000).startswith("71.1")
    assert scaling.GO.kinds[0].paper_cell(19, 256_000).startswith("58.5")


def test_every_ablation_is_a_player_that_exists():
    from semeai.players.catalog import parse_spec

    for table in (ablation.GO, ablation.HAVANNAH):
        for _, change in table.changes:
            parse_spec(table.player(change, 5), game=table.game)


def test_speed_has_a_row_a_size_and_positive_rates():
    [table] = speed.run(size=(5,), seconds=0.05)
    [row] = table.rows
    assert row[0] == "go 5x5"
    assert all(rate > 0 for rate in row[1:])


def test_an_option_that_means_nothing_is_refused():
    with pytest.raises(ConfigError, match="'guarantee' has no option --games"):
        EXPERIMENTS["guarantee"].checked({"games": 4, "races": None})
