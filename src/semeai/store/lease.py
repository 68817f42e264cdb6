"""The lease of a run: one writer at a time, fenced, with a heartbeat.

The lease is a row of the ledger. Every transaction of a writer first touches this row under the writer's own token. If
another writer has taken the run over, nothing is changed and the transaction is undone. So two writers can never mix
their results, whatever happens to files, connections and clocks.

A run may be taken over at once if its writer was a process of this machine and has ended. A writer on another machine
can be taken over ``TAKE_OVER_SECONDS`` after its last sign of life. So can one of this machine before it was started
again: two machines may have the same name.
"""

import contextlib
import json
import os
import socket
import threading
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Float, insert, literal_column, select, update

from semeai.errors import LedgerError, RunLocked
from semeai.store import schema

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger

BEAT_SECONDS = 10.0
TAKE_OVER_SECONDS = 60.0


def me() -> dict[str, Any]:
    """Return what identifies this process on this machine, also after its number was given to another one."""
    return {**_machine(), "process": os.getpid(), "started": _started(os.getpid())}


@cache
def _machine() -> dict[str, str]:
    boot = namespace = ""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    with contextlib.suppress(OSError):
        namespace = os.readlink("/proc/self/ns/pid")
    return {"host": socket.gethostname(), "boot": boot, "namespace": namespace}


def _started(process: int) -> str:
    """Return when a process was started, in ticks since the start of the machine; empty if it has ended or is unknown.

    A process that has ended but whose parent has not asked for its exit status counts as ended.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def is_alive(owner: Mapping[str, Any]) -> bool | None:
    """Return whether the process runs; None if that cannot be seen from here, as on another machine."""
    here = _machine()
    # Another start of a machine with this name may be this machine before, or another one with the same name.
    if any(owner.get(key) != here[key] for key in here):
        return None
    process = int(owner.get("process", 0))
    if here["boot"]:
        return _started(process) == owner.get("started")
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def is_held(lease: Mapping[str, Any]) -> bool:
    """Return whether a writer holds the lease; ``lease`` is its row with its ``age`` in seconds."""
    if not lease["token"]:
        return False
    alive = is_alive(_owner(lease))
    return lease["age"] <= TAKE_OVER_SECONDS if alive is None else alive


def _owner(lease: Mapping[str, Any]) -> dict[str, Any]:
    try:
        owner = json.loads(lease["owner"])
    except ValueError:
        owner = None
    return owner if isinstance(owner, dict) else {}


def lease_query(connection: Connection) -> Any:
    """Return the query for leases, with their age in seconds by the database's own clock."""
    age = (_clock(connection) - schema.leases.c.heartbeat).label("age")
    return select(schema.leases, age)


def _clock(connection: Connection) -> Any:
    if connection.dialect.name == "postgresql":
        return literal_column("extract(epoch from clock_timestamp())::double precision", Float)
    return literal_column("((julianday('now') - 2440587.5) * 86400.0)", Float)


class Lease:
    """The lease of this writer. ``keep`` is the first step of each of its transactions."""

    def __init__(self, ledger: "Ledger", run_id: int, run: str) -> None:
        self._ledger = ledger
        self._run_id = run_id
        self._run = run
        self._token = uuid.uuid4().hex
        self._owner = me()
        ledger.write(self._take)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True, name=f"lease-{run_id}")
        self._thread.start()

    def _take(self, connection: Connection) -> None:
        query = lease_query(connection).where(schema.leases.c.run_id == self._run_id)
        if connection.dialect.name == "postgresql":
            query = query.with_for_update()
        row = connection.execute(query).first()
        values = {"token": self._token, "owner": json.dumps(self._owner), "heartbeat": _clock(connection)}
        if row is None:
            connection.execute(insert(schema.leases).values(run_id=self._run_id, epoch=1, **values))
            return
        lease = row._asdict()
        if lease["token"] != self._token and is_held(lease):
            raise RunLocked(f"run {self._run!r} is being written already, by {self._described(lease)}")
        where = schema.leases.c.run_id == self._run_id
        connection.execute(update(schema.leases).where(where).values(epoch=lease["epoch"] + 1, **values))

    def _described(self, lease: Mapping[str, Any]) -> str:
        owner = _owner(lease)
        if owner == self._owner:
            return "this process"
        who = f"process {owner.get('process', '?')} on {owner.get('host', 'an unknown machine')}"
        if is_alive(owner) is not None:
            return who
        return (
            f"{who} (last sign of life {lease['age']:.0f} s ago; "
            f"it can be taken over {TAKE_OVER_SECONDS:.0f} s after the last one)"
        )

    def keep(self, connection: Connection) -> None:
        """Show that the writer is alive. Raises RunLocked if another writer has taken the run over."""
        mine = (schema.leases.c.run_id == self._run_id) & (schema.leases.c.token == self._token)
        done = connection.execute(update(schema.leases).where(mine).values(heartbeat=_clock(connection)))
        if done.rowcount != 1:
            row = connection.execute(lease_query(connection).where(schema.leases.c.run_id == self._run_id)).first()
            by = "" if row is None or not row.token else f" by {self._described(row._asdict())}"
            raise RunLocked(f"run {self._run!r} was taken over{by}: nothing more is written here")

    def _beat(self) -> None:
        while not self._done.wait(BEAT_SECONDS):
            with contextlib.suppress(LedgerError):  # the next transaction of the run tells
                self._ledger.write(self.keep, patient=False)

    def release(self) -> None:
        """Free the lease, unless another writer has it."""
        self._done.set()
        self._thread.join()
        mine = (schema.leases.c.run_id == self._run_id) & (schema.leases.c.token == self._token)

        def free(connection: Connection) -> None:
            connection.execute(update(schema.leases).where(mine).values(token=""))

        with contextlib.suppress(LedgerError):  # it ends with this process
            self._ledger.write(free, patient=False)
