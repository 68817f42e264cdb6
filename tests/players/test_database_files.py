"""A player's database is read from a file, its identity depends on the content, and workers must find the same file."""

import json
import shutil

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games.go.database import OWN_DATABASE, Database, database_of
from semeai.games.go.kernels.board import GO_STATE
from semeai.games.go.kernels.priors import expand_node
from semeai.games.go.model import FEATURES, OWN_MODEL
from semeai.games.go.position import GoPosition
from semeai.games.move_model import model_of
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel
from semeai.learn.competitions import Competitions
from semeai.match.match import Match
from semeai.match.run import run_match
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.players.config import PlayerConfig
from semeai.players.specs import PlayerSpec
from semeai.runs.race_file import load_race_file
from semeai.runs.run import Place


def database(weight=0.5):
    return Database(np.array([7], np.uint64), np.array([0], np.uint8), np.array([weight], np.float32))


@pytest.fixture
def folder(tmp_path):
    database().save(tmp_path / "ae.npz")
    database(2.0).save(tmp_path / "other.npz")
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "ae.npz", tmp_path / "copy" / "same.npz")
    return tmp_path


def test_the_identity_is_what_the_file_holds(folder):
    (folder / "player.toml").write_text('player = "mcts"\ndatabase = "ae.npz"\n')
    one, *same = (
        parse_spec(spec, folder)
        for spec in (
            "mcts:database=ae.npz", "mcts:database=copy/same.npz", "player.toml", {"player": "mcts:database=ae.npz"}
        )
    )  # fmt: skip
    assert [spec.identity() for spec in same] == [one.identity()] * 3
    assert one.identity()["policy"]["database"] == database().digest
    assert str(folder) not in json.dumps(one.identity())
    others = [parse_spec(spec, folder).identity() for spec in ("mcts:database=none", "mcts:database=other.npz")]
    assert one.identity() not in others
    assert not [name for name in others[0]["policy"] if name.startswith("database")]
    without = PlayerSpec.from_identity(others[0])
    assert (without.label, without.config) == ("mcts:default,model=none", PlayerConfig.from_text("database=none"))
    config = one.make().config
    assert config.policy.database == f"{database().digest}@{folder / 'ae.npz'}"
    assert config.identity() == same[0].make().config.identity()
    assert config.with_changes({"simulations": 5}).policy == config.policy


def test_tables_say_ae(folder):
    labels = {
        "mcts:rave,database=ae.npz,simulations=200": "mcts:rave,simulations=200 +AE (ae.npz)",
        "mcts:database=ae.npz": "mcts +AE (ae.npz)",
        "mcts:rave,patterns=p.txt": "mcts:rave,patterns=p.txt",
    }
    (folder / "p.txt").write_text("semeai patterns 1\ngeometry square\n")
    for words, label in labels.items():
        assert parse_spec(words, folder).label == label
    assert parse_spec({"player": "mcts:rave", "database": "ae.npz", "threads": 2}, folder).label == (
        "mcts:rave,threads=2 +AE (ae.npz)"
    )
    again = PlayerSpec.from_identity(parse_spec("mcts:database=ae.npz", folder).identity())
    assert again.label.endswith(f" +AE ({database().digest})")


def test_what_is_wrong_is_said(folder):
    (folder / "bad.npz").write_text("nothing")
    for words, sentence in {
        "mcts:database=bad.npz": "bad.npz: is damaged, or is no database",
        "mcts:database=none.npz": "none.npz: cannot be read: No such file",
        "mcts:database=3": "player setting database: must be the name of a file, not 3",
        "mcts:policy.database=ae.npz": "write database=FILE",
    }.items():
        with pytest.raises(ConfigError, match=sentence):
            parse_spec(words, folder)
    with pytest.raises(ConfigError, match="players of havannah have no database"):
        parse_spec("mcts:database=ae.npz", folder, "havannah")


def test_a_match_refuses_a_file_that_has_changed(folder):
    spec = parse_spec("mcts:simulations=5,memory_mb=1,database=ae.npz", folder)
    match = Match(spec, parse_spec("random"), MatchSettings(size=3))
    database(3.0).save(folder / "ae.npz")
    with pytest.raises(ConfigError, match=r"ae.npz: has changed: it was [0-9a-f]{16}"):
        run_match(match, 2, Place(str(folder / "l.sqlite")))


def test_a_worker_that_cannot_find_the_file_says_so(folder):
    spec = parse_spec("mcts:simulations=5,memory_mb=1,database=ae.npz", folder)
    spec.make().close()  # this process knows it from now on
    (folder / "ae.npz").unlink()
    match = Match(spec, parse_spec("random"), MatchSettings(size=3))
    with pytest.raises(ConfigError, match=r"ae.npz: cannot be read: No such file"):
        run_match(match, 2, Place(str(folder / "l.sqlite"), workers=1))
    database_of.cache_clear()


RACE = """
[race]
mode = "plain"
[evaluator.match]
size = 5
[baseline]
player = "mcts:simulations=20"
[[candidates]]
name = "AE"
database = "ae.npz"
"""


def test_a_race_keeps_the_digest(folder):
    (folder / "race.toml").write_text(RACE)
    (candidate,) = load_race_file(folder / "race.toml").plan(folder).candidates
    assert candidate.params["policy.database"] == f"{database().digest}@ae.npz"
    made = parse_spec(candidate.params, folder).make()
    assert made.config.policy.database.endswith(f"@{folder / 'ae.npz'}")
    (folder / "race.toml").write_text(RACE.replace('simulations=20"', 'simulations=20,database=ae.npz"'))
    one = load_race_file(folder / "race.toml").plan(folder).identity
    (folder / "race.toml").write_text(RACE.replace('simulations=20"', 'simulations=20,database=copy/same.npz"'))
    assert load_race_file(folder / "race.toml").plan(folder).identity == one
    assert one["baseline"]["policy.database"] == database().digest


def test_a_database_steers_the_search(folder):
    """The best move of a node gets all visits and H, others by a power of their strength; without one nobody does."""
    assert PlayerConfig.from_text("database=none").policy.to_record()[0]["database"]["n"] == 0
    position = GoPosition(9)
    position.play(position.text_to_move("E5"))
    beside, free = position.text_to_move("E4"), position.text_to_move("C3")
    look = Competitions.of_moves([(position, beside), (position, free)])
    keys = look.keys(0)[look.winners]
    found = Database(np.sort(keys), np.zeros(2, np.uint8), np.log([9.0, 1.0])[np.argsort(keys)].astype(np.float32))
    found.save(folder / "two.npz")
    bare = PlayerConfig.from_preset("rave").with_changes({"simulations": 1, "memory_mb": 1})
    grown = bare.with_changes({"database": str(folder / "two.npz"), "policy.database_visits": 12})
    priors = []
    for config in (bare, grown):
        table, scratch = config.policy.to_record(), np.zeros(1, SCRATCH)
        n = expanded(position.states, np.zeros(1, GO_STATE), table, scratch)
        moves = scratch[0]["moves"][:n].tolist()
        priors.append(
            [
                [float(scratch[0][name][moves.index(move)]) for name in ("prior_visits", "prior_wins", "heuristic")]
                for move in (beside, free)
            ]
        )
    assert priors[0] == [[0, 0, 0], [0, 0, 0]]
    assert priors[1] == [pytest.approx([12, 12, 0.2]), pytest.approx([4, 4, 0.2 / 3])]


@kernel
def expanded(states, spares, policies, scratches):
    return expand_node(states[0], spares[0], policies[0], scratches[0])


def test_the_own_model_is_part_of_the_default_player_and_a_database_replaces_it():
    """The files in the package are those that the settings name; they can be left out or taken by others."""
    default = PlayerConfig.from_text("default")
    assert (default.policy.model, default.policy.database) == (OWN_MODEL, "")
    assert model_of(OWN_MODEL, FEATURES).digest == OWN_MODEL.partition("@")[0]
    assert database_of(OWN_DATABASE).digest == OWN_DATABASE.partition("@")[0]
    for words, model, database in (
        ("default,database=none", "", ""),
        ("default,model=none", "", ""),
        ("default,database=own", "", OWN_DATABASE),
        ("rave", "", ""),
        ("rave,database=own", "", OWN_DATABASE),
        ("rave,model=own", OWN_MODEL, ""),
    ):
        policy = PlayerConfig.from_text(words).policy
        assert (policy.model, policy.database) == (model, database), words
        assert parse_spec(f"mcts:{words}").label == f"mcts:{words}"
    with pytest.raises(ConfigError, match="a move model or a database, not both"):
        PlayerConfig.from_text("default,model=own,database=own")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("default", "default"),
        ("model=none", "default,model=none"),
        ("database=own", "default,database=own"),
        ("rave,model=own", "rave,model=own"),
    ],
)
def test_words_of_files_that_come_with_semeai(words, shown):
    assert PlayerConfig.from_text(words).words() == shown


def test_a_recorded_default_player_is_found_again():
    """A ledger keeps the digest alone; of the own database that is enough."""
    spec = parse_spec("mcts:default,simulations=10")
    again = PlayerSpec.from_identity(spec.identity())
    assert again.identity() == spec.identity()
    assert "+AE" not in again.label
    again.make().close()
