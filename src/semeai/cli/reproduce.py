"""``semeai reproduce``: the tables of the papers and of the docs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from semeai.cli.output import check_writable, write_text
from semeai.errors import ConfigError
from semeai.experiments.figure import check_format, draw
from semeai.table import ResultTable, show


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai reproduce guarantee --races 20000 --markdown guarantee.md")(reproduce)


def reproduce(
    experiment: Annotated[str | None, typer.Argument(help="Its name; without one, all are listed.")] = None,
    races: Annotated[int | None, typer.Option(min=1, help="Scale: races a cell.")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Scale: games a cell.")] = None,
    size: Annotated[str | None, typer.Option(help="Board sizes, such as 9,19.")] = None,
    simulations: Annotated[str | None, typer.Option(help="Scale: simulations a move, such as 125,250,500.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Scale: steps of an evolution.")] = None,
    proposer: Annotated[
        str | None, typer.Option(help="Who proposes in an evolution: guided, or random as in the papers.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; all cores without it.")] = None,
    ledger: Annotated[
        str | None, typer.Option(help="Where games are kept, so that Ctrl-C loses none; default: experiments.db.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables to this file too.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the curves to this file: .svg, .png or .pdf.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make the tables of an experiment anew."""
    from semeai.experiments.catalog import EXPERIMENTS, experiment_named
    from semeai.jit import compile_kernels

    if experiment is None:
        for e in EXPERIMENTS.values():
            typer.echo(f"{e.name}: {e.about} ({', '.join(f'--{option}' for option in e.options)})")
        return
    chosen = experiment_named(experiment)
    options = chosen.checked(
        {
            "races": races,
            "games": games,
            "size": size and integers("--size", size),
            "simulations": simulations and integers("--simulations", simulations),
            "steps": steps,
            "proposer": proposer,
            "workers": workers,
            "ledger": ledger,
        }
    )
    check_writable("--markdown", markdown)
    check_writable("--figure", figure)
    if figure is not None:
        check_format(figure)
    notes = Console(stderr=True)
    say = lambda text: notes.print(f"[dim]{text}[/]", highlight=False)  # noqa: E731
    compile_kernels(say)
    tables = chosen.run(seed=seed, progress=say, **options)
    if as_json:
        typer.echo(json.dumps([t.to_json() for t in tables], indent=2))
    else:
        print_tables(tables)
    if markdown is not None:
        write_text("--markdown", markdown, "\n".join(t.to_markdown() for t in tables))
    if figure is not None:
        draw([chart for table in tables for chart in table.charts], figure)


def print_tables(tables: Sequence[ResultTable]) -> None:
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


def integers(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers with commas between."""
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise ConfigError(f"{option} {text!r}: write whole numbers with commas between, such as 125,250,500")
    return numbers
