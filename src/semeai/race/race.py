"""The race: ``ask`` returns a batch to evaluate, ``tell`` takes its rewards and returns verdicts.

One class implements the three algorithms of the papers. They differ in when they end and how they split the risk:

- BGP (section 4): the first acceptance ends the race;
- the plain race (section 3): it ends when every candidate has a verdict;
- the stream (variant 3): an endless sequence, one candidate after the other.

A race plays no games, has no clock and does no I/O. Its requests depend only on its settings, its seed and the rewards
so far, which it takes in the order of its requests. So replaying its history gives the same verdicts.
"""

import bisect
import itertools
import math
from collections import deque
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from semeai.errors import ConfigError, ProtocolError
from semeai.race.candidate import Candidate, Verdict, check_distinct
from semeai.race.checkpoint import Checkpoint
from semeai.race.methods import Look, Rule
from semeai.race.selection import SELECTION_RULES, Standing
from semeai.race.settings import RaceSettings
from semeai.rng import generator
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts

if TYPE_CHECKING:
    import numpy as np

MAX_CANDIDATES = 100_000
"""Maximum number of candidates of a race that knows them all from the start."""


_NO_REWARDS = RewardCounts()


class Batch(NamedTuple):
    """A request for ``size`` evaluations of a candidate, from number ``start`` of its own seed stream on."""

    number: int  # from 0, in the order of the requests
    candidate: int  # index of the candidate, from 1
    start: int
    size: int


class Decision(NamedTuple):
    """A verdict with the evidence at that moment."""

    candidate: int  # index of the candidate, from 1
    verdict: Verdict
    after_batch: int
    n_evaluations: int
    total_reward: float
    n_tests: int
    merit: float
    doubt: float
    bounds: Bounds


class Race:
    """A race over candidates: call ``ask`` for batches and ``tell`` with their rewards until ``finished``."""

    def __init__(self, settings: RaceSettings, candidates: Iterable[Candidate], seed: int = 0) -> None:
        self.settings = settings.resolved()
        self.seed = seed
        self.standings: list[Standing] = []
        self.decisions: list[Decision] = []
        self._at_verdict: dict[int, Bounds] = {}
        self._alive: list[Standing] = []
        self._planned: deque[Batch] = deque()  # chosen, not returned by ask yet
        self._pending: deque[Batch] = deque()  # returned by ask or planned, without rewards yet; the oldest first
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

    # -- public interface --------------------------------------------------------------------------------------

    def ask(self) -> Batch | None:
        """Return the next batch to evaluate; None if the choice needs results first or the race is over."""
        if self._planned:
            return self._planned.popleft()
        if self._source_error is not None and not self._pending:
            raise self._source_error
        return None

    def tell(self, number: int, counts: RewardCounts) -> list[Decision]:
        """Take the rewards of batch ``number``, in the order of the requests. Returns the verdicts that follow."""
        batch = self._next_pending(number)
        if counts.n != batch.size:
            raise ProtocolError(f"batch {number} asked for {batch.size} rewards and was told {counts.n}")
        self._pending.popleft()
        standing = self.standings[batch.candidate - 1]
        standing.n_under_way -= 1
        earlier = standing.counts
        standing.counts = earlier + counts
        standing.n_evaluations = standing.counts.n
        standing.total_reward = standing.counts.total
        # Rewards of batches that were under way at the verdict are counted, but do not change it.
        made = [] if standing.verdict != Verdict.UNDECIDED else self._judge(standing, number, earlier, counts)
        self._plan()
        return made

    def fail(self, number: int) -> list[Decision]:
        """Give the candidate of batch ``number`` the verdict "failed": its program gave no rewards.

        Returns the verdict; empty if the candidate had one already.
        """
        batch = self._next_pending(number)
        self._pending.popleft()
        standing = self.standings[batch.candidate - 1]
        standing.n_under_way -= 1
        made = []
        if standing.verdict == Verdict.UNDECIDED:
            made.append(self._decide(standing, Verdict.FAILED, number))
        self._plan()
        return made

    def reopen(self, index: int) -> Decision:
        """Take the failure of candidate ``index`` back: it races on, with new seeds. Returns the decision.

        Raises ConfigError if the candidate has not failed.
        """
        standing = self.standings[index - 1]
        if standing.verdict != Verdict.FAILED:
            raise ConfigError(f"candidate {standing.candidate.name!r} is {standing.verdict.value}, not failed")
        decision = self._decision(standing, Verdict.REOPENED, self.n_told - 1)
        self._note(decision)
        bisect.insort(self._alive, standing, key=attrgetter("index"))
        self._plan()
        return decision

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue from a recorded state of the same race. Call it before the first ``ask``."""
        entered = max([*checkpoint.standings, *(batch.candidate for batch in checkpoint.pending)], default=0)
        for candidate in itertools.islice(self._incoming, max(0, entered - len(self.standings))):
            self._enter(candidate)  # of a stream
        if len(self.standings) < entered:
            raise ConfigError(f"the source has only {len(self.standings)} of the {entered} candidates of this race")
        for index, state in checkpoint.standings.items():
            vars(self.standings[index - 1]).update(state._asdict())
        for decision in checkpoint.decisions:
            self._note(decision)
        self._alive = [standing for standing in self.standings if standing.verdict == Verdict.UNDECIDED]
        self._pending, self._planned = deque(checkpoint.pending), deque(checkpoint.pending)
        for standing in self.standings:
            standing.n_under_way = 0
            if standing.index not in checkpoint.standings:
                standing.n_dispatched = 0
        for batch in checkpoint.pending:
            standing = self.standings[batch.candidate - 1]
            standing.n_under_way += 1
            standing.n_dispatched = max(standing.n_dispatched, batch.start + batch.size)
        self._n_batches = checkpoint.n_told + len(checkpoint.pending)
        self._n_dispatched = sum(standing.n_dispatched for standing in self.standings)
        self._plan()  # nothing, unless a stream has more candidates now

    @property
    def rule(self) -> Rule:
        """The method's rule, which computes bounds and verdicts from counts."""
        return self._rule

    @property
    def n_told(self) -> int:
        """Number of batches whose results were told."""
        return self._n_batches - len(self._pending)

    @property
    def pending(self) -> Sequence[Batch]:
        """The batches under way, in the order of the requests."""
        return self._pending

    @property
    def finished(self) -> bool:
        """True if no batch is under way and none will be requested."""
        return not self._pending and self._source_error is None

    @property
    def accepted(self) -> list[Candidate]:
        """The accepted candidates."""
        return [s.candidate for s in self.standings if s.verdict == Verdict.ACCEPTED]

    @property
    def n_evaluations(self) -> int:
        """Number of evaluations so far, over all candidates."""
        return sum(s.n_evaluations for s in self.standings)

    @property
    def alive(self) -> Sequence[Standing]:
        """The candidates without a verdict."""
        return self._alive

    def bounds(self, standing: Standing) -> Bounds:
        """Return always-valid bounds on the candidate's efficiency, at its share of the risk."""
        return self._rule.bounds(standing.counts, max(1, standing.n_tests), standing.index)

    def shown_bounds(self, standing: Standing) -> Bounds:
        """Return the bounds at the candidate's verdict, or the current bounds if it has none.

        Results of batches that were under way at the verdict do not change them.
        """
        return self._at_verdict.get(standing.index) or self.bounds(standing)

    def forecast(self, standing: Standing) -> float:
        """Return the evaluations still needed for the candidate's verdict, assuming its current reward frequencies."""
        return self._rule.forecast(standing.counts, max(1, standing.n_tests), standing.index)

    # -- internals ---------------------------------------------------------------------------------------------

    def _enter(self, candidate: Candidate) -> Standing:
        standing = Standing(candidate, len(self.standings) + 1, _NO_REWARDS)
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

    def _judge(self, standing: Standing, number: int, earlier: RewardCounts, batch: RewardCounts) -> list[Decision]:
        last = Look(standing.verdict, standing.merit, standing.doubt, standing.progress) if standing.n_tests else None
        standing.n_tests += 1
        look = self._rule.look_again(last, earlier, batch, standing.n_tests, standing.index)
        verdict, standing.merit, standing.doubt, standing.progress = look
        if self.settings.selection == "max_upper":
            standing.upper = self.bounds(standing).upper
        limit = self.settings.max_per_candidate
        if verdict == Verdict.UNDECIDED and limit is not None and standing.n_evaluations >= limit:
            verdict = Verdict.EXHAUSTED
        return [] if verdict == Verdict.UNDECIDED else [self._decide(standing, verdict, number)]

    def _decide(self, standing: Standing, verdict: Verdict, number: int) -> Decision:
        decision = self._decision(standing, verdict, number)
        self._note(decision)
        del self._alive[bisect.bisect_left(self._alive, standing.index, key=attrgetter("index"))]
        return decision

    def _decision(self, standing: Standing, verdict: Verdict, number: int) -> Decision:
        return Decision(
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

    def _note(self, decision: Decision) -> None:
        """Add a decision and set the candidate's verdict."""
        standing = self.standings[decision.candidate - 1]
        self.decisions.append(decision)
        if decision.verdict == Verdict.REOPENED:
            standing.verdict = Verdict.UNDECIDED
            del self._at_verdict[standing.index]
        else:
            standing.verdict = decision.verdict
            self._rule.n_accepted += decision.verdict == Verdict.ACCEPTED
            self._at_verdict[standing.index] = decision.bounds

    def _accepted_one(self) -> bool:
        return self.settings.mode == "bgp" and any(d.verdict == Verdict.ACCEPTED for d in self.decisions)

    def _may_continue(self) -> bool:
        limit = self.settings.max_evaluations
        if self._source_error or self._accepted_one() or (limit is not None and self._n_dispatched >= limit):
            return False
        if not self._alive:  # only a stream has more candidates
            try:
                for candidate in itertools.islice(self._incoming, 1):
                    self._enter(candidate)
            except Exception as error:  # raised by the next ask, so that the rewards just taken are not lost
                self._source_error = error
        return bool(self._alive)

    def _plan(self) -> None:
        """Choose batches until ``width`` of them are under way.

        This happens after each result and not in ``ask``, so that the choices do not depend on when a driver asks.
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
        """Return the size of a batch, reduced to what the limits of evaluations still allow."""
        whole = self.settings.max_evaluations or math.inf
        own = self.settings.max_per_candidate or math.inf
        return int(min(size, whole - self._n_dispatched, own - standing.n_dispatched))

    def _random_source(self) -> "np.random.Generator":
        return generator(self.seed, "selection", self._n_batches)
