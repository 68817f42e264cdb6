"""Run a match: pairs of games on any number of workers, each recorded when it ends, counted in order of number."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semeai.errors import PlayerFailed, RunNotFound
from semeai.games.catalog import game_named
from semeai.match.match import Match, MatchResult
from semeai.match.pair import MatchSetup, PairResult, PairTask, PlayedGame
from semeai.match.records import PgnFile, Records
from semeai.match.settings import MatchSettings
from semeai.match.store import MATCH, record_pair, recorded_pairs
from semeai.match.tally import Tally
from semeai.match.tournament import Tournament, TournamentTally
from semeai.models import checked
from semeai.players.catalog import parse_spec
from semeai.players.specs import PlayerSpec
from semeai.runs.run import Driver, Observer, Place, Run, open_run
from semeai.store.ledger import Ledger
from semeai.work.deaths import Death

KIND, TOURNAMENT = "match", "tournament"
PARCEL_SECONDS = 0.25  # less work than this is not worth a message of its own to a worker
POLL_SECONDS = 0.1
KEPT_FAILURES = 20

Pair = Sequence[PlayedGame]


class MatchDriver(Driver):
    """Plays those of the first ``n_pairs`` pairs that are not in the ledger yet, until the end or until stopped."""

    def __init__(
        self,
        match: Match | Tournament,
        n_pairs: int,
        run: Run,
        *,
        tally: Tally | None = None,
        sgf: Path | None = None,
        pgn: Path | None = None,
        until_decided: bool = False,
    ) -> None:
        super().__init__()
        self.match = match
        self.n_pairs = n_pairs
        self.pool = run.pool
        self.writer = run.writer
        self.observer = run.observer
        self.until_decided = until_decided
        self.records: list[Records | PgnFile] = []
        if sgf is not None:
            self.records.append(Records(sgf, game_named(match.settings.game).record_suffix))
        if pgn is not None:
            self.records.append(PgnFile(pgn))
        self.decided = False
        self.tally = Tally() if tally is None else tally
        self.failures: list[PlayedGame] = []
        self._pairs: dict[int, Pair] = {}  # played, but not counted yet because an earlier one is missing
        self._next = 0  # the first pair that was never submitted
        self._under_way: dict[int, list[int]] = {}
        self._cost = math.nan  # a worker's seconds per pair
        self._can_start = False  # whether both players have started at least once

    @property
    def finished(self) -> bool:
        return self.decided or self.tally.n_pairs >= self.n_pairs

    def run(self) -> None:
        self._resume()
        self.started = time.perf_counter()
        try:
            while not self.finished and not self.dropping and not (self.stopping and not self._under_way):
                if self.stopping:
                    for parcel_id in self.pool.drop_backlog():
                        del self._under_way[parcel_id]
                else:
                    self._hand_out()
                self._take_in(self.pool.wait(POLL_SECONDS))
                self.observer.progress(self)
        finally:
            self.pool.abandon()  # the pool may serve other runs after this match
        self.observer.progress(self)

    def _resume(self) -> None:
        if self.writer:
            for number, pair in recorded_pairs(self.writer.ledger, self.writer.run_id):
                self._pairs[number] = pair
                self._advance()
        self.n_resumed = self.tally.n_games
        for records in self.records:
            records.refuse_others({*range(self.tally.n_pairs), *self._pairs})

    def _hand_out(self) -> None:
        known = math.isfinite(self._cost)
        # A second parcel per worker saves a short wait, but makes Ctrl-C wait for one pair more.
        most = self.pool.workers * (1 if known and self._cost > PARCEL_SECONDS else 2)
        size = max(1, int(PARCEL_SECONDS / max(self._cost, 1e-6))) if known else 1
        while len(self._under_way) < most and (numbers := self._unplayed(size)):
            parcel = [_Timed(self.match.task(number)) for number in numbers]
            self._under_way[self.pool.submit(parcel)] = numbers

    def _unplayed(self, count: int) -> list[int]:
        numbers: list[int] = []
        while len(numbers) < count and self._next < self.n_pairs:
            if self._next not in self._pairs and self._next >= self.tally.n_pairs:
                numbers.append(self._next)
            self._next += 1
        return numbers

    def _take_in(self, results: list[tuple[int, list[Any]]]) -> None:
        """Record the results, and only then count them."""
        for parcel_id, answers in results:
            for number, (result, seconds) in zip(self._under_way.pop(parcel_id), answers, strict=True):
                self._check(result)
                self._cost = seconds if math.isnan(self._cost) else 0.8 * self._cost + 0.2 * seconds
                self._pairs[number] = result.games
                self.n_new += len(result.games)
                if self.writer:
                    record_pair(self.writer, result.games)
        if results:
            if self.writer:
                self.writer.flush()
            self._advance()

    def _check(self, result: PairResult) -> None:
        if not result.games:
            raise PlayerFailed(result.failure)
        self._can_start |= not result.failed_to_start
        if not self._can_start:  # it never will, and a match of forfeits shows nothing
            game = next(game for game in result.games if game.failure)
            last = game.stderr.strip().splitlines()[-1:]
            raise PlayerFailed(game.failure + "".join(f"; it wrote: {line[:200]}" for line in last), game.stderr)

    def _advance(self) -> None:
        """Count the pairs in order of number, so that the tally is the same for any number of workers."""
        while (number := self.tally.n_pairs) in self._pairs and not self.finished:
            pair = self._pairs.pop(number)
            for records in self.records:
                records.write(pair)
            self.tally.add(pair)
            new = [replace(game, sgf="") for game in pair if game.failure]
            self.failures += new[: KEPT_FAILURES - len(self.failures)]
            self.decided = self.until_decided and self.tally.is_decided


@dataclass(frozen=True)
class _Timed:
    """A pair whose wall time is measured."""

    task: PairTask
    time_limit: None = None  # players keep their own
    retries: int = 0

    @property
    def label(self) -> str:
        return self.task.label

    def run(self) -> tuple[PairResult, float]:
        began = time.perf_counter()
        return self.task.run(), time.perf_counter() - began

    def lost(self, death: Death) -> tuple[PairResult, float]:
        return self.task.lost(), 0.0


def run_match(
    match: Match,
    games: int,
    place: Place,
    *,
    name: str | None = None,
    sgf: Path | None = None,
    pgn: Path | None = None,
    until_decided: bool = False,
    observer: Observer | None = None,
) -> MatchResult:
    """Play ``games`` games in whole pairs, except those that the ledger already has.

    A match with ``until_decided`` needs workers of its own, not a shared pool.
    """
    observer = observer or Observer()
    began = time.perf_counter()
    setup = MatchSetup(match.settings, (match.a, match.b))
    setup.prepare(observer.say)
    with open_run(name or match.name, KIND, match.identity(), match.seed, place, observer, MATCH.tables) as run:
        run.pool.begin(setup)
        driver = MatchDriver(match, math.ceil(games / 2), run, sgf=sgf, pgn=pgn, until_decided=until_decided)
        run.drive(driver)
    return MatchResult(
        driver.tally,
        2 * driver.n_pairs,
        driver.finished,
        driver.decided and driver.tally.n_pairs < driver.n_pairs,
        time.perf_counter() - began,
        driver.failures,
        driver.stopping or not driver.finished,
    )


def run_tournament(
    tournament: Tournament,
    rounds: int,
    place: Place,
    *,
    name: str | None = None,
    sgf: Path | None = None,
    pgn: Path | None = None,
    observer: Observer | None = None,
) -> tuple[TournamentTally, bool, list[PlayedGame]]:
    """Play ``rounds`` rounds, except the games that the ledger already has.

    Returns the counts, whether all games are played, and the first games in which a player failed.
    """
    observer = observer or Observer()
    setup = MatchSetup(tournament.settings, tournament.players)
    setup.prepare(observer.say)
    tally = TournamentTally(tournament)
    identity, tables = tournament.identity(), MATCH.tables
    with open_run(name or tournament.name, TOURNAMENT, identity, tournament.seed, place, observer, tables) as run:
        run.pool.begin(setup)
        n_pairs = rounds * len(tournament.pairings)
        driver = MatchDriver(tournament, n_pairs, run, tally=tally, sgf=sgf, pgn=pgn)
        run.drive(driver)
    return tally, driver.finished, driver.failures


def replay_tournament(ledger: Ledger, name: str) -> tuple[Tournament, TournamentTally]:
    """Return a tournament and its counts so far, from the ledger alone."""
    run = ledger.run(name)
    if run.kind != TOURNAMENT:
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a tournament")
    tournament = Tournament.from_identity(run.config)
    tally = TournamentTally(tournament)
    for number, pair in recorded_pairs(ledger, run.id):  # to the end, where the number of rows is checked
        if number == tally.n_pairs:
            tally.add(pair)
    return tournament, tally


def play_match(
    a: str | Mapping[str, Any] | PlayerSpec,
    b: str | Mapping[str, Any] | PlayerSpec,
    games: int = 100,
    *,
    settings: MatchSettings | Mapping[str, Any] | None = None,
    seed: int = 1,
    workers: int | None = None,
    executor: str = "local",
    folder: str | Path | None = None,
    ledger: str | None = None,
    name: str | None = None,
    sgf: str | Path | None = None,
    pgn: str | Path | None = None,
    until_decided: bool = False,
    observer: Observer | None = None,
) -> MatchResult:
    """Play a match between two players, as ``semeai match`` does.

    Players are given as on the command line (``"mcts:default,simulations=500"``) or as tables; ``settings`` are those
    of ``evaluator.match`` in a race file, such as ``{"game": "havannah", "size": 5}``. With ``ledger`` every game is
    recorded, and the same call resumes the match. In a script that registers a game, the call must be below
    ``if __name__ == "__main__":``.
    """
    if settings is None or isinstance(settings, Mapping):
        settings = checked(MatchSettings, settings or {})
    settings = settings.located(folder or ".")
    match = Match(parse_spec(a, folder, settings.game), parse_spec(b, folder, settings.game), settings, seed)
    return run_match(
        match,
        games,
        Place(ledger, executor, workers),
        name=name,
        sgf=None if sgf is None else Path(sgf),
        pgn=None if pgn is None else Path(pgn),
        until_decided=until_decided,
        observer=observer,
    )


def replay_match(ledger: Ledger, name: str) -> tuple[Match, MatchResult]:
    """Return a match and its result so far, from the ledger alone: the pairs before the first missing one."""
    run = ledger.run(name)
    if run.kind != KIND:
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a match")
    tally = Tally()
    failures: list[PlayedGame] = []
    for number, pair in recorded_pairs(ledger, run.id):  # to the end, where the number of rows is checked
        if number != tally.n_pairs:
            continue
        tally.add(pair)
        failures += [game for game in pair if game.failure][: KEPT_FAILURES - len(failures)]
    result = MatchResult(tally, tally.n_games, run.state == "finished", False, 0.0, failures)
    return Match.from_identity(run.config), result
