"""The board in a real Chromium: whole games with the mouse, a swap, and the analysis of a record."""

import time
from contextlib import closing, contextmanager

from semeai.players.config import PlayerConfig
from semeai.players.mcts import compile_players
from semeai.ui.play import play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import Board, Budget
from semeai.ui.web import serving
from tests.ui.browsing import SECONDS, each_view, looking, needs_chromium

pytestmark = needs_chromium


@contextmanager
def playing(choice):
    def config(game):
        return PlayerConfig(game=game, simulations=20, memory_mb=4)

    compile_players([choice.game])
    with (
        closing(Board(choice, config, Budget(simulations=20, analysis=500))) as board,
        serving(play_routes(board), "127.0.0.1", 0, 0) as (address, _),
    ):
        yield board, address


SHOWS_MOVE = "n => +document.querySelector('.steps input').value === n"


def finish_by_mouse(page, board, names):
    """Click legal points, the player answers, until the game is over."""
    end = time.monotonic() + SECONDS / 1000
    while time.monotonic() < end:
        with board.held() as table:
            if table.is_over:
                return
            waits = table.awaits_player
            moves = [table.position.move_to_text(int(m)) for m in table.position.sensible_moves()]
            n = table.at
        if waits:
            page.wait_for_timeout(5)
            continue
        page.wait_for_function(SHOWS_MOVE, arg=n)  # the page has seen the answer
        point = next((name for name in names if name in moves), None)
        if point is None or "pass" in moves:
            page.get_by_role("button", name="Pass").click()
        else:
            box = page.locator(f'[data-point="{point}"]').bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        while board.table.at <= n and not board.table.is_over and time.monotonic() < end:
            page.wait_for_timeout(5)
    raise AssertionError("the game has no end")


@each_view
def test_a_whole_game_of_go_is_played_with_the_mouse(browser, view):
    names = [f"{letter}{line}" for line in (3, 2, 4, 1, 5) for letter in "CBDAE"]
    with playing(GameChoice("go", 5, 0.5)) as (board, address), looking(browser, address, view) as page:
        page.locator(".hit").first.wait_for()
        finish_by_mouse(page, board, names)
        page.locator(".says b").filter(has_text="Counted" if board.table.resigned is None else "wins").wait_for()
        assert board.table.result()
        if board.table.resigned is None:  # the territory is marked
            found = board.table.data()
            empty = sum(
                1 for owner, stone in zip(found["area"], found["stones"], strict=True) if owner and stone == "."
            )
            assert page.locator(".board .area").count() >= empty


@each_view
def test_a_whole_game_of_havannah_is_played_with_the_mouse(browser, view):
    with playing(GameChoice("havannah", 3, human="white")) as (board, address):
        names = board.table.data()["board"]["names"]
        with looking(browser, address, view) as page:
            page.locator(".hit").first.wait_for()
            finish_by_mouse(page, board, names)
            page.locator(".says b").filter(has_text="game is over").or_(
                page.locator(".says b").filter(has_text="wins")
            ).first.wait_for()
            if board.table.position.is_over and board.table.position.winner is not None:
                page.locator(".board .win").first.wait_for()


@each_view
def test_the_first_stone_of_havannah_is_taken_over(browser, view):
    with (
        playing(GameChoice("havannah", 3, swap=True, human="black")) as (board, address),
        looking(browser, address, view) as page,
    ):
        page.get_by_text("You may take over the first stone").wait_for()  # the player, White, has begun
        page.get_by_role("button", name="Swap").click()
        page.wait_for_function(SHOWS_MOVE, arg=3)  # the player has answered
        assert [move["name"] for move in board.data()["table"]["moves"]][1] == "swap"
        assert page.get_by_role("button", name="Swap").is_hidden()
        assert page.locator(".board:not(.disc) circle.black").count() == 1


@each_view
def test_a_record_is_analysed(browser, tmp_path, view):
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[5]KM[0.5];B[cc];W[bb];B[dd];W[aa])")
    # The board shows Havannah at first: that the record is one of Go is found out by itself.
    with playing(GameChoice("havannah", 3, human="both")) as (board, address), looking(browser, address, view) as page:
        page.locator(".hit").first.wait_for()
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_text("Move 0 of 4").wait_for()
        page.get_by_text("What the search thinks").wait_for()
        page.locator(".board .heat.best").wait_for()
        page.locator("tr.pick").first.hover()
        page.locator(".board .label.on-black").first.wait_for()  # the expected line
        page.get_by_role("button", name="Owners").click()
        page.locator(".board .owner").first.wait_for(state="attached")
        page.get_by_role("button", name="Find mistakes").click()
        page.get_by_role("button", name="Close the review").wait_for()
        assert len(board.review["moves"]) == 4
        page.get_by_role("button", name="forward").click()
        page.get_by_text("Move 1 of 4").wait_for()
        with page.expect_download() as saved:
            page.get_by_text("Save SGF").click()
        assert "B[cc]" in saved.value.path().read_text()
