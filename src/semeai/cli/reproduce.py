"""``semeai reproduce``: the tables of the papers and of the docs."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from semeai.errors import ConfigError
from semeai.experiments.figure import draw
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
    ledger: Annotated[str | None, typer.Option(help="Where games are kept, so that Ctrl-C loses none.")] = None,
    seed: int = 1,
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
    notes = Console(stderr=True)
    say = lambda text: notes.print(f"[dim]{text}[/]", highlight=False)  # noqa: E731
    compile_kernels(say)
    tables = chosen.run(seed=seed, progress=say, **options)
    if markdown is not None:
        try:
            markdown.write_text("\n".join(t.to_markdown() for t in tables), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"--markdown {markdown}: {error.strerror}") from None
    if figure is not None:
        draw([chart for table in tables for chart in table.charts], figure)
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


def integers(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers with commas between."""
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise ConfigError(f"{option} {text!r}: write whole numbers with commas between, such as 125,250,500")
    return numbers
