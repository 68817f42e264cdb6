"""Give damaged input to every parser: it must be read, or refused in one sentence, in little time and memory.

``python benchmarks/faults/fuzz.py --count 1000000`` prints the table. The same seed gives the same inputs.
"""

import argparse
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from benchmarks.faults.parsers import Parser, new_folder, parsers  # noqa: E402
from semeai.errors import SemeaiError  # noqa: E402
from semeai.printable import one_line  # noqa: E402
from semeai.table import ResultTable  # noqa: E402

CPU_SECONDS = 5.0
"""CPU time for one input."""
COMPILING_SECONDS = 600.0
"""The same for the first inputs, which compile kernels."""
LONGEST_MESSAGE = 20_000
MEMORY_MB = 1000
"""Address space above what the process has when the parsers are loaded."""
KEPT = 5
"""Inputs kept of each parser that was lost on some."""


@dataclass
class Row:
    """What became of the inputs of one parser."""

    name: str
    tried: int = 0
    read: int = 0
    """Inputs that were read or answered."""
    lost: int = 0
    """Inputs that gave neither a value nor a proper error."""
    examples: list[tuple[Any, str]] = field(default_factory=list)
    """Some of the lost inputs, and what happened."""

    @property
    def held(self) -> int:
        return self.tried - self.lost


class TooSlow(BaseException):
    """The time of one input is over. It is no Exception, so that no parser takes it for an error of its own."""


def fuzz(name: str, parser: Parser, n: int, seed: int = 1, seconds: float = CPU_SECONDS) -> Row:
    """Give ``n`` inputs to a parser, which may take so many CPU seconds for one."""
    random, row = Random(f"{seed} {name}"), Row(name)
    with _time_limit(), warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody should see a warning of Python
        for _ in range(n):
            given = parser.make(random)
            row.tried += 1
            wrong = _try(parser, given, row, seconds)
            if wrong:
                row.lost += 1
                if len(row.examples) < KEPT:
                    row.examples.append((given, wrong))
    return row


def _try(parser: Parser, given: Any, row: Row, seconds: float) -> str:
    """Return what went wrong; empty if the input was read or properly refused."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        parser.parse(given)
    except SemeaiError as error:
        return _bad_message(str(error))
    except TooSlow:
        return f"more than {seconds:g} CPU seconds"
    except (Exception, SystemExit):
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    row.read += 1
    return ""


def _bad_message(message: str) -> str:
    sentence = message.partition("\ntry: semeai ")[0]
    if not sentence.strip():
        return "a message without words"
    if sentence != one_line(sentence):
        return f"a message of several lines, or with control characters: {sentence!r}"
    return "" if len(sentence) <= LONGEST_MESSAGE else f"a message of {len(sentence)} characters: {sentence[:200]!r}"


@contextmanager
def _time_limit() -> Iterator[None]:
    def end(number: int, frame: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGPROF, before)


def limit_memory(megabytes: int) -> None:
    """Let an input that asks for much memory fail with MemoryError. Where /proc is missing, there is no limit."""
    status = Path("/proc/self/statm")
    if status.exists():
        used = int(status.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 1_000_000, resource.RLIM_INFINITY))


def run(count: int, seed: int = 1, only: str = "", megabytes: int = 0) -> list[Row]:
    """Give ``count`` inputs to all parsers, or to those with ``only`` in their names."""
    rows = []
    with new_folder() as folder:
        os.chdir(folder)  # an input may name files
        known = {name: parser for name, parser in parsers(Path(folder)).items() if only in name}
        for name, parser in known.items():  # compiling needs memory and time that no input is to blame for
            fuzz(name, parser, 50, seed + 1, COMPILING_SECONDS)
        if megabytes:
            limit_memory(megabytes)
        whole = sum(parser.share for parser in known.values())
        for name, parser in known.items():
            began = time.process_time()
            rows.append(row := fuzz(name, parser, round(count * parser.share / whole), seed))
            seconds = time.process_time() - began
            print(f"{name}: {row.tried:,} tried, {row.lost:,} lost, {seconds:.0f} s", file=sys.stderr, flush=True)
        os.chdir(ROOT)
    return rows


def as_table(rows: list[Row]) -> ResultTable:
    columns = ("input", "tried", "read", "refused in a sentence", "lost")
    cells = [(row.name, row.tried, row.read, row.held - row.read, row.lost) for row in rows]
    total = ("all", *(sum(column) for column in zip(*(row[1:] for row in cells), strict=True)))
    return ResultTable("Damaged input", columns, (*cells, total))  # type: ignore[arg-type]


def main(words: list[str] | None = None) -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--count", type=int, default=100_000, help="inputs in total")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--only", default="", help="part of the name of the parsers to try")
    reader.add_argument("--memory-mb", type=int, default=MEMORY_MB, help="0: no limit")
    given = reader.parse_args(words)
    rows = run(given.count, given.seed, given.only, given.memory_mb)
    print(as_table(rows).to_markdown())
    for row in rows:
        for example, wrong in row.examples:
            print(f"LOST {row.name}: {example!r:.2000}\n{wrong[-3000:]}", file=sys.stderr)
    return int(any(row.lost for row in rows))


if __name__ == "__main__":
    sys.exit(main())
