"""One contract for all communicators: a single rank, a virtual cluster, and processes of an MPI job."""

import numpy as np
import pytest

from semeai.errors import RankFailed
from semeai.parallel.comm import Solo, virtual_cluster
from tests.parallel.mpi import mpiexec, needs_mpi
from tests.parallel.spmd import Contract


def run_in_turns(comms) -> None:
    running = [Contract(comm) for comm in comms]
    while running:
        running = [contract for contract in running if contract.step()]


def test_one_rank():
    run_in_turns([Solo()])


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_virtual_cluster(size):
    comms = virtual_cluster(size)
    run_in_turns(comms)
    assert comms[0]._meetings == {}, "messages were left behind"


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize("size", [2, 4])
def test_mpi(size):
    done = mpiexec(size, "-m", "tests.parallel.spmd")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"rank {rank} of {size} is content" for rank in range(size)]


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize(("how", "says"), [("raise", "rank 1 of 4: "), ("die", "BAD TERMINATION")])
def test_a_rank_that_raises_or_dies_ends_the_job(how, says):
    done = mpiexec(4, "-m", "tests.parallel.spmd", how)
    assert done.returncode != 0
    assert says in done.stderr + done.stdout
    if how == "raise":
        assert "rank 1 has had enough" in done.stderr


def test_a_virtual_rank_out_of_step_is_an_error_and_no_hang():
    first, second = virtual_cluster(2)
    waiting = first.start_sum(np.zeros(2))
    with pytest.raises(RankFailed, match="had no turn yet"):
        waiting.result()
    with pytest.raises(RankFailed, match=r"sends numbers of shape \(3,\), others of \(2,\)"):
        second.start_sum(np.zeros(3))
    first.start_gather(b"")
    with pytest.raises(RankFailed, match="starts a sum, but others start a gather"):
        second.start_sum(np.zeros(2))
