"""``semeai learn`` as a user types it."""

import json

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.errors import ConfigError
from semeai.games.go.database import load_database
from semeai.games.go.model import FEATURES
from semeai.games.go.position import GoPosition
from semeai.games.go.sgf import write_sgf
from semeai.games.havannah.model import FEATURES as HAVANNAH_FEATURES
from semeai.games.move_model import load_model
from semeai.players.catalog import parse_spec
from tests.learn.test_learn import random_games


def semeai(*words):
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)


@pytest.fixture
def folder(tmp_path):
    for i, game in enumerate(random_games(20)):
        (tmp_path / f"{i:02}.sgf").write_text(write_sgf(game))
    return tmp_path


def test_a_move_model_of_a_folder_of_games(folder):
    (folder / "broken.sgf").write_text("(;GM[1")
    output, figure = folder / "model.npz", folder / "calibration.svg"
    words = ("learn", folder, "-o", output, "--min-seen", 5, "--epochs", 1)
    result = semeai(*words, "--figure", figure)
    assert result.exit_code == 0, result.output
    assert "broken.sgf is no SGF file" in result.stderr
    assert "chunk 1 of 1: log-likelihood" in result.stderr
    assert "moves 1 to 30" in result.stdout
    assert f"digest {load_model(output, FEATURES).digest}" in result.stdout.replace("\n", " ")
    assert figure.read_text().startswith("<?xml")
    assert not output.with_name("model.npz.part").exists()
    first = output.read_bytes()
    found = json.loads(semeai(*words, "--json").stdout)
    assert output.read_bytes() == first
    assert found["digest"] == load_model(output, FEATURES).digest
    assert found["shapes"] == len(load_model(output, FEATURES))
    assert found["bytes_on_disk"] == output.stat().st_size
    assert (found["games"], found["games_held_out"], len(found["refused"])) == (19, 1, 1)
    assert 0 <= found["top_1"] <= found["top_5"] <= found["top_20"] <= 1
    assert sum(row["points"] * row["played"] for row in found["calibration"]) == pytest.approx(found["moves_held_out"])
    other = json.loads(semeai(*words, "--json", "--seed", 2, "--shapes", 10).stdout)
    assert other["shapes"] == 10
    assert other["digest"] != found["digest"]


def test_a_player_takes_the_model(folder):
    output = folder / "model.npz"
    assert semeai("learn", folder, "-o", output, "--min-seen", 5, "--epochs", 1).exit_code == 0
    spec = parse_spec(f"mcts:model={output},simulations=5,memory_mb=1", folder)
    assert spec.identity()["policy"]["model"] == load_model(output, FEATURES).digest
    player, position = spec.make(), GoPosition(5)
    player.start(position, seed=1)
    position.play(player.choose().move)
    assert len(position.moves) == 1


@pytest.mark.slow
@pytest.mark.slow
def test_a_model_of_havannah_learns_visits_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("learn", "--game", "havannah", "--self-play", 6, "--size", 4, "--simulations", 20, "--workers", 1)
    searching = ("--targets", "visits", "--searches", 2, "--search-simulations", 30, "--held-out", 0.4)
    result = semeai(*words, *searching, "--start", "own", "-o", "m.npz")
    assert result.exit_code == 0, result.output
    assert "to play with it: semeai gtp --game havannah --set model=m.npz" in result.stdout
    about = load_model("m.npz", HAVANNAH_FEATURES).about
    assert (about["game"], about["targets"]) == ("havannah", "visits")
    assert about["start"] == HAVANNAH_FEATURES.own_model.partition("@")[0]


def test_a_model_of_searches_begins_with_another_one(folder):
    first, output = folder / "first.npz", folder / "next.npz"
    words = ("learn", folder, "--min-seen", 5, "--epochs", 1)
    assert semeai(*words, "-o", first).exit_code == 0
    searching = ("--player", "mcts:rave,memory_mb=1", "--search-simulations", 20, "--searches", 2, "--workers", 1)
    result = semeai(*words, "-o", output, "--targets", "visits", "--start", first, *searching)
    assert result.exit_code == 0, result.output
    searches = output.with_name("next.npz.searches").read_text()
    assert len(searches.splitlines()) == 1 + 2 * 20
    found = json.loads(
        semeai(*words, "-o", output, "--targets", "visits", "--start", first, *searching, "--json").stdout
    )
    assert output.with_name("next.npz.searches").read_text() == searches
    assert 30 < found["moves"] + found["moves_held_out"] <= 40
    about = load_model(output, FEATURES).about
    assert (about["targets"], about["start"], about["sources"]) == (
        "visits",
        load_model(first, FEATURES).digest,
        [str(folder)],
    )


def test_a_database_of_a_folder_of_games(folder):
    (folder / "broken.sgf").write_text("(;GM[1")
    output = folder / "ae.npz"
    result = semeai("learn", folder, "-o", output, "--patterns-only", "--min-seen", 5)
    assert result.exit_code == 0
    assert "left out: " in result.stderr
    assert "broken.sgf is no SGF file" in result.stderr
    assert "up to distance" in result.stdout
    assert f"digest {load_database(output).digest}" in result.stdout.replace("\n", " ")
    found = json.loads(semeai("learn", folder, "-o", output, "--patterns-only", "--min-seen", 5, "--json").stdout)
    assert found["digest"] == load_database(output).digest
    assert found["patterns"] == sum(found["patterns_by_size"]) == len(load_database(output))
    assert found["bytes_on_disk"] == output.stat().st_size
    assert (found["games"], found["games_held_out"], len(found["refused"])) == (18, 2, 1)
    assert found["by_size"][-1]["first"] > found["uniform"]["first"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [("--patterns-only",), ("--epochs", 1), ("--game", "havannah", "--held-out", 0.4)],
    ids=["patterns", "model", "havannah"],
)
def test_self_play_is_the_same_for_any_number_of_workers_and_played_once(tmp_path, kind):
    digests, played = [], []
    for workers, ledger in ((1, "a"), (2, "b"), (1, "a")):
        output = tmp_path / "ae.npz"
        result = semeai(
            "learn", "--self-play", 6, "--size", 4, "--simulations", 5, "--player", "mcts:uct,memory_mb=1",
            "--workers", workers, "--ledger", tmp_path / f"{ledger}.sqlite", "--min-seen", 3, "-o", output, *kind,
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
        (("x.sgf", "--prior", 2), "--prior is an option with --patterns-only"),
        (("x.sgf", "--positions", 100), "--positions is an option with --patterns-only"),
        (("x.sgf", "--distance", 5), "--distance is an option with --patterns-only"),
        (("x.sgf", "--patterns-only", "--epochs", 2), "--epochs is an option without --patterns-only"),
        (("x.sgf", "--patterns-only", "--shapes", 2), "--shapes is an option without --patterns-only"),
        (("x.sgf", "--patterns-only", "--groups"), "--groups is an option without --patterns-only"),
        (("x.sgf", "--patterns-only", "--figure", "x.svg"), "--figure is an option without --patterns-only"),
        (("x.sgf", "--patterns-only", "--targets", "visits"), "--targets visits is an option without --patterns-only"),
        (("x.sgf", "--patterns-only", "--start", "own"), "--start is an option without --patterns-only"),
        (("x.sgf", "--searches", 3), "--searches is an option with --targets visits"),
        (("x.sgf", "--search-simulations", 30), "--search-simulations is an option with --targets visits"),
        (("x.sgf", "--targets", "visits", "--groups"), "--groups is an option without --targets visits"),
        (("--self-play", 4, "--player", "random", "--targets", "visits"), "does not tell its visits"),
        (("x.sgf", "--start", "none.npz"), "--start: move model none.npz: cannot be read"),
        (("x.sgf", "--figure", "x.txt"), "--figure x.txt: write a name that ends in .svg"),
        (("x.sgf", "--patterns-only", "--prior", 0), "--prior: must be above 0 and at most 1000, not 0"),
        (("--self-play", 4, "--player", "mcts:simulations=5", "--simulations", 9), "has a budget of its own"),
        (("--self-play", 4, "--game", "havannah", "--patterns-only"), "--game havannah: --patterns-only is for Go"),
        (("--self-play", 4, "--game", "havannah", "--size", 19), "havannah is played on sizes 2 to 10, not 19"),
        (("x.sgf", "--game", "havannah"), "none of 1 files can be used; the first: x.sgf: cannot be read"),
        (("x.sgf", "--game", "hawannah"), "hawannah"),
    ],
)
def test_bad_words(words, sentence, tmp_path):
    result = semeai("learn", *words, "-o", tmp_path / "ae.npz")
    assert isinstance(result.exception, ConfigError)
    assert sentence in str(result.exception)
    assert not (tmp_path / "ae.npz").exists()


def test_too_few_games_write_no_file(folder):
    for words, sentence in (
        ((folder / "00.sgf",), "1 games: at least two are needed"),
        ((folder, "--min-seen", 100_000), "shape"),
    ):
        result = semeai("learn", *words, "-o", folder / "model.npz")
        assert isinstance(result.exception, ConfigError)
        assert sentence in str(result.exception)
        assert not (folder / "model.npz").exists()


def test_no_folder_for_the_output(folder):
    result = semeai("learn", folder, "-o", folder / "none" / "ae.npz")
    assert str(result.exception).endswith("none/ae.npz: cannot be written")


def test_gtp_takes_a_database(folder):
    result = semeai("gtp", "--database", folder / "none.npz")
    assert isinstance(result.exception, ConfigError)
    assert "none.npz: cannot be read" in str(result.exception)
