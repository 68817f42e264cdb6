"""A game that is not part of semeai: after one call that registers it, it is played like the others."""

import subprocess
import sys

import pytest

from semeai.errors import ConfigError
from semeai.games.catalog import GAMES, game_named, register_game
from semeai.gtp.dialects import DIALECTS, PlainDialect
from semeai.match.pair import play_pair
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.registry import origins
from tests.gtp.helpers import Talk
from tests.toy_game import ToyGame, registered


@pytest.fixture
def toy():
    with registered() as game:
        yield game


def test_the_game_is_found_by_its_name(toy):
    assert game_named("toy") is toy
    assert set(GAMES) == {"go", "havannah", "toy"}
    assert "tests.toy_game" in origins()  # workers import it too
    assert toy.bare_player == "mcts"


def test_without_registering_the_name_is_unknown():
    with pytest.raises(ConfigError, match="no game 'toi': did you mean 'toy'"), registered():
        game_named("toi")
    with pytest.raises(ConfigError, match="no game 'toy'"):
        game_named("toy")


@pytest.mark.parametrize("name", ["toy", "go"])
def test_a_second_game_of_the_same_name_is_refused(toy, name):
    second = ToyGame()
    second.name = name
    with pytest.raises(ConfigError, match=f"there is a game named '{name}' already"):
        register_game(second)
    assert game_named("toy") is toy


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [("default_size", 9, "default_size 9 is not in sizes"), ("colours", ("red", "blue"), "colours must be black and"),
     ("presets", {}, "presets have no 'default', only none")],
)  # fmt: skip
def test_a_game_that_makes_no_sense_is_refused(attribute, value, words):
    game = ToyGame()
    setattr(game, attribute, value)
    with pytest.raises(ConfigError, match=f"^game toy: {words}"):
        register_game(game)


def test_an_incomplete_game_is_refused(monkeypatch):
    monkeypatch.delattr(ToyGame, "endings")
    monkeypatch.delattr(ToyGame, "policy")
    with pytest.raises(ConfigError, match=r"^game ToyGame: missing endings, policy$"):
        register_game(ToyGame())


def test_mcts_plays_against_random(toy):
    a, b = (parse_spec(words, game="toy") for words in ("mcts:simulations=200,memory_mb=1", "random"))
    outcomes = play_pair(a, b, MatchSettings(game="toy"), seed=1)
    assert [outcome.reason for outcome in outcomes] == ["line", "line"]
    assert [outcome.reward for outcome in outcomes] == [1.0, 0.0]


def test_it_speaks_the_plain_dialect(toy):
    assert issubclass(DIALECTS["toy"], PlainDialect)
    talk = Talk(game="toy", size=2)
    assert talk.fails("genmove white") == "illegal move"
    for colour in ("black", "white", "black"):
        assert talk.ok(f"genmove {colour}") in ("A1", "A2", "B1", "B2", "a1", "a2", "b1", "b2")
    assert talk.fails("genmove white") == "game is over"
    talk.ok("undo")
    talk.ok("genmove black")


def test_games_are_listed_without_the_compiler():
    program = """
import sys
from semeai.games.catalog import GAMES
from semeai.gtp.dialects import DIALECTS
print(*GAMES, *(len(DIALECTS[game].commands) > 0 for game in GAMES), "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["go", "havannah", "True", "True", "False"]
