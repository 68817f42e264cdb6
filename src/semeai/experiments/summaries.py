"""Summaries of experiments as JSON files: the tables of each command, small enough to keep beside the documentation.

A folder has one file per experiment, with one entry per command. The same command replaces its entry.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.files import make_folder, read_text, write_text
from semeai.table import ResultTable

OPTION = "--summaries"


@dataclass(frozen=True)
class Summary:
    """The tables of one command."""

    experiment: str
    command: str
    tables: tuple[Mapping[str, Any], ...]
    remark: str = ""
    """What a reader must know of this run, such as an older player."""


def command_of(experiment: str, options: Mapping[str, Any], seed: int) -> str:
    """Return the command that repeats a run: the options that change the tables, in a fixed order."""
    words = ["semeai reproduce", experiment]
    for name in ("races", "games", "runs", "records", "size", "simulations", "steps", "proposer", "start"):
        value = options.get(name)
        if value is not None:
            text = ",".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value
            words.append(f"--{name} {text}")
    if seed != 1:
        words.append(f"--seed {seed}")
    return " ".join(words)


def add_summary(folder: Path, experiment: str, command: str, tables: Sequence[ResultTable]) -> None:
    """Write the tables of a command to the file of its experiment, in place of an earlier run of the same command."""
    make_folder(folder, OPTION)
    file = folder / f"{experiment}.json"
    known = read_summaries(file) if file.exists() else []
    data = [
        {"title": t.title, "note": t.note, "columns": list(t.columns), "rows": [list(row) for row in t.rows]}
        for t in tables
    ]
    new = Summary(experiment, command, tuple(data))
    kept = [summary for summary in known if summary.command != command]
    runs = sorted([*kept, new], key=lambda summary: summary.command)
    entries = [
        {"command": s.command, **({"remark": s.remark} if s.remark else {}), "tables": list(s.tables)} for s in runs
    ]
    text = json.dumps({"experiment": experiment, "runs": entries}, indent=1, ensure_ascii=False)
    write_text(file, text + "\n", OPTION)


def read_summaries(file: Path) -> list[Summary]:
    """Return the runs of one file. Raises ConfigError if it is not a file of summaries."""
    try:
        data = json.loads(read_text(file, OPTION))
        return [
            Summary(data["experiment"], run["command"], tuple(run["tables"]), run.get("remark", ""))
            for run in data["runs"]
        ]
    except (ValueError, TypeError, KeyError):
        raise ConfigError(f"{OPTION} {file}: this is no file of summaries") from None
