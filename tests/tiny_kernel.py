"""A kernel that compiles in a second, and a setup that needs it."""

from pathlib import Path

from semeai.jit import kernel
from semeai.work.needs import Needs


@kernel
def add_up(n):
    total = 0
    for i in range(n):
        total += i
    return total


class NeedsKernel:
    """Notes in a file, for each process that prepares itself, how many kernels that process has compiled."""

    def __init__(self, notes):
        self.notes = notes

    def needs(self):
        return Needs()

    def prepare(self, say):
        add_up(10)
        with Path(self.notes).open("a") as file:
            file.write(f"{sum(add_up.stats.cache_misses.values())}\n")
