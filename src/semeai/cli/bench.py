"""``semeai bench``: how fast this machine plays."""

import json
from typing import Annotated

import typer
from rich.console import Console

from semeai.cli.reproduce import as_rich, integers


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai bench --game havannah --size 5,8")(bench)


def bench(
    game: Annotated[str, typer.Option(help="What is played: go or havannah.")] = "go",
    size: Annotated[str | None, typer.Option(help="Board sizes, such as 9,19; the usual ones by default.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU seconds a figure.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure playouts and simulations per CPU second, by game and size."""
    from semeai.experiments import speed
    from semeai.games.catalog import game_named
    from semeai.players.mcts import compile_players

    rules, sizes = game_named(game), integers("--size", size) if size else ()
    for s in sizes:
        rules.new_position(s)
    notes = Console(stderr=True)
    say = lambda text: notes.print(f"[dim]{text}[/]", highlight=False)  # noqa: E731
    compile_players([game], say)
    tables = speed.run(game, sizes, seconds, say)
    if as_json:
        typer.echo(json.dumps([t.to_json() for t in tables], indent=2))
        return
    for table in tables:
        Console().print(as_rich(table))
        Console().print(table.note, style="dim")
