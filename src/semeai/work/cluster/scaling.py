"""Let a cluster grow and shrink with the work of one run, which its pool knows better than the scheduler.

The scheduler has only what keeps the present workers busy. So its own rule would start no worker where there is none,
and would find a few workers enough however much work waits in the driver.
"""

from dataclasses import dataclass
from typing import Any

from distributed.deploy.adaptive import Adaptive

IDLE_SECONDS = 60
"""Time without work after which a worker is ended: to get another one may take long."""


@dataclass
class Demand:
    """Number of workers that have something to do."""

    n_workers: int = 0

    def set(self, n_workers: int) -> None:
        self.n_workers = n_workers


class _Following(Adaptive):  # type: ignore[misc]
    """Asks for as many workers as are in demand."""

    def __init__(self, cluster: Any, demand: Demand, **limits: Any) -> None:
        self._demand = demand
        super().__init__(cluster, interval="1s", wait_count=IDLE_SECONDS, **limits)

    async def target(self) -> int:
        return self._demand.n_workers


def follow(cluster: Any, demand: Demand, **limits: int) -> None:
    """Scale a cluster of dask by a demand, within the limits that its ``adapt`` takes."""
    cluster.adapt(Adaptive=_Following, demand=demand, **limits)
