"""``semeai check``, ``backup``, ``migrate`` and ``retry``: look after a ledger."""

from pathlib import Path
from typing import Annotated

import typer

from semeai.cli.options import JsonOption, LedgerOption
from semeai.cli.output import note, print_json, say
from semeai.errors import ConfigError, LedgerError
from semeai.store.places import DEFAULT_LEDGER, check_location

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Name of the run, as `semeai runs` lists it.")]


def check(ledger: LedgerOption = DEFAULT_LEDGER, as_json: JsonOption = False) -> None:
    """Verify a ledger: every row, every total, and every verdict.

    It reads all rows once, compares them with their checksums, and races every race again from its recorded rewards.
    The exit code is 4 if anything is damaged.

    Examples:
        semeai check --ledger first-race/semeai.sqlite
    """
    from semeai.runs.resume import verify_races
    from semeai.store.ledger import Ledger
    from semeai.store.verify import verify_ledger

    store = Ledger(ledger, read_only=True)
    report = verify_ledger(store)
    report.damage |= verify_races(store, report.n_rows)
    sound = {name: n for name, n in report.n_rows.items() if name not in report.damage}
    if as_json:
        print_json({"ledger": store.location, "sound": sound, "damage": report.damage})
    else:
        for name, n_rows in sound.items():
            say(f"{name}: sound, {n_rows:,} rows")
        for name, damage in report.damage.items():
            say(f"{name or 'database'}: {damage}")
    if report.damage:
        raise LedgerError(f"{store.location} is damaged in {len(report.damage)} places; see above")


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="File to write; it must not exist.")],
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Copy a ledger safely, also while runs are written to it.

    A ledger in PostgreSQL is copied with PostgreSQL's own `pg_dump`.

    Examples:
        semeai backup monday.sqlite --ledger first-race/semeai.sqlite
    """
    from semeai.store.backup import back_up
    from semeai.store.ledger import Ledger
    from semeai.store.verify import verify_ledger

    store = Ledger(ledger, read_only=True)
    if store.path is None:
        raise ConfigError(f"{store.location} is a database of a server: copy it with pg_dump")
    back_up(store.path, target)
    copy = Ledger(target, read_only=True)
    report = verify_ledger(copy)
    for damage in report.damage.values():
        raise LedgerError(f"the copy has the damage of the ledger: {damage}")
    say(f"{target}: {len(report.n_rows)} runs, {sum(report.n_rows.values()):,} rows, all sound")


def migrate(
    ledger: LedgerOption = DEFAULT_LEDGER,
    backed_up: Annotated[
        bool, typer.Option("--backed-up", help="A copy of the database was made (needed for PostgreSQL).")
    ] = False,
) -> None:
    """Convert a ledger of an older version of semeai.

    A copy of the old file is kept beside it. Runs keep their results and verdicts, and can be resumed.

    Examples:
        semeai migrate --ledger first-race/semeai.sqlite
    """
    from semeai.runs.resume import record_states
    from semeai.store.ledger import Ledger
    from semeai.store.migrate import migrate as convert

    place = check_location(ledger)
    if "://" in place and not backed_up:
        raise ConfigError("copy the database with pg_dump first, then give --backed-up")
    copy = None if "://" in place else Path(f"{place}.old")
    if not convert(place, backup=copy, say=note):
        say(f"{Ledger(ledger, read_only=True).location} has the present format already")
        return
    store = Ledger(ledger)
    record_states(store)
    say(f"{store.location}: {len(store.runs())} runs converted")
    store.close()


def retry(
    run: RunArgument,
    candidates: Annotated[list[str], typer.Argument(metavar="CANDIDATE...", help="Names of failed candidates.")],
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Reopen failed candidates of a race, once they are repaired.

    The failures stay in the ledger, with decisions "reopened" after them. The next start of the race evaluates the
    candidates further, on new seeds.

    Examples:
        semeai retry race "cold start" --ledger first-race/semeai.sqlite
    """
    from semeai.runs.resume import reopen
    from semeai.store.ledger import Ledger

    Ledger(ledger, read_only=True).close()  # never create one
    store = Ledger(ledger)
    reopen(store, run, candidates)
    for candidate in dict.fromkeys(candidates):
        say(f"{candidate} races on when the race is started again")
    store.close()
