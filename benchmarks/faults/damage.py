"""Random damage to the file of a ledger: it must be found, or change nothing that a reader uses."""

import random
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.faults.trials import Row
from semeai.errors import SemeaiError
from semeai.runs.race_file import run_race_file
from semeai.runs.resume import read_race
from semeai.store.ledger import Ledger
from semeai.store.verify import verify_ledger

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


def look(place: Path) -> Any:
    """Return everything that readers use, or None if an error of semeai says that the ledger is damaged."""
    try:
        store = Ledger(place, read_only=True)
        try:
            if verify_ledger(store).damage:
                return None
            race = read_race(store, "race")
            assert race is not None
            return store.digest(store.run("race").id), race.decisions, store.last_results(), race.finished
        finally:
            store.close()
    except SemeaiError:
        return None


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


def trials(n: int, seed: int) -> Row:
    """Damage a ledger ``n`` times."""
    row = Row("damage to the file of a ledger")
    with tempfile.TemporaryDirectory() as name:
        source = sound_ledger(Path(name))
        whole = look(source)
        place = Path(name) / "damaged.sqlite"
        for i in range(n):
            data = bytearray(source.read_bytes())
            corrupt(data, random.Random(f"{seed} {i}"))
            place.write_bytes(data)
            try:
                found = look(place)
            except Exception as error:  # a traceback for the user
                row.count(f"damage {i}: {type(error).__name__}: {error}")
                continue
            wrong = "" if found in (None, whole) else f"damage {i}: {found} instead of {whole}"
            row.count(wrong, CASES[found is not None])
    return row
