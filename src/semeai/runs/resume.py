"""Bring a race to its recorded state: from the state in the ledger, or by telling it every recorded batch again."""

import contextlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError, LedgerError, RunNotFound, SemeaiError, did_you_mean
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Race
from semeai.race.settings import RaceSettings
from semeai.store import schema
from semeai.store.identity import RACE
from semeai.store.race_rows import recorded_checkpoint, recorded_decisions
from semeai.store.verify import verify_run

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger, RunInfo
    from semeai.store.writer import RunWriter


def resume(race: Race, writer: "RunWriter") -> None:
    """Bring a new race to the state that the ledger has of it, and let the writer follow it from there.

    Raises LedgerError if the ledger is damaged, RunChanged if it has other candidates.
    """
    ledger, run_id = writer.ledger, writer.run_id
    verify_run(ledger, run_id)
    checkpoint = recorded_checkpoint(ledger, run_id)
    if checkpoint is not None:
        race.restore(checkpoint)
    else:
        _tell_again(race, ledger, run_id)
    writer.enter([standing.candidate for standing in race.standings[: writer.n_candidates]])
    writer.follow(race, everything=checkpoint is None)


def read_race(ledger: "Ledger", run: "str | RunInfo") -> Race | None:
    """Return the current state of a recorded race, from the ledger alone; None before its first batch."""
    if isinstance(run, str):
        run = ledger.run(run)
    if run.kind != RACE:
        raise RunNotFound(f"run {run.name!r} is of kind {run.kind!r}, not a race")
    with ledger.one_state():  # a live run may add rows meanwhile
        race = _new_race(ledger, run)
        if race is None:
            return None
        checkpoint = recorded_checkpoint(ledger, run.id)
        if checkpoint is None:
            _tell_again(race, ledger, run.id)
        else:
            race.restore(checkpoint.within(ledger.heads(run.id)["candidates"].n_rows))
    return race


def _new_race(ledger: "Ledger", run: "RunInfo") -> Race | None:
    """Return the race before its first batch, with the recorded candidates; None if there are none."""
    rows = ledger.columns(schema.candidates, run.id, "name", "params")
    found = [Candidate(name, json.loads(params)) for name, params in rows]
    return Race(RaceSettings.model_validate(run.config["race"]), found, run.seed) if found else None


SUMMARY = ("number", "name", "params", "verdict", "n_evaluations", "total_reward", "win_rate", "lower", "upper")
"""Columns of ``summary_rows``."""


def summary_rows(ledger: "Ledger", name: str) -> Iterator[dict[str, Any]]:
    """Yield one row per candidate: its totals, and its verdict with the bounds at the verdict."""
    race = read_race(ledger, name)
    bounds = {decision.candidate: decision.bounds for decision in race.decisions} if race else {}
    for standing in race.standings if race else ():
        found = bounds.get(standing.index) if standing.verdict != Verdict.UNDECIDED else None
        row = (
            standing.index,
            standing.candidate.name,
            dict(standing.candidate.params),
            standing.verdict.value,
            standing.n_evaluations,
            standing.total_reward,
            standing.win_rate if standing.n_evaluations else None,
            found.lower if found and math.isfinite(found.lower) else None,
            found.upper if found and math.isfinite(found.upper) else None,
        )
        yield dict(zip(SUMMARY, row, strict=True))


def _tell_again(race: Race, ledger: "Ledger", run_id: int) -> None:
    """Tell the race every recorded batch. Raises LedgerError if this version of semeai decides otherwise."""
    recorded = recorded_decisions(ledger, run_id)
    reopened = [decision for decision in recorded if decision.verdict == Verdict.REOPENED]
    for old in ledger.batches(run_id):
        batch = race.ask()
        if batch != old.batch:
            raise LedgerError(
                f"the ledger's batch {old.batch} is not what this race asks for ({batch}): "
                "it was made by another version of semeai"
            )
        if old.counts is None:
            race.fail(batch.number)
        else:
            race.tell(batch.number, old.counts)
        while reopened and reopened[0].after_batch == batch.number:
            race.reopen(reopened.pop(0).candidate)
    for then, now in zip(recorded, race.decisions, strict=False):
        if then[:6] != now[:6]:
            raise LedgerError(
                f"candidate {now.candidate} was decided as {then[:6]} in the ledger and is {now[:6]} now: "
                "it was made by another version of semeai"
            )
    if len(recorded) != len(race.decisions):
        raise LedgerError(
            f"the ledger has {len(recorded)} decisions where this race makes {len(race.decisions)}: "
            "it was made by another version of semeai"
        )


def reopen(ledger: "Ledger", name: str, candidates: Sequence[str]) -> None:
    """Take the failure of candidates back, so that the next start of the race evaluates them further.

    The decisions "reopened" are added to those of the run; nothing is removed. Raises ConfigError if a candidate has
    not failed, RunLocked if the race is running.
    """
    run = ledger.run(name)
    race = read_race(ledger, name)
    indices = {standing.candidate.name: standing.index for standing in race.standings} if race else {}
    unknown = [candidate for candidate in candidates if candidate not in indices]
    if race is None or unknown:
        raise ConfigError(f"run {name!r} has no candidate {unknown[0]!r}: {did_you_mean(unknown[0], indices)}")
    reopened = [race.reopen(indices[candidate]) for candidate in dict.fromkeys(candidates)]
    with contextlib.closing(ledger.open_run(name, run.kind, run.config, run.seed, run.versions)) as writer:
        for decision in reopened:
            writer.decide(decision)
        writer.flush()
        writer.forget_state()
        writer.set_state("interrupted")


def verify_races(ledger: "Ledger", names: Iterable[str]) -> dict[str, str]:
    """Race every race again from its recorded rewards. Returns what differs, by name of the run."""
    damage = {}
    for name in names:
        run = ledger.run(name)
        try:
            if run.kind == RACE and (race := _new_race(ledger, run)) is not None:
                _tell_again(race, ledger, run.id)
        except SemeaiError as error:
            damage[name] = str(error)
    return damage


def record_states(ledger: "Ledger") -> None:
    """Record the state of every race that has none, as after a conversion from an older format."""
    for run in ledger.runs():
        if run.kind != RACE or recorded_checkpoint(ledger, run.id) is not None:
            continue
        if (race := _new_race(ledger, run)) is not None:
            with contextlib.closing(ledger.open_run(run.name, RACE, run.config, run.seed, run.versions)) as writer:
                resume(race, writer)
