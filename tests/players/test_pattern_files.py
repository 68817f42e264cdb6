"""A player's patterns are read from a file, and its identity depends on the content."""

import pytest

from semeai.errors import ConfigError
from semeai.patterns.file import write_patterns
from semeai.patterns.geometry import HEX
from semeai.patterns.pattern import Pattern
from semeai.players.catalog import parse_spec
from semeai.players.config import PlayerConfig
from semeai.runs.race_file import load_race_file

HANE = Pattern.parse("+1 XOX/.*.")
EDGE = Pattern.parse("-1 .*./___")


@pytest.fixture
def folder(tmp_path):
    write_patterns(tmp_path / "good.txt", [HANE, EDGE])
    write_patterns(tmp_path / "same.txt", [EDGE.turned(3), HANE.turned(5)], "in another order")
    write_patterns(tmp_path / "hex.txt", [Pattern.parse("+1 X*", HEX)])
    return tmp_path


def test_words_tables_and_files_of_players_read_the_file(folder):
    direct = PlayerConfig().with_changes({"policy.patterns": [HANE.text, EDGE.text]})
    (folder / "player.toml").write_text('player = "mcts:default"\npatterns = "good.txt"\n')
    for spec in (
        "mcts:patterns=good.txt",
        "mcts:default,patterns=same.txt",
        "player.toml",
        {"player": "mcts", "patterns": "good.txt"},
        {"player": "mcts:patterns=good.txt"},
    ):
        made = parse_spec(spec, folder)
        assert made.config == direct
    (folder / "good.txt").unlink()  # what was parsed needs no file any more
    assert made.make().config == direct


def test_havannah_has_hex_patterns(folder):
    made = parse_spec("mcts:patterns=hex.txt", folder, "havannah")
    assert made.config.policy.patterns == ("+1 X?/?*",)
    with pytest.raises(ConfigError, match=r"hex.txt: the patterns are hex, but the board is square"):
        parse_spec("mcts:patterns=hex.txt", folder)


def test_bad_files_are_named_with_line_and_reason(folder):
    (folder / "bad.txt").write_text("semeai patterns 1\ngeometry square\npattern 2\n  X Q\n")
    with pytest.raises(ConfigError, match=r"bad.txt, line 3: a drawing needs one move"):
        parse_spec("mcts:patterns=bad.txt", folder)
    with pytest.raises(ConfigError, match=r"none.txt: cannot be read: No such file"):
        parse_spec("mcts:patterns=none.txt", folder)
    with pytest.raises(ConfigError, match=r"must be the name of a file, not 7"):
        parse_spec("mcts:patterns=7", folder)


RACE = """
[race]
mode = "plain"
[evaluator.match]
size = 5
[baseline]
player = "mcts:simulations=20,patterns=good.txt"
[[candidates]]
name = "other"
patterns = "same.txt"
[[candidates]]
name = "bare"
"policy.patterns" = []
"""


def test_a_race_keeps_what_the_files_said(folder):
    path = folder / "race.toml"
    path.write_text(RACE)
    plan = load_race_file(path).plan(folder)
    texts = list(PlayerConfig().with_changes({"patterns": "good.txt"}, folder).policy.patterns)
    assert plan.identity["baseline"] == {"player": "mcts:simulations=20", "policy.patterns": texts}
    other, bare = plan.candidates
    assert other.params == plan.evaluator.baseline
    assert bare.params["policy.patterns"] == []
    write_patterns(folder / "good.txt", [HANE])
    assert load_race_file(path).plan(folder).identity != plan.identity
