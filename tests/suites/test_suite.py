"""Files of suites, and players that are asked about their positions."""

import io
import json
import sys
from pathlib import Path

import pytest

from semeai.cli.console import Console
from semeai.cli.suite_display import COLUMNS, SuiteDisplay
from semeai.errors import ConfigError, PlayerFailed
from semeai.games.go.kernels.board import PASS
from semeai.players.catalog import parse_spec
from semeai.runs.run import Observer, Place
from semeai.suites.run import SuiteScore, run_suites, scores
from semeai.suites.suite import read_suites
from semeai.table import ResultTable

POSITIONS = Path(__file__).parent / "positions.jsonl"
ENGINES = Path(__file__).parent.parent / "engines.py"
GOOD = {"suite": "s", "id": 1, "size": 5, "to_move": "b", "want": "A1"}


def engine(behaviour):
    return parse_spec(f"gtp:{sys.executable} {ENGINES} {behaviour}")


def ask(player, name=None, observer=None):
    return run_suites(read_suites(POSITIONS, "go", name).positions, player, 1, Place(None, "inline", 1), observer)


@pytest.fixture
def write(tmp_path):
    def run(*lines):
        path = tmp_path / "suite.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return path

    return run


def test_positions_are_set_up_with_any_player_to_move():
    positions = {p.line.id: p.set_up() for p in read_suites(POSITIONS).positions}
    assert [(positions[i].to_move, len(positions[i].moves)) for i in (10, 20)] == [(0, 23), (1, 23)]
    assert not positions["b"].is_over  # though both have passed
    assert positions["b"].moves[-1] == (0, PASS)
    ko = positions["ko"]
    assert ko.text_to_move("B2") not in ko.legal_moves()
    assert (positions[10].komi, positions["a"].komi) == (0.5, 7.5)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 2: no JSON"),
        ("[1]", "line 2: must be a JSON object, not list"),
        ("[" * 100_000, "line 2: no JSON"),
        ({**GOOD, "wants": "A1"}, "line 2: wants: unknown key; did you mean 'want'"),
        ({**GOOD, "want": "(A1"}, r"line 2: want: .*a \) is missing"),
        ({**GOOD, "to_move": "black"}, "line 2: to_move: 'black' is unknown"),
        ({**GOOD, "setup": [["b"]]}, "line 2: setup.0"),
        (GOOD, "line 2: position 1 of suite 's' is there twice"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_line(write, line, why):
    with pytest.raises(ConfigError, match=why):
        read_suites(write(GOOD, line))


def test_an_impossible_position_is_named_and_left_out(write):
    wrong = {**GOOD, "id": 2, "setup": [["b", "A1"], ["w", "A1"]]}
    found = read_suites(write(GOOD, "", wrong, {**GOOD, "id": 3, "size": 99}))
    assert [p.line.id for p in found.positions] == [1]
    assert found.unplayable[0].endswith("line 3: setup, move 2: A1 is occupied")
    assert "not 99" in found.unplayable[1]
    with pytest.raises(ConfigError, match="A1 is occupied"):
        read_suites(write(wrong))
    with pytest.raises(ConfigError, match="has no positions"):
        read_suites(write(""))
    with pytest.raises(ConfigError, match="--suite captur: did you mean 'capture'"):
        read_suites(POSITIONS, "go", "captur")


def test_another_game(write):
    """White is player 0 in Havannah. After a bridge of two corners there is nothing to ask."""
    line = {**GOOD, "size": 3, "want": "[a-e][1-5]", "setup": [["w", "a1"], ["b", "c3"]], "to_move": "w"}
    found = read_suites(write(line, {**line, "id": 2, "to_move": "b"}), "havannah").positions
    assert [position.set_up().to_move for position in found] == [0, 1]
    over = [["w", "a1"], ["b", "c3"], ["w", "a2"], ["b", "d3"], ["w", "a3"]]
    with pytest.raises(ConfigError, match="no move can be asked of 'b': game is over"):
        read_suites(write({**line, "setup": over, "to_move": "b"}), "havannah")


def test_an_engine_is_asked_and_known_failures_are_counted_apart():
    """The engine plays the first free point. In two positions that is suicide, and the others still count."""
    answers = ask(engine("good")).answers
    assert [a.move for a in answers] == ["", "A1", "A1", "B1", ""]
    assert "played an illegal move: A1 is suicide" in answers[4].failure
    assert scores(answers) == [
        SuiteScore("capture", asked=2, solved=1, known_failures=1, known_failures_solved=1, failed=1),
        SuiteScore("first free point", asked=3, solved=2, known_failures=1, known_failures_solved=1, failed=1),
    ]
    assert [score.surprises for score in scores(answers)] == [1, 1]


def test_a_search_solves_what_it_can_and_repeats_itself():
    """A filter changes no answer: seeds depend on the position alone."""
    player = parse_spec("mcts:simulations=200,memory_mb=4")
    answers = ask(player).answers
    assert [answer.move for answer in answers[:2]] == ["E1", "A1"]  # who takes first wins
    assert answers[0].solved
    assert answers[0].simulations == 200
    assert answers[4].solved  # genmove never repeats a position
    assert [a.move for a in ask(player, "first free point").answers] == [a.move for a in answers[2:]]


def test_an_engine_that_cannot_be_started_is_an_error():
    with pytest.raises(PlayerFailed, match="ended"):
        ask(engine("exits"))


def test_a_stop_keeps_what_is_known():
    class Stops(Observer):
        def progress(self, driver):
            if driver.n_new == 2:
                driver.stop()

    driver = ask(parse_spec("random"), observer=Stops())
    assert not driver.finished
    assert [a.position.line.id for a in driver.answers] == [10, 20]


@pytest.mark.parametrize("terminal", [False, True])
def test_long_names_are_shown_whole(terminal):
    """In a pipe on one line, at a terminal on several."""
    name, out = "a/performance_of_the_middle_game_9x9", io.StringIO()
    table = ResultTable("a player", COLUMNS, ((name, 10, 20, 3, 2, 7),))
    SuiteDisplay(Console(file=out, width=80, force_terminal=terminal, color_system=None)).summary(table, [])
    lines = out.getvalue().splitlines()
    assert (max(map(len, lines)) <= 80) == terminal
    assert "".join(line[1:].split(" ")[0] for line in lines[2:]) == name
    assert lines[2].split()[1:] == ["10", "20", "3", "2", "7"]
