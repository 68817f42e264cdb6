"""A whole match: pairs of games on any number of workers, each kept as it comes in, told in their order."""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from semeai.errors import ConfigError, PlayerFailed, RunNotFound
from semeai.match.pair import PairResult, PairTask, PlayedGame, warm_up
from semeai.match.settings import MatchSettings
from semeai.match.store import record_pair, recorded_pairs
from semeai.match.tally import Tally
from semeai.players.specs import PlayerSpec
from semeai.rng import derive
from semeai.runs.race import stopping_on_signals, use_pool, versions
from semeai.store.ledger import Ledger, RunWriter, hash_config
from semeai.work.executors import ResilientPool

PARCEL_SECONDS = 0.25  # less work than this is not worth a message of its own to a worker
POLL_SECONDS = 0.1
KEPT_FAILURES = 20

Pair = tuple[PlayedGame, ...]


@dataclass(frozen=True)
class Match:
    """Who plays whom, and under what: what a match is, however many games of it are played."""

    a: PlayerSpec
    b: PlayerSpec
    settings: MatchSettings = field(default_factory=MatchSettings)
    seed: int = 1

    def identity(self) -> dict[str, Any]:
        settings = self.settings.identity()
        return {"a": self.a.identity(), "b": self.b.identity(), "settings": settings, "seed": self.seed}

    @classmethod
    def from_identity(cls, data: Mapping[str, Any]) -> Self:
        a, b = (PlayerSpec.from_identity(data[key]) for key in ("a", "b"))
        return cls(a, b, MatchSettings.model_validate(data["settings"]), data["seed"])

    @property
    def name(self) -> str:
        """A name of its own for each match, so that the same arguments find it again."""
        return f"match-{hash_config(self.identity())[:10]}"

    def task(self, number: int) -> PairTask:
        return PairTask(self.a, self.b, self.settings, derive(self.seed, "match"), number)


@dataclass(frozen=True)
class MatchResult:
    tally: Tally
    n_planned: int
    """Games."""
    finished: bool
    decided: bool
    """It ended before its last game because the outcome was clear."""
    seconds: float
    failures: list[PlayedGame] = field(default_factory=list)
    """The first games that a player lost by failing."""


class MatchDriver:
    """Plays pairs 0 to ``n_pairs`` that are not in the ledger yet, until the end or until told to stop."""

    def __init__(
        self,
        match: Match,
        n_pairs: int,
        pool: ResilientPool,
        writer: RunWriter | None = None,
        *,
        sgf: Path | None = None,
        until_decided: bool = False,
        on_progress: Callable[["MatchDriver"], object] = lambda driver: None,
    ) -> None:
        self.match = match
        self.n_pairs = n_pairs
        self.pool = pool
        self.writer = writer
        self.until_decided = until_decided
        self.on_progress = on_progress
        self.records = None if sgf is None else Records(sgf)
        self.stopping = False
        self.dropping = False
        self.decided = False
        self.tally = Tally()
        self.failures: list[PlayedGame] = []
        self.n_resumed = 0  # games taken from the ledger
        self.n_new = 0
        self.started = time.perf_counter()
        self._pairs: dict[int, Pair] = {}  # played, and not told yet because an earlier one is missing
        self._next = 0  # the first pair that was never handed out
        self._under_way: dict[int, list[int]] = {}
        self._cost = math.nan  # seconds that a worker needs for a pair
        self._can_start = False  # both players have been seen to start

    @property
    def finished(self) -> bool:
        return self.decided or self.tally.n_pairs >= self.n_pairs

    @property
    def rate(self) -> float:
        """New games a second."""
        elapsed = time.perf_counter() - self.started
        return self.n_new / elapsed if elapsed > 0 else 0.0

    def stop(self) -> None:
        """Start nothing new; finish and record what is under way. Called again: drop that too."""
        self.dropping = self.stopping
        self.stopping = True

    def run(self) -> None:
        self._resume()
        self.started = time.perf_counter()
        try:
            while not self.finished and not self.dropping and not (self.stopping and not self._under_way):
                if not self.stopping:
                    self._hand_out()
                self._take_in(self.pool.wait(POLL_SECONDS))
                self.on_progress(self)
        finally:
            self.pool.abandon()  # it may serve others after this match
        self.on_progress(self)

    def _resume(self) -> None:
        if self.writer:
            for number, pair in recorded_pairs(self.writer.ledger, self.writer.run_id):
                self._pairs[number] = pair
                self._advance()
        self.n_resumed = self.tally.n_games
        if self.records:
            self.records.refuse_others({*range(self.tally.n_pairs), *self._pairs})

    def _hand_out(self) -> None:
        known = math.isfinite(self._cost)
        # A second parcel for each worker saves it a moment's wait, and makes Ctrl-C wait for one pair more.
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
        """Keep what has come in, and only then tell of it."""
        for parcel_id, answers in results:
            for number, (result, seconds) in zip(self._under_way.pop(parcel_id), answers, strict=True):
                self._check(number, result)
                self._cost = seconds if math.isnan(self._cost) else 0.8 * self._cost + 0.2 * seconds
                self._pairs[number] = result.games
                self.n_new += len(result.games)
                if self.writer:
                    record_pair(self.writer, result.games)
        if results:
            if self.writer:
                self.writer.flush()
            self._advance()

    def _check(self, number: int, result: PairResult) -> None:
        if not result.games:
            raise PlayerFailed(f"games {2 * number + 1} and {2 * number + 2} keep killing their worker")
        self._can_start |= not result.failed_to_start
        if not self._can_start:  # it never will: a match of lost games would say nothing
            game = next(game for game in result.games if game.failure)
            last = game.stderr.strip().splitlines()[-1:]
            raise PlayerFailed(game.failure + "".join(f"; it wrote: {line[:200]}" for line in last), game.stderr)

    def _advance(self) -> None:
        """Tell of the pairs in their order, however they came in: the same for any number of workers."""
        while (number := self.tally.n_pairs) in self._pairs and not self.finished:
            pair = self._pairs.pop(number)
            if self.records:
                self.records.write(pair)
            self.tally.add(pair)
            new = [replace(game, sgf="") for game in pair if game.failure]
            self.failures += new[: KEPT_FAILURES - len(self.failures)]
            self.decided = self.until_decided and self.tally.is_decided


@dataclass(frozen=True)
class _Timed:
    """A pair, and how long it took."""

    task: PairTask

    def run(self) -> tuple[PairResult, float]:
        began = time.perf_counter()
        return self.task.run(), time.perf_counter() - began

    def lost(self) -> tuple[PairResult, float]:
        return self.task.lost(), 0.0


class Records:
    """A folder with one file for each game."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"--sgf {folder}: {error.strerror}") from None

    def path(self, number: int) -> Path:
        return self.folder / f"game-{number + 1:06d}.sgf"

    def refuse_others(self, pairs: set[int]) -> None:
        """The games of another match are not written over."""
        mine = {self.path(2 * number + i).name for number in pairs for i in (0, 1)}
        others = sorted(path.name for path in self.folder.glob("game-*.sgf") if path.name not in mine)
        if others:
            raise ConfigError(f"--sgf {self.folder}: {others[0]} is no game of this match so far; give another folder")

    def write(self, pair: Pair) -> None:
        for game in pair:
            path, content = self.path(game.number), game.sgf.encode()
            try:
                if path.exists():  # from before the match was interrupted
                    if path.read_bytes() != content:
                        raise ConfigError(f"--sgf {path} is a game of another match; give another folder")
                    continue
                part = path.with_name(f".{path.name}.part")
                part.write_bytes(content)
                os.replace(part, path)
            except OSError as error:
                raise ConfigError(f"--sgf {path}: {error.strerror}") from None


@dataclass
class MatchCallbacks:
    """How a match is watched; none of it changes what it does."""

    on_start: Callable[[MatchDriver], object] = lambda driver: None
    on_progress: Callable[[MatchDriver], object] = lambda driver: None
    on_stop: Callable[[MatchDriver], object] = lambda driver: None
    on_compile: Callable[[str], object] = lambda text: None


def run_match(
    match: Match,
    games: int,
    *,
    ledger: str,
    name: str | None = None,
    workers: int | None = None,
    executor: str = "local",
    sgf: Path | None = None,
    until_decided: bool = False,
    callbacks: MatchCallbacks | None = None,
    pool: ResilientPool | None = None,
) -> MatchResult:
    """Play ``games`` games, in whole pairs, or those that the ledger at ``ledger`` does not have yet.

    ``pool``: workers to share with other runs, for a match that is not ``until_decided``.
    """
    callbacks = callbacks or MatchCallbacks()
    began = time.perf_counter()
    warm_up(match.settings, (match.a, match.b), callbacks.on_compile)
    with (
        contextlib.closing(Ledger(ledger)) as store,
        contextlib.closing(
            store.open_run(name or match.name, "match", match.identity(), match.seed, versions())
        ) as writer,
        use_pool(pool, executor, workers) as used,
    ):
        driver = MatchDriver(
            match, math.ceil(games / 2), used, writer,
            sgf=sgf, until_decided=until_decided, on_progress=callbacks.on_progress,
        )  # fmt: skip
        with _recording_state(driver, writer), stopping_on_signals(driver, callbacks.on_stop):
            callbacks.on_start(driver)
            driver.run()
    return MatchResult(
        driver.tally,
        2 * driver.n_pairs,
        driver.finished,
        driver.decided and driver.tally.n_pairs < driver.n_pairs,
        time.perf_counter() - began,
        driver.failures,
    )


@contextlib.contextmanager
def _recording_state(driver: MatchDriver, writer: RunWriter) -> Iterator[None]:
    state = "error"
    writer.set_state("running")
    try:
        yield
        state = "finished" if driver.finished else "interrupted"
    except KeyboardInterrupt:
        state = "interrupted"
    finally:
        writer.set_state(state)


def replay_match(ledger: Ledger, name: str) -> tuple[Match, MatchResult]:
    """A match as it stands now, from the ledger alone: its pairs up to the first that is missing."""
    run = ledger.run(name)
    if run.kind != "match":
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a match")
    tally = Tally()
    failures: list[PlayedGame] = []
    for number, pair in recorded_pairs(ledger, run.id):
        if number != tally.n_pairs:
            break
        tally.add(pair)
        failures += [game for game in pair if game.failure][: KEPT_FAILURES - len(failures)]
    result = MatchResult(tally, tally.n_games, run.state == "finished", False, 0.0, failures)
    return Match.from_identity(run.config), result
