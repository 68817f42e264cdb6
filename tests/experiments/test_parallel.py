"""The tables of parallel search: small, real, and with the paper's figures."""

from dataclasses import replace

import pytest

from semeai.experiments import parallel, parallel_ranks
from semeai.players.catalog import parse_spec


@pytest.mark.slow
def test_a_table_of_ranks_is_played_and_resumed(tmp_path):
    small = replace(parallel.HAVANNAH_VOTING, rows=parallel.HAVANNAH_VOTING.rows[1:])
    options = dict(games=2, size=(3,), simulations=(4,), workers=1, ledger=str(tmp_path / "e.db"))
    [table] = small.run(**options)
    assert table.rows[0][0] == "slow_tree against voting"
    assert table.rows[0][-1] == 2
    assert small.run(**options) == [table]


@pytest.mark.slow
def test_ranks_and_volume(tmp_path):
    study = replace(parallel_ranks.GO, ranks=(2, 64))
    [table] = study.run(games=2, size=(5,), simulations=(6,), workers=1, ledger=str(tmp_path / "e.db"))
    assert [row[0] for row in table.rows] == [2, 64]
    assert all(row[2] >= 8 * 4 * 25 for row in table.rows)
    assert table.rows[1][3] == 2 * 63 * table.rows[1][2]


def test_the_papers_figures_stand_beside_their_rows():
    rows = {row.label: row for row in parallel.GO.rows}
    assert rows["32 against 1"].paper == {9: "75.85 ± 2.49%", 19: "95.10 ± 1.37%"}
    assert rows["32 against 32"].paper[19].startswith("48.00")
    assert [row.paper[9] for row in parallel.GO_VOTING.rows] == ["63.6 ± 4.6%"] * 2
    assert [row.times for row in parallel.GO_DEPTH.rows] == [1, 2, 4, 8]


@pytest.mark.parametrize("table", [parallel.GO, parallel.GO_VOTING, parallel.GO_DEPTH, parallel.HAVANNAH])
def test_every_player_of_a_table_exists(table):
    for pairing in table.pairings(9, 200):
        for words in (pairing.a, pairing.b):
            assert parse_spec(words, game=table.game).kind == "mcts"
