"""UCI engines: what they are told, what they answer, and every way in which they fail."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("chess")

from semeai.errors import ConfigError, PlayerFailed
from semeai.games.catalog import new_position
from semeai.match.game import play_game
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.players.random import RandomPlayer
from semeai.players.specs import PlayerSpec
from semeai.players.time_control import ChessClock, TimeControl
from semeai.players.uci_process import MATE, facts_of
from semeai.processes import find_program

ENGINES = Path(__file__).parents[1] / "uci_engines.py"
STOCKFISH = find_program("stockfish")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")


def words(behaviour="good", *settings):
    return " ".join([f"uci:{sys.executable} {ENGINES} {behaviour}", *settings])


def player(behaviour="good", *settings):
    return parse_spec(words(behaviour, *settings), game="chess").make()


@pytest.mark.parametrize(
    ("behaviour", "reason", "message"),
    [
        ("crash", "crash", "exit status 7"),
        ("hang", "timeout", "gave no answer to"),
        ("flood", "bad answer", "more than 64 MB"),
        ("long-line", "bad answer", "a line of more than"),
        ("illegal", "illegal move", "'e1e8' is no legal move"),
        ("none", "bad answer", r"gave '\(none\)' as its move"),
        ("twice", "bad answer", "without being asked"),
        ("silent", "timeout", "does it speak UCI?"),
    ],
)
def test_a_bad_engine_loses(behaviour, reason, message):
    limits = {"hang": ["timeout=0.5"], "silent": ["startup_timeout=0.3"]}.get(behaviour, [])
    bad = player(behaviour, *limits)
    try:
        outcome = play_game((bad, RandomPlayer()), MatchSettings(game="chess", opening_moves=0), 1)
    finally:
        bad.close()
    assert (outcome.reward, outcome.reason, outcome.record.result) == (0, reason, "0-1")
    with pytest.raises(PlayerFailed, match=message):
        raise PlayerFailed(outcome.failure)
    if behaviour == "crash":
        assert "a stack trace" in outcome.stderr


def test_what_an_engine_is_told_and_what_it_says():
    engine = player("good", "depth=5", "option.quiet=true", "'option.Style=very risky'")
    start = new_position("chess")
    start.play(start.text_to_move("e4"))
    engine.start(start, 1)
    choice = engine.choose()
    assert (choice.score, choice.simulations, choice.comment) == (31, 26, "+0.31/4")
    engine.observe(choice.move)
    told = engine.stderr.split("\n")
    engine.close()
    assert {"setoption name Quiet value true", "setoption name Style value very risky", "ucinewgame"} <= set(told)
    assert "position startpos moves e2e4" in told
    assert "go depth 5" in told


@pytest.mark.parametrize(("mate", "score"), [(3, MATE - 3), (-3, 3 - MATE), (10**11, 0), (-(10**11), 0)])
def test_the_score_of_a_mate_is_never_more_than_one(mate, score):
    assert facts_of(f"info depth 9 score mate {mate} pv e2e4") == {"depth": 9, "score": score}


def test_a_position_is_told_as_fen_and_the_clocks_as_milliseconds():
    from semeai.games.chess.position import ChessPosition

    engine = player("good", "tc=40/60+0.5")
    engine.start(ChessPosition("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"), 1)
    engine.choose()
    told = engine.stderr
    engine.close()
    assert "position fen 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\n" in told
    assert "go wtime 60000 btime 60000 winc 500 binc 500 movestogo 40" in told


def test_a_player_that_exceeds_its_time_loses_on_time():
    slow = player("hang", "tc=0.4", "margin=0")
    try:
        outcome = play_game((slow, RandomPlayer()), MatchSettings(game="chess", opening_moves=0), 1)
    finally:
        slow.close()
    assert (outcome.reward, outcome.reason) == (0, "timeout")
    assert outcome.record.properties["Termination"] == "time forfeit"


def test_clocks():
    clock = ChessClock(TimeControl.from_text("2/1:00+5"))
    clock.spend(20)
    assert (clock.left, clock.moves_to_go) == (45, 1)
    clock.spend(10)
    assert (clock.left, clock.moves_to_go) == (100, 2)
    assert ChessClock(TimeControl.from_text("10")).moves_to_go == 0
    for bad in ("", "0", "x", "1/2/3", "10+", "0/10", "-1", "1e9", "1" * 50):
        with pytest.raises(ConfigError, match="write SECONDS"):
            TimeControl.from_text(bad)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["nodes=0"], "nodes: must be at least 1"),
        (["nodes=5", "depth=2"], "not nodes and depth"),
        (["tc=soon"], "write SECONDS"),
        (["option.Sum=3"], "no option 'Sum': .*Some Number"),
        (["'option.some number=11'"], "is a number from 0 to 10, not 11"),
        (["'option.some number=x'"], "is a whole number, not 'x'"),
        (["option.Quiet=perhaps"], "is true or false, not 'perhaps'"),
        (["option.Style=Wild"], "cannot be 'Wild'"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ConfigError, match=message):
        parse_spec(words("good", *settings)).verify()


def test_a_table_and_its_identity():
    table = {"player": words(), "tc": 10, "option": {"Some Number": 3, "Quiet": True}}
    spec = parse_spec(table, game="chess")
    assert spec.identity()["options"] == {"Quiet": "true", "Some Number": "3"}
    assert PlayerSpec.from_identity(spec.identity()) == spec
    assert parse_spec(words("good", "tc=10", "option.Quiet=true", "'option.Some Number=3'")) == spec
    with pytest.raises(ConfigError, match="plays chess, and this is a game of go"):
        parse_spec(words(), game="go")
    with pytest.raises(ConfigError, match=r"its command has no \{node\}; did you mean 'nodes'"):
        parse_spec({"player": words(), "node": 3})


@needs_stockfish
def test_stockfish_plays_the_same_move_again_after_another_game():
    spec = parse_spec("uci:stockfish nodes=500 option.Hash=1")
    spec.verify()
    player, start = spec.make(), new_position("chess")
    found = []
    for _ in range(2):
        player.start(start, 1)
        found.append(player.choose())
        player.observe(found[-1].move)
        reply = start.copy()
        reply.play(found[-1].move)
        player.observe(int(reply.legal_moves()[0]))
        player.choose()
    player.close()
    assert found[0].move == found[1].move
    assert found[0].score == found[1].score is not None
