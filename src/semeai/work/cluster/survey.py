"""Ask all workers of a scheduler what they do."""

import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from semeai.errors import ConfigError
from semeai.fingerprint import difference, fingerprint
from semeai.printable import one_line
from semeai.work.cluster import node
from semeai.work.cluster.connect import connect
from semeai.work.cluster.messages import NodeReport
from semeai.work.cluster.settings import ADDRESS, ExecutorTable

ANSWER_SECONDS = 30.0


@dataclass(frozen=True)
class WorkerState:
    """A worker, or all alike workers of a host together."""

    address: str
    host: str
    n_threads: int
    state: str = "silent"
    prepared: bool = False
    n_tasks: int = 0
    rate: float = 0.0
    n_failures: int = 0
    n_crashes: int = 0
    misfit: str = ""
    """Why runs leave it out; empty if they use it."""


def survey(table: ExecutorTable) -> list[WorkerState]:
    """Return the state of each worker of a scheduler, sorted by host. Raises ConfigError if the table names none."""
    if not ADDRESS.fullmatch(table.name):
        raise ConfigError(
            f"{table.name!r} is not the address of a scheduler: write dask://HOST:PORT or tls://HOST:PORT "
            "(a run on slurm or oar says its own when it waits for workers)"
        )
    connection = connect(table)
    client = connection.client
    try:
        threads = client.nthreads()
        answers = client.run(node.report, on_error="return")
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=ANSWER_SECONDS)
        connection.close()
    found = [_state(address, n, answers.get(address)) for address, n in threads.items()]
    return sorted(found, key=lambda worker: (worker.host, worker.address))


def _state(address: str, n_threads: int, answer: Any) -> WorkerState:
    host = address.rpartition("//")[2].rpartition(":")[0]
    if not isinstance(answer, NodeReport):
        why = f"it cannot work for semeai ({type(answer).__name__}: {answer})" if answer else "it did not answer"
        return WorkerState(address, host, n_threads, misfit=one_line(why))
    return WorkerState(
        address, answer.host, n_threads, answer.state, answer.prepared, answer.n_tasks, answer.rate,
        answer.n_failures, answer.n_crashes, difference(fingerprint(), dict(answer.fingerprint)),
    )  # fmt: skip


def by_host(workers: Sequence[WorkerState]) -> list[WorkerState]:
    """Return one line per host, and one more for those of its workers that do not fit."""
    groups: dict[tuple[str, str], list[WorkerState]] = {}
    for worker in workers:
        groups.setdefault((worker.host, worker.misfit), []).append(worker)
    return [
        replace(
            group[0],
            address="",
            n_threads=sum(w.n_threads for w in group),
            state=", ".join(f"{n} {state}" for state, n in sorted(Counter(w.state for w in group).items())),
            prepared=all(w.prepared for w in group),
            n_tasks=sum(w.n_tasks for w in group),
            rate=sum(w.rate for w in group),
            n_failures=sum(w.n_failures for w in group),
            n_crashes=sum(w.n_crashes for w in group),
        )
        for group in groups.values()
    ]
