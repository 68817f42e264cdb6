"""Race options of Stockfish, kill the race and resume it; then its games beside those of a chess tester's SPRT."""

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semeai.race.candidate import Candidate
from semeai.race.race import Race
from semeai.race.rules import betting_levels
from semeai.race.settings import RaceSettings
from semeai.rng import generator
from semeai.stats.betting import MixtureBetting, accept_log_factors, discard_log_factors
from semeai.stats.counts import SCALE, RewardCounts
from semeai.stats.elo import LEVELS, elo_rate, sprt_bounds
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent

FILE = """
[race]
mode = "plain"
accept_above = 0.52
discard_below = 0.60
max_per_candidate = 100

[evaluator]
match = {game = "chess", records = "games", adjudication = {win_score = 600, draw_score = 15}}

[baseline]
player = "uci:stockfish"
nodes = 60
"option.Hash" = 1

[[candidates]]
nodes = 300

[[candidates]]
nodes = 62

[[candidates]]
nodes = 30

[[candidates]]
"option.Use NNUE" = false
"""
KILL_AFTER = 20  # files of games on the disk when the race is killed
ELO0, ELO1 = 0.0, 10.0
SPLIT = np.array([0.01, 0.19, 0.60, 0.19, 0.01])  # pairs of games between equal engines: mostly draws
DIFFERENCES = (-10.0, 0.0, 2.5, 5.0, 7.5, 10.0, 20.0)
REPEATS = 400
FIRST_BATCH, GROWTH = 8, 1 / 128  # of pairs between two looks, for the SPRT too
REWARDS = np.array(LEVELS) / SCALE

Integers = NDArray[np.int64]


def run() -> list[ResultTable]:
    with tempfile.TemporaryDirectory() as folder:
        return [real_race(Path(folder))]


def run_beside_sprt(repeats: int = REPEATS) -> list[ResultTable]:
    return [one_candidate(repeats), twenty_candidates(repeats)]


# -- a race of real engines ------------------------------------------------------------------------------------


def real_race(folder: Path) -> ResultTable:
    """Race options of Stockfish twice: once in one go, once killed by SIGKILL and resumed."""
    whole, killed = folder / "whole", folder / "killed"
    for place in (whole, killed):
        place.mkdir()
        (place / "race.toml").write_text(FILE)
    found = json.loads(_race(whole).communicate()[0])
    process = _race(killed)
    while _games(killed) < KILL_AFTER and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    at_kill = _games(killed)
    resumed = json.loads(_race(killed).communicate()[0])
    rows: list[tuple[Cell, ...]] = []
    for a, b in zip(found["candidates"], resumed["candidates"], strict=True):
        assert (a["name"], a["verdict"]) == (b["name"], b["verdict"])
        lower, upper = a["bounds_at_verdict"]
        rows.append(
            (a["name"], a["verdict"], 2 * a["evaluations"], f"{a['win_rate']:.3f}", f"[{lower:.3f}, {upper:.3f}]")
        )
    same = "the same digest" if found["digest"] == resumed["digest"] else "the same verdicts, but not the same games"
    return ResultTable(
        "Options of Stockfish against Stockfish with 60 nodes per move",
        ("candidate", "verdict", "games", "win rate", "always-valid interval"),
        tuple(rows),
        f"Thresholds 0.52 and 0.60, risk 5% over all candidates and looks, at most 100 pairs per candidate. "
        f"{_games(whole):,} games were written as PGN. A second race was killed by SIGKILL, with all its processes, "
        f"when {at_kill} games were on the disk, and resumed by the same command: it had {same} and "
        f"{_games(killed):,} files of games.",
    )


def _race(place: Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "semeai", "race", "race.toml", "--workers", "2", "--json"]
    return subprocess.Popen(
        words, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )


def _games(place: Path) -> int:
    return sum(1 for _ in (place / "games").rglob("*.pgn"))


# -- simulated pairs of games ----------------------------------------------------------------------------------


class Outcomes(NamedTuple):
    """Verdicts (1 accepted, -1 discarded) and games of simulated candidates."""

    verdicts: Integers
    games: Integers


def pairs_of(elo: float) -> NDArray[np.float64]:
    """Return the probabilities of the results of a pair: ``SPLIT``, tilted so that its mean is that of ``elo``."""
    low, high = -50.0, 50.0
    for _ in range(80):
        tilt = (low + high) / 2
        p = SPLIT * np.exp(tilt * (REWARDS - 0.5))
        p /= p.sum()
        low, high = (tilt, high) if p @ REWARDS < elo_rate(elo) else (low, tilt)
    found: NDArray[np.float64] = p
    return found


def _looks(elo: float, repeats: int, seed: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield at each look the numbers of the candidates that are still open and their counts; send which go on."""
    rng = generator(seed, "pairs", str(elo))
    p = pairs_of(elo)
    counts = np.zeros((repeats, len(LEVELS)), np.int64)
    open_ones = np.arange(repeats)
    n = 0
    while len(open_ones):
        size = max(FIRST_BATCH, int(n * GROWTH))
        n += size
        counts[open_ones] += rng.multinomial(size, p, len(open_ones))
        goes_on = yield open_ones, counts[open_ones]
        open_ones = open_ones[goes_on]


def _decide(elo: float, repeats: int, seed: int, judge: Any) -> Outcomes:
    """Simulate candidates until each has a verdict; ``judge`` returns who is accepted and who is discarded."""
    verdicts, games = np.zeros(repeats, np.int64), np.zeros(repeats, np.int64)
    looks = _looks(elo, repeats, seed)
    state = next(looks)
    while True:
        open_ones, counts = state
        accepted, discarded = judge(counts)
        verdicts[open_ones[accepted]] = 1
        verdicts[open_ones[discarded & ~accepted]] = -1
        games[open_ones] = 2 * counts.sum(1)
        try:
            state = looks.send(~accepted & ~discarded)
        except StopIteration:
            return Outcomes(verdicts, games)


def sprt(risk: float) -> Any:
    """Return the judge of fastchess and fishtest: the generalised log likelihood ratio of pairs, in its normal form.

    LLR = n (s1 - s0) (2 mean - s0 - s1) / (2 variance), with the bounds of Wald (Van den Bergh's approximation of the
    pentanomial GSPRT, as in fishtest).
    """
    lower, upper = sprt_bounds(risk, risk)
    s0, s1 = elo_rate(ELO0), elo_rate(ELO1)

    def judge(counts: Integers) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        n = counts.sum(1)
        seen = np.maximum(counts, 1e-3)
        mean = seen @ REWARDS / seen.sum(1)
        variance = seen @ REWARDS**2 / seen.sum(1) - mean**2
        llr = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
        return llr >= upper, llr <= lower

    return judge


def race_settings(method: str = "betting", mode: str = "plain") -> RaceSettings:
    table = {"method": method, "mode": mode, "accept_above": elo_rate(ELO0), "discard_below": elo_rate(ELO1)}
    return RaceSettings.model_validate(table)


def race(method: str, n_candidates: int = 1) -> Any:
    """Return the judge of a plain race: mixture betting at the level of one of so many candidates."""
    settings = race_settings(method)
    test = MixtureBetting(settings.accept_above, settings.discard_below, wide=method == "wide_betting")
    levels = betting_levels(settings, n_candidates, 1)
    accept = accept_log_factors(REWARDS, test.accept_bets, test.accept_above)
    discard = discard_log_factors(REWARDS, test.discard_bets, test.discard_below)

    def judge(counts: Integers) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        merit = np.logaddexp.reduce(test.log_weights + counts @ accept, axis=1)
        doubt = np.logaddexp.reduce(test.log_weights + counts @ discard, axis=1)
        return merit >= -math.log(levels.accept), doubt >= -math.log(levels.discard)

    return judge


def one_candidate(repeats: int) -> ResultTable:
    """Compare games and errors for one candidate, by its true Elo."""
    rows: list[tuple[Cell, ...]] = []
    for elo in DIFFERENCES:
        found = [_decide(elo, repeats, 1, judge) for judge in (sprt(0.05), race("betting"), race("wide_betting"))]
        games = [float(outcome.games.mean()) for outcome in found]
        slowest = [float(np.quantile(outcome.games, 0.99)) for outcome in found[:2]]
        accepted = [_rate(outcome.verdicts > 0) for outcome in found]
        rows.append((elo, *games, f"{games[1] / games[0]:.2f}", f"{games[2] / games[0]:.2f}", *slowest, *accepted))
    return ResultTable(
        f"One candidate: games of the race beside fastchess's SPRT, {repeats:,} simulated candidates per row",
        ("true Elo", "SPRT", "betting", "wide_betting", "betting / SPRT", "wide_betting / SPRT", "SPRT, 99% quantile",
         "betting, 99% quantile", "SPRT accepts", "betting accepts", "wide_betting accepts"),
        tuple(rows),
        f"SPRT [{ELO0:g}, {ELO1:g}] with alpha = beta = 5%; the race has the same Elo differences as thresholds and "
        "the risk 5%. Pairs of games between equal engines: 60% split, 38% decided by half a point, 2% won twice. Both "
        "look at the same pairs, after every 8 or every 128th part.",
    )  # fmt: skip


def twenty_candidates(repeats: int) -> ResultTable:
    """Compare games and errors for twenty candidates at once: one is good, the others are as good as the baseline."""
    k = 20
    contenders = {
        "SPRT for each, alpha = beta = 5%": sprt(0.05),
        "SPRT for each, alpha = beta = 5% / 20": sprt(0.05 / k),
        "plain race, betting": race("betting", k),
        "plain race, wide_betting": race("wide_betting", k),
    }
    rows: list[tuple[Cell, ...]] = []
    for good in (ELO1, 2 * ELO1):
        for name, judge in contenders.items():
            bad = _decide(ELO0, repeats * (k - 1), 2, judge)
            best = _decide(good, repeats, 3, judge)
            wrong = (bad.verdicts.reshape(repeats, k - 1) > 0).any(1) | (best.verdicts < 0)
            games = float(bad.games.mean() * (k - 1) + best.games.mean())
            rows.append((good, name, games, percent(float((best.verdicts > 0).mean())), _rate(wrong)))
        for method in ("betting", "wide_betting"):
            games, found, wrong = _first_good(method, good, k, repeats)
            rows.append((good, f"race until the first acceptance, {method}", games, percent(found), _rate(wrong)))
    return ResultTable(
        f"Twenty candidates, 19 of them at Elo 0: all games, {repeats:,} simulated sets",
        ("Elo of the good one", "method", "games", "good one accepted", "any error"),
        tuple(rows),
        "Thresholds as above. An error is a wrong verdict on any candidate. A race until the first acceptance errs if "
        "it does not accept the good one.",
    )


def _first_good(method: str, good: float, k: int, repeats: int) -> tuple[float, float, NDArray[np.bool_]]:
    """Return the games of ``bgp`` races, how often the good one is accepted, and which races erred."""
    settings = race_settings(method, "bgp")
    chances = [pairs_of(ELO0)] * (k - 1) + [pairs_of(good)]
    games, right, wrong = 0, 0, np.zeros(repeats, bool)
    for r in range(repeats):
        rng = generator(r, "bgp pairs", method)
        entrants = Race(settings, [Candidate(str(i)) for i in range(k)], seed=r)
        while (batch := entrants.ask()) is not None:
            counts = rng.multinomial(batch.size, chances[batch.candidate - 1])
            told = {level: int(n) for level, n in zip(LEVELS, counts, strict=True) if n}
            entrants.tell(batch.number, RewardCounts(told))
        games += 2 * entrants.n_evaluations
        names = [candidate.name for candidate in entrants.accepted]
        right += names == [str(k - 1)]
        wrong[r] = names != [str(k - 1)]
    return games / repeats, right / repeats, wrong


def _rate(events: NDArray[np.bool_]) -> str:
    count, n = int(events.sum()), events.size
    return percent(count / n, wilson_interval(count, n))
