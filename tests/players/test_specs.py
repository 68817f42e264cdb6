"""Players as data: their recorded identities never change, and they can be sent between processes."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semeai import processes
from semeai.errors import ConfigError
from semeai.games.go import game
from semeai.games.go.book import Book
from semeai.games.go.database import Database
from semeai.match.player_cache import PlayerCache
from semeai.patterns.file import write_patterns
from semeai.patterns.pattern import Pattern
from semeai.players.catalog import make_player, parse_spec, words_with_simulations
from semeai.players.gnugo import gnugo
from semeai.players.specs import GtpSpec, MctsSpec, PlayerSpec, RandomSpec
from semeai.store.ledger import hash_config

ENGINES = Path(__file__).parent.parent / "engines.py"

ENGINE = {
    "command": ["sh", "-c", "{script}", "--level", "{level}", "--komi", "{komi}", "{{x}}", "{seed}"],
    "level": 8, "komi": 6.5, "script": "exit 1",
}  # fmt: skip
FORMER_HAVANNAH = (
    "model=none,search.expansion_threshold=1,search.rave_per_move=0,policy.prior_join=4,policy.prior_virtual=6"
)
PINNED = [
    ("8a258e489cb2bd19", "go", "random"),
    ("843365b55b8ba732", "go", "mcts:database=own"),
    ("a0f8e479951b6add", "go", "mcts:uct,simulations=50"),
    ("ca5e5a8167e68204", "go", "mcts:rave,seconds=0.5,stop_early=true,threads=2"),
    ("bb2594f9499b2850", "go", "mcts:database=own,patterns=good.txt"),
    ("53970eb2103eb4c0", "go", "mcts:database=ae.npz"),
    ("658ba65216b9ed05", "go", "mcts:database=none"),
    ("475492a8f355512e", "go", "mcts:database=own,book=true"),
    ("c9d211eb36405ac4", "havannah", f"mcts:{FORMER_HAVANNAH}"),
    ("502e5506d95f2929", "havannah", {"player": "mcts:fast", "parallel": {"scheme": "slow_tree", "ranks": 4}}),
    ("34e9ad982aa91903", "go", "gtp:sh -c 'exit 1'"),
    ("8e175a2fd51fa10c", "go", ENGINE),
    ("772214b734c08e9f", "go", {**ENGINE, "timeout": 5, "startup_timeout": 2.5}),
]
"""Hashes of identities as release 0.1 recorded them: a match in an old ledger is resumed only if they stay the same."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(game, "own_book", Book)  # the book that comes with semeai may grow
    Database(np.array([7], np.uint64), np.array([0], np.uint8), np.array([0.5], np.float32)).save(tmp_path / "ae.npz")
    write_patterns(tmp_path / "good.txt", [Pattern.parse("+1 XOX/.*."), Pattern.parse("-1 .*./___")])
    return tmp_path


@pytest.mark.parametrize(("digest", "game", "words"), PINNED, ids=lambda value: str(value)[:20])
def test_identities_are_those_of_old_ledgers_and_come_back(folder, digest, game, words):
    spec = parse_spec(words, folder, game)
    identity = spec.identity()
    assert hash_config(identity)[:16] == digest
    again = PlayerSpec.from_identity(identity)
    assert type(again) is type(spec)
    assert again.identity() == identity
    assert list(again.identity()) == list(identity) == ["kind", *sorted(identity.keys() - {"kind"})]


@pytest.mark.parametrize(("digest", "game", "words"), PINNED, ids=lambda value: str(value)[:20])
def test_equal_players_are_equal_everywhere(folder, digest, game, words):
    spec, same = (parse_spec(words, folder, game) for _ in range(2))
    copy = pickle.loads(pickle.dumps(spec))
    assert spec == same == copy
    assert len({spec, same, copy, replace(spec, label="other")}) == 2
    assert parse_spec(spec) is spec


def test_a_spec_says_what_it_is(folder):
    assert parse_spec("random") == RandomSpec("random")
    searching = parse_spec("mcts:uct,simulations=50")
    assert isinstance(searching, MctsSpec)
    assert searching.make().config is searching.config
    engine = parse_spec({**ENGINE, "timeout": 5}, folder)
    assert isinstance(engine, GtpSpec)
    assert engine.command == tuple(ENGINE["command"])
    assert dict(engine.values) == {"level": 8, "komi": 6.5, "script": "exit 1"}
    assert (engine.timeout, engine.startup_timeout, engine.folder) == (5.0, None, str(folder))
    assert engine.label == "sh -c 'exit 1' --level 8 --komi 6.5 '{x}' {seed}"


def test_engines_whose_values_python_calls_equal_are_others():
    specs = {replace(parse_spec({"command": ["sh", "{x}"], "x": x}), label="e") for x in (1, 1.0, True, "1")}
    assert len(specs) == 4
    with PlayerCache() as players:
        assert len({id(players.take(spec, 0)) for spec in specs}) == 4


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1], {"a": 1}, None])
def test_values_of_an_engine_can_be_recorded(value):
    with pytest.raises(ConfigError, match="x must be a finite number or a text, not"):
        parse_spec({"command": ["sh", "{x}"], "x": value})


PARSING = """
import sys
from semeai.players.catalog import parse_spec
from semeai.players.specs import PlayerSpec
for words in ("random", "gtp:sh -c exit"):
    PlayerSpec.from_identity(parse_spec(words).identity())
print("numba" in sys.modules)
"""


def test_random_players_and_engines_are_parsed_without_numba():
    done = subprocess.run([sys.executable, "-c", PARSING], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_engines_are_found_where_games_are_installed(tmp_path, monkeypatch):
    """Words keep the name that was written; the program is found where the player is made."""
    monkeypatch.setattr(processes, "GAME_FOLDERS", (str(tmp_path),))
    with pytest.raises(ConfigError, match="no program 'a-game' can be run here"):
        parse_spec("gtp:a-game")
    program = tmp_path / "a-game"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {ENGINES} passes\n")
    program.chmod(0o755)
    spec = parse_spec("gtp:a-game")
    assert spec.identity()["command"] == ["a-game"]
    player = make_player(spec)
    player.start(game.GAME.new_position(5), 1)
    assert player.choose().move == 0
    player.close()


def test_gnugo_is_found_like_any_engine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(processes, "GAME_FOLDERS", (str(tmp_path / "my games"),))
    with pytest.raises(ConfigError, match="gnugo is not installed here"):
        gnugo()
    (tmp_path / "my games").mkdir()
    (tmp_path / "my games" / "gnugo").write_text("#!/bin/sh\n")
    (tmp_path / "my games" / "gnugo").chmod(0o755)
    assert parse_spec(gnugo(3)).command[0] == str(tmp_path / "my games" / "gnugo")


def test_words_get_a_budget_if_they_have_none():
    assert words_with_simulations("mcts", 5) == "mcts:simulations=5"
    assert words_with_simulations("mcts:uct", 5) == "mcts:uct,simulations=5"
    for words in ("mcts:seconds=1", "mcts:uct, simulations=3", "random", "gtp:sh"):
        assert words_with_simulations(words, 5) == words
