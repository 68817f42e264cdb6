"""The papers' tables and figures: scales, expected durations, positions, and summaries."""

import json

import pytest

from semeai.cli.reproduce import plan
from semeai.errors import ConfigError
from semeai.experiments.cost import in_words, simulations_of
from semeai.experiments.figures import FIGURES, run
from semeai.experiments.papers import PARTS, SCALES, listing, part_named
from semeai.experiments.problems import own_problems
from semeai.experiments.summaries import add_summary, command_of, read_summaries
from semeai.games.go.sgf import replay
from semeai.table import ResultTable

LIMITS = {"minutes": 20 * 60, "hour": 2 * 3600, "night": 20 * 3600}
"""CPU seconds: ten minutes, an hour and ten hours on two cores."""
GIVEN = dict.fromkeys(("races", "games", "runs", "records", "size", "simulations", "steps", "proposer"))
PLAYING = {"workers": None, "executor": None, "ledger": None}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_scale_fits_its_name_and_larger_ones_cost_more(part):
    costs = [part.cpu_seconds(scale) for scale in SCALES]
    assert costs == sorted(costs)
    assert all(cost <= LIMITS[scale] for cost, scale in zip(costs, SCALES, strict=True))
    for scale in SCALES:
        for options in part.runs(scale):
            assert part.experiment.checked(options) == options
    assert part.cpu_seconds(None) > 0


def test_more_workers_shorten_what_is_expected():
    one, four = listing(1), listing(4)
    assert one.rows[5][3:] != four.rows[5][3:]
    assert {row[2] for row in one.rows} <= set(SCALES)
    assert [in_words(s) for s in (0.2, 89, 600, 36_000)] == ["1 s", "89 s", "10 min", "10 h"]
    parallel = "mcts:default,simulations=48,parallel.scheme=slow_tree,parallel.ranks=32"
    assert simulations_of(parallel, "go") == 48 * 32
    assert simulations_of("random", "go") == 0


def test_all_runs_every_part_at_the_asked_scale():
    planned = plan("all", "hour", GIVEN, {**PLAYING, "workers": 2})
    assert {p.experiment.name for p in planned} == {part.name for part in PARTS}
    assert len(planned) == sum(len(part.runs("hour")) for part in PARTS)
    assert all(p.options.get("workers") == 2 for p in planned if "workers" in p.experiment.options)
    with pytest.raises(ConfigError, match="no option --games"):
        plan("all", None, {**GIVEN, "games": 10}, PLAYING)


def test_an_option_goes_before_its_scale():
    [first] = plan("scaling-go", "hour", {**GIVEN, "games": 6}, PLAYING)
    assert first.options["games"] == 6
    assert first.options["simulations"] == (125, 250, 500, 1_000, 2_000, 4_000)
    assert plan("scaling-go", None, GIVEN, PLAYING)[0].options == {}
    with pytest.raises(ConfigError, match="did you mean 'hour'"):
        plan("scaling-go", "hours", GIVEN, PLAYING)
    with pytest.raises(ConfigError, match="in no paper"):
        plan("ablation-go", "hour", GIVEN, PLAYING)
    with pytest.raises(ConfigError, match="in no paper"):
        part_named("strength-go")


@pytest.mark.parametrize("figure", [f for f in FIGURES if f.file], ids=lambda figure: figure.file)
def test_a_figure_is_a_position_with_its_good_move(figure):
    record = figure.record()
    position = replay(record, 0)
    legal = {position.move_to_text(move) for move in position.legal_moves()}
    assert set(figure.good) <= legal
    assert position.move_to_text(record.moves[0][1]) == figure.good[0]
    assert record.comments[0]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("mcts-figure-2-left.sgf", "must-9-11"),
        ("mcts-figure-2-right.sgf", "won-9-11"),
        ("bgp-good-empty-triangle.sgf", "must-9-1"),
    ],
)
def test_a_rebuilt_figure_has_proven_answers(file, name):
    [figure] = [f for f in FIGURES if f.file == file]
    [problem] = [p for p in own_problems("semeai.txt") if p.name == name]
    board = problem.position().set_up()
    shown = replay(figure.record(), 0)
    assert (shown.states[0]["color"] == board.states[0]["color"]).all()
    assert set(figure.good) == set(problem.good)


def test_the_good_move_makes_an_empty_triangle():
    """G7 with H7 and H6 around the empty G6, and G6 with the same two around the empty G7."""
    [figure] = [f for f in FIGURES if "triangle" in f.file]
    board = replay(figure.record(), 0)
    drawn = {name: board.states[0]["color"][board.text_to_move(name)] for name in ("G7", "G6", "H7", "H6")}
    assert drawn["G7"] == drawn["G6"] != drawn["H7"]
    assert drawn["H7"] == drawn["H6"] == board.states[0]["color"][board.text_to_move("J9")]  # Black's
    assert record_player(figure) == 0


def record_player(figure):
    return figure.record().moves[0][0]


@pytest.mark.slow
def test_what_the_player_thinks_of_the_figures():
    opinions, missing = run(simulations=(50,), runs=2)
    assert [row[0] for row in opinions.rows] == [f.name for f in FIGURES if f.file]
    assert all(row[3].endswith(" of 2") for row in opinions.rows)
    assert len(opinions.rows) + len(missing.rows) == len(FIGURES)


def test_summaries_keep_one_entry_per_command(tmp_path):
    table = ResultTable("Table 1", ("N", "games"), ((1000, 4),), "note")
    command = command_of("scaling-go", {"games": 4, "size": (9, 19), "ledger": "x.db"}, seed=2)
    assert command == "semeai reproduce scaling-go --games 4 --size 9,19 --seed 2"
    folder = tmp_path / "made"
    add_summary(folder, "scaling-go", command, [table])
    add_summary(folder, "scaling-go", "semeai reproduce scaling-go", [table, table])
    add_summary(folder, "scaling-go", command, [table])
    found = read_summaries(folder / "scaling-go.json")
    assert [len(summary.tables) for summary in found] == [2, 1]
    assert found[1].command == command
    assert found[1].tables[0] == {"title": "Table 1", "note": "note", "columns": ["N", "games"], "rows": [[1000, 4]]}
    (folder / "bad.json").write_text(json.dumps({"runs": 3}))
    with pytest.raises(ConfigError, match=r"bad\.json: this is no file of summaries"):
        read_summaries(folder / "bad.json")
