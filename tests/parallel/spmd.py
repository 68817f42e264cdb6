"""The contract of communicators, as a program of steps that each rank runs.

``python -m tests.parallel.spmd`` runs it on the ranks of an MPI job.
"""

import os
import sys

import numpy as np

from semeai.parallel.comm import Communicator


class Contract:
    """``step`` is called until it returns False; what a step waits for was started in an earlier one, or by rank 0."""

    def __init__(self, comm: Communicator) -> None:
        self.comm, self.turn = comm, 0

    def step(self) -> bool:
        steps = [self.sums, self.sums_overlap, self.gathers, self.scatters, self.check_gather, self.empty, self.end]
        steps[self.turn]()
        self.turn += 1
        return self.turn < len(steps)

    def sums(self) -> None:
        rank, size = self.comm.rank, self.comm.size
        assert 0 <= rank < size
        self.values = np.arange(5.0) + rank
        self.first = self.comm.start_sum(self.values)
        self.second = self.comm.start_sum(np.full((2, 3), 0.5))
        self.long = self.comm.start_sum(np.full(100_000, float(rank)))

    def sums_overlap(self) -> None:
        rank, size = self.comm.rank, self.comm.size
        triangle = size * (size - 1) / 2
        assert self.first.result().tolist() == [size * k + triangle for k in range(5)]
        assert self.first.ready()
        assert self.values.tolist() == [k + rank for k in range(5)]
        assert (self.second.result() == np.full((2, 3), size / 2)).all()
        assert (self.long.result() == triangle).all()
        # Multiples of 1/65536 add up exactly in any order.
        self.exact = self.comm.start_sum(np.array([2.0**24 + (3 * rank + 1) / 65536.0]))

    def gathers(self) -> None:
        size = self.comm.size
        assert self.exact.result()[0] == size * 2.0**24 + sum(3 * r + 1 for r in range(size)) / 65536.0
        self.gathered = self.comm.start_gather(bytes([self.comm.rank % 256]) * self.comm.rank)

    def scatters(self) -> None:
        parts = None
        if self.comm.rank == 0:
            parts = [f"for {rank}".encode() for rank in range(self.comm.size)]
        assert self.comm.start_scatter(parts).result() == f"for {self.comm.rank}".encode()

    def check_gather(self) -> None:
        found = self.gathered.result()
        expected = [bytes([rank % 256]) * rank for rank in range(self.comm.size)]
        assert found == (expected if self.comm.rank == 0 else [])

    def empty(self) -> None:
        self.nothing = self.comm.start_sum(np.empty(0))
        parts = [b""] * self.comm.size if self.comm.rank == 0 else None
        assert self.comm.start_scatter(parts).result() == b""

    def end(self) -> None:
        assert self.nothing.result().shape == (0,)


def main() -> None:
    from semeai.parallel.mpi import ending_all_ranks, world

    with ending_all_ranks():
        contract = Contract(world())
        while contract.step():
            pass
        if "raise" in sys.argv and contract.comm.rank == 1:
            raise ValueError("rank 1 has had enough")
        if "die" in sys.argv and contract.comm.rank == 1:
            import signal

            os.kill(os.getpid(), signal.SIGKILL)
        if {"raise", "die"} & set(sys.argv):
            contract.comm.start_sum(np.zeros(3)).result()  # waits for a rank that will not come
    # The line's end in the same write, else mpiexec may put another rank's line between the two.
    os.write(1, f"rank {contract.comm.rank} of {contract.comm.size} is content\n".encode())


if __name__ == "__main__":
    main()
