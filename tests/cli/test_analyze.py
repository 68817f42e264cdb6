"""``semeai analyze`` finds a blunder, writes its results, and keeps them when it is stopped."""

import json
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from semeai.cli.analyze import parse_range
from semeai.cli.analyze_display import graph
from semeai.cli.app import app
from semeai.errors import ConfigError, SemeaiError
from semeai.games.go.sgf import read_sgf, replay

# Each side has one liberty left: who plays first takes everything. Black passes, White takes at A1.
BLUNDER = "(;GM[1]FF[4]SZ[7]KM[0.5]PB[Ann]PW[Ben]AB[ae:gf][bg:gg]AW[ba:ga][ab:gd]PL[B];B[]C[Why?];W[ag];B[dg];W[df])"


@pytest.fixture
def analyze(tmp_path, monkeypatch):
    """Runs the command in this process; an error is raised."""
    (tmp_path / "game.sgf").write_text(BLUNDER)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        done = CliRunner().invoke(app, ["analyze", *map(str, arguments)], env={"COLUMNS": "120"})
        if isinstance(done.exception, SemeaiError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done

    return run


def test_the_blunder_is_found_and_marked(analyze, tmp_path):
    done = analyze("game.sgf", "--simulations", 300, "--sgf", "out.sgf")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Ann against Ben, 7x7, komi 0.5, 300 simulations")
    assert lines[2].split()[:3] == ["1", "B", "pass"]
    assert " A7 " in lines[2]
    assert "??" in lines[2]
    mistakes = lines[lines.index("The moves that cost most:") + 1 :]
    assert mistakes[0].startswith("  1. Black pass ")
    old, new = read_sgf(BLUNDER), read_sgf((tmp_path / "out.sgf").read_bytes())
    assert (new.moves, new.setup, new.black, new.komi) == (old.moves, old.setup, old.black, old.komi)
    assert replay(new).colors.tolist() == replay(old).colors.tolist()
    assert new.comments[0].startswith("Why?\n\nBlack's win rate ")
    assert "less than A7" in new.comments[0]
    assert all("Black's win rate" in comment for comment in new.comments)


def test_json_is_all_that_is_printed_and_is_the_same_again(analyze):
    done = analyze("game.sgf", "--simulations", 100, "--json", "--seed", 5)
    found = json.loads(done.stdout)
    assert found["finished"]
    assert [move["number"] for move in found["moves"]] == [1, 2, 3, 4]
    assert [move["player"] for move in found["moves"]] == ["B", "W", "B", "W"]
    first = found["moves"][0]
    assert (first["best"], first["line"][0]) == ("A7", "A7")
    assert first["loss"] == pytest.approx(first["best_win_rate"] - first["win_rate"])
    assert first["loss"] > 0.3
    assert found["mistakes"][0] == 1
    assert all(0 <= move[key] <= 1 for move in found["moves"] for key in ("win_rate", "best_win_rate", "loss"))
    again = analyze("game.sgf", "--simulations", 100, "--json", "--seed", 5)
    assert again.stdout == done.stdout


def test_a_game_that_repeats_a_position(analyze, tmp_path):
    (tmp_path / "ko.sgf").write_text("(;GM[1]SZ[4];B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc];B[cc])")
    found = json.loads(analyze("ko.sgf", "--simulations", 20, "--json", "--moves", "8-").stdout)
    assert [move["move"] for move in found["moves"]] == ["B2", "C2"]


def test_only_some_moves(analyze):
    found = json.loads(analyze("game.sgf", "--simulations", 20, "--json", "--moves", "2-3").stdout)
    assert [move["number"] for move in found["moves"]] == [2, 3]


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done(tmp_path):
    (tmp_path / "game.sgf").write_text(BLUNDER)
    process = subprocess.Popen(
        [sys.executable, "-m", "semeai", "analyze", "game.sgf", "--simulations", "2000000", "--sgf", "out.sgf",
         "--set", "memory_mb=50"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stdout.readline().startswith("Ann against Ben")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "stopped after 0 of 4 moves"
    assert out.splitlines()[-1] == "nothing was analysed"
    assert read_sgf((tmp_path / "out.sgf").read_bytes()).moves == read_sgf(BLUNDER).moves


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.sgf"], "nothing.sgf: cannot be read: No such file"),
        (["."], "cannot be read: Is a directory"),
        (["broken.sgf"], "broken.sgf is no SGF file"),
        (["illegal.sgf"], "illegal.sgf, move 2"),
        (["empty.sgf"], "empty.sgf has no moves"),
        (["game.sgf", "--moves", "5-9"], "moves 1 to 4"),
        (["game.sgf", "--moves", "a-b"], "FIRST-LAST"),
        (["game.sgf", "--set", "search.explore=1"], "search.exploration"),
        (["game.sgf", "--set", "seconds=1"], "simulations"),
        (["game.sgf", "--simulations", "1", "--sgf", "no/such/folder.sgf"], "no/such/folder.sgf"),
    ],
)
def test_errors_are_one_sentence(analyze, tmp_path, arguments, message):
    (tmp_path / "broken.sgf").write_text("(;GM[1")
    (tmp_path / "illegal.sgf").write_text("(;GM[1]SZ[7];B[aa];W[aa])")
    (tmp_path / "empty.sgf").write_text("(;GM[1]SZ[7])")
    with pytest.raises(SemeaiError, match=re.escape(message)) as error:
        analyze(*arguments)
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)


def test_ranges():
    assert parse_range("", 30) == (1, 30)
    assert parse_range("10-20", 30) == (10, 20)
    assert parse_range("10-", 30) == (10, 30)
    assert parse_range("-10", 30) == (1, 10)
    assert parse_range("7", 30) == (7, 7)
    assert parse_range("7-99", 30) == (7, 30)
    for text in ("0-3", "31", "20-10", "x", "1-2-3"):
        with pytest.raises(ConfigError, match="--moves"):
            parse_range(text, 30)


def test_the_graph_spans_all_rates():
    assert graph(0).startswith("●")
    assert graph(1).endswith("●")
    assert graph(0.5) == "··········●··········"
    assert len({len(graph(i / 100)) for i in range(101)}) == 1
