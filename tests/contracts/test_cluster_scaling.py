"""A cluster of dask that grows with the work of a run, over real worker processes."""

import contextlib

import pytest

from semeai.race.candidate import Candidate
from semeai.race.race import Race
from semeai.race.settings import RaceSettings
from semeai.runs.driver import RaceDriver
from semeai.runs.run import Observer, Run
from semeai.work.cluster.connect import Connection
from semeai.work.evaluators import CallableEvaluator
from semeai.work.packing import pack
from tests import programs
from tests.clusters import QUICK, until

pytestmark = pytest.mark.slow
distributed = pytest.importorskip("distributed")


@pytest.fixture
def growing(monkeypatch):
    """Yield a function that returns a pool whose cluster has ``minimum`` to ``maximum`` workers."""
    from semeai.work.cluster.pool import ClusterPool
    from semeai.work.cluster.scaling import Demand, follow

    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    with contextlib.ExitStack() as stack:

        def make(minimum, maximum):
            local = distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0")
            cluster, demand = stack.enter_context(local), Demand()
            follow(cluster, demand, minimum=minimum, maximum=maximum)
            client = distributed.Client(cluster, set_as_default=False)
            return ClusterPool(Connection(client, "local jobs", n_expected=maximum, demand=demand.set))

        yield make


class Growth(Observer):
    """Notes the most workers that were there at a time."""

    most = 0

    def progress(self, driver):
        self.most = max(self.most, driver.pool.slots)


def test_short_evaluations_bring_as_many_workers_as_are_allowed(growing, monkeypatch):
    monkeypatch.setattr("semeai.work.cluster.scaling.IDLE_SECONDS", 2)
    evaluator, seen = CallableEvaluator(programs.slow_coin), Growth()
    settings = RaceSettings(mode="plain", batch=100, lookahead=2, max_per_candidate=200)
    race = Race(settings, [Candidate(f"c{i}", {"p": 0.5, "seconds": 0.01}) for i in range(3)], 1)
    with growing(0, 2) as pool:
        pool.begin(evaluator)
        RaceDriver(race, pack(evaluator), Run(pool, None, seen)).run()
        assert race.finished
        assert seen.most == 2
        until(lambda: pool.wait(0.1) or pool.slots == 0)  # those without work end
