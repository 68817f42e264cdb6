"""Live analysis: the lines that Sabaki and Lizzie read, when it stops, and that it does not change the game."""

import re

import pytest

from semeai.gtp.analysis import Analysis, GenmoveAnalysis
from tests.gtp.helpers import Talk, visible

VERTEX = r"(?:[A-HJ-Z]\d{1,2}|pass)"
INFO = re.compile(rf"info move {VERTEX} visits \d+ winrate \d+ prior \d+ lcb \d+ order \d+ pv {VERTEX}(?: {VERTEX})*")


@pytest.fixture
def talk():
    return Talk(analysis_simulations=300)


def infos(line):
    """The fields of each move of a line, as Lizzie takes them apart: words in pairs until ``pv``."""
    found = []
    for part in re.split(r" (?=info )", line):
        assert INFO.fullmatch(part), part
        words, pv = part.removeprefix("info ").split(" pv ")
        words = words.split()
        found.append({**dict(zip(words[::2], words[1::2], strict=True)), "pv": pv.split()})
    return found


@pytest.mark.parametrize("command", ["lz-analyze", "analyze"])
@pytest.mark.parametrize("words", ["", "b", "B 0", "10", "0", "interval 5", "black 5 minmoves 3 maxmoves 4"])
def test_both_forms_with_and_without_colour(talk, command, words):
    lines = talk.stream(f"{command} {words}")
    moves = infos(lines[-1])
    assert [int(m["order"]) for m in moves] == list(range(len(moves)))
    assert [int(m["visits"]) for m in moves] == sorted((int(m["visits"]) for m in moves), reverse=True)
    assert all(m["pv"][0] == m["move"] for m in moves)
    assert all(0 <= int(m["lcb"]) <= int(m["winrate"]) <= 10_000 for m in moves)
    assert len(moves) <= (4 if "maxmoves" in words else 50)


@pytest.mark.parametrize("words", ["green", "b b", "b 10 20", "b interval", "avoid b D4 1", "b -5", "b 1.5", "10 b"])
def test_malformed_analyses(talk, words):
    assert talk.fails(f"lz-analyze {words}") == "syntax error"
    assert talk.fails(f"lz-genmove_analyze {words}") == "syntax error"


def test_it_stops_thinking_at_its_budget_and_stays_open(talk):
    analysis = talk.engine.answer("lz-analyze b 0").stream
    while not analysis.resting:
        last = analysis.step()
    assert not analysis.finished
    assert sum(int(m["visits"]) for m in infos(last)) in range(299, 301)
    assert infos(analysis.step()) == infos(last)


def test_a_full_tree_thinks_on_until_the_budget():
    talk = Talk(analysis_simulations=2000, changes={"memory_mb": 1, "search.expansion_threshold": 1}, size=19)
    analysis = talk.engine.answer("lz-analyze 100").stream
    while not analysis.resting:
        last = analysis.step() or ""
    assert sum(int(m["visits"]) for m in infos(last)) in range(1800, 2001)


def test_an_analysis_changes_nothing(talk):
    talk.ok("play b D4")
    before = visible(talk.board), list(talk.board.moves)
    for colour in ("", "b", "w", "b"):
        talk.stream(f"lz-analyze {colour}")
    assert (visible(talk.board), list(talk.board.moves)) == before


def test_colours_are_analysed_apart(talk):
    """The same board with the other side to move is another position: no visits may be taken over."""
    for line in ("b C3", "w G7"):
        talk.ok(f"play {line}")
    for colour in "bwb":
        visits = sum(int(m["visits"]) for m in infos(talk.stream(f"lz-analyze {colour}")[-1]))
        assert visits <= 300
    talk.ok("play w E5")  # out of turn: what was found for Black's E5 is no use
    assert sum(int(m["visits"]) for m in infos(talk.stream("lz-analyze b")[-1])) <= 300


def test_win_rates_are_those_of_the_side_to_move():
    talk = Talk(size=5, analysis_simulations=200)
    talk.ok("gogui-play_sequence " + " ".join(f"b {c}{line}" for line in (2, 4) for c in "ABCDE"))
    rates = {c: int(infos(talk.stream(f"lz-analyze {c}")[-1])[0]["winrate"]) for c in "bw"}
    assert rates["b"] > 9000
    assert rates["w"] < 1000


@pytest.mark.parametrize("simulations", [1, 16, 17, 50, 200])
def test_genmove_analyze_plays_what_genmove_would(simulations):
    talk, plain = Talk(simulations=simulations), Talk(simulations=simulations)
    for i in range(4):
        colour = "bw"[i % 2]
        *lines, last = talk.stream(f"genmove_analyze {colour} 0")
        assert infos(lines[-1])
        assert last == f"play {plain.ok(f'genmove {colour}')}"
        assert talk.session.explanation == plain.session.explanation
    assert talk.board.moves == plain.board.moves


def test_time_between_lines():
    now = [0.0]

    class Player:
        def think(self, simulations):
            now[0] += 1 / 16
            return simulations

        def __getattr__(self, name):
            return getattr(player, name)

    talk = Talk(analysis_simulations=10**9)
    player, talk.session.player = talk.session.player, Player()
    analysis = Analysis(talk.session, 0, 25, 50, now=lambda: now[0])
    player.think(50)
    assert [i for i in range(17) if analysis.step()] == [0, 4, 8, 12, 16]  # a quarter of a second


def test_the_clock_ends_a_genmove_analysis():
    now = [100.0]
    talk = Talk(simulations=10**9)
    talk.ok("time_settings 0 20 2")
    analysis = GenmoveAnalysis(talk.session, 0, 100, 50, now=lambda: now[0])
    pieces = 0
    while not analysis.finished:
        analysis.step()
        now[0] += 1.0
        pieces += 1
    assert pieces in range(9, 12)  # ten seconds a move, a margin off


KATA = re.compile(
    rf"info move {VERTEX} visits \d+ winrate [01]\.\d+ scoreLead (-?\d+\.\d+) scoreMean \S+ prior \S+ lcb \S+ "
    rf"order \d+ pv {VERTEX}(?: {VERTEX})*"
)


@pytest.mark.parametrize("command", ["kata-analyze", "kata-genmove_analyze"])
def test_the_form_of_katago_has_owners_and_the_score_lead(command):
    """Black owns the left and White the right of this board, and komi decides who leads."""
    talk = Talk(analysis_simulations=300, size=5, komi=0.5)
    for line in range(1, 6):
        talk.ok(f"play b B{line}")
        talk.ok(f"play w D{line}")
    talk.ok("play b C3")
    lines = talk.stream(f"{command} w 5 ownership true rootInfo false maxmoves 3")
    text = lines[-2] if command == "kata-genmove_analyze" else lines[-1]
    moves, _, owners = text.partition(" ownership ")
    parts = re.split(r" (?=info )", moves)
    assert len(parts) <= 3
    leads = {KATA.fullmatch(part)[1] for part in parts}
    assert len(leads) == 1
    found = [float(owner) for owner in owners.split()]  # of White, who is to move
    assert len(found) == 25
    assert min(found[4::5]) > 0.8
    assert max(found[0::5]) < -0.8
    assert float(leads.pop()) == pytest.approx(sum(found) + 0.5, abs=0.05)
    assert "ownership" not in talk.stream("kata-analyze w 5")[-1]


@pytest.mark.parametrize(
    ("line", "player", "seconds", "most", "owners"),
    [
        ("kata-analyze b 10 ownership true", 0, 0.1, 50, True),  # Ogatak
        ("kata-analyze w 10", 1, 0.1, 50, False),
        ("kata-analyze B 50 maxmoves 1 rootInfo true", 0, 0.5, 1, False),  # descendants of Lizzie
        ("kata-analyze 50", 1, 0.5, 50, False),
        ("kata-analyze interval 20 ownership true maxmoves 7", 1, 0.2, 7, True),
        ("kata-analyze ownership true", 1, 0.5, 50, True),
        ("kata-analyze W 20 pvVisits true ownership false movesOwnership true ownershipStdev true", 1, 0.2, 50, False),
        (
            "kata-analyze white ownership TRUE interval 5 minmoves 3 noSymmetries true pvEdgeVisits true",
            1,
            0.05,
            50,
            True,
        ),
    ],
)
def test_the_forms_that_programs_send(talk, line, player, seconds, most, owners):
    talk.ok("play b C3")  # White is to move
    found = talk.engine.answer(line).stream
    assert (found.player, found._interval, found._most, found._with_owners) == (player, seconds, most, owners)


def test_wrong_switches_of_katago_are_refused(talk):
    assert talk.fails("kata-analyze b ownership") == "syntax error"
    assert talk.fails("kata-analyze b ownership maybe") == "syntax error"
    assert talk.fails("kata-analyze b heat true") == "syntax error"
