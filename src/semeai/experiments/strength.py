"""Measure the strength of players against foreign engines: GNU Go for Go, OpenSpiel's MCTS bot for Havannah."""

import importlib.util
import shlex
import sys
from collections.abc import Sequence
from typing import NamedTuple, Unpack

from semeai.errors import ConfigError
from semeai.experiments.figure import win_rates
from semeai.experiments.matches import Pairing, Playing, play_all, rate_and_interval
from semeai.games.catalog import game_named
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.gnugo import gnugo, gnugo_options
from semeai.table import Cell, Chart, ResultTable

GAMES = 200
ALTERNATE = "Colours alternate; one thread; the reused part of the tree does not count as simulations."


class Way(NamedTuple):
    """Settings of our player against GNU Go: one row of a table."""

    label: str
    settings: str
    opening_moves: int = 0
    """Number of random moves at the beginning; each such opening is played with both colours."""


OTHER_WAYS = (
    Way("up to 12,000 simulations, ending a search that is decided", "book=true,stop_early=true,simulations=12000"),
    Way("1,000 simulations, without the book", "book=false,simulations=1000"),
    Way("1,000 simulations, from 4 random moves", "book=true,simulations=1000", 4),
)
"""Further rows on 9x9: more CPU time, and the player's strength without the help of its book."""


def run_go(
    size: Sequence[int] = (9,), simulations: Sequence[int] = (100, 300, 1_000, 3_000), **playing: Unpack[Playing]
) -> list[ResultTable]:
    """Return a table of win rates by simulations for each board size; for 9x9 also a table of other settings."""
    tables = []
    for s in size:
        curve = [Way(f"{n:,} simulations", f"book=true,simulations={n}") for n in simulations]
        tallies = _against_gnugo(s, curve, playing)
        tables.append(
            ResultTable(
                f"{s}x{s} Go against GNU Go level 10, komi 7.5",
                ("simulations per move", *_columns("GNU Go")),
                tuple((n, *_cells(tally)) for n, tally in zip(simulations, tallies, strict=True)),
                f"{ALTERNATE} As in `semeai gtp`, our player uses its opening book, and resigns. GNU "
                f"Go: `{gnugo_options()}`. Stones that both engines call dead are removed.",
                (_chart(s, simulations, tallies),),
            )
        )
        if s == 9:
            rows = zip(OTHER_WAYS, _against_gnugo(s, OTHER_WAYS, playing), strict=True)
            tables.append(
                ResultTable(
                    "Other ways to play 9x9",
                    ("player", *_columns("GNU Go")),
                    tuple((way.label, *_cells(tally)) for way, tally in rows),
                )
            )
    return tables


def _against_gnugo(size: int, ways: Sequence[Way], playing: Playing) -> list[Tally]:
    engine = gnugo()
    pairings = [
        Pairing(
            f"{size}x{size}, {way.label}",
            f"mcts:default,resign_below=0.05,{way.settings}",
            engine,
            MatchSettings(size=size, opening_moves=way.opening_moves),
        )
        for way in ways
    ]
    return play_all(pairings, GAMES, **playing)


def _chart(size: int, simulations: Sequence[int], tallies: Sequence[Tally]) -> Chart:
    curve = win_rates("", simulations, tallies)
    return Chart(f"{size}x{size} Go", "simulations per move", "wins against GNU Go level 10, %", (curve,))


def run_havannah(
    size: Sequence[int] = (5, 8), simulations: Sequence[int] = (1_000,), **playing: Unpack[Playing]
) -> list[ResultTable]:
    """Return one table per board size: first with as many simulations as OpenSpiel's bot, then with equal CPU time."""
    tables = []
    for s in size:
        settings = MatchSettings(game="havannah", size=s)
        board = game_named("havannah").board_name(s)
        rows: list[tuple[Cell, ...]] = []
        for n in simulations:
            bot = openspiel_bot(n)

            def against(budget: str, words: str, settings: MatchSettings = settings, bot: str = bot) -> Tally:
                pairing = Pairing(words, f"mcts:default,{budget}", bot, settings)
                return play_all([pairing], GAMES, **playing)[0]

            equal = against(f"simulations={n},reuse_tree=false", f"{board}, {n:,} simulations each")
            seconds = float(f"{2 * equal.cpu[1] / equal.n_moves:.3g}")  # the bot's mean CPU time per move
            timed = against(f"seconds={seconds}", f"{board}, {seconds:g} CPU s each")
            rows.append((n, "simulations", *_cells(equal)))
            rows.append((n, f"CPU time, {seconds:g} s per move", *_cells(timed)))
        tables.append(
            ResultTable(
                f"{board} Havannah against OpenSpiel's MCTSBot",
                ("the bot's simulations per move", "equal", *_columns("the bot")),
                tuple(rows),
                "Colours alternate; one thread. The bot: UCT with C = sqrt 2, one random playout per simulation, "
                "solver on, as shipped with OpenSpiel. Equal simulations: neither player reuses its tree between "
                "moves. Equal CPU time: the bot's mean time per move in the games with equal simulations.",
            )
        )
    return tables


def _columns(other: str) -> tuple[str, ...]:
    return "win rate, 95% Wilson", "our CPU s per game", "simulations per CPU s", f"{other}'s CPU s per game", "games"


def _cells(tally: Tally) -> tuple[Cell, ...]:
    return (
        rate_and_interval(tally),
        tally.cpu[0] / tally.n_games,
        tally.simulations[0] / max(tally.cpu[0], 1e-9),
        tally.cpu[1] / tally.n_games,
        tally.n_games,
    )


def openspiel_bot(simulations: int) -> str:
    """Return OpenSpiel's bot as a player, through the GTP engine of ``semeai.experiments.openspiel``.

    Raises ConfigError if OpenSpiel is not installed.
    """
    if importlib.util.find_spec("pyspiel") is None:
        raise ConfigError("OpenSpiel is not installed here (pip install open_spiel)")
    words = [sys.executable, "-m", "semeai.experiments.openspiel", str(simulations)]
    return f"gtp:{shlex.join(words)} {{seed}}"
