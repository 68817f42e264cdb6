"""A race as JSON: its candidates with their intervals, verdicts, failures, and the curves of some candidates.

A page is drawn from the totals per candidate, which the ledger keeps beside the batches, so its cost does not grow with
the number of batches. Batches are read only for the candidates whose curves are shown, and bounds are computed once. A
look that may take only a short time computes the bounds of the most promising candidates first, and shows the last
known ones of the others, which are valid too; later looks go on.
"""

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import func, select

from semeai.race.candidate import Verdict
from semeai.race.methods import Look
from semeai.race.race import Race
from semeai.race.rules import BettingRule
from semeai.race.selection import Standing
from semeai.report.effects import MOST_EFFECTS, EffectsCache
from semeai.report.values import MAX_STDERR, Json, counted, interval, moment_of, number, text, texts, thinned
from semeai.report.words import race_words
from semeai.runs.resume import read_race
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts
from semeai.store import schema
from semeai.store.ledger import Ledger, RunInfo
from semeai.store.race_rows import counts_from_json

CURVES = 8
"""Candidates whose curves are shown first."""
POINTS = 40
"""Points of a curve."""
SHOWN_FAILURES = 50
"""Failures on a page: the first ones."""
SHOWN_DECISIONS = 30
"""Verdicts on a page: the last ones."""
COLUMNS = ("number", "name", "verdict", "n", "total", "lower", "upper", "merit", "doubt")
"""Columns of a candidate in ``race_data``."""
SPEED_PARTS = 60
BATCHES_PER_PART = 8
FIRST_SECONDS = 0.03
"""CPU seconds for intervals in a look that a person waits for."""


@dataclass
class BoundsCache:
    """Bounds that were computed before, by run, candidate and number of evaluations. They never change."""

    look_seconds: float = math.inf
    """CPU seconds that one look at a race may spend on the bounds of undecided candidates."""
    known: dict[tuple[int, int, int], Bounds] = field(default_factory=dict)
    last: dict[int, dict[int, Bounds]] = field(default_factory=dict)
    """The last bounds that were computed for candidates that are still undecided, by run and candidate."""
    most: int = 200_000

    def bounds(self, race: Race, run_id: int, standing: Standing, counts: RewardCounts, n_tests: int) -> Bounds:
        key = (run_id, standing.index, counts.n)
        if key not in self.known:
            if len(self.known) >= self.most:
                self.known.clear()
            self.known[key] = race.rule.bounds(counts, max(1, n_tests), standing.index)
        return self.known[key]

    def present(self, race: Race, run_id: int, at_once: bool = False) -> tuple[dict[int, Bounds], int]:
        """Return the bounds of undecided candidates by number, and how many of them are not of the present yet."""
        found: dict[int, Bounds] = {}
        last, n_old = self.last.get(run_id, {}), 0
        end = time.thread_time() + (min(FIRST_SECONDS, self.look_seconds) if at_once else self.look_seconds)
        for s in sorted((s for s in race.alive if s.n_evaluations), key=lambda s: -s.progress):
            if (run_id, s.index, s.n_evaluations) in self.known or time.thread_time() < end:
                found[s.index] = self.bounds(race, run_id, s, s.counts, s.n_tests)
            else:
                n_old += 1
                if s.index in last:
                    found[s.index] = last[s.index]
        self.last[run_id] = found
        return found, n_old


def race_data(
    ledger: Ledger, run: RunInfo, cache: BoundsCache, effects: EffectsCache, state: str, at_once: bool = False
) -> Json:
    """Return a race without curves; ``at_once`` leaves its speed and most unknown intervals to later looks."""
    race = read_race(ledger, run)
    if race is None:
        return {"candidates": [], "n_evaluations": 0, "words": ["No batch is recorded yet."], "decisions": []}
    heads = ledger.heads(run.id)
    n_failures, n_decisions = (heads[name].n_rows if name in heads else 0 for name in ("failures", "decisions"))
    present, n_old = cache.present(race, run.id, at_once)
    settings, ranked = race.settings, most_telling(race)
    sizes, has_all = ([], False) if at_once else effects.rows(ledger, run, race, ranked[:MOST_EFFECTS])
    return {
        "columns": COLUMNS,
        "candidates": candidate_rows(race, present),
        "n_old_intervals": n_old,
        "verdicts": counted(s.verdict.value for s in race.standings),
        "n_evaluations": race.n_evaluations,
        "games_per_seed": settings.games_per_seed,
        "n_under_way": sum(s.n_under_way for s in race.standings),
        "accept_above": settings.accept_above,
        "discard_below": settings.discard_below,
        "risk": settings.risk,
        "settings": texts(settings.model_dump(mode="json")),
        "shown": ranked[:CURVES],
        "effects": sizes,
        "decisions": decision_rows(ledger, run.id, n_decisions),
        "n_decisions": n_decisions,
        "failures": [failure_row(race, row) for row in islice(ledger.rows("failures", run.id), SHOWN_FAILURES)],
        "n_failures": n_failures,
        "speed": [] if at_once else speed_rows(ledger, run.id),
        "is_rough": at_once or n_old > 0 or not has_all,
        "words": race_words(race, state, n_failures),
    }


def candidate_rows(race: Race, present: Mapping[int, Bounds]) -> list[list[Any]]:
    """Return one row per candidate, see COLUMNS; ``present`` are the bounds of undecided ones."""
    rows = []
    for s in race.standings:
        ends = None
        if s.verdict == Verdict.UNDECIDED:
            ends = interval(present.get(s.index))
        elif s.n_evaluations:
            ends = interval(race.shown_bounds(s))
        lower, upper = ends or (None, None)
        rows.append([
            s.index, text(s.candidate.name), s.verdict.value, s.n_evaluations, number(s.total_reward, 3), lower, upper,
            number(s.merit, 3), number(s.doubt, 3),
        ])  # fmt: skip
    return rows


def most_telling(race: Race) -> list[int]:
    """Return the candidates with results: accepted ones, then the most promising ones, then the most tested ones."""
    order = {Verdict.ACCEPTED: 0, Verdict.UNDECIDED: 1}
    ranked = sorted(
        (s for s in race.standings if s.n_evaluations),
        key=lambda s: (order.get(s.verdict, 2), -s.progress if s.verdict == Verdict.UNDECIDED else -s.n_evaluations),
    )
    return [s.index for s in ranked]


def decision_rows(ledger: Ledger, run_id: int, n_decisions: int) -> list[Json]:
    """Return the last verdicts."""
    keys = ("candidate", "verdict", "after_batch", "recorded_at")
    found = []
    for row in ledger.rows(schema.decisions, run_id, max(0, n_decisions - SHOWN_DECISIONS)):
        found.append(
            {key: row[key] for key in keys} | {"n": row["n_evaluations"], "total": number(row["total_reward"])}
        )
    return found


def failure_row(race: Race, row: Mapping[str, Any]) -> Json:
    known = 1 <= row["candidate"] <= len(race.standings)
    name = race.standings[row["candidate"] - 1].candidate.name if known else str(row["candidate"])
    return {
        "candidate": text(name),
        "seed": str(row["seed"]),  # a seed may have more digits than a number of JavaScript
        "kind": text(row["kind"]),
        "message": text(row["message"]),
        "stderr": text(row["stderr"], MAX_STDERR),
        "recorded_at": text(row["recorded_at"]),
    }


def race_curves(ledger: Ledger, run: RunInfo, numbers: Sequence[int], cache: BoundsCache) -> dict[int, Json]:
    """Return the curves of some candidates, by number: evaluations, mean, interval, and evidence."""
    with ledger.one_state():  # a live run may add rows meanwhile
        race = read_race(ledger, run)
        if race is None:
            return {}
        wanted = [n for n in dict.fromkeys(numbers) if 1 <= n <= len(race.standings)]
        batches = batches_of(ledger, run.id, wanted)
    for n in wanted:
        if sum(batches[n], RewardCounts()) != race.standings[n - 1].counts:
            raise ledger.damage(run.id, f"the totals of candidate {n} are not those of its batches")
    return {n: _curve(race, run.id, race.standings[n - 1], batches[n], cache) for n in wanted}


def batches_of(ledger: Ledger, run_id: int, numbers: Iterable[int]) -> dict[int, list[RewardCounts]]:
    """Return the rewards of each batch of these candidates, in order."""
    found: dict[int, list[RewardCounts]] = {n: [] for n in numbers}
    table = schema.batches
    query = (
        select(table.c.candidate, table.c.counts)
        .where(table.c.run_id == run_id, table.c.candidate.in_(list(found)), table.c.counts.is_not(None))
        .order_by(table.c.number)
    )
    with ledger.reading() as connection:
        for candidate, counts in connection.execute(query):
            found[candidate].append(counts_from_json(counts))
    return found


def _curve(race: Race, run_id: int, standing: Standing, batches: list[RewardCounts], cache: BoundsCache) -> Json:
    sums: list[RewardCounts] = []
    total = RewardCounts()
    for part in batches:
        total = total + part
        sums.append(total)
    if standing.verdict not in (Verdict.UNDECIDED, Verdict.FAILED):  # later rewards do not change the verdict
        sums = sums[: standing.n_tests] or sums
    curve: Json = {"n": [], "mean": [], "lower": [], "upper": [], "merit": [], "doubt": []}
    if not sums:
        return curve
    betting = race.rule if isinstance(race.rule, BettingRule) else None
    points = thinned([counts.n for counts in sums], POINTS)
    looks = _looks(betting, standing.index, batches, sums, points) if betting else {}
    for i in points:
        ends = interval(cache.bounds(race, run_id, standing, sums[i], i + 1))
        assert ends is not None
        look = looks.get(i)
        point = (sums[i].n, number(sums[i].mean), *ends, *((number(look[1], 3), number(look[2], 3)) if look else ()))
        for key, value in zip(curve, point, strict=False):
            curve[key].append(value)
    if betting:
        needed = betting.levels(standing.index)
        curve["needed"] = [number(-math.log(needed.accept), 3), number(-math.log(needed.discard), 3)]
    return curve


def _looks(
    rule: BettingRule, index: int, batches: list[RewardCounts], sums: list[RewardCounts], points: list[int]
) -> dict[int, Look]:
    """Return the looks after some batches, by the number of the batch."""
    if not rule.carries_evidence:
        return {i: rule.look(sums[i], i + 1, index) for i in points}
    found: list[Look] = []
    for i in range(len(sums)):
        last, earlier = (found[-1], sums[i - 1]) if i else (None, RewardCounts())
        found.append(rule.look_again(last, earlier, batches[i], i + 1, index))
    return {i: found[i] for i in points}


def speed_rows(ledger: Ledger, run_id: int) -> list[list[Any]]:
    """Return the evaluations per second over the time of the run, in up to SPEED_PARTS equal parts.

    The database sums them by second or, in a longer run, by minute or hour, so few rows are read.
    """
    table = schema.batches
    with ledger.reading() as connection:
        first, last = connection.execute(
            select(func.min(table.c.recorded_at), func.max(table.c.recorded_at)).where(table.c.run_id == run_id)
        ).one()
        if first is None:
            return []
        start, hours = moment_of(first), (moment_of(last) - moment_of(first)) / 3600
        length = 19 if hours < 1 else 16 if hours < 60 else 13  # of 2026-01-31T12:00:00
        when = func.substr(table.c.recorded_at, 1, length)
        query = select(when, func.sum(table.c.size)).where(table.c.run_id == run_id).group_by(when)
        rows = [(moment_of(f"{shown}+00:00"), int(n)) for shown, n in connection.execute(query)]
        n_batches = connection.execute(select(func.count()).where(table.c.run_id == run_id)).scalar_one()
    # Whole parts only, each with several batches: what is left of the last part would look like a slower one.
    unit = {19: 1, 16: 60, 13: 3600}[length]
    parts = min(SPEED_PARTS, max(1, n_batches // BATCHES_PER_PART))
    width = max(hours * 3600 / parts, unit)
    sums = [0] * max(1, int(hours * 3600 / width + 1e-9))
    for moment, n in rows:
        part = int((moment - start) / width)
        if 0 <= part < len(sums):
            sums[part] += n
    return [[round((i + 0.5) * width, 1), number(n / width, 3)] for i, n in enumerate(sums)]


def params_of(ledger: Ledger, run_id: int, number_: int) -> Any:
    """Return the parameters of a candidate."""
    for row in ledger.rows("candidates", run_id, number_):
        return texts(json.loads(row["params"]))
    return None
