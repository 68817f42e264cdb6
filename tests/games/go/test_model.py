"""The file of a move model, and the setting of a player that names it."""

import zipfile

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games.go.config import GoPolicy
from semeai.games.go.database import OWN_DATABASE
from semeai.games.go.kernels.features import FIRST_ID, N_IDS, SLOTS, WIDTH
from semeai.games.go.kernels.move_model import MAX_SHAPES
from semeai.games.go.model import FEATURES
from semeai.games.move_model import MoveModel, load_model, model_of, setting_of
from semeai.players.config import PlayerConfig
from tests.games.go.test_database import rewritten

ROWS = np.linspace(-2, 2, N_IDS * WIDTH, dtype=np.float32).reshape(N_IDS, WIDTH)


def small_model(**changes):
    parts = {
        "rows": ROWS, "keys": np.array([5, 2**32 - 1], np.uint32), "shapes": np.array([0.5, -1.0], np.float32),
        "about": {"games": 3},
    }  # fmt: skip
    return MoveModel(FEATURES, **{**parts, **changes})


def test_a_file_keeps_everything(tmp_path):
    model, path = small_model(), tmp_path / "model.npz"
    model.save(path)
    again = load_model(path, FEATURES)
    assert again.digest == model.digest
    assert len(again) == 2
    assert again.rows.tolist() == ROWS.tolist()
    assert again.keys.tolist() == [5, 2**32 - 1]
    assert again.shapes.tolist() == [0.5, -1.0]
    assert again.about == {"games": 3, "game": "go"}
    assert [part.dtype for part in (again.rows, again.keys, again.shapes)] == [np.float32, np.uint32, np.float32]
    again.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_the_digest_is_that_of_the_weights():
    other = ROWS.copy()
    other[-1, -1] += 1e-6
    models = [
        small_model(), small_model(rows=other), small_model(keys=np.array([6, 2**32 - 1], np.uint32)),
        small_model(shapes=np.array([0.5, -1.1], np.float32)),
    ]  # fmt: skip
    assert len({model.digest for model in models}) == 4
    assert small_model(about={"games": 4}).digest == small_model().digest
    assert small_model(rows=ROWS.astype(">f4"), keys=np.array([5, 2**32 - 1])).digest == small_model().digest


def test_the_weights_of_a_slot():
    found = [small_model().of_slot(name) for name in SLOTS]
    assert [len(part) for part in found] == list(SLOTS.values())
    assert np.concatenate(found).tolist() == ROWS[:, 0].tolist()
    assert small_model().of_slot("capture")[0] == ROWS[FIRST_ID[1], 0]


def with_last(value):
    return np.concatenate([ROWS.ravel()[:-1], np.array([value], np.float32)])


BAD = {
    f"it has 3 weights of features, and this program needs {N_IDS * WIDTH}": {"rows": np.zeros(3, np.float32)},
    "it has 2 keys and 1 weights of shapes": {"shapes": np.zeros(1, np.float32)},
    "it has 0 shapes, and 1 to": {"keys": np.empty(0, np.uint32), "shapes": np.empty(0, np.float32)},
    f"it has {MAX_SHAPES + 1:,} shapes, and 1 to": {
        "keys": np.arange(1, MAX_SHAPES + 2, dtype=np.uint32), "shapes": np.zeros(MAX_SHAPES + 1, np.float32)
    },
    "its keys are not in order": {"keys": np.array([9, 5], np.uint32)},
    "keys are not in order ": {"keys": np.array([5, 5], np.uint32)},
    "its keys are not in order  ": {"keys": np.array([0, 5], np.uint32)},
    "keys are not in order   ": {"keys": np.array([5, 2**32], np.uint64)},
    "a weight is not between -60 and 60": {"rows": with_last(61)},
    "weight is not between": {"rows": with_last(np.nan)},
    "is not between -60 and 60": {"shapes": np.array([0, -np.inf], np.float32)},
    "is damaged: its weights have not the digest": {"rows": with_last(0)},
    "have not the digest": {"shapes": np.array([0.5, -1.5], np.float32)},
    "not the digest 0123": {"digest": "0123"},
    "is of version 2, and this program reads version 1": {"version": 2},
    "its keys are float64 of 1 dimensions": {"keys": np.zeros(2)},
    "its rows are": {"rows": np.zeros(N_IDS, np.int64)},
    "what it says of itself cannot be read": {"about": "[1"},
    "of itself cannot be read": {"about": "[1]"},
    "it says of itself cannot": {"about": "[" * 100_000},
    "it holds other things": {"more": 1},
    "it unpacks to more than": {"about": "x" * 3_000_000},
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD)
def test_bad_files_are_refused_in_a_sentence(tmp_path, sentence):
    path = tmp_path / "model.npz"
    small_model().save(path)
    rewritten(path, **BAD[sentence])
    with pytest.raises(ConfigError, match=sentence.strip()) as found:
        load_model(path, FEATURES)
    assert str(found.value).startswith(f"move model {path}: ")
    assert "\n" not in str(found.value)


def test_what_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_model(path, FEATURES)
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_model(tmp_path, FEATURES)
    path.write_text("(;GM[1])")
    with pytest.raises(ConfigError, match="is damaged, or is no move model"):
        load_model(path, FEATURES)
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("version", "rows", "keys", "shapes", "about", "digest"):
            archive.writestr(f"{name}.npy", b"\x80\x04K\x01.")
    with pytest.raises(ConfigError, match="is damaged, or is no move model"):
        load_model(path, FEATURES)
    small_model().save(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ConfigError, match="is damaged, or is no move model"):
        load_model(path, FEATURES)
    with pytest.raises(ConfigError, match="cannot be written: No such file"):
        small_model().save(tmp_path / "none" / "model.npz")


def test_a_setting_finds_its_model_while_it_is_the_same(tmp_path):
    path = tmp_path / "model.npz"
    small_model().save(path)
    setting = setting_of(path, FEATURES)
    assert setting == f"{small_model().digest}@{path}"
    assert model_of(setting, FEATURES).digest == small_model().digest
    model_of.cache_clear()
    small_model(rows=ROWS / 2).save(path)
    with pytest.raises(ConfigError, match=r"npz: has changed: it was [0-9a-f]{16} when the player was read, now"):
        model_of(setting, FEATURES)
    path.unlink()
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        model_of(setting, FEATURES)
    with pytest.raises(ConfigError, match="known by its digest only"):
        model_of(small_model().digest, FEATURES)


def test_groups_of_features_are_weighed_by_settings():
    """A group times 0 says nothing, alone or with another; what is not multiplied is as it was."""
    plain = GoPolicy()
    whole = plain.scaled_model()
    assert whole is model_of(plain.model, FEATURES)
    without = GoPolicy(model_tactics=0.0).scaled_model()
    for group, (slots, _) in FEATURES.groups.items():
        for slot in slots:
            now, before = without.of_slot(slot), whole.of_slot(slot)
            assert (now == (0.0 if group == "tactics" else before)).all(), slot
    zeros = (without.rows == 0).all(axis=1)
    assert zeros.sum() >= sum(FEATURES.slots[slot] for slot in FEATURES.groups["tactics"][0])
    assert (without.shapes == whole.shapes).all()
    half = GoPolicy(model_shapes=0.5).scaled_model()
    assert (half.shapes == np.float32(0.5) * whole.shapes).all()
    assert (half.of_slot("shape") == np.float32(0.5) * whole.of_slot("shape")).all()
    assert GoPolicy(model_shapes=0.5).scaled_model() is half, "it is compiled once"
    nothing = GoPolicy(**dict.fromkeys(FEATURES.factors, 0.0)).scaled_model()
    assert not nothing.rows.any()
    assert not nothing.shapes.any()


def test_every_group_has_one_factor_and_players_without_a_model_do_not_differ_by_it():
    for game in ("go", "havannah"):
        default = PlayerConfig.from_preset("default", game)
        features = type(default.policy).features
        named = [group for groups in features.factors.values() for group in groups]
        assert sorted(named) == sorted(features.groups)
        for name in features.factors:
            changed = default.with_changes({f"policy.{name}": 0.5})
            assert changed.identity() != default.identity()
            assert f"policy.{name}=0.5" in changed.words()
            assert name not in default.recorded()["policy"]
            without = [player.with_changes({"model": "none"}).identity() for player in (changed, default)]
            assert without[0] == without[1]


def test_a_player_takes_a_model_or_a_database(tmp_path):
    path = tmp_path / "model.npz"
    small_model().save(path)
    row = GoPolicy(model=setting_of(path, FEATURES), model_visits=7.0, model_even=3.0).to_record()[0]
    assert (row["model"]["n"], row["database"]["n"]) == (2, 0)
    assert (row["model"]["visits"], row["model"]["even"]) == (7, 3)
    assert row["model"]["rows"][:, 1:].tolist() == ROWS[:, 1:].tolist()
    assert GoPolicy(model="").to_record()[0]["model"]["n"] == 0
    with pytest.raises(ValueError, match="a move model or a database, not both"):
        GoPolicy(model=setting_of(path, FEATURES), database=OWN_DATABASE)


@pytest.mark.parametrize("name", ["model", "database"])
def test_what_is_no_setting_is_refused(name):
    with pytest.raises(ValueError, match=f"{name}=FILE"):
        GoPolicy(**{"model": "", name: "no digest"})
