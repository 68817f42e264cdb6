"""A race as a TOML file: frozen, validated at once, and its hash is its identity."""

import itertools
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from semeai.errors import ConfigError, did_you_mean
from semeai.match.evaluator import MatchEvaluator
from semeai.match.settings import MatchSettings
from semeai.players.pattern_files import with_contents, without_places
from semeai.processes import placeholders
from semeai.race.candidate import Candidate, check_distinct
from semeai.race.settings import RaceSettings, describe_error
from semeai.store.ledger import LONGEST_NAME
from semeai.work.evaluators import (
    AgainstBaseline,
    CallableEvaluator,
    CommandEvaluator,
    Evaluator,
    check_command,
    load_target,
)

Params = dict[str, Any]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EvaluatorConfig(_Frozen):
    """Exactly one of ``callable``, ``command`` and ``match``."""

    callable: str | None = None
    command: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    match: MatchSettings | None = None
    """Two games, with colours swapped, between the candidate and the baseline, both of them players."""
    better: Literal["higher", "lower"] | None = None
    """Set: the program prints any number, and the reward says who did better, the candidate or the baseline."""
    timeout: Annotated[float, Field(gt=0, le=1e6, strict=True)] = 60.0
    retries: Annotated[int, Field(ge=0, strict=True)] = 0

    @model_validator(mode="after")
    def _one_program(self) -> Self:
        if sum(program is not None for program in (self.callable, self.command, self.match)) != 1:
            raise ValueError("give one of callable, command and match")
        if self.match is not None and self.better is not None:
            raise ValueError("better is for programs that print a number: a match has a winner")
        return self


class CandidatesConfig(_Frozen):
    """A list of tables, a grid, or a generator; a plain TOML array of tables is the list."""

    list_: tuple[Params, ...] | None = Field(default=None, alias="list")
    grid: dict[str, tuple[Any, ...]] | None = None
    generator: str | None = None
    limit: Annotated[int, Field(ge=1, strict=True)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_array(cls, value: Any) -> Any:
        return {"list": value} if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.list_, self.grid, self.generator)) != 1:
            raise ValueError("give one of: [[candidates]] tables, [candidates.grid], candidates.generator")
        return self


class ExecutorConfig(_Frozen):
    """Where the work is done: no part of the run's identity."""

    name: str = "local"
    workers: Annotated[int, Field(ge=1, strict=True)] | None = None


class RaceConfig(_Frozen):
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63, strict=True)] = 1
    ledger: str | None = None
    race: RaceSettings = RaceSettings()
    evaluator: EvaluatorConfig
    baseline: Params | None = None
    candidates: CandidatesConfig
    executor: ExecutorConfig = ExecutorConfig()

    @model_validator(mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        """A match gives two rewards for each seed."""
        if isinstance(value, dict) and isinstance(e := value.get("evaluator"), dict) and e.get("match") is not None:
            race = value.get("race", {})
            if isinstance(race, dict):
                return {**value, "race": {"games_per_seed": 2, **race}}
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.evaluator.match is not None:
            if self.baseline is None:
                raise ValueError("evaluator.match needs a [baseline]: the player that candidates play against")
            if self.race.games_per_seed != 2:
                raise ValueError(
                    f"evaluator.match plays pairs: race.games_per_seed is 2, not {self.race.games_per_seed}"
                )
        elif (self.evaluator.better is None) != (self.baseline is None):
            raise ValueError("evaluator.better and [baseline] go together: one compares with the other")
        if self.candidates.generator is not None and self.race.mode != "stream" and self.candidates.limit is None:
            raise ValueError("an endless generator needs race.mode = 'stream', or candidates.limit")
        return self

    def identity(self) -> dict[str, Any]:
        """What makes this run the run it is: everything but its name, its ledger and its workers."""
        resolved = self.model_copy(update={"race": self.race.resolved()})
        found = resolved.model_dump(mode="json", by_alias=True, exclude={"name", "ledger", "executor"})
        if self.evaluator.match is None:
            del found["evaluator"]["match"]  # runs from before there were matches are still what they were
        else:
            found["evaluator"]["match"] = self.evaluator.match.identity()
            found["baseline"], found["candidates"] = (
                without_places(found["baseline"]),
                without_places(found["candidates"]),
            )
        return found

    def make_evaluator(self, folder: Path) -> Evaluator:
        """The evaluator, checked: its function can be imported, its program exists."""
        e, where = self.evaluator, str(folder.resolve())
        if e.match is not None:
            evaluator = self._match_evaluator(folder)
            evaluator.warm_up()
            return evaluator
        program: CallableEvaluator | CommandEvaluator
        if e.callable is not None:
            load_target(e.callable, where)
            program = CallableEvaluator(e.callable, where)
        else:
            assert e.command is not None
            check_command(e.command, where)
            program = CommandEvaluator(e.command, where, e.timeout)
        if e.better is None:
            return program
        assert self.baseline is not None
        self._check_placeholders("baseline", self.baseline)
        return AgainstBaseline(program, self.baseline, e.better)

    def _match_evaluator(self, folder: Path) -> MatchEvaluator:
        assert self.evaluator.match is not None
        assert self.baseline is not None
        evaluator = MatchEvaluator(self.baseline, self.evaluator.match, str(folder.resolve()), self.evaluator.timeout)
        evaluator.check("baseline", self.baseline)
        return evaluator

    def make_candidates(self, folder: Path) -> Iterable[Candidate]:
        source = self.candidates
        found: Iterator[Candidate]
        if source.list_ is not None:
            found = (as_candidate(params, f"candidates[{i}]") for i, params in enumerate(source.list_))
        elif source.grid is not None:
            rows = itertools.product(*source.grid.values())
            found = (as_candidate(dict(zip(source.grid, row, strict=True)), "candidates.grid") for row in rows)
        else:
            assert source.generator is not None
            make: Callable[[int], Iterable[Any]] = load_target(source.generator, str(folder.resolve()))
            found = _generated(make, self.seed, source.generator)
        limited = itertools.islice(self._checked(found, folder), source.limit)
        if self.race.mode == "stream":
            return limited
        everyone = list(limited)
        if not everyone:
            raise ConfigError("candidates: there are none")
        check_distinct(everyone)
        return everyone

    def _checked(self, candidates: Iterator[Candidate], folder: Path) -> Iterator[Candidate]:
        match = None if self.evaluator.match is None else self._match_evaluator(folder)
        for candidate in changes_of(self.baseline, candidates):
            if match is not None:
                candidate = Candidate(candidate.name, with_contents(candidate.params, match.settings.game, folder))
                match.check(f"candidate {candidate.name!r}", candidate.params)
            self._check_placeholders(f"candidate {candidate.name!r}", candidate.params)
            yield candidate

    def _check_placeholders(self, who: str, params: Mapping[str, Any]) -> None:
        if self.evaluator.command is None:
            return
        used = placeholders(self.evaluator.command)
        if "seed" in params:
            raise ConfigError(f"{who}: {{seed}} of evaluator.command is the evaluation's, not a parameter")
        for name in sorted(used - params.keys() - {"seed"}):
            raise ConfigError(f"{who} gives no value for {{{name}}} of evaluator.command")
        for name in sorted(params.keys() - used):
            raise ConfigError(f"{who}: evaluator.command has no {{{name}}}; {did_you_mean(name, used - {'seed'})}")


def as_candidate(value: Any, place: str) -> Candidate:
    """A candidate from a table; its ``name`` is taken out, or made from its parameters."""
    if isinstance(value, Candidate):
        value = {**value.params, "name": value.name}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{place}: {value!r} is not a table of parameters")
    params = {str(key): item for key, item in value.items() if key != "name"}
    name = str(value.get("name") or ", ".join(f"{k}={v}" for k, v in params.items()))
    if not name:
        raise ConfigError(f"{place}: a candidate needs a name or parameters")
    candidate = Candidate(name, params)
    try:
        return Candidate.from_json(candidate.to_json())
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{place}: parameters must be numbers, texts, lists or tables: {error}") from None


def changes_of(baseline: Mapping[str, Any] | None, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Candidates as changes: the baseline's parameters, and their own instead of those they name."""
    if baseline is not None and "name" in baseline:
        raise ConfigError("baseline: it has parameters only, no name")
    for change in candidates:
        yield Candidate(change.name, {**(baseline or {}), **change.params})


def _generated(make: Callable[[int], Iterable[Any]], seed: int, target: str) -> Iterator[Candidate]:
    try:
        for i, value in enumerate(make(seed)):
            yield as_candidate(value, f"{target}, candidate {i + 1}")
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f"the generator {target!r} failed: {type(error).__name__}: {error}") from error


def load_config(path: Path) -> RaceConfig:
    """Read and validate a race file; every error names the file, the place and the value."""
    config = validated(RaceConfig, read_toml(path), path)
    if config.evaluator.match is None or config.baseline is None:
        return config
    baseline = with_contents(config.baseline, config.evaluator.match.game, path.parent)
    return config.model_copy(update={"baseline": baseline})


def read_toml(path: Path) -> dict[str, Any]:
    """A file's tables, which hold nothing that cannot be recorded."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    for place, value in _leaves(data):
        if not isinstance(value, str | int | float) or value != value or value in (math.inf, -math.inf):
            raise ConfigError(f"{path}: {place}: values must be finite numbers, texts, lists or tables, not {value}")
    return data


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """What is neither a table nor a list, and where it is."""
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield place, value
        return
    for key, inner in items:
        yield from _leaves(inner, f"{place}.{key}" if place else str(key))


M = TypeVar("M", bound=BaseModel)


def validated(model: type[M], data: Mapping[str, Any], place: str | Path) -> M:
    """The model of plain values; what is wrong with them in one sentence that begins with ``place``."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found = error.errors()
        # A list without what is wrong in it may be too short: that is no other mistake.
        causes = [e for e in found if e["type"] != "too_short" or not any(_is_inside(o, e) for o in found)]
        raise ConfigError(f"{place}: " + "; ".join(_sentence(e, model) for e in causes)) from None


def _is_inside(error: ErrorDetails, other: ErrorDetails) -> bool:
    n = len(other["loc"])
    return len(error["loc"]) > n and error["loc"][:n] == other["loc"]


def _sentence(error: ErrorDetails, model: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{place}: unknown key; {did_you_mean(str(error['loc'][-1]), _known_keys(model, error['loc'][:-1]))}"
    if error["type"] == "missing":
        return f"{place}: missing"
    if isinstance(error["input"], list | tuple):
        error = {**error, "input": None}  # the sentence names what is wrong in it
    return describe_error(error)


def _known_keys(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys of the table at ``place``: a model, one of a list, or that of its kind."""
    choices = [model]
    for part in place:
        if isinstance(part, str) and (part in choices[0].model_fields):
            choices = list(_models_in(choices[0].model_fields[part].annotation))
        elif isinstance(part, str):  # which of several kinds
            choices = [c for c in choices if part in get_args(c.model_fields["kind"].annotation)]
    return [field.alias or name for name, field in choices[0].model_fields.items()]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
