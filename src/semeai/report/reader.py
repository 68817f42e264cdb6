"""A ledger as JSON for pages: read only, safe for several threads, and what was read is kept until it changes."""

import contextlib
import hashlib
import importlib
import math
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from semeai.errors import RunNotFound
from semeai.report.effects import EffectsCache
from semeai.report.pace import present_pace
from semeai.report.race import BoundsCache, params_of, race_curves, race_data
from semeai.report.values import Json, text, texts
from semeai.store import schema
from semeai.store.ledger import Ledger, RunInfo, parts_of
from semeai.store.verify import verify_run

BATCHES_PER_LOOK = 3000
"""Batches of numbers that one look of limited length reads; it takes about as long as its intervals."""
KEPT = 50
"""Pages of runs that are kept in memory."""


class LedgerReader:
    """Reads one ledger for any number of pages at the same time. It cannot write."""

    def __init__(self, location: str | Path, look_seconds: float = math.inf) -> None:
        """``look_seconds`` limits the CPU time of one look for intervals; the next looks compute the others."""
        self._ledger = Ledger(location, read_only=True)
        self.location = self._ledger.location
        self._lock = threading.RLock()  # a connection of the ledger may be shared by several calls, see one_state
        self._bounds = BoundsCache(look_seconds)
        self._effects = EffectsCache(None if math.isinf(look_seconds) else BATCHES_PER_LOOK)
        self._pages: dict[str, tuple[str, Json]] = {}

    def prepare(self) -> None:
        """Import what the pages of these runs need, so that the first page does not wait for it."""
        kinds = {run["kind"] for run in self.runs()}
        if "match" in kinds:
            importlib.import_module("semeai.report.match")
        if "evolution" in kinds:
            importlib.import_module("semeai.report.evolution")

    def close(self) -> None:
        with self._lock:
            self._ledger.close()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Ledger]:
        with self._lock:
            yield self._ledger

    def runs(self) -> list[Json]:
        """Return all runs, the latest first, with their states and the number of their results."""
        with self._reading() as ledger:
            found, last, counts = ledger.runs(), ledger.last_results(), self._counts(ledger)
            return [
                self._head(ledger, run) | {"last_result_at": last.get(run.name), "n_results": counts.get(run.name, 0)}
                for run in reversed(found)
            ]

    def _head(self, ledger: Ledger, run: RunInfo) -> Json:
        state = ledger.state(run)
        head = {
            "name": text(run.name),
            "key": run.id,
            "kind": run.kind,
            "state": state,
            "created_at": text(run.created_at),
            "updated_at": text(run.updated_at),
        }
        return head | ({"pace": present_pace(ledger, run)} if state == "running" else {})

    @staticmethod
    def _counts(ledger: Ledger) -> dict[str, int]:
        """Return the number of batches and games of each run, those of its parts included."""
        found: dict[str, int] = {}
        for name, heads in ledger.all_heads().items():
            n = sum(heads[table].n_rows for table in ("batches", "games") if table in heads)
            for above in parts_of(name):
                found[above] = found.get(above, 0) + n
        return found

    def run(self, name: str, at_once: bool = False) -> Json:
        """Return everything about a run except curves and games. It is computed only if the run has changed.

        With ``at_once``, what would take long may be missing; the next calls compute it.
        """
        with self._reading() as ledger:
            version = self.version(name)
            kept = self._pages.get(name)
            is_present = kept is not None and kept[0] == version
            if kept is None or not is_present or (kept[1]["data"].get("is_rough") and not at_once):
                if len(self._pages) >= KEPT:
                    self._pages.clear()
                kept = self._pages[name] = (
                    version,
                    self._run(ledger, ledger.run(name), at_once) | {"version": version},
                )
            return kept[1]

    def _run(self, ledger: Ledger, run: RunInfo, at_once: bool) -> Json:
        head = self._head(ledger, run)
        below = [other for other in ledger.runs() if other.name.startswith(f"{run.name}/")]
        data = head | {
            "seed": str(run.seed),
            "last_result_at": ledger.last_results().get(run.name),
            "config": texts(run.config),
            "config_hash": run.config_hash,
            "digest": ledger.digest(run.id),
            "versions": texts(dict(run.versions)),
            "ledger": text(self.location),
            "parts": [{"name": text(other.name), "kind": other.kind, "key": other.id} for other in below],
        }
        return data | {"data": self._data(ledger, run, head["state"], at_once)}

    def _data(self, ledger: Ledger, run: RunInfo, state: str, at_once: bool) -> Json:
        if run.kind == "race":
            return race_data(ledger, run, self._bounds, self._effects, state, at_once)
        # Matches and evolutions know games, so their modules are imported only if there are any.
        if run.kind == "match":
            from semeai.report.match import match_data

            return match_data(ledger, run, state)
        if run.kind == "evolution":
            from semeai.report.evolution import evolution_data

            return evolution_data(ledger, run, state)
        return {"words": [f"This page cannot show runs of the kind {text(run.kind)!r}."]}

    def version(self, name: str) -> str:
        """Return a text that changes whenever the run, or a part of it, has new rows or another state."""
        with self._reading() as ledger:
            runs, heads = schema.runs, schema.heads
            query = (
                select(runs.c.id, runs.c.state, heads.c.table_name, heads.c.n_rows, heads.c.checksums)
                .join(heads, heads.c.run_id == runs.c.id, isouter=True)
                .where((runs.c.name == name) | runs.c.name.startswith(f"{name}/", autoescape=True))
                .order_by(runs.c.id, heads.c.table_name)
            )
            with ledger.reading() as connection:
                rows = [tuple(row) for row in connection.execute(query)]
            if not rows:
                ledger.run(name)  # raises RunNotFound with the nearest name
                raise RunNotFound(f"no run {name!r} in {self.location}")
            states = [ledger.state(ledger.run(name))]  # "killed" is not recorded
            return hashlib.sha256(repr((rows, states)).encode()).hexdigest()[:16]

    def name_of(self, key: int) -> str:
        """Return the name of the run with this number in the ledger. Raises RunNotFound if there is none."""
        with self._reading() as ledger, ledger.reading() as connection:
            found = connection.execute(select(schema.runs.c.name).where(schema.runs.c.id == key)).scalar()
        if found is None:
            raise RunNotFound(f"no run with number {key} in {self.location}")
        return str(found)

    def curves(self, name: str, numbers: Sequence[int]) -> dict[int, Json]:
        """Return the curves of some candidates of a race, by their numbers."""
        with self._reading() as ledger:
            run = ledger.run(name)
            return race_curves(ledger, run, numbers, self._bounds) if run.kind == "race" else {}

    def params(self, name: str, number: int) -> Any:
        """Return the parameters of a candidate of a race; None if there is no such candidate."""
        with self._reading() as ledger:
            return params_of(ledger, ledger.run(name).id, number)

    def games(self, name: str, start: int) -> list[list[Any]]:
        """Return a part of the list of a match's games, from number ``start`` on."""
        from semeai.report.match import listed_games

        with self._reading() as ledger:
            run = ledger.run(name)
            return listed_games(ledger, run.id, start) if run.kind == "match" else []

    def game(self, name: str, number: int) -> Json:
        """Return one game of a match, move by move."""
        from semeai.report.match import match_game

        with self._reading() as ledger:
            run = ledger.run(name)
            if run.kind != "match":
                raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a match")
            return match_game(ledger, run, number)

    def verify(self, name: str) -> None:
        """Raise LedgerError if a row of the run, or of a part of it, is damaged."""
        with self._reading() as ledger:
            for run in ledger.runs():
                if run.name == name or run.name.startswith(f"{name}/"):
                    verify_run(ledger, run.id)
