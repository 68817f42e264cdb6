"""The parameters that a Python function takes: check its signature, and watch which of them it reads."""

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from semeai.errors import ConfigError, did_you_mean


def check_signature(function: Callable[..., Any], name: str) -> None:
    """Raise ConfigError if the function cannot be called as ``function(params, seed)``."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have none
        return
    try:
        signature.bind({}, 0)
    except TypeError:
        raise ConfigError(f"{name}{signature} cannot be called with two arguments, params and seed") from None


def check_names(function: Callable[..., Any], name: str, who: str, names: Iterable[str]) -> None:
    """Raise ConfigError if the type of the function's first parameter has fields, and a name is not one of them."""
    known = _declared(function)
    for unknown in sorted(set(names) - known) if known else ():
        raise ConfigError(f"{who}: {name} has no parameter {unknown!r}; {did_you_mean(unknown, known)}")


def _declared(function: Callable[..., Any]) -> set[str]:
    """Return the keys or fields of the annotated type of the first parameter; empty if it is a plain dictionary."""
    try:
        first = next(iter(inspect.signature(function).parameters.values()))
        called = function if inspect.isroutine(function) else type(function).__call__
        kind = typing.get_type_hints(called).get(first.name)
    except Exception:  # no signature, or annotations that cannot be evaluated here
        return set()
    if typing.is_typeddict(kind):
        return set(typing.get_type_hints(kind))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return {field.name for field in dataclasses.fields(kind)}
    return set(getattr(kind, "model_fields", ()))


class WatchedParams(dict[str, Any]):
    """A dictionary of parameters that notes which names are read, and whether all are, as by a loop or a copy."""

    def __init__(self, params: Mapping[str, Any], reads: set[str] | None = None) -> None:
        super().__init__(params)
        self.reads: set[str] = set() if reads is None else reads
        """Names that were asked for, also of parameters that are not there."""

    def fresh(self) -> "WatchedParams":
        """Return a copy that notes reads in the same place. Making it is not a read."""
        return self.like(dict(dict.items(self)))

    def like(self, params: Mapping[str, Any]) -> "WatchedParams":
        """Return other parameters whose reads are noted in the same place."""
        return WatchedParams(params, self.reads)

    def _read_all(self) -> None:
        self.reads.update(super().keys())


def _by_name(method: str) -> Callable[..., Any]:
    plain = getattr(dict, method)

    def watched(self: WatchedParams, key: Any, *more: Any) -> Any:
        self.reads.add(key)
        return plain(self, key, *more)

    return watched


def _as_a_whole(method: str) -> Callable[..., Any]:
    plain = getattr(dict, method)

    def watched(self: WatchedParams, *arguments: Any) -> Any:
        self._read_all()
        return plain(self, *arguments)

    return watched


for _method in ("__getitem__", "__contains__", "get", "pop", "setdefault"):
    setattr(WatchedParams, _method, _by_name(_method))
for _method in (
    "__iter__", "__len__", "__reversed__", "__eq__", "__ne__", "__or__", "__ror__", "__repr__", "__reduce_ex__",
    "copy", "items", "keys", "popitem", "values",
):  # fmt: skip
    setattr(WatchedParams, _method, _as_a_whole(_method))
