"""Python functions by name, ``module:function``. The module may lie beside a configuration file."""

import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from semeai.errors import ConfigError


def load_target(target: str, folder: str | None = None) -> Callable[..., Any]:
    """Return the function ``module:function``, searched in ``folder`` first. Raises ConfigError if there is none."""
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise ConfigError(f"{target!r} does not name a function: write module:function")
    try:
        found: Any = _import_from(module_name, folder)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # importing runs the module, which may raise anything
        raise ConfigError(f"cannot load {target!r}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise ConfigError(f"{target!r} is a {type(found).__name__}, not a function")
    return found  # type: ignore[no-any-return]


def _import_from(module_name: str, folder: str | None) -> ModuleType:
    """Import a module, from ``folder`` if it is there, even if another module of that name was imported before."""
    if folder is None:
        return importlib.import_module(module_name)
    if sys.path[:1] != [folder]:
        sys.path[:] = [folder, *(place for place in sys.path if place != folder)]
    top = module_name.partition(".")[0]
    here = any(os.path.exists(os.path.join(folder, top + ending)) for ending in (".py", os.sep))
    known = sys.modules.get(top)
    if here and known is not None and not _lies_in(known, folder):
        for name in [name for name in sys.modules if name == top or name.startswith(top + ".")]:
            del sys.modules[name]
        importlib.invalidate_caches()
    return importlib.import_module(module_name)


def _lies_in(module: ModuleType, folder: str) -> bool:
    places = [module.__file__] if getattr(module, "__file__", None) else list(getattr(module, "__path__", ()))
    return any(place and os.path.realpath(place).startswith(os.path.realpath(folder) + os.sep) for place in places)
