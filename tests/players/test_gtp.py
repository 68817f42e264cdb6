"""GTP engines as players: every failure gives one clear sentence, and leaves no process behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semeai.errors import PlayerFailed
from semeai.games.go.position import GoPosition
from semeai.players.gtp import GtpPlayer

ENGINES = Path(__file__).parent.parent / "engines.py"
GNUGO = shutil.which("gnugo", path=os.environ.get("PATH", "") + ":/usr/games")
PASS = 0
MARK = f"engine-of-{os.getpid()}"  # to find this process's engines by


def engine(behaviour: str, argument: object = "", **options) -> GtpPlayer:
    return GtpPlayer([sys.executable, str(ENGINES), behaviour, str(argument), MARK], "e", **options)


def processes(mark: str) -> list[str]:
    found = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True)
    return [pid for pid in found.stdout.split() if pid != str(os.getpid())]


@pytest.fixture(autouse=True)
def nothing_remains():
    yield
    deadline = time.monotonic() + 300
    while left := processes(MARK):
        assert time.monotonic() < deadline, f"engines are left: {left}"
        time.sleep(0.02)


def play(player: GtpPlayer, position: GoPosition, n: int, seed: int = 1) -> list[str]:
    """``n`` moves of the player for both sides."""
    player.start(position, seed)
    position = position.copy()
    for _ in range(n):
        choice = player.choose()
        position.play(choice.move)
        player.observe(choice.move)
    return [position.move_to_text(move) for _, move in position.moves]


@pytest.mark.parametrize("behaviour", ["normal", "ids", "crlf", "lower", "talks", "flood"])
def test_answers_in_all_their_forms(behaviour):
    player = engine(behaviour)
    assert play(player, GoPosition(9), 3) == ["A1", "B1", "C1"]
    if behaviour == "flood":  # 10 MB to standard error at each move
        deadline = time.monotonic() + 300
        while not player.stderr.endswith("the end of the flood\n"):
            assert time.monotonic() < deadline
        assert len(player.stderr) == 4000
    player.close()
    player.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "reason", "words", "stderr"),
    [
        ("crash", "crash", r"^engine 'e' ended \(exit status 7\) in place of an answer$", "a stack trace\n"),
        ("orphans", "crash", r"^engine 'e' ended \(exit status 7\) in place of an answer$", "a stack trace\n"),
        ("hang", "timeout", r"^engine 'e' gave no answer to 'genmove black' within 0\.3 s$", ""),
        ("garbage", "bad answer", "answered 'I think that D4 is nice' to 'genmove black', which is no GTP answer", ""),
        ("no move", "bad answer", "gave 'somewhere' as its move", ""),
        ("illegal", "illegal move", "played an illegal move: A1 is occupied", ""),
        ("refuses", "bad answer", "refused 'genmove black': 'out of memory'", ""),
    ],
)
def test_failures_in_the_middle_of_a_game(behaviour, reason, words, stderr):
    player = engine(behaviour, f"87{os.getpid()}", timeout=0.3 if behaviour == "hang" else 30)
    with pytest.raises(PlayerFailed, match=words) as caught:
        play(player, GoPosition(9), 3)
    assert (caught.value.reason, caught.value.stderr) == (reason, stderr)
    player.close()
    assert play(player, GoPosition(9), 2) == ["A1", "B1"], "it can be started again"
    player.close()
    assert processes(f"^sleep 87{os.getpid()}") == []


@pytest.mark.parametrize(
    ("player", "words"),
    [
        (lambda: GtpPlayer(["no-such-engine", "--gtp"]), "'no-such-engine --gtp' cannot be started: .*No such file"),
        (lambda: engine("exits"), r"'e' ended \(exit status 1\) in place of an answer"),
        (lambda: engine("slow", 30, startup_timeout=0.3), "gave no answer to 'list_commands' within 0.3 s"),
    ],
)
def test_failures_at_the_start(player, words):
    with pytest.raises(PlayerFailed, match=words) as caught:
        player().start(GoPosition(9), 1)
    assert "no licence" in caught.value.stderr or "exits" not in words


def test_a_slow_start_has_its_own_limit():
    player = engine("slow", 0.7, timeout=0.5)
    assert play(player, GoPosition(9), 1) == ["A1"]
    player.close()


def test_a_board_that_it_does_not_know():
    player = engine("normal")
    with pytest.raises(PlayerFailed, match="refused 'boardsize 21': 'unacceptable size'"):
        player.start(GoPosition(21), 1)
    player.close()


def test_it_is_told_the_position_and_only_what_it_does_not_know(tmp_path):
    position = GoPosition(5, 6.5)
    position.place(0, [position.text_to_move("B2"), position.text_to_move("D4")])
    position.set_to_move(1)
    position.play(position.text_to_move("C3"))
    player = engine("log", tmp_path / "log")
    player.start(position, 1)
    own = player.choose().move
    player.observe(own)
    player.observe(PASS)
    player.choose()  # and this one is not played
    player.observe(PASS)
    player.close()
    said = (tmp_path / "log").read_text().splitlines()
    setup = ["boardsize 5", "clear_board", "komi 6.5", "set_free_handicap D4 B2", "play white C3"]
    replayed = ["play black A1", "play white pass", "play black pass"]
    again = [*setup, *replayed]
    expected = ["list_commands", *setup, "genmove black", "play white pass", "genmove black", *again, "quit"]
    assert said == expected


def test_white_stones_are_placed_one_by_one(tmp_path):
    position = GoPosition(5)
    position.place(1, [position.text_to_move("B2")])
    player = engine("log", tmp_path / "log")
    player.start(position, 1)
    player.close()
    assert "play white B2" in (tmp_path / "log").read_text()


def test_resigning_is_a_choice_without_a_move():
    player = engine("resigns")
    play(player, GoPosition(9), 2)
    assert player.choose().move is None
    player.close()


@pytest.mark.parametrize("behaviour", [("seeded", "{seed}"), ("asked-for-seed",)])
def test_the_same_seed_gives_the_same_game(behaviour):
    player = engine(*behaviour)
    games = [play(player, GoPosition(9), 10, seed) for seed in (5, 6, 5)]
    player.close()
    assert games[0] == games[2] != games[1]


def test_dead_stones():
    position = GoPosition(5)
    player = engine("dead", "A1 B2\nC3")
    player.start(position, 1)
    assert player.dead_stones() == sorted(position.text_to_move(text) for text in ("A1", "B2", "C3"))
    player.close()
    player = engine("dead", "none at all")
    player.start(position, 1)
    assert player.dead_stones() is None
    player.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="CPU time of others is read from /proc")
def test_cpu_seconds_are_the_engine_s_own():
    player = engine("burn")
    player.start(GoPosition(9), 1)
    spent = 0.0
    for _ in range(3):
        choice = player.choose()
        player.observe(choice.move)
        spent += choice.cpu_seconds
    player.close()
    assert 0.28 <= spent < 0.6


@pytest.mark.slow
def test_an_engine_that_does_not_want_to_end_is_killed_with_its_children():
    nap = f"88{os.getpid()}"
    for behaviour in ("children", "stubborn"):
        player = engine(behaviour, nap)
        player.start(GoPosition(9), 1)
        player.close()
    assert processes(f"^sleep {nap}") == []


def test_a_player_that_is_forgotten_ends_its_engine():
    player = engine("normal")
    player.start(GoPosition(9), 1)
    assert len(processes(MARK)) == 1
    del player


SCRIPT = """
import sys, os, time
from semeai.games.go.position import GoPosition
from semeai.players.gtp import GtpPlayer
player = GtpPlayer([sys.executable, {engines!r}, "children", {nap!r}, {mark!r}])
player.start(GoPosition(5), 1)
print("ready", flush=True)
time.sleep({seconds})
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["exit", "kill -9"])
def test_engines_end_with_their_process(end):
    nap = f"89{os.getpid()}"
    script = SCRIPT.format(engines=str(ENGINES), nap=nap, mark=MARK, seconds=0 if end == "exit" else 60)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    if end == "kill -9":
        process.kill()
    process.communicate(timeout=300)
    if end == "exit":
        assert processes(f"^sleep {nap}") == []
    else:  # the kernel ends the engine, and nobody what that has started
        for pid in processes(f"^sleep {nap}"):
            os.kill(int(pid), signal.SIGKILL)


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_gnu_go_plays_and_counts():
    player = GtpPlayer([GNUGO, "--mode", "gtp", "--chinese-rules", "--level", "1"])
    position = GoPosition(5)
    player.start(position, 1)
    while not position.is_over and (move := player.choose().move) is not None:
        position.play(move)
        player.observe(move)
    assert len(position.moves) > 5
    assert player.dead_stones() is not None
    assert player.name == "gnugo --mode gtp --chinese-rules --level 1"
    player.close()
