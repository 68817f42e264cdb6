"""``semeai workers``: show who works on a cluster."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import JsonOption
from semeai.cli.output import print_json, say

if TYPE_CHECKING:
    from semeai.work.cluster.survey import WorkerState


def workers(
    executor: Annotated[
        str,
        typer.Argument(
            metavar="SCHEDULER", envvar="SEMEAI_EXECUTOR", help="Its address: dask://HOST:PORT or tls://HOST:PORT."
        ),
    ],
    every: Annotated[bool, typer.Option("--all", help="One line per worker, not one per host.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the workers of a dask scheduler, and what they do.

    A worker that runs another version of semeai is marked: runs leave it out. Failures are tasks whose program crashed
    or did not end in time; crashes are processes that died with them.

    Examples:
        semeai workers dask://node1:8786
        semeai workers dask://node1:8786 --all
    """
    from rich.table import Table

    from semeai.cli.console import Console
    from semeai.models import checked
    from semeai.work.cluster.settings import ExecutorTable
    from semeai.work.cluster.survey import by_host, survey

    found = survey(checked(ExecutorTable, {"name": executor}, "SCHEDULER"))
    if as_json:
        print_json([asdict(worker) for worker in found])
        return
    if not found:
        say(f"{executor} has no workers at the moment")
        return
    table = Table(box=None, padding=(0, 1), header_style="bold")
    columns = ("host", "workers", "state", "kernels", "tasks", "per second", "failures", "crashes", "fits")
    for name in columns:
        table.add_column(name, justify="left" if name in ("host", "state", "kernels", "fits") else "right")
    for row in found if every else by_host(found):
        table.add_row(*_cells(row))
    Console().print(table)
    n_hosts = len({worker.host for worker in found})
    say(f"{sum(w.n_threads for w in found):,} workers on {n_hosts:,} {'host' if n_hosts == 1 else 'hosts'}")


def _cells(worker: "WorkerState") -> list[Any]:
    if worker.misfit:
        return [worker.host, str(worker.n_threads), "", "", "", "", "", "", f"no: {worker.misfit}"]
    kernels = "ready" if worker.prepared else "not yet"
    numbers = (worker.n_tasks, round(worker.rate, 1), worker.n_failures, worker.n_crashes)
    return [worker.host, str(worker.n_threads), worker.state, kernels, *(f"{n:,}" for n in numbers), "yes"]
