"""Havannah in the commands match, status, race, analyze, bench and reproduce."""

import json
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.errors import ConfigError
from semeai.experiments import strength
from semeai.games.catalog import game_named
from semeai.match.game import play_game
from semeai.match.settings import MatchSettings
from semeai.players.catalog import make_player
from tests.cli.test_analyze import analyze  # noqa: F401 - a fixture
from tests.cli.test_cli import semeai  # noqa: F401 - a fixture

GAME = "(;FF[4]EV[havannah]PB[Ben]PW[Ann]SZ[4]RE[B];W[A1];B[G1];W[A2];B[G2];W[A3];B[D4];W[A4])"  # a bridge of White's
QUICK = "mcts:simulations=30,memory_mb=1"
RACE = """
name = "h"
[race]
mode = "plain"
max_per_candidate = 8
[evaluator]
match = {game = "havannah", size = 3}
[baseline]
player = "random"
[[candidates]]
name = "search"
player = "mcts:fast"
simulations = 30
memory_mb = 1
"""


@pytest.mark.slow
def test_a_match_its_status_and_its_records(semeai, tmp_path):  # noqa: F811
    arguments = ("match", QUICK, "random", "--game", "havannah", "--size", 4, "--workers", 1, "--games", 8)
    done = semeai(*arguments, "--sgf", "games", "--markdown", "result.md")
    assert re.search(r"player +wins +as White +as Black", done.stdout)
    assert re.search(r"games ended (\d by (bridge|draw|fork|ring)(, )?)+\n", done.stdout)
    assert f"### {QUICK} against random, havannah base 4, seed 1" in (tmp_path / "result.md").read_text()
    game = game_named("havannah")
    records = [game.read_record(path.read_bytes(), path.name) for path in sorted((tmp_path / "games").iterdir())]
    assert len(records) == 8
    assert [record.white for record in records] == [QUICK, "random"] * 4
    assert all(game.replay(record).is_over for record in records)
    (run,) = json.loads(semeai("runs", "--json").stdout)
    status = json.loads(semeai("status", run["name"], "--json").stdout)
    assert status["a_as_white"]["wins"] == 4
    assert status["settings"]["game"] == "havannah"
    assert "komi" not in (tmp_path / "result.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("random random --game havannah --komi 7.5", "havannah has no komi, and 7.5 was given"),
        ("random random --game havannah --size 11", "havannah is played on sizes 2 to 10, not 11"),
        ("mcts:mogo random --game havannah", "no preset 'mogo' of havannah"),
        ("mcts:policy.capture=1 random --game havannah", "a player of havannah has no setting 'policy.capture'"),
        ("random random --game havana", "no game 'havana': did you mean 'havannah'"),
        ("random random --swap", "go has no swap rule"),
    ],
)
def test_what_a_game_does_not_have(arguments, words):
    done = CliRunner().invoke(app, ["match", *arguments.split()])
    assert isinstance(done.exception, ConfigError)
    assert words in str(done.exception)


@pytest.mark.slow
def test_a_race_of_players(semeai, tmp_path):  # noqa: F811
    (tmp_path / "race.toml").write_text(RACE)
    done = semeai("race", "race.toml", "--workers", 1)
    assert "search" in done.stdout
    (tmp_path / "bad.toml").write_text(RACE.replace("mcts:fast", "mcts:mogo"))
    assert "candidate 'search': no preset 'mogo' of havannah" in semeai("race", "bad.toml", code=2).stderr


def test_a_game_is_analysed_in_the_words_of_its_record(analyze, tmp_path):  # noqa: F811
    (tmp_path / "h.sgf").write_text(GAME)
    done = analyze("h.sgf", "--game", "havannah", "--simulations", 50, "--sgf", "out.sgf")
    lines = done.stdout.splitlines()
    assert lines[0] == "Ann against Ben, base 4, 50 simulations per move"
    assert lines[1].endswith("White's win rate")
    assert lines[2].split()[:3] == ["1", "W", "A1"]
    assert "100.0%" in lines[8]
    again = game_named("havannah").read_record((tmp_path / "out.sgf").read_bytes(), "out.sgf")
    assert again.comments[0].startswith("White's win rate")
    found = json.loads(analyze("h.sgf", "--game", "havannah", "--simulations", 50, "--json").stdout)
    assert found["moves"][-1]["white_win_rate"] == 1.0
    other = json.loads(
        analyze("h.sgf", "--game", "havannah", "--simulations", 50, "--json", "--coordinates", "openspiel").stdout
    )
    assert [move["move"] for move in other["moves"]] == ["a1", "d7", "b1", "e7", "c1", "d4", "d1"]
    with pytest.raises(ConfigError, match=r"game\.sgf holds a game of type GM\[1\]"):
        analyze("game.sgf", "--game", "havannah")


@pytest.mark.slow
def test_tables_of_havannah(semeai):  # noqa: F811
    found = json.loads(
        semeai("reproduce", "scaling-havannah", "--games", 2, "--size", 3, "--simulations", "5,50", "--workers", 1,
               "--json").stdout
    )  # fmt: skip
    first, second = found[0]["rows"]
    assert found[0]["title"].startswith("Table 2, base 3 Havannah")
    assert (second["fast (paper)"], second["slow (paper)"]) == ("68.6 ± 0.68%", "63.28 ± 0.4%")
    assert first["games"] == 2
    [speed] = json.loads(semeai("bench", "--game", "havannah", "--size", 3, "--seconds", 0.01, "--json").stdout)
    assert speed["rows"][0]["fast playouts"] > 1000


@pytest.mark.slow
def test_openspiel_plays_as_an_engine():
    pytest.importorskip("pyspiel")
    player = make_player(strength.openspiel_bot(20), game="havannah")
    outcome = play_game((player, make_player("random")), MatchSettings(game="havannah", size=3), 1)
    player.close()
    assert outcome.reason in game_named("havannah").endings, outcome.failure
    done = subprocess.run(
        [sys.executable, "-m", "semeai.experiments.openspiel", "5", "1"],
        input="boardsize 4\nplay white a1\nplay black a1\nplay black zz\nplay\nfly\nname\nquit\n",
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    marks = [answer[:1] for answer in done.stdout.split("\n\n")]
    assert marks == ["=", "=", "?", "?", "?", "?", "=", "=", ""]


def test_without_openspiel_there_is_a_clear_sentence(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="OpenSpiel is not installed here"):
        strength.run_havannah(games=2)
