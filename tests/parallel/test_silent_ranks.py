"""Ranks that are stopped or killed: the others say so, and all end. A rank may work for long, but not be silent."""

import os
import signal
import sys
import time

import pytest

from tests.parallel.mpi import MPIEXEC, needs_mpi
from tests.started import Started, needs_proc

pytestmark = [needs_mpi, needs_proc, pytest.mark.slow]
RANKS = 3


class Job(Started):
    def __init__(self, folder, *arguments, seconds="12"):
        mpiexec = (MPIEXEC, "-n", RANKS, sys.executable)
        super().__init__(folder, arguments, mpiexec, SEMEAI_RANK_TIMEOUT=seconds)

    def ranks(self):
        return {int(p.environment["PMI_RANK"]): p for p in self.processes() if "PMI_RANK" in p.environment}

    def send(self, rank, number):
        os.kill(self.ranks()[rank].pid, number)

    def answers(self, line):
        """Wait for the answer to a GTP command."""
        before = self.output.count("\n\n")
        self.say(line)
        self.wait_until(lambda: self.output.count("\n\n") > before)


@pytest.fixture
def start(tmp_path):
    started = []

    def start(*arguments, **options):
        started.append(Job(tmp_path, *arguments, **options))
        return started[-1]

    yield start
    for job in started:
        job.close()


@pytest.fixture
def engine(start):
    """An engine that has searched, so that its kernels are compiled and all ranks have met."""

    def engine(*more, scheme="slow_tree", simulations=1000, **options):
        words = ["--size", "5", "--simulations", str(simulations), "--parallel", scheme, *more]
        job = start("-m", "semeai", "gtp", *words, **options)
        job.say("lz-analyze b 1")
        job.wait_until(lambda: "info move" in job.output)
        job.answers("name")  # this ends the analysis
        return job

    return engine


@pytest.fixture
def searching(engine):
    """An engine whose ranks search for hours."""

    def searching(*more, **options):
        job = engine(*more, simulations=100_000_000, **options)
        job.say("genmove b")
        began = {rank: process.cpu_seconds() for rank, process in job.ranks().items()}
        job.wait_until(lambda: all(p.cpu_seconds() > began[rank] + 0.5 for rank, p in job.ranks().items()))
        return job

    return searching


BY_TIME = ("--set", "parallel.share_unit=seconds", "--set", "parallel.share_period=0.05")


@pytest.mark.parametrize(("scheme", "rank"), [("slow_tree", 0), ("fast_tree", 2)])
def test_a_rank_that_is_stopped_in_a_search_ends_the_job(searching, scheme, rank):
    job = searching(scheme=scheme)
    job.send(rank, signal.SIGSTOP)
    assert job.ended() == 3, job.output
    assert f"rank {rank} of 3 has not answered for 6" in job.output
    assert "Traceback" not in job.output


def test_a_rank_that_is_stopped_while_others_search_without_waiting(searching):
    job = searching(*BY_TIME)
    job.send(1, signal.SIGSTOP)
    assert job.ended() == 3, job.output
    assert "rank 1 of 3 has not answered for 6" in job.output


@pytest.mark.parametrize(("when", "rank"), [("engine", 1), ("searching", 0)])
def test_a_rank_that_is_killed_ends_the_job(request, rank, when):
    job = request.getfixturevalue(when)()
    job.send(rank, signal.SIGKILL)
    assert job.ended() != 0
    assert "Traceback" not in job.output


def test_ctrl_c_ends_the_job(searching):
    job = searching()
    job.process.send_signal(signal.SIGINT)
    assert job.ended() != 0
    assert "Traceback" not in job.output


@pytest.mark.parametrize("line", ["genmove w", "quit"])
def test_a_rank_that_is_stopped_between_two_commands_is_noticed_by_the_next(engine, line):
    job = engine()
    job.send(1, signal.SIGSTOP)
    job.say(line)
    assert job.ended() == 3, job.output
    assert "rank 1 of 3 has not answered" in job.output


def test_ranks_wait_for_the_next_command_for_ever(engine):
    job = engine(seconds="9")
    time.sleep(12)  # longer than a silent rank is waited for
    job.answers("genmove w")
    job.say("quit")
    assert job.ended() == 0, job.output


def test_a_rank_may_work_for_longer_than_it_may_be_silent(start):
    code = (
        "import time, numpy as np\n"
        "from semeai.parallel.mpi import ending_all_ranks, world\n"
        "with ending_all_ranks():\n"
        "    comm = world().subgroup(3)\n"
        "    end = time.monotonic() + (16 if comm.rank == 1 else 0)\n"
        "    while time.monotonic() < end: pass\n"
        "    total = comm.start_sum(np.ones(1)).result()\n"
        "if comm.rank == 0: print('total', total)\n"
    )
    job = start("-c", code, seconds="9")
    assert job.ended() == 0, job.output
    assert "total [3.]" in job.output


def test_a_bad_timeout_is_one_sentence(start):
    job = start("-m", "semeai", "gtp", seconds="soon")
    assert job.ended() == 2, job.output
    assert job.output.count("SEMEAI_RANK_TIMEOUT=soon: must be a number of seconds greater than 0") == 1
