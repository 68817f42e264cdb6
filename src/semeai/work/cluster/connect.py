"""Connect to a dask scheduler that is there, or let a batch system start the workers of one."""

import contextlib
import importlib
import logging
import shutil
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError
from semeai.work.cluster.jobs import SUBMISSIONS, JobKeeper
from semeai.work.cluster.settings import ADDRESS, ExecutorTable

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10.0
"""Time for a scheduler to answer, also after its connection was lost."""
MISSING = "pip install 'semeai[cluster]'"
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado.application")
"""Those of dask that have a level of their own. The pool reports lost connections; more lines would break displays."""


@dataclass(frozen=True)
class Connection:
    """A scheduler that answers."""

    client: "Client"
    name: str
    """Name for messages."""
    address: str = ""
    """Address of the scheduler if it is another one than the name says."""
    close: Callable[[], object] = lambda: None
    """Ends what was started for this connection; a scheduler that was there before stays."""
    trouble: Callable[[], str] = lambda: ""
    """Says why there will be no workers; empty as long as there is hope."""
    n_expected: int = 0
    """Number of workers that may come because this connection asks for them."""
    demand: Callable[[int], object] = lambda n: None
    """Takes the number of workers that have something to do."""


def connect(table: ExecutorTable) -> Connection:
    """Return the connection that an [executor] table describes. Raises ConfigError if there is none."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ConfigError(f"executor {table.name!r} needs dask: {MISSING}") from None
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return _existing(table) if ADDRESS.fullmatch(table.name) else _batch_system(table)


def _existing(table: ExecutorTable) -> Connection:
    scheme, _, place = table.name.partition("://")
    address = f"{'tcp' if scheme == 'dask' else 'tls'}://{place}"
    return Connection(_client(address, table, _security(table)), table.name)


def _security(table: ExecutorTable) -> Any:
    """Return the certificates of the table; those that it leaves out are taken from dask's own configuration."""
    if not table.name.startswith("tls://"):
        return None
    from distributed import Security

    given = {"tls_ca_file": table.tls_ca, "tls_client_cert": table.tls_cert, "tls_client_key": table.tls_key}
    return Security(require_encryption=True, **{key: value for key, value in given.items() if value is not None})


def _client(address: Any, table: ExecutorTable, security: Any = None) -> "Client":
    from distributed import Client

    try:
        return Client(address, timeout=CONNECT_SECONDS, security=security, set_as_default=False, name="semeai")
    except Exception as error:  # no host, no port, no certificate, a program that is not a scheduler
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ConfigError(f"executor {table.name}: no dask scheduler answers there ({why})") from None


def _jobqueue() -> Any:
    """Import dask-jobqueue, which sets a handler of Ctrl-C of its own when it is imported (0.9), and undo that."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        return importlib.import_module("dask_jobqueue")
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


def _batch_system(table: ExecutorTable) -> Connection:
    try:
        import dask

        dask_jobqueue = _jobqueue()
        from semeai.work.cluster.scaling import Demand, follow
    except ImportError:
        raise ConfigError(f"executor {table.name!r} needs dask-jobqueue: {MISSING}") from None
    if shutil.which(program := SUBMISSIONS[table.name]) is None:
        raise ConfigError(f"executor {table.name}: this machine has no program {program!r}, which submits jobs")
    kind = {"slurm": dask_jobqueue.SLURMCluster, "oar": dask_jobqueue.OARCluster}[table.name]
    settings: dict[str, Any] = {
        "queue": table.queue,
        "walltime": table.walltime,
        "cores": table.cores,
        "processes": table.cores,  # one worker per core, each with one thread
        "memory": table.memory,
        **({"memory_per_core_property_name": "not_applicable"} if table.name == "oar" else {}),  # else it warns
        **table.options,
        # Any free port: the usual one is often taken on a machine that others use too.
        "scheduler_options": {"dashboard_address": ":0", **table.options.get("scheduler_options", {})},
    }
    # Jobs that have ended are replaced by their keeper. Dask would take a job whose workers start again for a lost one.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1000 days"})
    try:
        cluster = kind(**settings)
    except Exception as error:
        raise ConfigError(
            f"executor.options: {table.name} does not take them ({type(error).__name__}: {error})"
        ) from None

    # The keeper says what the batch system answers. Asyncio would add a traceback to it.
    cluster.loop.asyncio_loop.set_exception_handler(lambda loop, context: None)
    keeper, demand = None, Demand()

    def close() -> None:
        if keeper is not None:
            keeper.close()
        with contextlib.suppress(Exception):
            cluster.close(timeout=CONNECT_SECONDS)

    try:
        if table.jobs.minimum < table.jobs.maximum:
            follow(cluster, demand, minimum_jobs=table.jobs.minimum, maximum_jobs=table.jobs.maximum)
        else:
            cluster.scale(jobs=table.jobs.maximum)
        keeper = JobKeeper(cluster, table.name)
        n_expected = table.jobs.maximum * settings["processes"]
        client, address = _client(cluster, table), cluster.scheduler_address.replace("tcp://", "dask://")
        return Connection(client, table.name, address, close, lambda: keeper.trouble, n_expected, demand.set)
    except BaseException:
        close()
        raise
