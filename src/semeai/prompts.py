"""Race prompts, models and agents on a fixed test set: which are better on it than the baseline, after how few items?

The items are drawn in random order without replacement, the same ones for all candidates and the baseline, so the
baseline is asked once per item. A reward is (1 + score - baseline's score) / 2. A candidate is better if its mean score
over *all* items of the set is higher; the verdict often needs only some of them, and after the last one it is exact.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from semeai.errors import BadReward, ConfigError, ProgramFailed
from semeai.files import append_to, read_text
from semeai.processes import fill_in
from semeai.race.candidate import Verdict
from semeai.rng import generator
from semeai.stats.bounds import Bounds
from semeai.stats.finite import FiniteSample, is_better
from semeai.work.command import run_command
from semeai.work.evaluators import DEFAULT_TIMEOUT
from semeai.work.metrics import printed_numbers

BASELINE = "baseline"
MAX_LOG_BYTES = 1_000_000_000


class Grade(NamedTuple):
    """A graded answer: a score in [0, 1] and what it cost, for example in dollars or tokens."""

    score: float
    cost: float = 0.0


Evaluate = Callable[[Mapping[str, Any], Any], "float | Grade | tuple[float, float]"]


@dataclass
class ItemStanding:
    """A candidate's result so far."""

    name: str
    params: Mapping[str, Any]
    sample: FiniteSample
    verdict: Verdict = Verdict.UNDECIDED
    cost: float = 0.0

    @property
    def difference(self) -> float:
        """Mean score minus the baseline's, over the items so far."""
        return 2 * self.sample.mean - 1

    def interval(self, confidence: float = 0.95) -> Bounds:
        """Return an always-valid interval of the difference over all items of the set."""
        lower, upper = self.sample.interval(confidence)
        return Bounds(2 * lower - 1, 2 * upper - 1)


@dataclass
class ItemsResult:
    """The result of a race on a test set."""

    standings: list[ItemStanding]
    n_items: int
    n_asked: int
    """Answers that were graded, those of the baseline too."""
    cost: float
    baseline_cost: float = 0.0
    looks: list[str] = field(default_factory=list)

    @property
    def accepted(self) -> list[str]:
        return [standing.name for standing in self.standings if standing.verdict == Verdict.ACCEPTED]


def command_grader(command: Sequence[str], timeout: float = DEFAULT_TIMEOUT) -> Evaluate:
    """Return a grader for ``race_items`` that runs a program without a shell.

    The last line that it prints is a score in [0, 1], or a score and a cost. ``{name}`` in an argument stands for the
    candidate's parameter or the item's value of that name, and ``{item}`` for the whole item; what is no text or number
    is given as JSON.
    """

    def grade(params: Mapping[str, Any], item: Any) -> Grade:
        values = dict(item) if isinstance(item, Mapping) else {}
        if both := sorted({"item", *values} & params.keys()):
            raise ConfigError(f"{{{both[0]}}} of the command is a parameter and a value of the item: rename one")
        values |= {"item": item, **params}
        arguments = fill_in(command, {name: _as_argument(value) for name, value in values.items()})
        numbers = printed_numbers(run_command(arguments, folder=None, timeout=timeout))
        if len(numbers) > 2:
            raise BadReward(
                f"the last line of {command[0]!r} has {len(numbers)} numbers, not a score and perhaps a cost"
            )
        return Grade(*numbers)

    return grade


def _as_argument(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def race_items(
    evaluate: Evaluate,
    candidates: Mapping[str, Mapping[str, Any]],
    items: Sequence[Any],
    *,
    baseline: Mapping[str, Any],
    risk: float = 0.05,
    margin: float = 0.02,
    batch: int = 10,
    seed: int = 1,
    workers: int = 4,
    log: str | Path | None = None,
    say: Callable[[str], object] = lambda text: None,
) -> ItemsResult:
    """Race candidates on the items of a test set. Returns a verdict for each.

    ``evaluate(params, item)`` returns a score in [0, 1], or a score and a cost; ``command_grader`` makes it from a
    program that prints them. A candidate is accepted if it is proven
    better than the baseline on the whole set, and discarded if it is proven not to be better by ``margin`` or more. The
    probability of any wrong verdict is at most ``risk``, over all candidates and all looks. With ``log``, a file, each
    graded answer is kept as a line of JSON, and the same call resumes: an answer is used again if name, parameters and
    item are the same. ``say`` gets a line per look, with its cost.
    """
    if not candidates or BASELINE in candidates:
        raise ConfigError(f"candidates: give at least one, and none that is named {BASELINE!r}")
    if not items:
        raise ConfigError("items: there are none")
    if not 0 < risk < 1 or not 0 <= margin < 1 or batch < 1:
        raise ConfigError(f"risk {risk}, margin {margin} or batch {batch} is out of range")
    order = generator(seed, "items").permutation(len(items))
    standings = [ItemStanding(name, params, FiniteSample(len(items))) for name, params in candidates.items()]
    share = risk / len(standings)
    known = _Log(log, {BASELINE: baseline, **candidates}, items)
    result = ItemsResult(standings, len(items), 0, 0.0)
    try:
        with ThreadPoolExecutor(max(1, workers)) as pool:
            for start in range(0, len(items), batch):
                alive = [s for s in standings if s.verdict == Verdict.UNDECIDED]
                if not alive:
                    break
                numbers = [int(i) for i in order[start : start + batch]]
                asked = {BASELINE: baseline, **{s.name: s.params for s in alive}}
                jobs = [(name, i) for name in asked for i in numbers if (name, i) not in known.grades]
                pending = [pool.submit(_graded, evaluate, asked[name], items[i], (name, i)) for name, i in jobs]
                _keep(known, jobs, pending)
                cost = _count(result, alive, known, numbers)
                for s in alive:
                    own, theirs = ([known.grades[name, i] for i in numbers] for name in (s.name, BASELINE))
                    _judge(s, own, theirs, margin, share)
                result.looks.append(_line(standings, start + len(numbers), len(items), cost, result.cost))
                say(result.looks[-1])
    finally:
        known.close()
    return result


def _keep(known: "_Log", jobs: Sequence[tuple[str, int]], pending: Sequence["Future[Grade]"]) -> None:
    """Log the answers of a look. If one of them failed, the others are kept, because they were paid for."""
    failure = None
    for (name, i), answer in zip(jobs, pending, strict=True):
        if error := answer.exception():
            failure = failure or error
        else:
            known.add(name, i, answer.result())
    if failure is not None:
        raise failure


def _count(result: ItemsResult, alive: Sequence[ItemStanding], known: "_Log", numbers: Sequence[int]) -> float:
    """Add the costs of a look to the result. Returns the cost of the look."""
    own = [sum(known.grades[s.name, i].cost for i in numbers) for s in alive]
    theirs = sum(known.grades[BASELINE, i].cost for i in numbers)
    for s, cost in zip(alive, own, strict=True):
        s.cost += cost
    result.baseline_cost += theirs
    result.cost += theirs + sum(own)
    result.n_asked += (len(alive) + 1) * len(numbers)
    return theirs + sum(own)


def _judge(s: ItemStanding, own: Sequence[Grade], theirs: Sequence[Grade], margin: float, risk: float) -> None:
    s.sample.add([(1 + a.score - b.score) / 2 for a, b in zip(own, theirs, strict=True)])
    better = is_better(s.sample, margin, risk)
    if better is not None:
        s.verdict = Verdict.ACCEPTED if better else Verdict.DISCARDED


def _graded(evaluate: Evaluate, params: Mapping[str, Any], item: Any, job: tuple[str, int]) -> Grade:
    place = f"{job[0]}, item {job[1]}"
    try:
        answer = evaluate(params, item)
    except BadReward as error:
        raise BadReward(f"{place}: {error}") from None
    except ProgramFailed as error:
        raise ProgramFailed(f"{place}: {error}", error.stderr) from None
    grade = Grade(*answer) if isinstance(answer, tuple) else Grade(answer)
    try:
        score, cost = float(grade.score), float(grade.cost)
    except (TypeError, ValueError):
        score = cost = math.nan
    if not 0 <= score <= 1 or not 0 <= cost < math.inf:
        raise BadReward(f"{place}: {answer!r:.100} is no score in [0, 1] with a cost of at least 0")
    return Grade(score, cost)


def _line(standings: Sequence[ItemStanding], n: int, n_items: int, cost: float, total: float) -> str:
    """Return one line for a look: items, cost, and each candidate's difference."""
    told = ", ".join(f"{s.name} {s.difference:+.3f} {s.verdict.value}" for s in standings)
    return f"{n} of {n_items} items, cost of this look {cost:g}, so far {total:g}: {told}"


class _Log:
    """The graded answers by candidate and item, kept in a file of JSON lines if there is one."""

    def __init__(self, path: str | Path | None, asked: Mapping[str, Mapping[str, Any]], items: Sequence[Any]) -> None:
        self.grades: dict[tuple[str, int], Grade] = {}
        self._asked, self._items = asked, items
        self._file = None
        if path is None:
            return
        lines = read_text(path, "log", MAX_LOG_BYTES).split("\n") if Path(path).exists() else []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                key, grade = (str(row["name"]), int(row["item"])), Grade(float(row["score"]), float(row["cost"]))
                question = str(row["question"])
            except (ValueError, KeyError, TypeError):
                if number == len(lines):  # it was cut off
                    continue
                raise ConfigError(f"log {path}, line {number}: no graded answer") from None
            if key[0] in asked and 0 <= key[1] < len(items) and question == self._question(*key):
                self.grades[key] = grade
        self._file = append_to(path, "log")
        if lines and lines[-1]:
            self._file.write("\n")

    def _question(self, name: str, item: int) -> str:
        """Return what identifies the parameters and the item. What JSON cannot hold counts by its type."""
        question = [self._asked[name], self._items[item]]
        try:
            text = json.dumps(question, sort_keys=True, default=lambda value: str(type(value)))
        except (TypeError, ValueError):  # keys that cannot be sorted, or an endless structure
            text = str([type(part) for part in question])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def add(self, name: str, item: int, grade: Grade) -> None:
        self.grades[name, item] = grade
        if self._file is not None:
            row = {
                "name": name,
                "item": item,
                "question": self._question(name, item),
                "score": grade.score,
                "cost": grade.cost,
            }
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def read_lm_eval(path: str | Path, metric: str = "acc") -> dict[str, float]:
    """Return the score per item of a sample log of lm-evaluation-harness (``--log_samples``, JSON lines)."""
    found = {}
    for number, line in enumerate(read_text(path, "log", MAX_LOG_BYTES).splitlines(), 1):
        try:
            row = json.loads(line)
            found[str(row["doc_id"])] = float(row[metric])
        except (ValueError, KeyError, TypeError):
            raise ConfigError(f"{path}, line {number}: no sample with doc_id and a number {metric!r}") from None
    return found


def read_promptfoo(path: str | Path) -> dict[str, dict[str, Grade]]:
    """Return the grades per prompt and item of a result file of promptfoo (``promptfoo eval -o results.json``)."""
    try:
        data = json.loads(read_text(path, "log", MAX_LOG_BYTES))
        rows = data["results"]["results"]
        found: dict[str, dict[str, Grade]] = {}
        for row in rows:
            prompt = row["prompt"]
            name = str(prompt.get("label") or prompt["raw"])
            item = str(row.get("testIdx", json.dumps(row.get("vars"), sort_keys=True)))
            found.setdefault(name, {})[item] = Grade(float(row["score"]), float(row.get("cost") or 0))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConfigError(f"{path}: no result file of promptfoo (promptfoo eval -o results.json)") from None
    return found
