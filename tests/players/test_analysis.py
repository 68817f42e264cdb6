"""Searching a position from Python."""

import pytest

from semeai import make_player, new_position, search_position
from semeai.errors import ConfigError


def test_the_reports_are_those_of_a_player_that_searched_it():
    position = new_position("go", 5)
    position.play(position.text_to_move("C3"))
    found = search_position(position, "mcts:rave", simulations=50, seed=3)
    assert found == search_position(position, {"player": "mcts:rave", "simulations": 50}, seed=3)
    assert sum(report.visits for report in found) == 50
    assert [report.visits for report in found] == sorted((report.visits for report in found), reverse=True)
    player = make_player("mcts:rave,simulations=50")
    player.start(position, 3)
    assert player.choose().move == found[0].move
    player.close()


def test_a_finished_game_has_no_moves_and_only_mcts_players_search():
    position = new_position("go", 5)
    for _ in range(2):
        position.play(position.text_to_move("pass"))
    assert search_position(position, simulations=10) == []
    with pytest.raises(ConfigError, match="only mcts players search, not 'random'"):
        search_position(position, "random")
