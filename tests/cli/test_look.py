"""``semeai dashboard``, ``play`` and ``report`` as processes, and what they say of a ledger that they cannot read."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.request

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.errors import SemeaiError
from tests.report.ledgers import recorded_match, recorded_race
from tests.started import LIMIT, Started


@pytest.fixture
def start(tmp_path):
    started = []

    def start(*arguments):
        started.append(Started(tmp_path, ["-m", "semeai", *arguments]))
        return started[-1]

    yield start
    for command in started:
        command.close()


def address(command):
    """Wait for the address that the command prints."""
    command.wait_until(lambda: re.search(r"open (http://\S+) in", command.output))
    return re.search(r"open (http://\S+) in", command.output)[1]


def answer(url):
    """Return the first line of data of an answer."""
    with urllib.request.urlopen(url, timeout=LIMIT) as found:
        for line in found:
            if line.startswith((b"data:", b"{", b"<")):
                return line.removeprefix(b"data:").decode()
    raise AssertionError(f"{url} has no data")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
def test_the_dashboard_serves_the_runs_of_a_ledger_until_it_is_stopped(start, tmp_path, number):
    recorded_race(tmp_path / "runs.sqlite", 12)
    command = start("dashboard", "--ledger", "runs.sqlite", "--port", "0")
    url = address(command)
    assert answer(url).startswith("<!doctype html>")
    assert [run["name"] for run in json.loads(answer(f"{url}api/events"))["runs"]] == ["race"]
    command.process.send_signal(number)
    code = command.ended()
    assert code in ((0,) if number == signal.SIGINT else (0, -number)), command.output
    assert "Traceback" not in command.output


@pytest.mark.slow
def test_play_serves_a_board_until_it_is_stopped(start, tmp_path):
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[5]KM[0.5];B[cc];W[bb])")
    command = start("play", "game.sgf", "--size", "5", "--simulations", "20", "--port", "0")
    url = address(command)
    found = json.loads(answer(f"{url}api/state"))
    assert [move["name"] for move in found["table"]["moves"]] == ["C3", "B4"]
    assert found["simulations"] == 20
    command.process.send_signal(signal.SIGINT)
    assert command.ended() == 0, command.output
    assert "Traceback" not in command.output


def semeai(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "semeai", *arguments], cwd=folder, capture_output=True, text=True, timeout=LIMIT
    )


@pytest.mark.slow
def test_report_writes_a_page_and_markdown(tmp_path):
    recorded_race(tmp_path / "runs.sqlite", 60)
    recorded_match(tmp_path / "runs.sqlite")
    done = semeai(
        tmp_path, "report", "race", "match", "--ledger", "runs.sqlite", "--output", "all.html", "--markdown", "all.md"
    )
    assert done.returncode == 0, done.stderr
    assert "wrote all.html" in done.stdout
    assert "better is better than the baseline" in (tmp_path / "all.md").read_text()
    assert 'id="data">{"runs":[{"name":"race"' in (tmp_path / "all.html").read_text()


def broken_ledgers(folder):
    """Make files that are no whole ledger. Returns their names, with a word of the sentence on each."""
    (folder / "text.sqlite").write_text("no database\n" * 100)
    (folder / "folder.sqlite").mkdir()
    with sqlite3.connect(folder / "foreign.sqlite") as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    recorded_race(folder / "damaged.sqlite", 12)
    whole = (folder / "damaged.sqlite").read_bytes()
    (folder / "cut.sqlite").write_bytes(whole[: len(whole) // 3])
    with sqlite3.connect(folder / "damaged.sqlite") as ledger:
        ledger.execute("UPDATE runs SET seed = seed + 1")
    return {"missing.sqlite": "no ledger", "text.sqlite": "text.sqlite", "folder.sqlite": "folder.sqlite",
            "foreign.sqlite": "not a ledger", "damaged.sqlite": "damaged", "cut.sqlite": "cut.sqlite"}  # fmt: skip


@pytest.mark.parametrize("command", ["dashboard", "report"])
def test_a_ledger_that_cannot_be_read_is_one_sentence(tmp_path, command):
    for name, word in broken_ledgers(tmp_path).items():
        done = CliRunner().invoke(app, [command, "--ledger", str(tmp_path / name)])
        assert isinstance(done.exception, SemeaiError), (name, done.exception, done.output)
        assert word in str(done.exception), name
        assert len(str(done.exception).splitlines()) == 1, done.exception


@pytest.mark.slow
def test_a_missing_ledger_ends_the_command_with_a_sentence(tmp_path):
    done = semeai(tmp_path, "dashboard", "--ledger", "missing.sqlite")
    assert done.returncode != 0
    assert done.stderr == "semeai: there is no ledger at missing.sqlite; name one with --ledger\n"
