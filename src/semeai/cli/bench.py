"""``semeai bench``: how fast this machine plays."""

import json
from typing import Annotated

import typer
from rich.console import Console

from semeai.cli.reproduce import as_rich, integers


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai bench --size 9,19")(bench)


def bench(
    size: Annotated[str, typer.Option(help="Board sizes.")] = "9,13,19",
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU seconds a figure.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure playouts and simulations per CPU second, by game and size."""
    from semeai.experiments import speed
    from semeai.jit import compile_kernels

    sizes = integers("--size", size)
    notes = Console(stderr=True)
    say = lambda text: notes.print(f"[dim]{text}[/]", highlight=False)  # noqa: E731
    compile_kernels(say)
    tables = speed.run(sizes, seconds, say)
    if as_json:
        typer.echo(json.dumps([t.to_json() for t in tables], indent=2))
        return
    for table in tables:
        Console().print(as_rich(table))
        Console().print(table.note, style="dim")
