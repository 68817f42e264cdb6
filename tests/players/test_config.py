import math

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.games.catalog import GAMES, game_named
from semeai.games.go import game
from semeai.games.go.book import Book, BookMove, own_book
from semeai.games.go.database import Database
from semeai.games.go.position import GoPosition
from semeai.players.catalog import parse_spec
from semeai.players.config import PlayerConfig, setting_names
from semeai.players.specs import PlayerSpec


def test_text_chooses_a_preset_and_changes_it():
    config = PlayerConfig.from_text("uct, simulations=50, policy.playout=mogo, reuse_tree=false")
    assert config.simulations == 50
    assert config.policy.playout == "mogo"
    assert config.search.exploration == pytest.approx(math.sqrt(2))
    assert config.reuse_tree is False


def test_identity_tells_configs_apart_and_nothing_else():
    default = PlayerConfig()
    assert default.identity() == PlayerConfig.from_text("default").identity()
    assert default.identity() != default.with_changes({"search.rave_bias": 0.5}).identity()


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_player_is_called_by_its_preset_and_changes(game):
    for preset in game_named(game).presets:
        for changes in ("", ",simulations=200", ",seconds=0.5,stop_early=true"):
            recorded = parse_spec(f"mcts:{preset}{changes}", game=game).identity()
            label = PlayerSpec.from_identity(recorded).label
            assert label == f"mcts:{preset}{changes}"
            assert parse_spec(label, game=game).identity() == recorded


def test_a_player_with_a_book_is_known_by_what_the_book_holds(monkeypatch):
    """A match that goes on with another book would mix two players."""
    spec = parse_spec("mcts:default,book=true")
    known = spec.identity()
    assert known["book"] == own_book().digest
    again = PlayerSpec.from_identity(known)
    assert again.identity() == known
    assert again.config.book is True
    assert parse_spec("mcts:default").identity()["book"] is False
    position = GoPosition(9)
    monkeypatch.setattr(game, "own_book", Book)
    assert spec.identity() != known
    other = Book()
    other.add(position, BookMove(position.text_to_move("E5"), 0.5, 10))
    assert other.digest != Book().digest


def test_seconds_replace_simulations():
    config = PlayerConfig.from_text("seconds=0.5")
    assert config.simulations is None
    assert config.seconds == 0.5


@pytest.mark.parametrize(("game", "preset"), [(game, preset) for game in GAMES for preset in game_named(game).presets])
def test_every_preset_is_valid(game, preset):
    config = PlayerConfig.from_preset(preset, game)
    assert config.policy.to_record().shape == (1,)
    assert PlayerConfig.model_validate(config.model_dump(mode="json")) == config


@pytest.mark.parametrize("game", GAMES)
def test_every_setting_reaches_the_kernels(game, tmp_path):
    """Changing any setting of the search or the policy changes a record."""
    plain = learnt = racing = PlayerConfig(game=game)
    if game == "go":  # a player has a move model or a database, not both
        Database(np.array([7], np.uint64), np.zeros(1, np.uint8), np.ones(1, np.float32)).save(tmp_path / "ae.npz")
        learnt = plain.with_changes({"database": "ae.npz"}, tmp_path)
        racing = plain.with_changes({"policy.race_playouts": 1})
    words = {"search.rave": "hand_picked", "policy.playout": {"go": "light", "havannah": "fast"}[game]}
    words |= {"policy.patterns": ["+1 X*/?X"], "policy.database": "", "policy.model": ""}
    for name in setting_names(game):
        part, _, field = name.partition(".")
        if part in ("search", "policy"):
            default = learnt if field.startswith("database") else racing if field == "race_nodes" else plain
            now = default.model_dump()[part][field]
            number = 7 if isinstance(now, int) else 0.25
            changed = default.with_changes({name: not now if isinstance(now, bool) else words.get(name, number)})
            before, after = (getattr(c, part).to_record().tobytes() for c in (default, changed))
            assert before != after, name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fast", "no preset 'fast'"),
        ("simulation=3", "did you mean 'simulations'"),
        ("search.explore=1", "search.exploration"),
        ("search=1", "no setting 'search'"),
        ("simulations=0", "^player setting simulations: must be at least 1, not 0$"),
        ("search.exploration=-1", "^player setting search.exploration: must be at least 0, not -1$"),
        ("search.exploration=NaN", "search.exploration"),
        (
            "search.rave=minimum_mes",
            "^player setting search.rave: 'minimum_mes' is unknown; did you mean 'minimum_mse'",
        ),
        ("policy.playout=mgo", "^player setting policy.playout: 'mgo' is unknown; did you mean 'mogo'"),
        ("search.rave=true", "^player setting search.rave: true is unknown; known: hand_picked"),
        ("parallel.ranks=2", "^player setting parallel: 2 ranks need a scheme"),
        ("policy.capture=1.5", "^player setting policy.capture: must be at most 1, not 1.5$"),
        ("default,simulations", "write name=value"),
        ("game=chess", "game: this player plays go, not 'chess'"),
        ("simulations=true", "^player setting simulations: must be a number, not true$"),
        ("seconds=1,simulations=5", "^player: give simulations or seconds, not both$"),
        ("simulations=" + "[" * 100_000, "simulations"),
        ("policy.self_atari_stones=999999999999999999999", "policy.self_atari_stones"),
    ],
)
def test_bad_settings_are_named(text, words):
    with pytest.raises(ConfigError, match="(?s)" + words.replace("(", r"\(")):
        PlayerConfig.from_text(text)
