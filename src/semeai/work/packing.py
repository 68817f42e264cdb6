"""The form in which work travels to workers: bytes that a worker unpacks, or says in one sentence why it cannot."""

import functools
import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from semeai.errors import ConfigError
from semeai.work import heartbeat
from semeai.work.evaluators import Evaluator, Play
from semeai.work.jobs import Task, run_tasks


@dataclass(frozen=True)
class PackedEvaluator(Evaluator):
    """An evaluator as bytes, in which it travels to workers. A worker unpacks it once, not once per job."""

    digest: str
    data: bytes = field(compare=False, repr=False)

    def open(self) -> Play:
        return _unpack(self).open()


def pack(evaluator: Evaluator) -> PackedEvaluator:
    """Return the evaluator in the form for workers. Raises ConfigError if it cannot be sent.

    What workers can import is sent by name. Functions of a notebook or a script, lambdas and inner functions are sent
    with their code and the objects that they use.
    """
    data = packed(evaluator, "the program")
    return PackedEvaluator(hashlib.sha256(data).hexdigest(), data)


def packed(value: Any, what: str) -> bytes:
    """Return anything in the form for workers. Raises ConfigError if it cannot be sent."""
    import cloudpickle

    try:
        data: bytes = cloudpickle.dumps(value)
    except Exception as error:  # whatever a user's object does when it is pickled
        raise ConfigError(
            f"{what} cannot be sent to workers ({type(error).__name__}: {error}): "
            "use a function of a module, which workers import, or one worker"
        ) from None
    return data


@functools.lru_cache(maxsize=4)
def _unpack(packed: PackedEvaluator) -> Evaluator:
    evaluator: Evaluator = loaded(packed.data, "the program")
    return evaluator


def run_packed(data: bytes, place: int, token: int) -> list[Any]:
    """Run the tasks of ``pickle.dumps(tasks)``. Returns their results. Raises ConfigError if they cannot be loaded.

    ``place`` and ``token`` are for the heartbeat. If the executor unpickled the tasks itself, an error would end the
    worker, as a crash of a task does.
    """
    heartbeat.begin(place, token)
    try:
        tasks: Sequence[Task] = loaded(data, "its work")
        return run_tasks(tasks)
    finally:
        heartbeat.end()


def loaded(data: bytes, what: str) -> Any:
    """Return what ``packed`` packed. Raises ConfigError if this process cannot load it."""
    try:
        return pickle.loads(data)
    except (Exception, SystemExit) as error:  # unpickling imports modules, which may raise anything
        raise ConfigError(f"a worker cannot load {what}: {type(error).__name__}: {error}") from error
