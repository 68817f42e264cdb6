"""The race: it is asked for a batch, told the rewards, and gives verdicts.

One class serves the papers' three algorithms, which differ in when they end and how they split the risk:

- BGP (section 4): the first acceptance ends it;
- the plain race (section 3): it ends when every candidate has its verdict;
- the stream (variant 3): an endless sequence, one candidate after the other.

A race never plays, has no clock and does no I/O. What it asks for depends on its settings, its seed and what it was
told, in the order in which it asked; so it replays from its history to the same verdicts.
"""

import itertools
import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from semeai.errors import ConfigError, ProtocolError
from semeai.race.candidate import Candidate, Verdict, check_distinct
from semeai.race.selection import SELECTION_RULES, Standing
from semeai.race.settings import RaceSettings
from semeai.rng import generator
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts

MAX_CANDIDATES = 100_000
"""Of a race that knows them all from the start."""


class Batch(NamedTuple):
    """Work asked for: evaluations ``start`` to ``start + size`` of a candidate's own seed stream."""

    number: int  # from 0, in the order of asking
    candidate: int  # its index, from 1
    start: int
    size: int


class Decision(NamedTuple):
    """A verdict, with the evidence at that moment."""

    candidate: int  # its index, from 1
    verdict: Verdict
    after_batch: int
    n_evaluations: int
    total_reward: float
    n_tests: int
    merit: float
    doubt: float
    bounds: Bounds


class Race:
    """Ask, tell, verdict."""

    def __init__(self, settings: RaceSettings, candidates: Iterable[Candidate], seed: int = 0) -> None:
        self.settings = settings.resolved()
        self.seed = seed
        self.standings: list[Standing] = []
        self.decisions: list[Decision] = []
        self._at_verdict: dict[int, Bounds] = {}
        self._alive: list[Standing] = []
        self._planned: deque[Batch] = deque()  # decided on, not asked for yet
        self._pending: deque[Batch] = deque()  # asked for or planned, not told yet: the oldest first
        self._source_error: Exception | None = None
        self._n_batches = 0
        self._n_dispatched = 0
        self._incoming = iter(candidates)
        if self.settings.mode == "stream":
            self._rule = self.settings.rule(1)
        else:
            finite = list(itertools.islice(self._incoming, MAX_CANDIDATES + 1))
            if len(finite) > MAX_CANDIDATES:
                raise ConfigError(
                    f"more than {MAX_CANDIDATES:,} candidates: an endless source needs the mode 'stream', "
                    f"not {self.settings.mode!r}"
                )
            check_distinct(finite)
            if not finite:
                raise ConfigError("a race needs at least one candidate")
            self._rule = self.settings.rule(len(finite))
            self._incoming = iter(())
            for candidate in finite:
                self._enter(candidate)
        assert self.settings.selection is not None
        self._select = SELECTION_RULES[self.settings.selection]
        self._plan()

    # -- what the outside does ---------------------------------------------------------------------------------

    def ask(self) -> Batch | None:
        """The next batch to evaluate; None while its choice waits for results, or when the race is over."""
        if self._planned:
            return self._planned.popleft()
        if self._source_error is not None and not self._pending:
            raise self._source_error
        return None

    def tell(self, number: int, counts: RewardCounts) -> list[Decision]:
        """The rewards of batch ``number``; in the order of asking. Returns the verdicts that follow."""
        batch = self._next_pending(number)
        if counts.n != batch.size:
            raise ProtocolError(f"batch {number} asked for {batch.size} rewards and was told {counts.n}")
        self._pending.popleft()
        standing = self.standings[batch.candidate - 1]
        standing.n_under_way -= 1
        standing.counts = standing.counts + counts
        standing.n_evaluations = standing.counts.n
        standing.total_reward = standing.counts.total
        # Batches that were under way when the verdict fell are kept, but the verdict stands.
        made = [] if standing.verdict != Verdict.UNDECIDED else self._judge(standing, number)
        self._plan()
        return made

    def fail(self, number: int) -> list[Decision]:
        """Batch ``number`` has no rewards because the candidate's program fails: it is out."""
        batch = self._next_pending(number)
        self._pending.popleft()
        standing = self.standings[batch.candidate - 1]
        standing.n_under_way -= 1
        made = []
        if standing.verdict == Verdict.UNDECIDED:
            made.append(self._decide(standing, Verdict.FAILED, number))
        self._plan()
        return made

    @property
    def finished(self) -> bool:
        """Nothing is asked for any more and nothing is under way."""
        return not self._pending and self._source_error is None

    @property
    def accepted(self) -> list[Candidate]:
        return [s.candidate for s in self.standings if s.verdict == Verdict.ACCEPTED]

    @property
    def n_evaluations(self) -> int:
        return sum(s.n_evaluations for s in self.standings)

    @property
    def alive(self) -> Sequence[Standing]:
        return self._alive

    def bounds(self, standing: Standing) -> Bounds:
        """Always-valid bounds on the candidate's efficiency, at its share of the risk."""
        return self._rule.bounds(standing.counts, max(1, standing.n_tests), standing.index)

    def shown_bounds(self, standing: Standing) -> Bounds:
        """The bounds that a verdict fell with, which results of batches then under way do not change; else today's."""
        return self._at_verdict.get(standing.index) or self.bounds(standing)

    def forecast(self, standing: Standing) -> float:
        """Return the evaluations that the candidate still needs for a verdict, assuming its current frequencies."""
        return self._rule.forecast(standing.counts, max(1, standing.n_tests), standing.index)

    # -- inside ------------------------------------------------------------------------------------------------

    def _enter(self, candidate: Candidate) -> Standing:
        standing = Standing(candidate, len(self.standings) + 1, RewardCounts())
        self.standings.append(standing)
        self._alive.append(standing)
        return standing

    def _next_pending(self, number: int) -> Batch:
        if not self._pending:
            raise ProtocolError(f"told batch {number}, but no batch is under way")
        batch = self._pending[0]
        if batch.number != number or batch in self._planned:
            raise ProtocolError(f"told batch {number}, but results are told in order of asking: {batch.number} is next")
        return batch

    def _judge(self, standing: Standing, number: int) -> list[Decision]:
        standing.n_tests += 1
        look = self._rule.look(standing.counts, standing.n_tests, standing.index)
        verdict, standing.merit, standing.doubt, standing.progress = look
        if self.settings.selection == "max_upper":
            standing.upper = self.bounds(standing).upper
        limit = self.settings.max_per_candidate
        if verdict == Verdict.UNDECIDED and limit is not None and standing.n_evaluations >= limit:
            verdict = Verdict.EXHAUSTED
        return [] if verdict == Verdict.UNDECIDED else [self._decide(standing, verdict, number)]

    def _decide(self, standing: Standing, verdict: Verdict, number: int) -> Decision:
        standing.verdict = verdict
        self._alive.remove(standing)
        decision = Decision(
            standing.index,
            verdict,
            number,
            standing.n_evaluations,
            standing.total_reward,
            standing.n_tests,
            standing.merit,
            standing.doubt,
            self.bounds(standing),
        )
        self.decisions.append(decision)
        self._at_verdict[standing.index] = decision.bounds
        return decision

    def _accepted_one(self) -> bool:
        return self.settings.mode == "bgp" and any(d.verdict == Verdict.ACCEPTED for d in self.decisions)

    def _may_continue(self) -> bool:
        limit = self.settings.max_evaluations
        if self._source_error or self._accepted_one() or (limit is not None and self._n_dispatched >= limit):
            return False
        if not self._alive:  # only a stream has more to come
            try:
                for candidate in itertools.islice(self._incoming, 1):
                    self._enter(candidate)
            except Exception as error:  # raised by the next ask: what was just told must not be lost for it
                self._source_error = error
        return bool(self._alive)

    def _plan(self) -> None:
        """Choose batches up to the width, as soon as what they depend on has been told.

        Planning happens here and not in ``ask``, so that the choices do not depend on when a driver asks.
        """
        assert self.settings.width is not None
        while len(self._pending) < self.settings.width and self._may_continue():
            open_for_more = self._open_for_more()
            if not open_for_more:
                return
            standing = self._select(open_for_more, self._random_source)
            size = self._room(standing, self.settings.batch_size(standing.n_dispatched))
            batch = Batch(self._n_batches, standing.index, standing.n_dispatched, size)
            standing.n_dispatched += size
            standing.n_under_way += 1
            self._n_dispatched += size
            self._n_batches += 1
            self._planned.append(batch)
            self._pending.append(batch)

    def _open_for_more(self) -> list[Standing]:
        lookahead, limit = self.settings.lookahead or 1, self.settings.max_per_candidate or math.inf
        return [s for s in self._alive if s.n_under_way < lookahead and s.n_dispatched < limit]

    def _room(self, standing: Standing, size: int) -> int:
        """A batch no larger than what the limits leave."""
        whole = self.settings.max_evaluations or math.inf
        own = self.settings.max_per_candidate or math.inf
        return int(min(size, whole - self._n_dispatched, own - standing.n_dispatched))

    def _random_source(self) -> np.random.Generator:
        return generator(self.seed, "selection", self._n_batches)
