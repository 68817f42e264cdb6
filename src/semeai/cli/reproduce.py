"""``semeai reproduce``: run the experiments of the papers and of the docs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semeai.cli.options import ExecutorOption, JsonOption, WorkersOption
from semeai.cli.output import check_writable, note, print_json, say
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.table import ResultTable, show

if TYPE_CHECKING:
    from rich.table import Table


def reproduce(
    experiment: Annotated[str | None, typer.Argument(help="Experiment; without it, all are listed.")] = None,
    races: Annotated[int | None, typer.Option(min=1, help="Races per cell of a table.")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Games per cell of a table.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Moves asked for per cell of a table.")] = None,
    records: Annotated[
        Path | None, typer.Option(help="Folder of game records that an experiment reads (.sgf, also in folders below).")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Board sizes, such as 9,19.")] = None,
    simulations: Annotated[str | None, typer.Option(help="Simulations per move, such as 125,250,500.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of an evolution.")] = None,
    proposer: Annotated[
        str | None, typer.Option(help="Proposer of an evolution: guided, or random as in the papers.")
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ledger: Annotated[
        str | None,
        typer.Option(help="Ledger: a file or a database URL (default: experiments.db)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same tables.")] = 1,
    markdown: Annotated[Path | None, typer.Option(help="Also write the tables to this file.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the curves to this file: .svg, .png or .pdf.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run an experiment of the papers or the docs; print its tables.

    Without a name, lists the experiments with their options. Options that set the scale have a default per experiment.

    Examples:
        semeai reproduce
        semeai reproduce guarantee --races 20000 --markdown guarantee.md
    """
    from semeai.experiments.catalog import EXPERIMENTS, experiment_named
    from semeai.experiments.figure import check_format, draw
    from semeai.jit import compile_kernels

    if experiment is None:
        for e in EXPERIMENTS.values():
            say(f"{e.name}: {e.about} ({', '.join(f'--{option}' for option in e.options)})")
        return
    chosen = experiment_named(experiment)
    options = chosen.checked(
        {
            "races": races,
            "games": games,
            "runs": runs,
            "records": records,
            "size": size and integers("--size", size),
            "simulations": simulations and integers("--simulations", simulations),
            "steps": steps,
            "proposer": proposer,
            "workers": workers,
            "executor": executor,
            "ledger": ledger,
        }
    )
    check_writable("--markdown", markdown)
    check_writable("--figure", figure)
    if figure is not None:
        check_format(figure)
    compile_kernels(note)
    tables = chosen.run(seed=seed, progress=note, **options)
    if as_json:
        print_json([t.to_json() for t in tables])
    else:
        print_tables(tables)
    if markdown is not None:
        write_text(markdown, "\n".join(t.to_markdown() for t in tables), "--markdown")
    if figure is not None:
        draw([chart for table in tables for chart in table.charts], figure)


def print_tables(tables: Sequence[ResultTable]) -> None:
    from rich.markdown import Markdown

    from semeai.cli.console import Console

    console = Console()
    for t in tables:
        console.print(as_rich(t))
        if t.note:
            console.print(Markdown(t.note, hyperlinks=False), style="dim")
        console.print()


def as_rich(result: ResultTable) -> "Table":
    from rich.table import Table

    table = Table(title=result.title, title_justify="left", title_style="bold", header_style="bold")
    for i, name in enumerate(result.columns):
        numeric = all(not isinstance(row[i], str) for row in result.rows)
        table.add_column(name, justify="right" if numeric else "left")
    for row in result.rows:
        table.add_row(*(show(cell) for cell in row))
    return table


def integers(option: str, text: str) -> tuple[int, ...]:
    """Parse whole numbers separated by commas."""
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise ConfigError(f"{option} {text!r}: write whole numbers separated by commas, such as 125,250,500")
    return numbers
