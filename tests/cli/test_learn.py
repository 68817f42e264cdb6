"""``semeai learn`` as a user types it."""

import json

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.errors import ConfigError
from semeai.games.go.database import load_database
from semeai.games.go.sgf import write_sgf
from tests.learn.test_learn import random_games


def semeai(*words):
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)


@pytest.fixture
def folder(tmp_path):
    for i, game in enumerate(random_games(20)):
        (tmp_path / f"{i:02}.sgf").write_text(write_sgf(game))
    return tmp_path


def test_a_folder_of_games(folder):
    (folder / "broken.sgf").write_text("(;GM[1")
    output = folder / "ae.npz"
    result = semeai("learn", folder, "-o", output, "--min-seen", 5)
    assert result.exit_code == 0
    assert "left out: " in result.stderr
    assert "broken.sgf is no SGF file" in result.stderr
    assert "up to distance" in result.stdout
    assert f"digest {load_database(output).digest}" in result.stdout.replace("\n", " ")
    found = json.loads(semeai("learn", folder, "-o", output, "--min-seen", 5, "--json").stdout)
    assert found["digest"] == load_database(output).digest
    assert found["patterns"] == sum(found["patterns_by_size"]) == len(load_database(output))
    assert found["bytes_on_disk"] == output.stat().st_size
    assert (found["games"], found["games_held_out"], len(found["refused"])) == (18, 2, 1)
    assert found["by_size"][-1]["first"] > found["uniform"]["first"]


@pytest.mark.slow
def test_self_play_is_the_same_for_any_number_of_workers_and_played_once(tmp_path):
    digests, played = [], []
    for workers, ledger in ((1, "a"), (2, "b"), (1, "a")):
        output = tmp_path / "ae.npz"
        result = semeai(
            "learn", "--self-play", 6, "--size", 4, "--simulations", 5, "--player", "mcts:rave,memory_mb=1",
            "--workers", workers, "--ledger", tmp_path / f"{ledger}.sqlite", "--min-seen", 3, "-o", output,
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        digests.append(output.read_bytes())
        played.append("6 of 6 games" in result.stdout)
    assert digests[0] == digests[1] == digests[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "give game records or --self-play GAMES"),
        (("x.sgf", "--self-play", 4), "but not both"),
        (("x.sgf",), "none of 1 files can be used; the first: x.sgf: cannot be read"),
        (("x.sgf", "--held-out", 0.7), "--held-out: must be above 0 and at most 0.5, not 0.7"),
        (("x.sgf", "--prior", 0), "--prior: must be above 0 and at most 1000, not 0"),
        (("--self-play", 4, "--player", "mcts:simulations=5", "--simulations", 9), "has a budget of its own"),
    ],
)
def test_bad_words(words, sentence, tmp_path):
    result = semeai("learn", *words, "-o", tmp_path / "ae.npz")
    assert isinstance(result.exception, ConfigError)
    assert sentence in str(result.exception)
    assert not (tmp_path / "ae.npz").exists()


def test_no_folder_for_the_output(folder):
    result = semeai("learn", folder, "-o", folder / "none" / "ae.npz")
    assert str(result.exception).endswith("none/ae.npz: cannot be written")


def test_gtp_takes_a_database(folder):
    result = semeai("gtp", "--database", folder / "none.npz")
    assert isinstance(result.exception, ConfigError)
    assert "none.npz: cannot be read" in str(result.exception)
