"""The move model that comes with semeai, files of other games, and players with and without a model."""

import pytest

from semeai.errors import ConfigError
from semeai.games.go.model import FEATURES as GO_FEATURES
from semeai.games.go.model import OWN_MODEL as GO_MODEL
from semeai.games.havannah.model import FEATURES, OWN_MODEL
from semeai.games.move_model import load_model, model_of
from semeai.players.catalog import parse_spec


def test_the_model_that_comes_with_semeai():
    model = model_of(OWN_MODEL, FEATURES)
    assert f"{model.digest}@own" == OWN_MODEL
    assert model.about["game"] == "havannah"
    assert model.about["sources"]
    policy = parse_spec("mcts", game="havannah").config.policy.to_record()
    assert policy[0]["model"]["n"] == 1
    assert policy[0]["model"]["weights"].tolist() == model.rows[:, 0].tolist()
    reply = model.of_slot("reply")
    assert reply[1] > reply[0] + 1  # whoever's bridge is broken into keeps it


def test_a_model_of_another_game_is_refused(tmp_path):
    path = tmp_path / "m.npz"
    model_of(GO_MODEL, GO_FEATURES).save(path)
    with pytest.raises(ConfigError, match=r"m\.npz: "):
        load_model(path, FEATURES)
    model_of(OWN_MODEL, FEATURES).save(path)
    with pytest.raises(ConfigError, match=r"m\.npz: is for havannah, and a model for go is needed"):
        load_model(path, GO_FEATURES)
    with pytest.raises(ConfigError, match="model for go is needed"):
        parse_spec(f"mcts:model={path}", game="go")


def test_players_without_a_model_are_those_from_before():
    """Ledgers have their identity without the settings of a model."""
    before = parse_spec("mcts:model=none,search.expansion_threshold=1", game="havannah").identity()
    assert not [key for key in before["policy"] if key.startswith("model")]
    now = parse_spec("mcts", game="havannah").identity()
    assert now["policy"]["model"] == OWN_MODEL.partition("@")[0]
