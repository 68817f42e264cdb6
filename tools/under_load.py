"""Run tests again and again while other processes keep the machine busy: tests that fail under load are not tests.

``python tools/under_load.py`` runs tests of the runner, of the contracts and of parallel search five times, with two
busy loops beside them, and prints a line per round. The exit code is 1 if a test has failed. ``--json`` keeps the
rounds in a file, so that a stopped run goes on, with the output of those that failed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests/runs", "tests/work", "tests/contracts", "tests/parallel")
MOST_OUTPUT = 100_000
"""Characters that are kept of the output of a round that failed."""
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(1_000_000))\n"


@contextmanager
def busy_loops(n: int) -> Iterator[None]:
    """Keep ``n`` processors busy. The loops end with this process, however it ends."""
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(n)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def one_round(words: list[str]) -> dict[str, object]:
    """Run the tests once. Returns the outcome in words, the names of the failed tests, and the minutes."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines() or [done.stderr.strip()[-500:]]
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    minutes = (time.monotonic() - began) / 60
    return {
        "ok": done.returncode == 0,
        "outcome": lines[-1].strip("= "),
        "failed": failed,
        "minutes": round(minutes, 1),
        "output": "" if done.returncode == 0 else done.stdout[-MOST_OUTPUT:],
    }


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--loops", type=int, default=2, help="busy loops beside the tests")
    reader.add_argument("--json", type=Path, help="file that keeps the rounds")
    reader.add_argument("words", nargs="*", default=[*FOLDERS], help="folders and options of pytest, after --")
    given = reader.parse_args()
    rounds = json.loads(given.json.read_text()) if given.json and given.json.exists() else []
    with busy_loops(given.loops):
        while len(rounds) < given.rounds:
            rounds.append(one_round(given.words))
            if given.json:
                given.json.write_text(json.dumps(rounds))
            print(f"round {len(rounds)}: {rounds[-1]['outcome']}", *rounds[-1]["failed"], sep="\n  ", flush=True)
    n_sound = sum(found["ok"] for found in rounds)
    print(
        f"{n_sound} of {len(rounds)} rounds without a failure, with {given.loops} busy loops on {os.cpu_count()} cores"
    )
    return int(n_sound < len(rounds))


if __name__ == "__main__":
    sys.exit(main())
