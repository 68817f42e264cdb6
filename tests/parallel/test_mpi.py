"""Ranks as processes choose the same moves as virtual ranks, and end together."""

import json

import pytest

from semeai.errors import ConfigError
from semeai.players.config import PlayerConfig
from tests.parallel.mpi import mpiexec, needs_mpi
from tests.parallel.positions import SCHEMES, chosen_moves

pytestmark = [needs_mpi, pytest.mark.slow]


def test_mpi_ranks_and_virtual_ranks_choose_the_same_moves():
    virtual = {scheme: chosen_moves(scheme, count) for scheme, count in SCHEMES.items()}
    assert len({move for _, move, *_ in virtual["slow_tree"]}) > 5
    done = mpiexec(4, "-m", "tests.parallel.positions")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == virtual


def test_seconds_come_to_an_end_and_fewer_ranks_than_the_job_has_are_enough():
    done = mpiexec(5, "-m", "tests.parallel.positions", "seconds")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert all(simulations > 0 for moves in found["seconds"].values() for *_, simulations in moves)
    assert found["voting"] == chosen_moves("voting", SCHEMES["voting"])


def test_gtp_on_ranks_answers_as_on_a_virtual_cluster():
    script = "boardsize 5\ngenmove b\ngenmove w\nlz-genmove_analyze b 1\nkomi 3\ngenmove w\nquit\n"
    options = ["-m", "semeai", "gtp", "--simulations", "60", "--parallel", "slow_tree", "--seed", "3"]
    ranks = mpiexec(3, *options, stdin=script)
    assert ranks.returncode == 0, ranks.stderr
    virtual = mpiexec(1, *options, "--ranks", "3", stdin=script)
    assert virtual.returncode == 0, virtual.stderr
    assert [line for line in ranks.stdout.splitlines() if not line.startswith("info")] == [
        line for line in virtual.stdout.splitlines() if not line.startswith("info")
    ]


def test_a_match_on_ranks(tmp_path):
    ledger = str(tmp_path / "m.db")
    words = "mcts:simulations=20,memory_mb=2,parallel.scheme=slow_tree,parallel.ranks=3,parallel.share_period=5"
    command = ["-m", "semeai", "match", words, "random", "--size", "5", "--games", "2", "--json"]
    done = mpiexec(3, *command, "--ledger", ledger)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["games"] == 2, found


def test_a_wrong_option_ends_all_ranks_with_one_sentence():
    done = mpiexec(3, "-m", "semeai", "gtp", "--parallel", "slow")
    assert done.returncode == 2
    assert "parallel.scheme" in done.stderr


def test_more_ranks_than_there_are(monkeypatch):
    from semeai.parallel import ranks as module
    from semeai.parallel.mpi import MpiCommunicator

    class Job(MpiCommunicator):
        rank, size = 0, 2

        def __init__(self):
            pass

    monkeypatch.setattr(module, "world", Job)
    config = PlayerConfig.from_text("parallel.scheme=voting,parallel.ranks=5")
    from semeai.players.mcts import team_settings

    with pytest.raises(ConfigError, match="5 ranks, but mpiexec has started 2"):
        module.make_team(team_settings(config))
