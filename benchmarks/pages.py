"""Pages of docs/benchmarks."""

from collections.abc import Iterable
from pathlib import Path

from semeai.table import ResultTable

ROOT = Path(__file__).parents[1]


def write(name: str, title: str, command: str, tables: Iterable[ResultTable]) -> None:
    """Write a page, with the command that makes it in its second line."""
    folder = ROOT / "docs" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(table.to_markdown() for table in tables)
    (folder / f"{name}.md").write_text(f"# {title}\n\nMade by `{command}`.\n\n{text}", encoding="utf-8")
