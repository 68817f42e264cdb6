"""Tournaments: who meets whom, rounds as observations, resume, standings."""

import contextlib
import json
import sys
from pathlib import Path

import pytest

from semeai.errors import ConfigError
from semeai.match.pair import PlayedGame
from semeai.match.run import replay_tournament, run_tournament
from semeai.match.settings import MatchSettings
from semeai.match.tournament import Tournament, TournamentTally
from semeai.players.catalog import parse_spec
from semeai.runs.run import Place
from semeai.store.ledger import Ledger

THREE = tuple(parse_spec({"command": ["true", "{n}"], "n": n}) for n in range(3))


def played(number, reward):
    return PlayedGame(number, 5, reward, "score", "B+1", 10, 0.1, 0.1, 0, 0, "", "", "")


def tally_of(tournament, n_rounds, reward_of):
    """Each pair of games has the same reward twice: ``reward_of(a, b)``."""
    tally = TournamentTally(tournament)
    for i in range(n_rounds * len(tournament.pairings)):
        a, b = tournament.pairings[i % len(tournament.pairings)]
        tally.add([played(2 * i, reward_of(a, b)), played(2 * i + 1, reward_of(a, b))])
    return tally


def test_pairings():
    assert Tournament(THREE).pairings == [(0, 1), (0, 2), (1, 2)]
    assert Tournament(THREE, form="gauntlet").pairings == [(0, 1), (0, 2)]
    task = Tournament(THREE).task(5)
    assert (task.a, task.b, task.number) == (THREE[1], THREE[2], 5)
    assert Tournament.from_identity(Tournament(THREE).identity()) == Tournament(THREE)


def test_standings_of_a_known_order():
    tally = tally_of(Tournament(THREE), 60, lambda a, b: 0.0)  # the later player always wins
    best, middle, worst = tally.standings()
    assert [s.player for s in (best, middle, worst)] == [2, 1, 0]
    assert (best.score, middle.score, worst.score) == (1, 0.5, 0)
    assert (best.n_games, tally.n_rounds) == (240, 60)
    assert (best.beaten, middle.beaten, worst.beaten) == ((0, 1), (0,), ())
    assert best.interval.lower > 0.5 > worst.interval.upper
    assert best.elo.lower > 0


def test_an_incomplete_round_does_not_count():
    tally = TournamentTally(Tournament(THREE))
    tally.add([played(0, 1.0), played(1, 1.0)])
    assert tally.n_rounds == 0
    assert {s.interval for s in tally.standings()} == {(0.0, 1.0)}


@pytest.mark.parametrize("players", [THREE[:1], (*THREE, THREE[1])])
def test_impossible_tournaments(players):
    with pytest.raises(ConfigError, match=r"tournament has 2 to|takes part twice"):
        Tournament(players)


def test_a_tournament_is_resumed_and_shown(tmp_path, capsys):
    pytest.importorskip("chess")
    from semeai.cli.tournament_display import show_tournament

    engine = f"uci:{sys.executable} {Path(__file__).parents[1] / 'uci_engines.py'} good"
    players = tuple(parse_spec(words) for words in ("random", engine, f"{engine} depth=2"))
    small = Tournament(players, MatchSettings(game="chess", move_limit=12, opening_moves=4))
    place = Place(str(tmp_path / "l.sqlite"), "inline")
    tally, finished, failures = run_tournament(small, 1, place, name="t", pgn=tmp_path / "t.pgn")
    assert (tally.n_games, finished, failures) == (6, True, [])
    longer, _, _ = run_tournament(small, 2, place, name="t", pgn=tmp_path / "t.pgn")
    assert (longer.n_games, (tmp_path / "t.pgn").read_text().count("[White ")) == (12, 12)
    with contextlib.closing(Ledger(str(tmp_path / "l.sqlite"))) as ledger:
        _, again = replay_tournament(ledger, "t")
        assert again.standings() == longer.standings()
        show_tournament(ledger, ledger.run("t"), True, False)
    assert json.loads(capsys.readouterr().out)["rounds"] == 2
