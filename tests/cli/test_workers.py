"""The lines of ``semeai workers``; tests/contracts/test_clusters.py runs it over a real cluster."""

import pytest

from semeai.errors import ConfigError
from semeai.work.cluster.settings import ExecutorTable
from semeai.work.cluster.survey import WorkerState, by_host, survey


@pytest.mark.parametrize("name", ["local", "inline", "slurm", "oar"])
def test_an_executor_that_is_no_scheduler_is_one_sentence(name):
    with pytest.raises(ConfigError, match=f"'{name}' is not the address of a scheduler: write dask://HOST:PORT"):
        survey(ExecutorTable(name=name))


def test_workers_of_a_host_are_one_line_and_those_that_do_not_fit_another():
    found = [
        WorkerState("a:1", "n1", 1, "idle", True, 5, 1.0),
        WorkerState("a:2", "n1", 2, "working", False, 7, 2.0, n_failures=1),
        WorkerState("a:3", "n1", 1, misfit="it has Python 3.9"),
    ]
    first, second = by_host(found)
    assert (first.n_threads, first.state, first.prepared, first.n_tasks, first.rate) == (
        3,
        "1 idle, 1 working",
        False,
        12,
        3.0,
    )
    assert (second.n_threads, second.misfit) == (1, "it has Python 3.9")
