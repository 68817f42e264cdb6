"""A match as JSON: its tally, interval and Elo, how they came about, and its games move by move."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import Any

from semeai.errors import RunNotFound
from semeai.games.catalog import game_named
from semeai.match.match import Match
from semeai.match.pair import PlayedGame
from semeai.match.rating import elo_dict
from semeai.match.store import games
from semeai.match.tally import Tally
from semeai.report.boards import game_data
from semeai.report.values import MAX_STDERR, Json, counted, interval, number, text, thinned
from semeai.report.words import match_words
from semeai.stats.elo import elo, elo_interval
from semeai.store.ledger import Ledger, RunInfo

POINTS = 40
LISTED = 200
"""Games in one part of the list of games; a page begins with the last part."""
SHOWN_FAILURES = 20
_LIGHT = [field.name for field in fields(PlayedGame) if field.name not in ("sgf", "stderr")]


def match_data(ledger: Ledger, run: RunInfo, state: str) -> Json:
    """Return a match without the records of its games."""
    match = Match.from_identity(run.config)
    played, errors = _light_games(ledger, run.id)
    pairs = list(_pairs(played))
    tally = Tally.of(pairs)
    a, b = text(match.a.label), text(match.b.label)
    same = a == b
    names = ("A", "B") if same else (a, b)
    low, high = elo_interval(tally.interval) if tally.n_games else (None, None)
    failed = [game for game in played if game.failure]
    return {
        "a": a,
        "b": b,
        "game": match.settings.game,
        "size": match.settings.size,
        "board": game_named(match.settings.game).board_name(match.settings.size),
        "komi": match.settings.komi if game_named(match.settings.game).has_komi else None,
        "n_games": tally.n_games,
        "win_rate": number(tally.win_rate),
        "interval": interval(tally.interval) if tally.n_games else None,
        "planned_interval": interval(tally.plain_interval),
        "elo": number(elo(tally.win_rate), 1),
        "elo_interval": [number(low, 1), number(high, 1)],
        "rating": elo_dict(match, tally) if tally.n_pairs else {},
        "wins": sum(n for rewards in (tally.as_first, tally.as_second) for r, n in rewards.items() if r == 1),
        "draws": tally.draws,
        "as_first": _score(tally.as_first),
        "as_second": _score(tally.as_second),
        "pairs": {str(level): n for level, n in sorted(tally.levels.items())},
        "reasons": counted(game.reason for game in played),
        "moves": number(tally.n_moves / tally.n_games, 1) if tally.n_games else None,
        "cpu": [number(seconds / tally.n_moves * 2, 4) for seconds in tally.cpu] if tally.n_moves else None,
        "simulations": list(tally.simulations),
        "curve": match_curve(pairs),
        "games": [_listed(game) for game in played[-LISTED:]],
        "n_played": len(played),
        "part": LISTED,
        "failures": [
            {
                "candidate": f"game {g.number + 1}",
                "kind": g.reason,
                "message": text(g.failure),
                "stderr": text(errors.get(g.number, ""), MAX_STDERR),
            }
            for g in failed[:SHOWN_FAILURES]
        ],
        "n_failures": len(failed),
        "words": match_words(tally, *names, state, len(failed)),
    }


def _score(rewards: Any) -> list[float]:
    """Return A's points and the number of games."""
    return [sum(reward * n for reward, n in rewards.items()), rewards.total()]


def _listed(game: PlayedGame) -> list[Any]:
    return [game.number, game.reward, game.reason, game.result, game.n_moves, bool(game.failure)]


def listed_games(ledger: Ledger, run_id: int, start: int) -> list[list[Any]]:
    """Return one part of the list of games, from number ``start`` on."""
    return [_listed(_light(row)) for row in islice(ledger.rows(games, run_id, start), LISTED)]


def _light_games(ledger: Ledger, run_id: int) -> tuple[list[PlayedGame], dict[int, str]]:
    """Return the games in order of number without their records, and the standard errors of the first failures."""
    found: list[PlayedGame] = []
    errors: dict[int, str] = {}
    for row in ledger.rows(games, run_id):
        found.append(_light(row))
        if row["failure"] and len(errors) < SHOWN_FAILURES:
            errors[row["number"]] = row["stderr"]
    return found, errors


def _light(row: Mapping[str, Any]) -> PlayedGame:
    return PlayedGame(**{name: row[name] for name in _LIGHT}, sgf="", stderr="")


def _pairs(played: Sequence[PlayedGame]) -> Iterator[tuple[PlayedGame, PlayedGame]]:
    """Yield the whole pairs before the first missing one, as a match counts them."""
    for i in range(0, len(played) - 1, 2):
        if (played[i].number, played[i + 1].number) != (i, i + 1):
            return
        yield played[i], played[i + 1]


def match_curve(pairs: Sequence[Sequence[PlayedGame]]) -> Json:
    """Return win rate and always-valid interval after some numbers of games."""
    curve: Json = {"n": [], "mean": [], "lower": [], "upper": []}
    wanted = set(thinned(range(1, len(pairs) + 1), POINTS))
    tally = Tally()
    for i, pair in enumerate(pairs):
        tally.add(pair)
        if i in wanted:
            ends = interval(tally.interval)
            assert ends is not None
            for key, value in zip(curve, (tally.n_games, number(tally.win_rate), *ends), strict=True):
                curve[key].append(value)
    return curve


def match_game(ledger: Ledger, run: RunInfo, game_number: int) -> Json:
    """Return one game of a match, to replay it. Raises RunNotFound if there is no such game."""
    for row in ledger.rows(games, run.id, game_number):
        if row["number"] != game_number:
            break
        rules = game_named(run.config["settings"]["game"])
        data = game_data(rules.read_record(row["sgf"].encode(), f"game {game_number + 1} of {run.name}"))
        return data | {
            "number": game_number,
            "reward": row["reward"],
            "reason": text(row["reason"]),
            "failure": text(row["failure"]),
            "stderr": text(row["stderr"]),
            "sgf": text(row["sgf"]),
        }
    raise RunNotFound(f"run {run.name!r} has no game {game_number + 1}")
