"""Copy the figures of docs/benchmarks/guarantee.md into the tables of the README and of the explanation."""

import re
from collections.abc import Callable
from pathlib import Path

PAGE, EXPLANATION = Path("docs/benchmarks/guarantee.md"), Path("docs/explanation/guarantee.md")
EFFICIENCIES = ("0.45", "0.49", "0.5", "0.5025", "0.51", "0.52", "0.55")  # of the explanation's table
SELECTION = {
    "variant 2, `max_upper` (the papers)": "variant 2, max_upper (the papers)",
    "betting, `round_robin`": "betting, round_robin",
    "betting, `hdoc`": "betting, hdoc",
    "betting, `max_evidence`": "betting, max_evidence",
    "betting, `max_progress` (default)": "betting, max_progress (default)",
}

Rows = list[list[str]]


def copy_figures() -> None:
    """Write the present figures to both files."""
    page = PAGE.read_text(encoding="utf-8")
    one = {(row[0], row[1]): row for row in rows_of(page, "One candidate: expected games")}
    errors = {row[0]: row for row in rows_of(page, "Errors at the thresholds")}
    selection = rows_of(page, "Selection rules")

    def of_readme(match: re.Match[str]) -> str:
        key = f"{float(match[1]):.4g}"
        paper, ours = one[key, "variant 2"], one[key, "betting"]
        return f"| {match[1]} | {paper[2]} | {ours[2]} | {ours[3]} | {match[2]} |"

    rewrite(Path("README.md"), {r"(0\.\d+) \| [\d,]+ \| [\d,]+ \| [\d.]+% \| ([\d,]+) \|": (of_readme, 9)})
    changes: dict[str, tuple[Callable[[re.Match[str]], str], int]] = {}
    for name in ("variant 1", "variant 2", "betting, coverage", "betting", "betting, throughput"):
        shown = "betting (default)" if name == "betting" else name
        games = " | ".join(one[efficiency, name][2] for efficiency in EFFICIENCIES)
        changes[re.escape(shown) + r"(?: \| [\d,]+){7} \|"] = replaced_by(f"| {shown} | {games} |")
        if name in ("variant 2", "betting"):
            rates = " | ".join(cell.split()[0] for cell in errors[name][1:3])
            changes[re.escape(shown) + r"(?: \| [\d.]+%){2} \|"] = replaced_by(f"| {shown} | {rates} |")
    for shown, name in SELECTION.items():
        games = " | ".join(row[2] for row in selection if row[1] == name)
        changes[re.escape(shown) + r"(?: \| [\d,]+){3} \|"] = replaced_by(f"| {shown} | {games} |")
    rewrite(EXPLANATION, changes)


def rows_of(page: str, title: str) -> Rows:
    """Return the cells of the table whose title begins so."""
    (table,) = (part for part in page.split("\n### ") if part.startswith(title))
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def replaced_by(line: str) -> tuple[Callable[[re.Match[str]], str], int]:
    return lambda match: line, 1


def rewrite(path: Path, changes: dict[str, tuple[Callable[[re.Match[str]], str], int]]) -> None:
    """Replace lines of a file; each pattern must match as often as it says."""
    text = path.read_text(encoding="utf-8")
    for pattern, (change, expected) in changes.items():
        text, n = re.subn(rf"^\| {pattern}$", change, text, flags=re.MULTILINE)
        if n != expected:
            raise SystemExit(f"{path}: {n} lines like {pattern!r}, not {expected}")
    path.write_text(text, encoding="utf-8")
