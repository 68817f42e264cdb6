"""Matches and races of UCI engines: the openings, PGN, adjudication, and options as candidates."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("chess")

from semeai import play_match, run_race_file
from semeai.errors import ConfigError
from semeai.games.chess.pgn import read_games
from semeai.match.adjudication import Adjudication
from semeai.match.match import Match
from semeai.match.pair import draw_opening
from semeai.match.rating import elo_dict
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.processes import find_program
from semeai.store.ledger import Ledger

needs_stockfish = pytest.mark.skipif(find_program("stockfish") is None, reason="stockfish is not installed")
ENGINE = f"uci:{sys.executable} {Path(__file__).parents[1] / 'uci_engines.py'} good"
CHESS = MatchSettings(game="chess").located(".")


def test_both_games_of_a_pair_begin_with_an_opening_of_the_suite():
    drawn = {draw_opening(CHESS, seed).start for seed in range(30)}
    assert len(drawn) > 20
    assert draw_opening(CHESS, 3).start == draw_opening(CHESS, 3).start


def test_a_suite_is_known_by_its_contents(tmp_path):
    (tmp_path / "a.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 b - -\n")
    settings = MatchSettings(game="chess", suite="a.epd").located(tmp_path)
    position = draw_opening(settings, 1)
    assert (position.start, position.to_move) == ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", 1)
    assert settings.identity()["suite"] == settings.suite[:16]
    (tmp_path / "copy.epd").write_bytes((tmp_path / "a.epd").read_bytes())
    assert MatchSettings(game="chess", suite="copy.epd").located(tmp_path).identity() == settings.identity()
    spec = parse_spec("random")
    assert Match.from_identity(Match(spec, spec, settings).identity()).settings.identity() == settings.identity()
    (tmp_path / "b.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    changed = settings.model_copy(update={"suite": settings.suite.replace("a.epd", "b.epd")})
    with pytest.raises(ConfigError, match="has changed since the run began"):
        draw_opening(changed, 1)
    with pytest.raises(ConfigError, match=r"none.epd: cannot be read"):
        MatchSettings(game="chess", suite="none.epd").located(tmp_path)


@pytest.mark.parametrize(
    ("scores", "n_moves", "reward"),
    [
        ([700] * 8, 20, 1.0),
        ([-700] * 8, 20, 0.0),
        ([700] * 7, 20, None),
        ([700] * 7 + [None], 20, None),
        ([700, -700] * 4, 20, None),
        ([5, -5] * 8, 79, None),
        ([5, -5] * 8, 80, 0.5),
        ([5, -5] * 7 + [5, 11], 80, None),
    ],
)
def test_adjudication_needs_both_players(scores, n_moves, reward):
    rules = Adjudication(draw_score=10, win_score=600)
    assert rules.reward(scores, n_moves) == reward


def test_adjudication_is_for_games_with_scores():
    from semeai.models import checked

    with pytest.raises(ConfigError, match="adjudication: engines of go report no scores"):
        checked(MatchSettings, {"adjudication": {"win_score": 600}})
    with pytest.raises(ConfigError, match="give draw_score or win_score"):
        checked(MatchSettings, {"game": "chess", "adjudication": {}})


def test_a_match_is_resumed_and_its_pgn_goes_on(tmp_path):
    pgn, ledger = tmp_path / "games.pgn", str(tmp_path / "l.sqlite")

    def play(games, **more):
        return play_match(
            "random", "random", games, settings={"game": "chess", "move_limit": 30}, ledger=ledger, executor="inline",
            pgn=pgn, **more,
        )  # fmt: skip

    play(4)
    half = pgn.read_text()
    pgn.write_text(half[:-100])  # as if it was killed while it wrote
    result = play(8)
    whole = pgn.read_text()
    assert whole.startswith(half)
    games = list(read_games(whole, "games.pgn"))
    assert len(games) == 8
    assert [g.start for g in games[::2]] == [g.start for g in games[1::2]]
    assert result.tally.n_games == 8
    with pytest.raises(ConfigError, match="has games of another match"):
        play(2, seed=7)


def test_elo_of_a_match(tmp_path):
    result = play_match("random", ENGINE, 2, settings={"game": "chess"}, executor="inline")
    match = Match(parse_spec("random"), parse_spec("random"), CHESS)
    found = elo_dict(match, result.tally)
    assert sum(found["pentanomial"]) == 1
    json.dumps(found, allow_nan=False)


RACE = """
[race]
mode = "plain"
accept_above = 0.6
discard_below = 0.7
max_per_candidate = 40
batch = 4

[evaluator]
match = {game = "chess", records = "games", adjudication = {win_score = 500, draw_score = 20, draw_from = 30}}

[baseline]
player = "uci:stockfish"
nodes = 60
option.Hash = 1

[[candidates]]
nodes = 600

[[candidates]]
"option.Skill Level" = 0
"""


@needs_stockfish
@pytest.mark.slow
def test_a_race_of_stockfish_options(tmp_path):
    (tmp_path / "race.toml").write_text(RACE)
    result = run_race_file(tmp_path / "race.toml", workers=2)
    verdicts = [standing.verdict.value for standing in result.standings]
    assert verdicts == ["accepted", "discarded"]
    files = sorted((tmp_path / "games").rglob("*.pgn"))
    assert len(files) == 2 * sum(s.n_evaluations for s in result.standings)
    assert "Skill Level=0" in "".join(path.read_text() for path in files)
    with contextlib.closing(Ledger(str(tmp_path / "semeai.sqlite"))) as ledger:
        assert "records" not in json.dumps(ledger.run("race").config)


def test_a_wrong_option_is_one_sentence_before_the_race(tmp_path):
    race = RACE.replace("uci:stockfish", ENGINE).replace("Hash = 1", "Quiet = true").replace("Skill Level", "Styl")
    (tmp_path / "race.toml").write_text(race)
    done = subprocess.run(
        [sys.executable, "-m", "semeai", "race", "race.toml"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2
    assert "has no option 'Styl': did you mean 'Style'?" in done.stderr
    assert "candidate 'option.Styl=0'" in done.stderr
