"""Write the files of an evolution: its patterns, and a player file that names them."""

import json
from pathlib import Path

from semeai.evolve.change import PATTERNS
from semeai.evolve.context import Context
from semeai.files import make_folder, replace_file
from semeai.patterns.file import format_patterns

PATTERN_FILE, PLAYER_FILE, REPORT_FILE = "patterns.txt", "player.toml", "report.md"


def write_player(folder: Path, context: Context) -> None:
    """Write ``player.toml``, for `semeai match` and `semeai gtp`, and the ``patterns.txt`` that it names."""
    patterns = context.patterns
    if patterns:
        n_new = len(context.accepted_patterns)
        write_file(folder / PATTERN_FILE, format_patterns(patterns, f"{n_new} of them accepted by semeai evolve."))
    lines = [f"# Written by semeai evolve, after {len(context.accepted)} accepted changes.", f'game = "{context.game}"']
    lines += [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in context.baseline.items() if key != PATTERNS]
    if patterns:
        lines.append(f'patterns = "{PATTERN_FILE}"')
    write_file(folder / PLAYER_FILE, "\n".join(lines) + "\n")


def write_file(path: Path, text: str) -> None:
    """Write the whole file or nothing. Raises ConfigError if it cannot be written."""
    make_folder(path.parent)
    replace_file(path, text.encode("utf-8", "backslashreplace"))
