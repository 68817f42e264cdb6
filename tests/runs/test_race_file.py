import pytest

from semeai.errors import ConfigError
from semeai.match.evaluator import MatchEvaluator
from semeai.runs.race import as_candidate
from semeai.runs.race_file import load_race_file, run_race_file

GOOD = """
seed = 3
[race]
risk = 0.1
[evaluator]
callable = "tests.programs:coin"
[[candidates]]
p = 0.4
[[candidates]]
name = "good"
p = 0.8
"""


@pytest.fixture
def write(tmp_path):
    def writer(text):
        path = tmp_path / "race.toml"
        path.write_text(text)
        return path

    return writer


def names(path):
    return [c.name for c in load_race_file(path).plan(path.parent).candidates]


def test_a_list(write):
    assert names(write(GOOD)) == ["p=0.4", "good"]


def test_a_grid(write):
    text = '[evaluator]\ncallable = "tests.programs:coin"\n[candidates.grid]\np = [0.1, 0.2]\nq = ["a", "b"]\n'
    assert names(write(text)) == ["p=0.1, q=a", "p=0.1, q=b", "p=0.2, q=a", "p=0.2, q=b"]


def test_a_generator(write):
    head = '[evaluator]\ncallable = "tests.programs:coin"\n[candidates]\ngenerator = "tests.programs:endless"\n'
    path = write(head + "limit = 5\n[race]\nmode = 'stream'\n")
    config = load_race_file(path)
    first, second = ([c.params for c in config.plan(path.parent).candidates] for _ in range(2))
    assert len(first) == 5
    assert first == second
    with pytest.raises(ConfigError, match="endless generator"):
        load_race_file(write(head))


def test_candidates_are_changes_of_the_baseline(write):
    text = GOOD.replace("[[candidates]]\np = 0.4", "[baseline]\np = 0.5\nq = 1\n[[candidates]]\np = 0.4")
    path = write(text.replace("callable", 'better = "higher"\ncallable'))
    candidates = list(load_race_file(path).plan(path.parent).candidates)
    assert [(c.name, dict(c.params)) for c in candidates] == [
        ("p=0.4", {"p": 0.4, "q": 1}),
        ("good", {"p": 0.8, "q": 1}),
    ]


def identity(path):
    return load_race_file(path).plan(path.parent).identity


def test_identity_forgets_where_and_how_fast(write):
    plain = identity(write(GOOD))
    assert identity(write('name = "n"\nledger = "x"\n' + GOOD + "[executor]\nworkers = 7\n")) == plain
    assert identity(write(GOOD.replace("0.1", "0.2"))) != plain
    # Writing a default out changes nothing.
    assert identity(write(GOOD.replace("risk = 0.1", "risk = 0.1\ngrowth = 0.0078125"))) == plain


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("risk = 0.1", "risk = 7"), r"race\.toml: race\.risk: must be below 1, not 7"),
        (("risk", "rsik"), "race.rsik: unknown key; did you mean 'risk'"),
        (("[race]", "[rcae]"), "rcae: unknown key; did you mean 'race'"),
        (("callable =", "calable ="), "evaluator.calable: unknown key; did you mean 'callable'"),
        (("[evaluator]\ncallable", "[baseline]\ncallable"), "evaluator: missing"),
        (('callable = "tests.programs:coin"', ""), "give one of callable, command and match"),
        (("seed = 3", "seed = 3 4"), r"not valid TOML: .*line 2"),
        (("seed = 3", "seed = true"), r"seed: must be a whole number, not true"),
        (("risk = 0.1", "risk = '0.1'"), r"race\.risk: must be a number, not '0\.1'"),
        (("risk = 0.1", "risk = 0.1\nbatch = '8'"), r"race\.batch: must be a whole number, not '8'"),
        (("risk = 0.1", "risk = nan"), r"race\.risk: values must be finite numbers, .*, not nan"),
        (("risk = 0.1", "risk = 2020-01-01"), r"race\.risk: values must be .*, not 2020-01-01"),
        (('callable = "tests.programs:coin"', 'command = "echo 1"'), r"evaluator\.command: must be a list"),
        (("seed = 3", "seed = -1"), "seed: must be at least 0, not -1"),
        (("seed = 3", 'seed = 3\nbaseline = {p = 0.5}'), "evaluator.better and .baseline. go together"),
        (("[race]", "[race]\nmode = 'bpg'"), "race.mode: 'bpg' is unknown; did you mean 'bgp'"),
        (("p = 0.4", "p = nan"), "finite numbers"),
    ],
)  # fmt: skip
def test_mistakes_are_named(write, change, words):
    assert change[0] in GOOD
    with pytest.raises(ConfigError, match=words):
        load_race_file(write(GOOD.replace(*change)))


def test_mistakes_that_show_when_the_race_is_made(write):
    path = write(GOOD.replace("coin", "con"))
    with pytest.raises(ConfigError, match=r"cannot load 'tests\.programs:con'"):
        load_race_file(path).plan(path.parent)
    path = write(GOOD.replace('callable = "tests.programs:coin"', 'command = ["echo", "{q}", "{seed}"]'))
    with pytest.raises(ConfigError, match=r"candidate 'p=0.4' gives no value for \{q\} of evaluator.command"):
        names(path)
    path = write(GOOD.replace('callable = "tests.programs:coin"', 'command = ["echo", "{pp}", "{seed}"]'))
    with pytest.raises(ConfigError, match="gives no value"):
        names(path)
    path = write(GOOD.replace('callable = "tests.programs:coin"', 'command = ["echo", "{seed}"]'))
    with pytest.raises(ConfigError, match=r"candidate 'p=0\.4': evaluator\.command has no \{p\}"):
        names(path)
    path = write(GOOD.replace("p = 0.4", "name = 'good'"))
    with pytest.raises(ConfigError, match="two candidates are named 'good'"):
        names(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_race_file(tmp_path / "none.toml")


@pytest.mark.parametrize("value", [3, {}, {"x": object()}, {"x": float("nan")}])
def test_what_is_no_candidate(value):
    with pytest.raises(ConfigError, match="here"):
        as_candidate(value, "here")


def test_a_nested_table_of_a_candidate_keeps_the_other_settings_of_the_baseline(write):
    """A candidate changes what it names, setting by setting, dotted or nested."""
    text = """
    [evaluator]
    match = {size = 5}
    [baseline]
    player = "mcts:simulations=4"
    search = {exploration = 0.5, rave_fade = 0.1}
    [[candidates]]
    name = "nested"
    search = {rave_fade = 0.3}
    [[candidates]]
    name = "dotted"
    "search.rave_fade" = 0.4
    """
    path = write(text)
    plan = load_race_file(path).plan(path.parent)
    settings = [plan.evaluator.spec(candidate.params).config.search for candidate in plan.candidates]
    assert [(s.exploration, s.rave_fade) for s in settings] == [(0.5, 0.3), (0.5, 0.4)]


def test_everything_is_checked_before_anything_is_compiled(write, monkeypatch):
    prepared = []
    monkeypatch.setattr(MatchEvaluator, "prepare", lambda self, say: prepared.append(self))
    path = write('[evaluator]\nmatch = {size = 5}\n[baseline]\nplayer = "mcts"\n[[candidates]]\nsimulatons = 5\n')
    with pytest.raises(ConfigError, match=r"simulatons.*did you mean 'simulations'"):
        run_race_file(path)
    assert prepared == []
