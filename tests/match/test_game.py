"""Games and pairs of games, also with players that misbehave."""

import sys
from pathlib import Path

import pytest

from semeai.errors import ConfigError
from semeai.games.go.sgf import read_sgf, write_sgf
from semeai.games.position import Position
from semeai.match.game import play_game
from semeai.match.pair import PairTask, play_pair
from semeai.match.player_cache import PlayerCache
from semeai.match.settings import MatchSettings
from semeai.players.base import Choice, Player
from semeai.players.catalog import make_player, parse_spec
from semeai.players.gtp import GtpPlayer
from semeai.players.random import RandomPlayer

ENGINES = Path(__file__).parent.parent / "engines.py"
SMALL = MatchSettings(size=5, komi=0.5)


class Scripted(Player):
    """Plays what it is given, then passes."""

    def __init__(self, *moves: str | None, dead: list[str] | None = None) -> None:
        self.name = "scripted"
        self._moves, self._dead = moves, dead

    def start(self, position: Position, seed: int) -> None:
        self._position, self._left = position, list(self._moves)
        self.seen: list[str] = []

    def choose(self) -> Choice:
        text = self._left.pop(0) if self._left else "pass"
        return Choice(None if text is None else self._position.text_to_move(text), "a comment", 0.5, 10, 1.0)

    def observe(self, move: int) -> None:
        self.seen.append(self._position.move_to_text(move))

    def dead_stones(self) -> list[int] | None:
        return None if self._dead is None else [self._position.text_to_move(text) for text in self._dead]


def engine(*behaviour, **options) -> GtpPlayer:
    return GtpPlayer([sys.executable, str(ENGINES), *map(str, behaviour)], " ".join(map(str, behaviour)), **options)


def test_two_passes_end_it_and_the_area_is_counted():
    black, white = Scripted("C3"), Scripted()
    outcome = play_game((black, white), SMALL, 1)
    assert (outcome.reward, outcome.reason, outcome.record.result) == (1, "score", "B+24.5")
    assert black.seen == white.seen == ["C3", "pass", "pass"]
    assert outcome.n_moves == 3
    assert outcome.cpu_seconds == (2.0, 1.0)
    assert outcome.simulations == (20, 10)


@pytest.mark.parametrize(
    ("opinions", "result"),
    [
        ((None, None), "W+0.5"),
        (([], []), "W+0.5"),
        ((["B2"], None), "B+24.5"),
        ((["B2"], ["B2"]), "B+24.5"),
        ((["B2"], []), "W+0.5"),
        ((["B2", "E5", "pass"], None), "B+24.5"),
    ],
)
def test_dead_stones_are_taken_off_where_players_agree(opinions, result):
    players = Scripted("C3", dead=opinions[0]), Scripted("B2", dead=opinions[1])
    assert play_game(players, SMALL, 1).record.result == result
    area = SMALL.model_copy(update={"scoring": "area"})
    assert play_game(players, area, 1).record.result == "W+0.5"


def test_a_draw():
    outcome = play_game((Scripted(), Scripted()), MatchSettings(size=5, komi=0), 1)
    assert (outcome.reward, outcome.record.result) == (0.5, "0")


def test_resigning():
    players = Scripted("C3", None), Scripted("B2", "B3")
    outcome = play_game(players, SMALL, 1)
    assert (outcome.reward, outcome.reason, outcome.record.result) == (0, "resign", "W+R")
    unyielding = play_game(players, SMALL.model_copy(update={"resign": False}), 1)
    assert (unyielding.reason, players[1].seen[2]) == ("score", "pass")


def test_the_referee_trusts_nobody():
    outcome = play_game((Scripted("C3"), Scripted("C3")), SMALL, 1)
    assert (outcome.reward, outcome.reason, outcome.record.result) == (1, "illegal move", "B+F")
    assert outcome.failure == "player 'scripted' played an illegal move: C3 is occupied"


def test_the_move_limit():
    outcome = play_game((RandomPlayer(), RandomPlayer()), MatchSettings(size=9, move_limit=11), 1)
    assert (outcome.reason, outcome.n_moves) == ("move limit", 11)
    assert outcome.record.result[:2] in ("B+", "W+")


@pytest.mark.parametrize(
    ("behaviour", "reason", "result"),
    [
        ("crash", "crash", "W+F"),
        ("hang", "timeout", "W+T"),
        ("illegal", "illegal move", "W+F"),
        ("garbage", "bad answer", "W+F"),
        ("refuses", "bad answer", "W+F"),
        ("resigns", "resign", "W+R"),
    ],
)
def test_an_engine_that_fails_loses_and_plays_the_next_game(behaviour, reason, result):
    bad = engine(behaviour, timeout=0.5 if behaviour == "hang" else 30)
    for _ in range(2):
        outcome = play_game((bad, RandomPlayer()), SMALL, 1)
        assert (outcome.reward, outcome.reason, outcome.record.result) == (0, reason, result)
        assert outcome.n_moves == 4
        assert not outcome.failed_to_start
        assert (outcome.stderr == "a stack trace\n") == (behaviour == "crash")
        assert (behaviour in outcome.failure) == (behaviour != "resigns")
    bad.close()


def test_an_engine_that_cannot_be_started_is_known_for_it():
    outcome = play_game((RandomPlayer(), engine("exits")), SMALL, 1)
    assert outcome.failed_to_start
    assert (outcome.reward, outcome.n_moves, outcome.reason) == (1, 0, "crash")
    assert "no licence" in outcome.stderr


def test_the_record_is_the_game():
    opening = SMALL.new_position()
    opening.play(opening.text_to_move("C3"))
    outcome = play_game((Scripted("B2"), Scripted("D4")), SMALL, 1, opening)
    assert outcome.n_moves == 5
    text = write_sgf(outcome.record)
    assert "PB[scripted]" in text
    assert "RE[" + outcome.record.result in text
    again = read_sgf(text.encode())
    assert list(again.moves) == list(outcome.record.moves)
    assert "a comment" in text


class TestPairs:
    def test_same_opening_colours_swapped_same_seed_same_games(self):
        settings = MatchSettings(size=5, opening_moves=3)
        a, b = parse_spec("random"), parse_spec("random")
        first, second = play_pair(a, b, settings, 7)
        assert [m for _, m in first.record.moves[:3]] == [m for _, m in second.record.moves[:3]]
        assert list(first.record.moves) != list(second.record.moves)
        again = play_pair(a, b, settings, 7)
        assert [list(o.record.moves) for o in again] == [list(first.record.moves), list(second.record.moves)]
        other = play_pair(a, b, settings, 8)
        assert list(other[0].record.moves) != list(first.record.moves)

    def test_rewards_are_those_of_a_whatever_its_colour(self):
        passer = parse_spec({"command": [sys.executable, str(ENGINES), "passes"]})
        games = PairTask(parse_spec("random"), passer, MatchSettings(size=5, komi=0.5), 3, 4).run().games
        assert [game.number for game in games] == [8, 9]
        assert [game.reward for game in games] == [1, 1]
        assert [game.result[0] for game in games] == ["B", "W"]
        assert {game.reason for game in games} <= {"score", "move limit"}
        assert all(game.sgf.startswith("(;") for game in games)

    def test_engines_are_kept_for_the_next_game_and_only_so_many(self):
        specs = [parse_spec({"command": [sys.executable, str(ENGINES), "passes", str(i)]}) for i in range(4)]
        with PlayerCache(limit=2) as players:
            play_pair(specs[0], specs[1], SMALL, 1, players)
            engine_of = players.take(specs[0], 0)._engine
            assert engine_of.is_open
            play_pair(specs[0], specs[1], SMALL, 2, players)
            assert players.take(specs[0], 0)._engine is engine_of
            play_pair(specs[2], specs[3], SMALL, 2, players)
            assert not engine_of.is_open
            last = players.take(specs[2], 0)._engine
        assert not last.is_open

    def test_a_player_can_play_itself(self):
        spec = parse_spec({"command": [sys.executable, str(ENGINES), "passes"]})
        assert {outcome.reason for outcome in play_pair(spec, spec, SMALL, 1)} == {"score"}


class TestCatalog:
    @pytest.mark.parametrize(
        ("spec", "words"),
        [
            ("randm", "no player 'randm': did you mean 'random'"),
            ("gtp:", "command is a list of texts"),
            ("gtp:'unbalanced", "No closing quotation"),
            ("gtp:no-such-engine --gtp", "no program 'no-such-engine' can be run here"),
            ("nothing.toml", "nothing.toml: cannot be read: No such file"),
            ({"player": "random", "x": 1}, "player 'random' has no settings, such as 'x'"),
            ({"x": 1}, "a player's table needs player or command; it has only x"),
            ({"command": "sh"}, "a list of texts, the program first, not 'sh'"),
            ({"command": ["sh", "{lvl}"], "level": 3}, "there is no value for {lvl}"),
            ({"command": ["sh", "{level}"], "level": 3, "levl": 2}, "has no {levl}; did you mean 'level'"),
            ({"command": ["sh", "{seed}"], "seed": 3}, "{seed} is the game's"),
            ({"command": ["sh"], "timeout": "long"}, "timeout is a number of seconds above 0, not 'long'"),
            ("mcts:defalt", "no preset 'defalt' of go: did you mean 'default'"),
            ({"player": "mcts", "serch.exploration": 1}, "did you mean 'search.exploration'"),
        ],
    )
    def test_one_sentence_for_a_mistake(self, spec, words):
        with pytest.raises(ConfigError) as caught:
            parse_spec(spec)
        assert words in str(caught.value)

    def test_a_table_and_words_say_the_same(self):
        words = parse_spec("mcts:uct,simulations=50,search.exploration=0.5")
        table = parse_spec({"player": "mcts:uct", "simulations": 50, "search": {"exploration": 0.5}})
        assert words.identity() == table.identity()
        assert words.identity() != parse_spec("mcts:uct").identity()

    def test_a_file(self, tmp_path):
        (tmp_path / "engine.toml").write_text(
            f'command = ["{sys.executable}", "{ENGINES}", "{{how}}"]\nhow = "lower"\n'
        )
        player = make_player("engine.toml", tmp_path)
        assert play_game((player, RandomPlayer()), MatchSettings(size=5, move_limit=4), 1).reason == "move limit"
        player.close()
        (tmp_path / "bad.toml").write_text("player = 3")
        with pytest.raises(ConfigError, match=r"bad\.toml: player = 3"):
            make_player("bad.toml", tmp_path)

    def test_an_mcts_player(self):
        player = make_player("mcts:default,simulations=20,memory_mb=1")
        outcome = play_game((player, make_player("random")), MatchSettings(size=5, move_limit=10), 1)
        assert outcome.simulations[0] >= 60
        assert outcome.simulations[1] == 0
