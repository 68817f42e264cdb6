"""The game behind the board in the browser."""

import random
import time
from contextlib import closing

import pytest

from semeai.errors import ConfigError, IllegalMove
from semeai.games.go.position import GoPosition
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.shapes import winning_shape
from semeai.jit import cache_directory
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer, compile_players
from semeai.players.random import RandomPlayer
from semeai.ui.look import LOOK_SHARE, OWNER_SHARE, Look
from semeai.ui.table import GameChoice, Table
from semeai.ui.thinking import Board, Budget


def config(game):
    return PlayerConfig(game=game, simulations=20, memory_mb=4)


@pytest.fixture(scope="module")
def compiled():
    compile_players(["go"])


def play_all(table, names):
    for name in names.split():
        table.play(table.position.text_to_move(name))


def test_moves_of_another_line_replace_those_after_them():
    table = Table(GameChoice("go", 5, human="both"))
    play_all(table, "A1 B2 C3")
    table.go_to(1)
    play_all(table, "B2")
    assert len(table.line) == 3
    table.go_to(1)
    play_all(table, "D4")
    assert [table.position.move_to_text(m) for _, m in table.line] == ["A1", "D4"]


def test_undo_takes_back_the_answer_too():
    table = Table(GameChoice("go", 5, human="black"))
    play_all(table, "A1 B2")
    assert not table.awaits_player
    table.undo()
    assert table.at == 0
    with pytest.raises(IllegalMove, match="no move to take back"):
        table.undo()


def test_a_game_of_go_is_counted_without_its_dead_stones():
    table = Table(GameChoice("go", 3, 0.5, human="both"))
    play_all(table, "B2 A1 pass pass")
    assert table.result() == "W+0.5"  # the empty points touch both colours
    table.toggle_dead(table.data()["board"]["names"].index("A1"))
    assert table.result() == "B+8.5"
    table.toggle_dead(table.data()["board"]["names"].index("A1"))
    assert table.result() == "W+0.5"
    with pytest.raises(IllegalMove, match="no stone"):
        table.toggle_dead(0)


def test_handicap():
    table = Table(GameChoice("go", 9, 0.5, handicap=4))
    data = table.data()
    assert data["stones"].count("b") == 4
    assert data["to_move"] == 1
    for wrong in (
        GameChoice("go", 9, handicap=1),
        GameChoice("havannah", 5, handicap=2),
        GameChoice("go", human="red"),
    ):
        with pytest.raises(ConfigError):
            wrong.record()


@pytest.mark.parametrize(
    ("moves", "kind", "shape"),
    [
        ("b2 a1 c2", "", ""),
        ("b2 a1 c2 a2 d3 b1 d4 e5 c4 d5 b3", "ring", "b2 c2 d3 d4 c4 b3"),
        ("a1 b2 b1 c2 c1", "bridge", "a1 b1 c1"),
    ],
)
def test_the_stones_of_a_win_are_shown(moves, kind, shape):
    position = HavannahPosition(3)
    for name in moves.split():
        position.play(position.text_to_move(name))
    assert position.win_kind == kind
    assert {position.move_to_text(m) for m in winning_shape(position)} == set(shape.split())


def test_a_fork_of_random_games_joins_three_sides():
    """Every shape is made of the winner's stones, holds the last one's chain, and is as small as it can be."""
    draw, kinds = random.Random(5), set()
    for _ in range(150):
        position = HavannahPosition(4)
        while not position.is_over:
            position.play(int(draw.choice(position.legal_moves())))
        shape = winning_shape(position)
        if position.winner is None:
            assert shape == []
            continue
        kinds.add(position.win_kind)
        own = {move for player, move in position.moves if player == position.winner}
        assert set(shape) <= own
        alone = HavannahPosition(4)  # the shape alone wins in the same way
        others = [m for m in alone.legal_moves() if m not in shape]
        for i, move in enumerate(shape):
            if not alone.is_over:
                alone.play(move, position.winner)
            assert i == len(shape) - 1 or not alone.is_over or "+" in position.win_kind
        assert alone.winner == position.winner, (position.draw(), shape, others)
    assert {"ring", "bridge", "fork"} <= kinds


def wait_until(condition, seconds=200):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.mark.slow
def test_the_player_answers_and_an_analysis_shows_moves_and_owners(compiled):
    with closing(Board(GameChoice("go", 5), config, Budget(simulations=30, analysis=3000))) as board:
        board.act(lambda table: table.play(table.position.text_to_move("C3")))
        wait_until(lambda: board.table.at == 2)
        board.analyse(True)
        wait_until(lambda: (board.analysis or {}).get("simulations") == 3000)
        found = board.data()["analysis"]
        assert sum(move["visits"] for move in found["moves"]) >= 3000 * 0.9
        assert len(found["owners"]) == 25
        board.start_review(20)
        wait_until(lambda: board.review["done"] == 2)
        assert [move["number"] for move in board.review["moves"]] == [1, 2]


def test_another_engine_can_be_the_opponent_and_its_failure_is_a_sentence():
    with closing(Board(GameChoice("go", 4), config, Budget(20), lambda game: RandomPlayer("r"))) as board:
        board.act(lambda table: table.play(table.position.text_to_move("B2")))
        wait_until(lambda: board.table.at == 2)

    def broken(game):
        from semeai.players.gtp import GtpPlayer

        return GtpPlayer(["/nonexistent/engine"])

    with closing(Board(GameChoice("go", 4), config, Budget(20), broken)) as board:
        board.act(lambda table: table.play(table.position.text_to_move("B2")))
        wait_until(lambda: board.problem)
        assert "nonexistent" in board.problem
        assert board.table.at == 1


class BreaksOnce(RandomPlayer):
    """A player with a fault that is not foreseen: the first one of its kind cannot choose a move."""

    made = 0

    def __init__(self, game):
        super().__init__("odd")
        BreaksOnce.made += 1
        self.number = BreaksOnce.made

    def choose(self):
        if self.number == 1:
            raise ZeroDivisionError("no luck")
        return super().choose()


def test_any_fault_of_a_player_is_a_sentence_and_the_board_stays_usable(capfd):
    with closing(Board(GameChoice("go", 4), config, Budget(20), BreaksOnce)) as board:
        board.act(lambda table: table.play(table.position.text_to_move("B2")))
        wait_until(lambda: board.problem)
        assert "ZeroDivisionError: no luck" in board.data()["problem"]
        assert "Traceback" in capfd.readouterr().err  # for whoever mends it
        assert board.table.at == 1
        board.act(lambda table: table.undo())
        assert board.problem == ""
        board.act(lambda table: table.play(table.position.text_to_move("C3")))
        wait_until(lambda: board.table.at == 2)  # a new player answers


def test_a_fault_of_an_analysis_or_a_review_is_shown_once_and_both_can_be_tried_again(capfd):
    calls = []

    def broken(game):
        calls.append(game)
        raise KeyError("settings")

    with closing(Board(GameChoice("go", 4, human="both"), broken, Budget(20))) as board:
        board.act(lambda table: table.play(table.position.text_to_move("B2")))
        for n in (1, 2):
            board.analyse(True)
            wait_until(lambda: board.problem and not board.doing)
            time.sleep(0.1)
            assert len(calls) == n  # not again and again
            assert "KeyError" in board.problem
        board.analyse(False)
        board.start_review(20)
        wait_until(lambda: board.problem)
        wait_until(lambda: board.review["done"] == board.review["total"])
        board.act(lambda table: table.play(table.position.text_to_move("C3")))
        assert board.table.at == 2
    capfd.readouterr()


class Watcher:
    """What a page is told: all states of the board."""

    def __init__(self, board):
        self.board, self.seen = board, []

    def __call__(self):
        self.seen.append((self.board.data()["doing"], (self.board.analysis or {}).get("simulations", 0)))


@pytest.mark.slow
def test_a_new_game_has_its_new_strength_from_the_first_move_on(compiled):
    with closing(Board(GameChoice("go", 5, human="both"), config, Budget(simulations=30))) as board:
        watcher = Watcher(board)
        with board.listening(watcher):
            board.begin(GameChoice("go", 5, human="white"), 70)
            wait_until(lambda: board.table.at == 1)
        assert max(simulations for _, simulations in watcher.seen) == 70


@pytest.fixture
def new_cache(monkeypatch, tmp_path):
    """Let no kernel be known as compiled, though they are in memory."""
    monkeypatch.setenv("SEMEAI_CACHE_DIR", str(tmp_path))
    cache_directory.cache_clear()
    yield
    cache_directory.cache_clear()


@pytest.mark.slow
def test_pages_are_told_of_compiling_and_of_the_search_for_dead_stones(compiled, new_cache):
    with closing(Board(GameChoice("go", 5, human="both"), config, Budget(simulations=30))) as board:
        watcher = Watcher(board)
        with board.listening(watcher):
            for move in ["C3", "pass", "pass"]:
                board.act(lambda table, move=move: table.play(table.position.text_to_move(move)))
            wait_until(lambda: board.table.dead is not None and not board.doing)
        words = [doing for doing, _ in watcher.seen]
        assert "counting" in words
        assert any(said.startswith("compiling Go search") for said in words)
        assert board.data()["doing"] == ""


@pytest.mark.slow
def test_looking_costs_less_than_a_twentieth_of_the_search(compiled):
    """Owner playouts are counted; the time of a look decides when the next one may be."""
    position = GoPosition(9)
    player = MctsPlayer(PlayerConfig(simulations=100, memory_mb=20))
    player.start(position, 1)
    player.think(500)
    look = Look(player, position)
    began = time.monotonic()
    for done in (500, 2000, 5000):
        look.data(done)
    took = time.monotonic() - began
    assert look._owners.playouts == OWNER_SHARE * 5000
    assert look._next - time.monotonic() > 0.2 or took > 1
    began = time.thread_time()
    look.data(5000)
    ended = time.thread_time()
    assert look._next_cpu - ended >= 0.5 * (ended - began) / LOOK_SHARE
    assert not look.is_due
    assert OWNER_SHARE + 2 * LOOK_SHARE < 0.05


def test_the_simulations_of_the_player_can_be_changed_but_not_those_of_another_engine():
    with closing(Board(GameChoice("go", 4), config, Budget(20))) as board:
        board.set_simulations(70)
        assert board.data()["simulations"] == 70
    with closing(Board(GameChoice("go", 4), config, Budget(20), lambda game: RandomPlayer("r"))) as board:
        board.set_simulations(70)
        assert board.data()["simulations"] is None
