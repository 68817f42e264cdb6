"""``semeai reproduce``: run the experiments of the papers and of the docs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from semeai.cli.options import ExecutorOption, JsonOption, WorkersOption
from semeai.cli.output import check_writable, note, print_json, say
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.table import ResultTable, show

if TYPE_CHECKING:
    from rich.table import Table

    from semeai.experiments.catalog import Experiment


def reproduce(
    experiment: Annotated[
        str | None, typer.Argument(help="Experiment, or `all` for those of the papers; without it, all are listed.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the papers' tables and figures, with scales and expected durations.")
    ] = False,
    scale: Annotated[
        str | None, typer.Option(help="Scale of a paper's experiment: minutes, hour or night (on two cores).")
    ] = None,
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
        str | None, typer.Option(help="Proposers of an evolution, such as guided,fitted; random as in the papers.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(help="First program of an evolution: bare (no shapes) or strong (all but what was learnt)."),
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ledger: Annotated[
        str | None,
        typer.Option(help="Ledger: a file or a database URL (default: experiments.db)."),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="File that keeps the answers of players, so that the same command resumes.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same tables.")] = 1,
    markdown: Annotated[Path | None, typer.Option(help="Also write the tables to this file.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the curves to this file: .svg, .png or .pdf.")] = None,
    summaries: Annotated[
        Path | None, typer.Option(help="Also keep the tables in this folder, one JSON file per experiment.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run an experiment of the papers or the docs; print its tables.

    Without a name, lists the experiments with their options. Options that set the scale have a default per experiment;
    `--scale` sets all of them, and an option that is given goes before it. `all` has the scale `minutes` by default.

    Examples:
        semeai reproduce --list
        semeai reproduce guarantee --races 20000 --markdown guarantee.md
        semeai reproduce all --scale hour
    """
    from semeai.experiments.figure import check_format, draw
    from semeai.experiments.summaries import add_summary, command_of
    from semeai.jit import compile_kernels

    if list_ or experiment is None:
        list_experiments(workers, as_json)
        return
    given = {
        "races": races,
        "games": games,
        "runs": runs,
        "records": records,
        "size": size and integers("--size", size),
        "simulations": simulations and integers("--simulations", simulations),
        "steps": steps,
        "proposer": proposer,
        "start": start,
    }
    places = {"workers": workers, "executor": executor, "ledger": ledger, "answers": answers}
    planned = plan(experiment, scale, given, places)
    check_writable("--markdown", markdown)
    check_writable("--figure", figure)
    if figure is not None:
        check_format(figure)
    compile_kernels(note)
    tables = []
    for one in planned:
        made = one.experiment.run(seed=seed, progress=note, **one.options)
        tables += made
        if not as_json:
            print_tables(made)
        if summaries is not None:
            add_summary(summaries, one.experiment.name, command_of(one.experiment.name, one.options, seed), made)
    if as_json:
        print_json([t.to_json() for t in tables])
    if markdown is not None:
        write_text(markdown, "\n".join(t.to_markdown() for t in tables), "--markdown")
    if figure is not None:
        draw([chart for table in tables for chart in table.charts], figure)


class Planned(NamedTuple):
    """One run of an experiment."""

    experiment: "Experiment"
    options: dict[str, Any]


def plan(name: str, scale: str | None, given: Mapping[str, Any], playing: Mapping[str, Any]) -> list[Planned]:
    """Return the runs of a command. ``given`` sets the scale, ``playing`` says where the games are played."""
    from semeai.experiments.catalog import experiment_named
    from semeai.experiments.papers import ALL, PARTS, checked_scale, part_named

    if scale is not None:
        checked_scale(scale)
    if name != ALL:
        chosen = experiment_named(name)
        own = {**given, **playing}
        runs = [{}] if scale is None else part_named(chosen.name).runs(scale)
        return [Planned(chosen, {**options, **chosen.checked(own)}) for options in runs]
    if wrong := [option for option, value in given.items() if value is not None]:
        raise ConfigError(f"reproduce {ALL} has no option --{wrong[0]}: choose a --scale")
    planned = []
    for part in PARTS:
        own = {option: value for option, value in playing.items() if option in part.experiment.options}
        for options in part.runs(scale or "minutes"):
            planned.append(Planned(part.experiment, {**options, **part.experiment.checked(own)}))
    return planned


def list_experiments(workers: int | None, as_json: bool) -> None:
    """Print the papers' tables and figures with their durations, and then all other experiments."""
    from semeai.experiments.catalog import EXPERIMENTS
    from semeai.experiments.papers import SCALES, listing

    n = workers or os.cpu_count() or 1
    table = listing(n)
    if as_json:
        print_json(table.to_json())
        return
    print_tables([table])
    in_papers = {str(row[1]) for row in table.rows}
    say(f"The options --scale {', '.join(SCALES)} are for the experiments above. All experiments with their options:")
    for e in EXPERIMENTS.values():
        more = ", --scale" if e.name in in_papers else ""
        say(f"{e.name}: {e.about} ({', '.join(f'--{option}' for option in e.options)}{more})")


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
