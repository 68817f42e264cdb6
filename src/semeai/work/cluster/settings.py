"""Settings of clusters: how to reach a scheduler, or which jobs a batch system shall start."""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from semeai.errors import did_you_mean
from semeai.models import Model, wrong_at
from semeai.work.executors import EXECUTORS

ADDRESS = re.compile(r"(dask|tls)://(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+):([0-9]{1,5})")
BATCH_SYSTEMS = ("slurm", "oar")
_TLS_KEYS = ("tls_ca", "tls_cert", "tls_key")
_BATCH_KEYS = ("queue", "walltime", "cores", "memory", "jobs", "options")


def is_cluster(name: str) -> bool:
    """Return whether the name of an executor is that of a cluster."""
    return name in BATCH_SYSTEMS or "://" in name


def _known(name: str) -> str:
    if "://" in name:
        found = ADDRESS.fullmatch(name)
        if not found or not 0 < int(found[3]) < 65536:
            text = f"{name!r} is not the address of a scheduler: write dask://HOST:PORT or tls://HOST:PORT"
            raise PydanticCustomError("unknown_name", "{text}", {"text": text})
    elif name not in EXECUTORS and name not in BATCH_SYSTEMS:
        text = f"{name!r} is unknown; {did_you_mean(name, [*EXECUTORS, *BATCH_SYSTEMS, 'dask://HOST:PORT'])}"
        raise PydanticCustomError("unknown_name", "{text}", {"text": text})
    return name


ExecutorName = Annotated[str, AfterValidator(_known)]
"""A registered executor, the address of a dask scheduler, or a batch system."""

Count = Annotated[int, Field(ge=1, le=100_000, strict=True)]
Text = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00\n]*$")]


class Jobs(Model):
    """How many jobs a batch system shall run at a time."""

    minimum: Annotated[int, Field(ge=0, strict=True)] = 1
    maximum: Count = 1

    @model_validator(mode="before")
    @classmethod
    def _accept_number(cls, value: Any) -> Any:
        if isinstance(value, list | tuple) and len(value) == 2:
            return {"minimum": value[0], "maximum": value[1]}
        return {"minimum": value, "maximum": value} if isinstance(value, int) else value

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.minimum > self.maximum:
            raise wrong_at("maximum", f"must be at least the minimum, {self.minimum}, not {self.maximum}")
        return self


class ExecutorTable(Model):
    """The table [executor]: where the evaluations run. It is not part of the run's identity."""

    name: ExecutorName = "local"
    workers: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Worker processes; on a cluster, the most that are used at a time."""
    tls_ca: Text | None = None
    tls_cert: Text | None = None
    tls_key: Text | None = None
    queue: Text | None = None
    walltime: Annotated[str, Field(pattern=r"^(\d+-)?\d{1,4}:\d{2}(:\d{2})?$")] = "01:00:00"
    """Length of a job, HH:MM:SS. A worker that reaches it costs only the parcel under way."""
    cores: Count = 1
    """Cores per job; each is a worker."""
    memory: Annotated[str, Field(pattern=r"^\d+(\.\d+)? ?[kKMGT]i?B$")] = "2GB"
    """Memory per job."""
    jobs: Jobs = Jobs()
    options: dict[str, Any] = Field(default_factory=dict)
    """Further settings of the batch system's class in dask-jobqueue."""

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        for key in self.model_fields_set:
            if key in _TLS_KEYS and not self.name.startswith("tls://"):
                raise wrong_at(key, f"is for tls://HOST:PORT, and the executor is {self.name!r}")
            if key in _BATCH_KEYS and self.name not in BATCH_SYSTEMS:
                raise wrong_at(key, f"is for {' and '.join(BATCH_SYSTEMS)}, and the executor is {self.name!r}")
        return self

    def replaced(self, name: str | None, workers: int | None = None) -> "ExecutorTable":
        """Return the table with what options of a command say instead.

        Another executor has no keys of this table, but another encrypted scheduler has its certificates.
        """
        base = self
        if name is not None and name != self.name:
            kept = _TLS_KEYS if name.startswith("tls://") else ()
            base = ExecutorTable(name=name, **{key: getattr(self, key) for key in kept if key in self.model_fields_set})
        return base if workers is None else base.model_copy(update={"workers": workers})
