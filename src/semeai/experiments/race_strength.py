"""Matches of the players with a solver of capturing races: from positions with an open race, and from empty boards."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from semeai.experiments.matches import DEFAULT_LEDGER, Pairing, Playing, play_all, rate_and_interval, silent
from semeai.experiments.race_games import RacePosition, ScanTask, games_of, opening_moves, spread_evenly
from semeai.experiments.races import SOLVING, Version
from semeai.games.catalog import game_named
from semeai.games.go.races import Race
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.mcts import compile_players
from semeai.runs.run import Observer, place_named
from semeai.table import ResultTable
from semeai.work.spread import Spread

GAMES = 400
SIMULATIONS = 500
SELF_PLAY = 400
"""Self-play games, or games of the folder, in which open races are looked for."""
MOST_OPENINGS = 200
LEAST_STONES = 3
"""Stones of the smaller group of a race that a match begins with: two stones in atari are no race to speak of."""
TRIED = tuple(version for version in SOLVING if "race_playouts" in version.settings)
"""The versions with the best moves in the test bed (Table 3) among those with RAVE."""


def run(
    records: Path | None = None,
    size: Sequence[int] = (9, 13, 19),
    simulations: Sequence[int] = (SIMULATIONS,),
    **playing: Unpack[Playing],
) -> list[ResultTable]:
    """Return two tables: each version against the default player from open races, and from the empty board.

    With a folder of records there is one table: race playouts alone, from open races of these games on 19x19.
    """
    tables = []
    progress = playing.get("progress", silent)
    compile_players(["go"], progress)
    for n in simulations:
        versions = TRIED if records is None else TRIED[:1]
        rows = []
        for s in size if records is None else (19,):
            found = open_races(s, records, playing)
            name = f"{game_named('go').board_name(s)}, {'self-play' if records is None else 'games of the folder'}"
            progress(f"{name}: {len(found)} positions with an open race")
            if found:
                settings = MatchSettings(size=s, openings=tuple(found), scoring="area")
                rows += _rows(f"{name} ({len(found)} positions)", settings, n, versions, playing)
        tables.append(
            ResultTable(
                f"From positions with an open race, {n:,} simulations per move",
                _COLUMNS, tuple(rows), f"{_NOTE} Open: who moves first wins the race, "
                f"of groups of {LEAST_STONES} stones or more.",
            )
        )  # fmt: skip
        if records is not None:
            continue
        rows = []
        for s in size:
            settings = MatchSettings(size=s, opening_moves=2, scoring="area")
            rows += _rows(game_named("go").board_name(s), settings, n, versions, playing)
        tables.append(
            ResultTable(
                f"From the empty board, {n:,} simulations per move", _COLUMNS, tuple(rows),
                f"{_NOTE} After two random moves.",
            )
        )  # fmt: skip
    return tables


_COLUMNS = ("games from", "version", "win rate, 95% Wilson", "CPU time, version / default", "games")
_NOTE = "Against the default player, pairs with colours swapped, komi 7.5, area scoring, equal simulations."


def _rows(
    place: str, settings: MatchSettings, n: int, versions: Sequence[Version], playing: Playing
) -> list[tuple[str | float | int, ...]]:
    base = f"mcts:default,resign_below=0.05,simulations={n}"
    pairings = [
        Pairing(f"{place}, {version.label}", f"{base},{version.settings}", base, settings) for version in versions
    ]
    tallies = play_all(pairings, GAMES, **playing)
    return [_row(place, version, tally) for version, tally in zip(versions, tallies, strict=True)]


def _row(place: str, version: Version, tally: Tally) -> tuple[str | float | int, ...]:
    return place, version.label, rate_and_interval(tally), tally.cpu[0] / max(tally.cpu[1], 1e-9), tally.n_games


def open_races(size: int, records: Path | None, playing: Playing) -> list[tuple[str, ...]]:
    """Return openings: at most one per game, its first position with a large open race; spread over the games."""
    seed = playing.get("seed", 1)
    workers, executor = playing.get("workers"), playing.get("executor")
    progress = playing.get("progress", silent)
    games = games_of(
        records, SELF_PLAY, size, seed, workers, executor, playing.get("ledger") or DEFAULT_LEDGER, progress
    )
    tasks = [ScanTask(i, game, seed) for i, game in enumerate(games) if game.size == size]
    with place_named(None, executor, workers).open_pool(Observer()) as pool:
        scanned = Spread(pool).run(tasks)
    first: list[RacePosition] = []
    for positions in scanned:
        first += [p for p in positions if any(is_large(race) for race in p.known)][:1]
    found = [opening_moves(games[p.game], p.n_moves) for p in spread_evenly(first, MOST_OPENINGS)]
    return [moves for moves in found if moves]


def is_large(race: Race) -> bool:
    """Return whether a race is open and worth a match."""
    return race.is_urgent and race.smaller >= LEAST_STONES
