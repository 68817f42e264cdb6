"""``semeai reproduce``: the tables of the papers and of the docs."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from semeai.errors import ConfigError
from semeai.experiments.table import ResultTable, show


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai reproduce guarantee --races 20000 --markdown guarantee.md")(reproduce)


def reproduce(
    experiment: Annotated[str | None, typer.Argument(help="Its name; without one, all are listed.")] = None,
    races: Annotated[int | None, typer.Option(min=1, help="Scale: races a cell.")] = None,
    seed: int = 1,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables to this file too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make the tables of an experiment anew."""
    from semeai.experiments.catalog import EXPERIMENTS, experiment_named
    from semeai.jit import compile_kernels

    if experiment is None:
        for e in EXPERIMENTS.values():
            typer.echo(f"{e.name}: {e.about}")
        return
    chosen = experiment_named(experiment)
    notes = Console(stderr=True)
    say = lambda text: notes.print(f"[dim]{text}[/]")  # noqa: E731
    compile_kernels(say)
    tables = chosen.run(races or chosen.default_races, seed, say)
    if markdown is not None:
        try:
            markdown.write_text("\n".join(t.to_markdown() for t in tables), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"--markdown {markdown}: {error.strerror}") from None
    if as_json:
        typer.echo(json.dumps([t.to_json() for t in tables], indent=2))
        return
    console = Console()
    for t in tables:
        console.print(as_rich(t))
        if t.note:
            console.print(Markdown(t.note), style="dim")
        console.print()


def as_rich(result: ResultTable) -> Table:
    table = Table(title=result.title, title_justify="left", title_style="bold", header_style="bold")
    for i, name in enumerate(result.columns):
        numeric = all(not isinstance(row[i], str) for row in result.rows)
        table.add_column(name, justify="right" if numeric else "left")
    for row in result.rows:
        table.add_row(*(show(cell) for cell in row))
    return table
