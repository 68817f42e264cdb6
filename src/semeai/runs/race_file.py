"""Race files: a race as a TOML file, fully validated when it is read. Its hash identifies the run."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, create_model, field_validator, model_validator

from semeai.errors import ConfigError
from semeai.models import Model, checked, read_toml
from semeai.race.candidate import Candidate, check_distinct
from semeai.race.settings import RaceSettings
from semeai.runs.race import (
    FDR_ALONE,
    METHOD_OF_RANGES,
    RacePlan,
    RaceResult,
    as_candidate,
    checked_changes,
    race_identity,
    run_plan,
)
from semeai.runs.run import LONGEST_NAME, Observer, checked_name, place_of
from semeai.store.places import beside
from semeai.work.cluster.settings import ExecutorTable
from semeai.work.evaluators import (
    DEFAULT_TIMEOUT,
    EVALUATORS,
    LONGEST_TIMEOUT,
    AgainstBaseline,
    CommandEvaluator,
    Evaluator,
    EvaluatorKind,
    Params,
    evaluator_identity,
)
from semeai.work.metrics import Metric
from semeai.work.targets import load_target

RunName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Seed = Annotated[int, Field(ge=0, lt=2**63, strict=True)]


class EvaluatorTable(Model):
    """The table [evaluator]: exactly one key of a registered kind, such as ``callable`` or ``command``, and options."""

    better: Literal["higher", "lower"] | None = None
    """If set, the program may return any number, and the reward tells if the candidate did better than the baseline."""
    metric: Metric | None = None
    """What is compared of a command: what it prints (stdout), or the time, cpu or memory that it takes."""
    range: tuple[float, float] | None = None
    """Smallest and largest possible number. If given, the reward tells how much better, and not only whether."""
    share_baseline: bool = False
    """Whether all candidates get the same seeds, so that the baseline runs once per seed."""
    timeout: Annotated[float, Field(gt=0, le=LONGEST_TIMEOUT, strict=True)] = DEFAULT_TIMEOUT
    retries: Annotated[int, Field(ge=0, strict=True)] = 0
    strict: bool = False
    """Whether a wrong reward ends the race, instead of being the failure of its candidate."""

    @model_validator(mode="after")
    def _one_program(self) -> Self:
        given = [name for name in EVALUATORS if getattr(self, name, None) is not None]
        if len(given) != 1:
            *names, last = EVALUATORS
            raise ValueError(f"give one of {', '.join(names)} and {last}")
        if self.kind.baseline and self.better is not None:
            raise ValueError(f"better is for programs that print a number, not for {given[0]}")
        for option in ("metric", "range", "share_baseline"):
            if getattr(self, option) not in (None, False) and self.better is None:
                raise ValueError(f"{option} needs better: which numbers are better?")
        if self.metric is not None and given[0] != "command":
            raise ValueError(f"metric is for a command, not for {given[0]}")
        return self

    @property
    def name(self) -> str:
        """Name of the program's kind."""
        return next(name for name in EVALUATORS if getattr(self, name, None) is not None)

    @property
    def kind(self) -> EvaluatorKind:
        return EVALUATORS[self.name]

    @property
    def value(self) -> Any:
        """Value of the key of the program's kind."""
        return getattr(self, self.name)

    def identity(self) -> dict[str, Any]:
        """Return what the ledger records for the table."""
        own = {self.name: self.kind.identity(self.value)}
        return evaluator_identity(
            own,
            self.better,
            self.timeout,
            self.retries,
            strict=self.strict,
            metric=self.metric,
            range=None if self.range is None else list(self.range),
            share_baseline=self.share_baseline,
        )


def evaluator_table(values: Any) -> EvaluatorTable:
    """Return the validated table. Only the kinds that it names are loaded."""
    given = values if isinstance(values, Mapping) else {}
    fields: dict[str, Any] = {
        name: ((EVALUATORS[name].setting | None) if name in given else Any, None) for name in EVALUATORS
    }
    return create_model("EvaluatorTable", __base__=EvaluatorTable, **fields).model_validate(values)


class CandidatesTable(Model):
    """The table [candidates]: a list of tables, a grid, or a generator. A TOML array of tables is a list."""

    list_: tuple[dict[str, Any], ...] | None = Field(default=None, alias="list")
    grid: dict[str, tuple[Any, ...]] | None = None
    generator: str | None = None
    limit: Annotated[int, Field(ge=1, le=10**15, strict=True)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_array(cls, value: Any) -> Any:
        return {"list": value} if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.list_, self.grid, self.generator)) != 1:
            raise ValueError("give one of: [[candidates]] tables, [candidates.grid], candidates.generator")
        return self


class RaceFile(Model):
    """The contents of a race file; ``plan`` makes a race from it."""

    name: RunName | None = None
    seed: Seed = 1
    ledger: str | None = None
    race: RaceSettings = RaceSettings()
    evaluator: Any
    """An ``EvaluatorTable``."""
    baseline: dict[str, Any] | None = None
    candidates: CandidatesTable
    executor: ExecutorTable = ExecutorTable()

    @field_validator("evaluator", mode="before")
    @classmethod
    def _registered(cls, value: Any) -> EvaluatorTable:
        return value if isinstance(value, EvaluatorTable) else evaluator_table(value)

    @model_validator(mode="before")
    @classmethod
    def _follow_evaluator(cls, value: Any) -> Any:
        """Set the number of rewards per seed if the kind of evaluator defines it, and the method if a range does."""
        if isinstance(value, dict) and isinstance(table := value.get("evaluator"), dict):
            race = value.get("race", {})
            several = [EVALUATORS[n].games_per_seed for n in table if n in EVALUATORS and table[n] is not None]
            if isinstance(race, dict) and several and several[0] > 1:
                return {**value, "race": {"games_per_seed": several[0], **race}}
            if isinstance(race, dict) and table.get("range") is not None:
                return {**value, "race": {"method": METHOD_OF_RANGES, **race}}
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        table: EvaluatorTable = self.evaluator
        if table.kind.baseline:
            wanted = table.kind.games_per_seed
            if self.baseline is None:
                raise ValueError(f"evaluator.{table.name} needs a [baseline]: {table.kind.baseline}")
            if self.race.games_per_seed != wanted:
                given = self.race.games_per_seed
                raise ValueError(f"race.games_per_seed: must be {wanted} with evaluator.{table.name}, not {given}")
        elif (table.better is None) != (self.baseline is None):
            raise ValueError("evaluator.better and [baseline] go together: one compares with the other")
        if self.race.fdr and table.share_baseline:
            raise ValueError(FDR_ALONE)
        if self.candidates.generator is not None and self.race.mode != "stream" and self.candidates.limit is None:
            raise ValueError("an endless generator needs race.mode = 'stream', or candidates.limit")
        return self

    def ledger_beside(self, folder: Path) -> str:
        """Return the ledger that the file names, or the default one in its folder."""
        return beside(self.ledger, folder)

    def plan(self, folder: Path) -> RacePlan:
        """Return the plan of the race, with everything checked. Programs and files are searched in ``folder``."""
        table: EvaluatorTable = self.evaluator
        located = table.kind.located(table.value, str(folder.resolve()))
        if located != table.value:
            return self.model_copy(update={"evaluator": table.model_copy(update={table.name: located})}).plan(folder)
        evaluator = self._evaluator(str(folder.resolve()))
        baseline = None if self.baseline is None else evaluator.complete(self.baseline)
        candidates = self._candidates(evaluator, baseline, folder)
        identity = self._identity(evaluator, baseline)
        return RacePlan(self.race, evaluator, candidates, identity, self.seed, table.retries, baseline, table.strict)

    def _identity(self, evaluator: Evaluator, baseline: Params | None) -> dict[str, Any]:
        """Return the configuration that identifies the run: everything except its name, ledger and workers."""
        recorded = None if baseline is None else evaluator.recorded(baseline)
        candidates = evaluator.recorded(self.candidates.model_dump(mode="json", by_alias=True))
        return race_identity(self.seed, self.race, self.evaluator.identity(), recorded, candidates)

    def _evaluator(self, folder: str) -> Evaluator:
        table: EvaluatorTable = self.evaluator
        program = table.kind.make(table.value, folder, table.timeout, self.baseline)
        if table.metric is not None and isinstance(program, CommandEvaluator):
            program = replace(program, metric=table.metric)
        if table.better is not None and self.baseline is not None:
            program = AgainstBaseline(program, self.baseline, table.better, table.range, table.share_baseline)
        if self.baseline is not None:
            program.check("baseline", self.baseline)
        return program

    def _candidates(self, evaluator: Evaluator, baseline: Params | None, folder: Path) -> Iterable[Candidate]:
        found = checked_changes(evaluator, baseline, self._source(folder))
        limited = itertools.islice(found, self.candidates.limit)
        if self.race.mode == "stream":
            return limited
        everyone = list(limited)
        if not everyone:
            raise ConfigError("candidates: there are none")
        check_distinct(everyone)
        return everyone

    def _source(self, folder: Path) -> Iterator[Candidate]:
        source = self.candidates
        if source.list_ is not None:
            yield from (as_candidate(params, f"candidates[{i}]") for i, params in enumerate(source.list_))
        elif source.grid is not None:
            for row in itertools.product(*source.grid.values()):
                yield as_candidate(dict(zip(source.grid, row, strict=True)), "candidates.grid")
        else:
            assert source.generator is not None
            make: Callable[[int], Iterable[Any]] = load_target(source.generator, str(folder.resolve()))
            yield from _generated(make, self.seed, source.generator)


def _generated(make: Callable[[int], Iterable[Any]], seed: int, target: str) -> Iterator[Candidate]:
    try:
        for i, value in enumerate(make(seed)):
            yield as_candidate(value, f"{target}, candidate {i + 1}")
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f"the generator {target!r} failed: {type(error).__name__}: {error}") from error


def load_race_file(path: Path) -> RaceFile:
    """Return the validated race file. Raises ConfigError with the file, the place and the value."""
    return checked(RaceFile, read_toml(path), path)


def run_race_file(
    path: str | Path,
    *,
    name: str | None = None,
    ledger: str | None = None,
    workers: int | None = None,
    executor: str | None = None,
    observer: Observer | None = None,
) -> RaceResult:
    """Run or resume the race of a file, as ``semeai race`` does. The arguments override the settings of the file."""
    path = Path(path)
    file = load_race_file(path)
    run_name = file.name or path.stem if name is None else checked_name(name)
    place = place_of(file.executor, ledger or file.ledger_beside(path.parent), executor, workers)
    return run_plan(file.plan(path.parent), run_name, place, observer)
