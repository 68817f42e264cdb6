"""Settings as frozen models, the TOML files that hold them, and uniform error messages for invalid settings.

A message names the place and the value: ``race.toml: race.risk: must be below 1, not 2``.
"""

import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from semeai.errors import ConfigError, did_you_mean
from semeai.files import read_text

M = TypeVar("M", bound=BaseModel)

MAX_TOML_BYTES = 10_000_000
DEEPEST = 20  # tables and lists inside each other in a TOML file
LONGEST_VALUE = 100  # characters of a value that a message shows


class Model(BaseModel):
    """Base class of all settings: frozen; an unknown key is an error that names the most similar known key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        known = [field.alias or name for name, field in cls.model_fields.items()]
        unknown = [key for key in values if key not in known and key not in cls.model_fields]
        if unknown:
            raise ValidationError.from_exception_data(cls.__name__, [_unknown_key(key, known) for key in unknown])
        return values


def _unknown_key(key: Any, known: list[str]) -> InitErrorDetails:
    message = {"text": f"unknown key; {did_you_mean(str(key), known)}"}
    return {"type": PydanticCustomError("unknown_key", "{text}", message), "loc": (str(key),), "input": None}


def one_of(known: Collection[str]) -> AfterValidator:
    """Return a validator that accepts only the known names."""

    def check(name: str) -> str:
        if name not in known:
            hint = did_you_mean(name, known)
            raise PydanticCustomError("unknown_name", "{text}", {"text": f"{name!r} is unknown; {hint}"})
        return name

    return AfterValidator(check)


def wrong_at(key: str, text: str) -> ValidationError:
    """Return an error about one key, for validators of a whole model to raise."""
    error = PydanticCustomError("wrong", "{text}", {"text": text})
    return ValidationError.from_exception_data("model", [{"type": error, "loc": (key,), "input": None}])


def checked(model: type[M], values: Any, place: str | Path = "") -> M:
    """Return the model made from plain values. Raises ConfigError with a message that begins with ``place``."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ConfigError(describe(error, place)) from None


def describe(error: ValidationError, place: str | Path = "") -> str:
    """Return all errors that pydantic found as one sentence."""
    found = error.errors()
    # A list whose only item is invalid also counts as too short: this is not a second mistake.
    causes = [e for e in found if e["type"] != "too_short" or not any(_is_inside(other, e) for other in found)]
    text = "; ".join(_sentence(e) for e in causes)
    return f"{place}: {text}" if str(place) else text


def _is_inside(error: ErrorDetails, other: ErrorDetails) -> bool:
    n = len(other["loc"])
    return len(error["loc"]) > n and error["loc"][:n] == other["loc"]


def _sentence(error: ErrorDetails) -> str:
    place = ".".join(str(part) for part in error["loc"])
    text = _wording(error)
    return f"{place}: {text}" if place else text


_LIMITS = {"greater_than_equal": "ge", "greater_than": "gt", "less_than_equal": "le", "less_than": "lt"}
_RELATIONS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
_NEEDED = {
    "int": "a whole number", "float": "a number", "finite": "a finite number", "bool": "true or false",
    "string": "a text", "tuple": "a list", "list": "a list", "dict": "a table", "model": "a table",
    "mapping": "a table", "dataclass": "a table",
}  # fmt: skip


def _wording(error: ErrorDetails) -> str:
    kind, context, value = error["type"], error.get("ctx", {}), error["input"]
    if kind in _LIMITS:
        name = _LIMITS[kind]
        return f"{limit_words(**{name: context[name]})}, not {_shown(value)}"
    if kind == "literal_error":
        known = re.findall("'([^']*)'", context["expected"])
        return f"{_shown(value)} is unknown; {did_you_mean(str(value), known)}"
    if kind == "missing":
        return "missing"
    if kind in ("too_short", "string_too_short") and context["min_length"] == 1:
        return "must not be empty"
    if kind in ("string_too_short", "string_too_long"):
        wanted = context.get("max_length", context.get("min_length"))
        return f"must have at {'most' if 'max_length' in context else 'least'} {wanted} characters"
    needed = _NEEDED.get(kind.partition("_")[0])
    if needed and kind.endswith(("_type", "_parsing", "_from_float", "_number")):
        return f"must be {needed}, not {_shown(value)}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{message[0].lower()}{message[1:]}"


def limit_words(
    ge: float | None = None, gt: float | None = None, le: float | None = None, lt: float | None = None
) -> str:
    """Return the limits of a number in words: ``must be at least 1 and at most 10``."""
    limits = {"ge": ge, "gt": gt, "le": le, "lt": lt}
    return "must be " + " and ".join(f"{_RELATIONS[k]} {v:g}" for k, v in limits.items() if v is not None)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | BaseModel):
        return "a table"
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"


def read_toml(path: Path) -> dict[str, Any]:
    """Return the contents of a TOML file. Raises ConfigError if it cannot be read or has values like dates or NaN."""
    text = read_text(path, limit=MAX_TOML_BYTES)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    for place, value in _leaves(data):
        if isinstance(value, dict | list):
            wrong = f"there must not be more than {DEEPEST} tables and lists inside each other"
        elif not isinstance(value, str | int | float) or value != value or value in (math.inf, -math.inf):
            wrong = f"values must be finite numbers, texts, lists or tables, not {value}"
        elif "\0" in place or (isinstance(value, str) and "\0" in value):  # no path, no command and no ledger takes it
            wrong = "texts must not have NUL characters"
        elif isinstance(value, int) and value.bit_length() > 1000:  # it may not fit into a float or into a message
            wrong = "must be a number of at most 300 digits"
        else:
            continue
        raise ConfigError(f"{path}: {place:.{LONGEST_VALUE}}: {wrong}")
    return data


def _leaves(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each value that is neither a table nor a list, with its place.

    One that is nested too deeply for settings is yielded as a whole: other code may follow it by recursion.
    """
    left: list[tuple[str, Any, int]] = [(str(key), value, 1) for key, value in reversed([*data.items()])]
    while left:
        place, value, depth = left.pop()
        if not isinstance(value, dict | list) or depth > DEEPEST:
            yield place, value
            continue
        items = list(value.items() if isinstance(value, dict) else enumerate(value))
        left += [(f"{place}.{key}", inner, depth + 1) for key, inner in reversed(items)]


def flat_settings(table: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield nested settings with dotted names: ``search = {exploration = 1}`` gives ``search.exploration``, 1."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flat_settings(value, f"{place}{key}.")
        else:
            yield f"{place}{key}", value


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with the settings of ``changes``; both may use dotted names or nested tables.

    A setting that is in ``base`` keeps its place and form; a new one has the form that it has in ``changes``.
    """
    result = _copied(base)
    for keys, value in _settings(changes):
        places = list(_places(result, ".".join(keys)))
        for table, key in places:
            if not (isinstance(value, dict) and isinstance(table[key], dict)):  # an empty table changes no setting
                table[key] = value
        if not places:
            _add(result, keys, value)
    return result


def _copied(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copied(value) if isinstance(value, Mapping) else value for key, value in table.items()}


def _settings(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value that is not a table with the keys that lead to it. An empty table counts as a value."""
    for key, value in table.items():
        keys = (*above, str(key))
        if isinstance(value, Mapping) and value:
            yield from _settings(value, keys)
        else:
            yield keys, {} if isinstance(value, Mapping) else value


def _places(table: dict[str, Any], name: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each table that has the setting ``name``, dotted or nested, and its key in this table."""
    for key, value in table.items():
        if key == name:
            yield table, key
        elif isinstance(value, dict) and name.startswith(f"{key}."):
            yield from _places(value, name.removeprefix(f"{key}."))


def _add(table: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    """Write a value at the place given by ``keys`` and create the missing tables on the way."""
    for key in keys[:-1]:
        if not isinstance(table.get(key), dict):
            table[key] = {}
        table = table[key]
    table[keys[-1]] = value
