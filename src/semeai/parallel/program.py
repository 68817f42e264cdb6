"""The work of one rank: it spends a budget on its search in steps, and may exchange messages between two steps."""

import time
from dataclasses import dataclass

from semeai.search.search import CHUNK, Root, Search

FIRST_CHUNK = 16


@dataclass(frozen=True)
class Budget:
    """A budget of one rank, in simulations or in CPU seconds."""

    simulations: int | None = None
    seconds: float | None = None
    stop_early: bool = False
    """Stop when no other move can overtake the most visited one."""
    final: bool = True
    """Whether a move is chosen after this budget; otherwise the search continues with another budget."""


class RankProgram:
    """A search that runs alone. Subclasses add the messages of a parallel scheme.

    ``step`` returns whether there is more to do. Ranks of a virtual cluster take turns by steps, so a step must not
    wait for a message that another rank sends in a later step.
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        self.begin(Budget(simulations=0))

    def seed(self, seed: int) -> None:
        self.search.seed(seed)

    def forget(self) -> None:
        self.search.forget()

    def set_position(self, position: Root, reuse: bool) -> None:
        self.search.set_position(position, reuse)

    @property
    def simulations(self) -> int:
        """Simulations of all ranks since the position was set, as far as this rank knows."""
        return self.search.simulations

    def begin(self, budget: Budget) -> None:
        self.budget = budget
        self.done = 0
        self._is_idle = False  # the game is over, the root is proven or the counter is full
        self._began = time.thread_time()
        self._chunk = CHUNK if budget.seconds is None else FIRST_CHUNK

    def step(self) -> bool:
        self.run(min(self.remaining(), self._chunk * self.search.threads))
        self._chunk = min(CHUNK, 2 * self._chunk)
        return not self.has_enough()

    def run(self, simulations: int) -> None:
        ran = self.search.run(simulations)
        self.done += ran
        self._is_idle = ran == 0

    def remaining(self) -> int:
        """Return the simulations left in the budget; an estimate if the budget is in seconds."""
        if self.budget.simulations is not None:
            return self.budget.simulations - self.done
        assert self.budget.seconds is not None
        elapsed = time.thread_time() - self._began  # CPU time, so that other processes do not count
        if elapsed >= self.budget.seconds:
            return int(self.done == 0)
        return 1 + int((self.budget.seconds - elapsed) * self.done / max(elapsed, 1e-6)) if self.done else FIRST_CHUNK

    def has_enough(self) -> bool:
        """Return whether the budget is spent or more simulations would change nothing."""
        left = self.remaining()
        return left <= 0 or self._is_idle or (self.budget.stop_early and self.done > 0 and self.search.is_decided(left))
