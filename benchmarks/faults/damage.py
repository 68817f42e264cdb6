"""Random damage to the file of a ledger: it must be found, or change nothing that a command shows."""

import contextlib
import io
import random
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.faults.trials import Row
from semeai.cli.app import app
from semeai.errors import SemeaiError
from semeai.runs.race_file import run_race_file
from semeai.store.ledger import Ledger

RACE = """
[race]
mode = "plain"
accept_above = 0.45
discard_below = 0.55
[evaluator]
callable = "tests.programs:coin"
[[candidates]]
name = "good"
p = 0.8
[[candidates]]
name = "bad"
p = 0.2
[[candidates]]
name = "fair"
p = 0.5
"""


def sound_ledger(folder: Path) -> Path:
    """Race three coins. Returns their ledger."""
    (folder / "race.toml").write_text(RACE)
    run_race_file(folder / "race.toml", workers=1)
    return folder / "semeai.sqlite"


LOOKS = (
    ("status", "--json"),
    ("export", "--summary"),
    *(("export", "--table", table) for table in ("candidates", "decisions", "failures", "games", "proposals")),
    ("export", "--values"),
)
"""Commands that look at a run, with their options. None of them verifies the whole ledger before."""


def look(place: Path, runs: Iterable[str]) -> dict[str, str | None]:
    """Return what commands print about these runs, by command; None if they refuse."""
    lines = [["runs", "--json"], *([command, run, *options] for run in runs for command, *options in LOOKS)]
    return {" ".join(words): printed([*words, "--ledger", str(place)]) for words in lines}


def printed(words: list[str]) -> str | None:
    """Return what a command prints; None if it ends with an error of semeai."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            app(words)
        except SemeaiError:
            return None
    return out.getvalue()


def names_of_runs(place: Path) -> list[str]:
    with contextlib.closing(Ledger(place, read_only=True)) as store:
        return list(store.run_ids())


def corrupt(data: bytearray, draws: random.Random) -> None:
    """Change, overwrite, cut or exchange some bytes."""
    kind = draws.randrange(4)
    if kind == 0:
        for _ in range(draws.choice((1, 1, 1, 8))):
            data[draws.randrange(len(data))] ^= 1 << draws.randrange(8)
    elif kind == 1:
        first, size = draws.randrange(len(data)), draws.choice((1, 4, 64, 4096))
        data[first : first + size] = draws.randbytes(len(data[first : first + size]))
    elif kind == 2:
        del data[draws.randrange(len(data)) :]
    else:
        first, second = (4096 * draws.randrange(len(data) // 4096) for _ in range(2))
        one, other = data[first : first + 4096], data[second : second + 4096]
        data[first : first + 4096], data[second : second + 4096] = other, one


CASES = ("reported", "without effect")


def trials(n: int, seed: int, source: Path | None = None) -> Row:
    """Damage a ledger ``n`` times: ``source``, or that of a new race."""
    row = Row("damage to the file of a ledger")
    with tempfile.TemporaryDirectory() as name:
        source = source or sound_ledger(Path(name))
        place = Path(shutil.copy(source, Path(name) / "damaged.sqlite"))
        runs = names_of_runs(place)
        whole = look(place, runs)
        for i in range(n):
            data = bytearray(source.read_bytes())
            corrupt(data, random.Random(f"{seed} {i}"))
            place.write_bytes(data)
            try:
                found = look(place, runs)
            except Exception as error:  # a traceback for the user
                row.count(f"damage {i}: {type(error).__name__}: {error}")
                continue
            wrong = [command for command, text in found.items() if text not in (None, whole[command])]
            reported = any(text is None and whole[command] is not None for command, text in found.items())
            row.count(f"damage {i}: `{wrong[0]}` shows something else" if wrong else "", CASES[not reported])
    return row
