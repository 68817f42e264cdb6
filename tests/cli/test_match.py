"""``semeai match`` as a user types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semeai.cli.match_display import rows
from semeai.match.match import Match
from semeai.match.tally import Tally
from semeai.players.catalog import parse_spec
from tests.cli.test_cli import semeai  # noqa: F401 - a fixture

ENGINES = Path(__file__).parent.parent / "engines.py"
SMALL = ("--size", 5, "--openings", 2, "--workers", 1)


def gtp(behaviour: str, *more: str) -> str:
    return " ".join([f"gtp:{sys.executable}", str(ENGINES), behaviour, *more])


@pytest.mark.slow
def test_match_status_export_and_more_games(semeai, tmp_path):  # noqa: F811
    arguments = ("match", "random", gtp("passes"), *SMALL, "--komi", 0.5)
    done = semeai(*arguments, "--games", 6, "--markdown", "result.md")
    assert "6 games: A wins 1.0000, 95% [0.6097, 1.0000] (Wilson" in done.stdout
    assert "always-valid 95% interval" in done.stdout
    assert "6 by score" in done.stdout
    assert "| A random | 6 | 3/3 | 3/3 | 1.0000 |" in (tmp_path / "result.md").read_text()

    longer = json.loads(semeai(*arguments, "--games", 20, "--json").stdout)
    assert (longer["games"], longer["planned"], longer["finished"], longer["decided"]) == (20, 20, True, True)
    assert longer["a_as_black"] == longer["a_as_white"] == {"wins": 10, "draws": 0, "losses": 0}
    assert longer["always_valid_95"][0] > 0.5
    assert longer["endings"] == {"score": 20}
    assert longer["cpu_seconds_per_game"][0] > 0

    (run,) = json.loads(semeai("runs", "--json").stdout)
    assert (run["name"], run["kind"], run["state"]) == (longer["run"], "match", "finished")
    assert "A is stronger" in semeai("status", run["name"]).stdout
    status = json.loads(semeai("status", run["name"], "--json").stdout)
    assert (status["games"], status["win_rate"], status["state"]) == (20, 1.0, "finished")
    lines = [json.loads(line) for line in semeai("export", run["name"], "--table", "games").stdout.splitlines()]
    assert [line["number"] for line in lines] == list(range(20))
    assert lines[0]["sgf"].startswith("(;")


@pytest.mark.slow
def test_until_decided(semeai):  # noqa: F811
    done = semeai("match", gtp("until", "8"), gtp("passes"), *SMALL, "--games", 1000, "--until-decided")
    assert "A is stronger" in done.stdout
    assert "Wilson" not in done.stdout


@pytest.mark.slow
def test_simulations_are_for_players_that_do_not_say_it(semeai):  # noqa: F811
    done = semeai("match", "mcts:uct", "mcts:simulations=3", *SMALL, "--games", 2, "--simulations", 7, "--json")
    result = json.loads(done.stdout)
    assert (result["a"], result["b"]) == ("mcts:uct,simulations=7", "mcts:simulations=3")


@pytest.mark.slow
def test_failures_are_shown_and_the_match_goes_on(semeai):  # noqa: F811
    done = semeai("match", "random", gtp("crash"), *SMALL, "--games", 4)
    assert "4 by crash" in done.stdout
    assert "ended (exit status 7) in place of an answer" in done.stdout
    name = json.loads(semeai("runs", "--json").stdout)[0]["name"]
    assert "a stack trace" in semeai("status", name).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("random", "randm"), 2, "no player 'randm': did you mean 'random'"),
        (("random", "gtp:no-such-engine"), 2, "no program 'no-such-engine' can be run here"),
        (("random", "random", "--size", 1), 2, "--size: go is played on sizes 2 to 25, not 1"),
        (("random", "random", "--game", "chekers"), 2, "no game 'chekers'"),
        (("random", "mcts:seconds=1", "--simulations", 9), 2, "neither 'random' nor 'mcts:seconds=1' takes it"),
        (("random", "random", "--name", ""), 2, "--name: must have 1 to 200 characters, not 0"),
        (("random", "random", "--markdown", "none/x.md"), 2, "--markdown none/x.md: cannot be written"),
        (("random", gtp("exits")), 3, "it wrote: no licence"),
        (("random", gtp("normal"), "--size", 21), 3, "refused 'boardsize 21': 'unacceptable size'"),
        (("random", "random", "--size", 5, "--games", 2, "--sgf", "/proc/none"), 2, "--sgf /proc/none: "),
    ],
)
def test_one_sentence_for_a_mistake(semeai, arguments, code, words):  # noqa: F811
    done = semeai("match", *arguments, code=code)
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_ctrl_c_shows_the_result_so_far_and_how_to_go_on(tmp_path):
    command = [sys.executable, "-m", "semeai", "match", "random", "random", "--size", "5", "--games", "100000"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "140"},
    )
    deadline = time.monotonic() + 300
    while not (tmp_path / "semeai.sqlite").exists() or not played(tmp_path):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "always-valid 95% interval" in output
    assert "stopped; to continue: semeai match random" in errors
    assert "Traceback" not in errors


def played(folder: Path) -> int:
    import sqlite3

    connection = sqlite3.connect(folder / "semeai.sqlite")
    try:
        return connection.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def test_the_table():
    match = Match(parse_spec("random"), parse_spec("random"))
    tally = Tally()
    assert rows(match, tally)[0] == ("A random", "0", "0/0", "0/0", "", "", "")
    from tests.match.test_tally import pair

    tally.add(pair(0, 1.0, 1.0))
    tally.add(pair(1, 1.0, 0.0))
    tally.add(pair(2, 0.5, 0.0))
    first, second = rows(match, tally)
    assert first[1:5] == ("3", "2/3", "1/3", "0.5833")
    assert second[1:5] == ("2", "2/3", "0/3", "0.4167")
    assert rows(match, tally, 4)[0][0] == "A ran…"


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["80", "120"])
def test_numbers_are_not_cut_off_however_long_the_names(semeai, columns):  # noqa: F811
    done = semeai("match", gtp("passes", "x" * 90), "random", *SMALL, "--games", 2, columns=columns)
    assert "wins  as Black  as White  win rate      always valid  CPU s/game" in done.stdout
    assert "0       0/1       0/1    0.0000  [0.0000, 1.0000]        " in done.stdout
