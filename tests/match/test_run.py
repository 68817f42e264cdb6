"""Whole matches: the same games with any number of workers; none is lost or played twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semeai import kills
from semeai.errors import BaselineFailed, ConfigError, PlayerFailed, ProgramFailed, RunChanged
from semeai.match.evaluator import MatchEvaluator
from semeai.match.match import Match
from semeai.match.run import play_match, replay_match, run_match
from semeai.match.settings import MatchSettings
from semeai.match.store import games
from semeai.players.catalog import parse_spec
from semeai.runs.race_file import load_race_file, run_race_file
from semeai.runs.run import Place
from semeai.store.ledger import Ledger
from tests.observers import Watching

ENGINES = Path(__file__).parent.parent / "engines.py"
GNUGO = shutil.which("gnugo", path=os.environ.get("PATH", "") + ":/usr/games")
SMALL = MatchSettings(size=5, opening_moves=2)


def engine(behaviour: str, *more: str):
    return parse_spec({"command": [sys.executable, str(ENGINES), behaviour, *more]})


def random_match(seed: int = 1, settings: MatchSettings = SMALL) -> Match:
    return Match(parse_spec("random"), parse_spec("random"), settings, seed)


def records(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def rows(ledger: Path, name: str) -> list[dict]:
    store = Ledger(ledger)
    found = list(store.rows(games, store.run(name).id))
    store.close()
    return found


@pytest.mark.slow
def test_same_seed_same_games_on_any_number_of_workers(tmp_path):
    results = []
    for executor, workers in (("inline", 1), ("local", 1), ("local", 2)):
        place = tmp_path / f"{executor}{workers}"
        place.mkdir()
        result = run_match(random_match(), 20, Place(str(place / "l.sqlite"), executor, workers), sgf=place / "sgf")
        assert result.finished
        assert result.tally.n_games == 20
        results.append((result.tally.levels, result.tally.reasons, result.tally.n_moves, records(place / "sgf")))
    assert results[0] == results[1] == results[2]
    names = list(results[0][3])
    assert names[0] == "game-000001.sgf"
    assert len(names) == 20
    assert len(set(results[0][3].values())) == 20


def test_more_games_go_on_and_replay_nothing(tmp_path):
    ledger, match = tmp_path / "l.sqlite", random_match()
    run_match(match, 7, Place(str(ledger), "inline"), sgf=tmp_path / "sgf")
    before = rows(ledger, match.name)
    assert len(before) == 8  # whole pairs
    (tmp_path / "sgf" / "game-000002.sgf").unlink()  # a file that is lost is written again from the ledger
    result = run_match(match, 14, Place(str(ledger), "inline"), sgf=tmp_path / "sgf")
    assert result.tally.n_games == 14
    after = rows(ledger, match.name)
    assert after[:8] == before
    whole = run_match(match, 14, Place(str(tmp_path / "other.sqlite"), "inline"), sgf=tmp_path / "sgf2")
    assert whole.tally.levels == result.tally.levels
    assert records(tmp_path / "sgf") == records(tmp_path / "sgf2")
    again, replayed = replay_match(Ledger(ledger), match.name)
    assert again.settings == match.settings
    assert replayed.tally == result.tally


def test_another_match_is_another_run(tmp_path):
    assert random_match(1).name != random_match(2).name != random_match(2, MatchSettings(size=6)).name
    run_match(random_match(1), 2, Place(str(tmp_path / "l"), "inline"), name="x")
    with pytest.raises(RunChanged, match="seed was 1, is 2"):
        run_match(random_match(2), 2, Place(str(tmp_path / "l"), "inline"), name="x")


def test_the_records_of_another_match_are_not_written_over(tmp_path):
    run_match(random_match(1), 2, Place(str(tmp_path / "l"), "inline"), sgf=tmp_path / "sgf")
    before = records(tmp_path / "sgf")
    with pytest.raises(ConfigError, match=r"game-000001\.sgf is no game of this match"):
        run_match(random_match(2), 2, Place(str(tmp_path / "l"), "inline"), sgf=tmp_path / "sgf")
    run_match(random_match(2), 2, Place(str(tmp_path / "l"), "inline"))
    with pytest.raises(ConfigError, match="another match"):
        run_match(random_match(2), 2, Place(str(tmp_path / "l"), "inline"), sgf=tmp_path / "sgf")
    assert records(tmp_path / "sgf") == before


@pytest.mark.slow
def test_until_decided_stops_at_the_same_game_anywhere(tmp_path):
    match = Match(engine("until", "8"), engine("passes"), MatchSettings(size=5))
    results = [
        run_match(match, 200, Place(str(tmp_path / f"l{workers}"), workers=workers), until_decided=True)
        for workers in (1, 2)
    ]
    assert [result.decided for result in results] == [True, True]
    assert results[0].tally.levels == results[1].tally.levels == {1000: results[0].tally.n_pairs}
    assert 16 <= results[0].tally.n_games <= 40
    again = run_match(match, 200, Place(str(tmp_path / "l2"), workers=2), until_decided=True)
    assert again.tally == results[1].tally
    assert again.tally.interval.lower > 0.5


def test_an_engine_that_cannot_be_started_stops_the_match_and_nothing_is_kept(tmp_path):
    match = Match(parse_spec("random"), engine("exits"), SMALL)
    with pytest.raises(PlayerFailed, match=r"exit status 1.*it wrote: no licence"):
        run_match(match, 4, Place(str(tmp_path / "l"), "inline"))
    assert rows(tmp_path / "l", match.name) == []
    store = Ledger(tmp_path / "l")
    assert store.run(match.name).state == "error"


def test_an_engine_that_crashes_in_every_game_loses_them_and_the_match_goes_on(tmp_path):
    result = run_match(Match(parse_spec("random"), engine("crash"), SMALL), 4, Place(str(tmp_path / "l"), workers=1))
    assert result.tally.win_rate == 1
    assert result.tally.reasons == {"crash": 4}
    assert [game.stderr for game in result.failures] == ["a stack trace\n"] * 4


def test_a_game_whose_engine_is_killed_from_outside_is_played_again(tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "PAUSES", (0.0,))
    undisturbed, marker = tmp_path / "undisturbed", tmp_path / "marker"
    undisturbed.touch()
    matches = [Match(parse_spec("random"), engine("killed", str(path)), SMALL) for path in (undisturbed, marker)]
    expected, result = (run_match(match, 4, Place(None, "inline")) for match in matches)
    assert marker.exists()
    assert (result.tally.levels, result.tally.reasons) == (expected.tally.levels, expected.tally.reasons)
    assert "crash" not in result.tally.reasons


def test_an_engine_that_is_always_killed_ends_the_match_and_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "PAUSES", (0.0,))
    match = Match(parse_spec("random"), engine("killed", str(tmp_path / "missing" / "marker")), SMALL)
    with pytest.raises(PlayerFailed, match=r"games 1 and 2: engine .*\(SIGKILL\)\) in place of an answer in 2 tries; "):
        run_match(match, 4, Place(str(tmp_path / "l"), "inline"))
    assert rows(tmp_path / "l", match.name) == []


def test_a_candidate_whose_engine_is_always_killed_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "PAUSES", ())
    players = [
        {"command": [sys.executable, str(ENGINES), "killed", str(tmp_path / "missing" / "marker")]},
        {"player": "random"},
    ]
    play = MatchEvaluator(players[1], SMALL).open()
    with pytest.raises(ProgramFailed, match=r"SIGKILL.* in 1 tries"):
        play(players[0], 1)
    with pytest.raises(BaselineFailed, match="the baseline failed: engine"):
        MatchEvaluator(players[0], SMALL).open()(players[1], 1)


@pytest.mark.slow
def test_a_lost_worker_changes_nothing(tmp_path):
    expected = run_match(random_match(3), 60, Place(str(tmp_path / "a"), "inline"))
    killed = []

    def kill_one(driver):
        workers = list(getattr(driver.pool._executor, "_processes", None) or {})
        if not killed and workers and driver.n_new >= 4:
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    observer = Watching(progress=kill_one)
    result = run_match(random_match(3), 60, Place(str(tmp_path / "b"), workers=2), observer=observer)
    assert killed
    assert (result.tally.levels, result.tally.n_moves) == (expected.tally.levels, expected.tally.n_moves)


@pytest.mark.slow
def test_kill_9_in_the_middle_and_on_again(tmp_path):
    nap = f"66{os.getpid()}"
    arguments = ["random", f"gtp:{sys.executable} {ENGINES} children {nap}", "--size", "5", "--games", "40"]
    options = [*arguments, "--workers", "2", "--json", "--sgf", "sgf"]
    command = [sys.executable, "-m", "semeai", "match", *options]

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def sleepers() -> list[str]:
        return subprocess.run(["pgrep", "-f", f"^sleep {nap}"], capture_output=True, text=True).stdout.split()

    process = start()
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob("sgf/game-*.sgf"))) < 4:
        assert time.monotonic() < deadline, "no games are played"
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 300
    while sleepers():
        assert time.monotonic() < deadline, "engines outlive their match"
        time.sleep(0.05)
    store = Ledger(tmp_path / "semeai.sqlite")
    (run,) = store.runs()
    kept = rows(tmp_path / "semeai.sqlite", run.name)
    assert 4 <= len(kept) < 40
    assert len(kept) % 2 == 0
    output, errors = start().communicate(timeout=300)
    assert json.loads(output)["games"] == 40, errors
    assert sleepers() == []
    whole = rows(tmp_path / "semeai.sqlite", run.name)
    numbers = {row["number"] for row in kept}
    assert [row for row in whole if row["number"] in numbers] == kept
    assert sorted(row["number"] for row in whole) == list(range(40))
    assert records(tmp_path / "sgf") == {f"game-{row['number'] + 1:06d}.sgf": row["sgf"] for row in whole}


def test_an_engine_that_floods_its_output_ends_the_match(tmp_path):
    command = [sys.executable, "-m", "semeai", "match", "random", "gtp:yes '#'", "--games", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 3, done.stderr
    said = "engine \"yes '#'\" wrote more than 4 MB of comments in answer to 'list_commands'"
    assert said in done.stderr


RACE = """
[race]
mode = "plain"
accept_above = 0.51
discard_below = 0.6
max_evaluations = 200
[evaluator]
match = {{size = 5, opening_moves = 2}}
[baseline]
command = ["{python}", "{engines}", "{{how}}", "{{limit}}"]
how = "until"
limit = 3
[[candidates]]
name = "longer"
limit = 8
[[candidates]]
name = "crashing"
how = "crash"
[[candidates]]
name = "unable"
how = "exits"
"""


@pytest.mark.slow
def test_a_race_of_engines(tmp_path):
    (tmp_path / "race.toml").write_text(RACE.format(python=sys.executable, engines=ENGINES))
    assert load_race_file(tmp_path / "race.toml").race.games_per_seed == 2
    result = run_race_file(tmp_path / "race.toml", name="r", ledger=str(tmp_path / "l.sqlite"), workers=2)
    verdicts = {s.candidate.name: s.verdict.value for s in result.standings}
    assert verdicts == {"longer": "accepted", "crashing": "discarded", "unable": "failed"}
    assert "no licence" in result.failures[0].stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("limit = 8", "limt = 8"), "candidate 'longer': engine .* has no {limt}; did you mean 'limit'"),
        (('how = "until"\nlimit = 3', 'how = "until"'), "baseline: engine .*no value for {limit}"),
        (("size = 5,", "sise = 5,"), r"evaluator\.match\.sise: unknown key; did you mean 'size'"),
        (("size = 5,", "size = 99,"), r"evaluator\.match\.size: go is played on sizes 2 to 25, not 99"),
        (("[race]", "[race]\ngames_per_seed = 1"), "race.games_per_seed: must be 2 with evaluator.match, not 1"),
        (("[baseline]", "[executor]\n[[candidates]]"), "evaluator.match needs a \\[baseline\\]"),
        (("match =", 'better = "higher"\nmatch ='), "better is for programs that print a number, not for match"),
        (("match =", 'callable = "a:b"\nmatch ='), "give one of callable, command and match"),
    ],
)
def test_one_sentence_for_a_mistake_in_a_race_of_players(tmp_path, change, words):
    text = RACE.format(python=sys.executable, engines=ENGINES)
    assert change[0] in text
    (tmp_path / "race.toml").write_text(text.replace(*change))

    with pytest.raises(ConfigError, match=words):
        run_race_file(tmp_path / "race.toml")


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_a_race_of_gnu_go_s_levels(tmp_path):
    (tmp_path / "race.toml").write_text(
        '[race]\nmode = "plain"\nmax_evaluations = 4\nbatch = 1\n'
        "[evaluator]\nmatch = {size = 5, komi = 24.5, opening_moves = 2}\n"
        f'[baseline]\ncommand = ["{GNUGO}", "--mode", "gtp", "--chinese-rules", "--positional-superko", '
        '"--seed", "{seed}", "--level", "{level}"]\nlevel = 1\n'
        "[candidates.grid]\nlevel = [2, 5]\n"
    )
    ledger = str(tmp_path / "l.sqlite")
    results = [
        run_race_file(tmp_path / "race.toml", name=f"r{workers}", ledger=ledger, workers=workers) for workers in (1, 2)
    ]
    assert results[0].n_evaluations == 4
    assert results[0].failures == []
    assert results[0].digest == results[1].digest  # with the seed on its command line GNU Go repeats itself
    assert {candidate.name for candidate in results[0].accepted} <= {"level=2", "level=5"}


def test_a_ledger_that_is_older_than_matches(tmp_path):
    store = Ledger(tmp_path / "l")  # no kind of run but races has brought its tables yet
    with store.reading() as connection:
        assert not store.has(connection, games)
    store.close()
    assert run_match(random_match(), 2, Place(str(tmp_path / "l"), "inline")).finished


@pytest.mark.slow
def test_play_match_in_memory_and_with_a_ledger(tmp_path):
    memory = play_match("random", "mcts:simulations=4", 4, settings={"size": 5}, executor="inline")
    kept = play_match(
        "random", "mcts:simulations=4", 4, settings={"size": 5}, ledger=str(tmp_path / "l"), sgf=tmp_path, workers=2
    )
    assert (memory.finished, memory.tally.levels) == (True, kept.tally.levels)
    assert len(list(tmp_path.glob("game-*.sgf"))) == 4
    with pytest.raises(ConfigError, match="size: must be a whole number, not 'large'"):
        play_match("random", "random", 2, settings={"size": "large"})
