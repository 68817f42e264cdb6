import pytest

from semeai.errors import ConfigError
from semeai.games.catalog import GAMES, game_named, new_position
from semeai.match.pair import draw_opening as opening_position
from semeai.match.settings import MatchSettings
from semeai.models import checked


def draw_opening(settings, seed):
    return [move for _, move in opening_position(settings, seed).moves]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sise": 9}, "sise: unknown key; did you mean 'size'?"),
        ({"game": "goe"}, "no game 'goe': did you mean 'go'?"),
        ({"size": 1}, "go is played on sizes 2 to 25, not 1"),
        ({"komi": "much"}, "komi: must be a number, not 'much'"),
        ({"openings": [["E5", "E5"]]}, r"openings\[0\]: E5 is occupied"),
        ({"openings": ["C3 T19"]}, r"openings\[0\]: 'T19' is no point of a 9x9 board"),
        ({"openings": ["pass pass"]}, r"openings\[0\]: the game is over after it"),
        ({"move_limit": 0}, "move_limit: must be at least 1, not 0"),
        ({"scoring": "japanese"}, "scoring: 'japanese' is unknown; known: agreed, area"),
    ],
)
def test_one_sentence_for_a_mistake(values, words):
    with pytest.raises(ConfigError, match=words):
        checked(MatchSettings, values)


def test_the_games():
    assert game_named("go").default_size in game_named("go").sizes
    for name in GAMES:
        position = new_position(name)
        assert (position.game, position.size) == (name, game_named(name).default_size)
    assert new_position("go", 5, 0.5).komi == 0.5


def test_move_limit_by_default():
    assert MatchSettings(size=5).most_moves == 75
    assert MatchSettings(size=5, move_limit=7).most_moves == 7


def test_openings_are_drawn_from_the_seed():
    settings = MatchSettings(size=5, opening_moves=4)
    drawn = [tuple(draw_opening(settings, seed)) for seed in range(20)]
    assert drawn == [tuple(draw_opening(settings, seed)) for seed in range(20)]
    assert len(set(drawn)) > 15
    assert {len(opening) for opening in drawn} == {4}
    assert draw_opening(MatchSettings(size=5), 1) == []


def test_openings_from_a_list_and_random_moves_after_them():
    settings = MatchSettings(size=5, openings=["C3 C4", ("B2",)], opening_moves=1)
    position = new_position("go", 5)
    first = {draw_opening(settings, seed)[0] for seed in range(20)}
    assert first == {position.text_to_move("C3"), position.text_to_move("B2")}
    assert {len(draw_opening(settings, seed)) for seed in range(20)} == {2, 3}


def test_an_opening_does_not_end_the_game():
    """On the smallest board random moves run out soon."""
    settings = MatchSettings(size=2, opening_moves=200, move_limit=300)
    for seed in range(5):
        position = new_position("go", 2)
        for move in draw_opening(settings, seed):
            position.play(move)
        assert not position.is_over
