"""Registries: games, proposers, race methods, executors and evaluators by name.

A name can be registered once; a second entry of the same name is an error. Choices on the command line, validators and
error messages are derived from the registry, so a new entry needs no other edit. Code outside semeai adds an entry by
calling ``add`` or ``register`` when it is imported, or by an entry point of the registry's group in its own
``pyproject.toml``, which is loaded when the name is first used.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import FrameType
from typing import Any, Generic, TypeVar, cast

from semeai.errors import ConfigError, did_you_mean

T = TypeVar("T")
C = TypeVar("C")

_origins: dict[str, None] = {}  # modules outside semeai that have registered something, in order


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to entries. Entries may be loaded on first use."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self.group = group
        """Group of the entry points that belong to the registry."""
        self._entries: dict[str, T] = {}
        self._places: dict[str, str] = {}  # "module:attribute" of entries that are loaded when they are first used

    def add(self, name: str, entry: C) -> C:
        """Register ``entry`` and return it. Raises ConfigError if another entry has the name."""
        known = self._entries.get(name)
        if name in self._places or (known is not None and not _is_same(known, entry)):
            raise ConfigError(f"there is a {self.kind} named {name!r} already")
        self._entries[name] = cast(T, entry)
        if origin := _registering_module():
            _origins[origin] = None
        return entry

    def register(self, name: str) -> Callable[[C], C]:
        """Return a decorator that registers a class or a function as ``name``."""
        return lambda entry: self.add(name, entry)

    def add_lazily(self, name: str, place: str) -> None:
        """Register ``module:attribute``, which is imported when the name is first used."""
        if name in self._entries or name in self._places:
            raise ConfigError(f"there is a {self.kind} named {name!r} already")
        self._places[name] = place

    def __getitem__(self, name: str) -> T:
        """Return the entry. Raises ConfigError with the nearest known name if there is none."""
        if name in self._entries:
            return self._entries[name]
        if name in self._places:
            module, _, attribute = self._places[name].partition(":")
            found = getattr(import_module(module), attribute)
        elif name in self._installed:
            found = self._installed[name].load()
        else:
            raise ConfigError(f"no {self.kind} {name!r}: {did_you_mean(name, self)}")
        return self._entries.setdefault(name, found)

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._places or name in self._installed

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._places, *self._entries, *self._installed]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.group)}


def _is_same(known: Any, entry: Any) -> bool:
    """Return whether a definition was only executed again, as notebooks and reloads do."""
    a, b = (x if hasattr(x, "__qualname__") else type(x) for x in (known, entry))
    return known is entry or (a is not b and (a.__module__, a.__qualname__) == (b.__module__, b.__qualname__))


def _registering_module() -> str:
    """Return the module outside semeai that is registering something; empty if semeai does it itself."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name: str = frame.f_globals.get("__name__", "")
        if name.partition(".")[0] != "semeai":
            return "" if name.startswith("importlib") else name
        frame = frame.f_back
    return ""


def origins() -> tuple[str, ...]:
    """Return the modules outside semeai that have registered something. Workers import them before their first job."""
    return tuple(name for name in _origins if name != "__main__" and name in sys.modules)


def main_is_origin() -> bool:
    """Return whether the program that is running has registered something, so that workers must run it again."""
    return "__main__" in _origins
