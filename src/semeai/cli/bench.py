"""``semeai bench``: measure how fast this machine plays."""

from typing import Annotated

import typer

from semeai.cli.game_options import GameOption
from semeai.cli.options import JsonOption
from semeai.cli.output import note, print_json
from semeai.cli.reproduce import as_rich, integers


def bench(
    game: GameOption = "go",
    size: Annotated[str | None, typer.Option(help="Board sizes, such as 9,19 (default: the usual ones).")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU seconds per figure.")] = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Measure playouts and simulations per CPU second.

    One table per game, by board size.

    Examples:
        semeai bench --game havannah --size 5,8
    """
    from semeai.cli.console import Console
    from semeai.experiments import speed
    from semeai.games.catalog import game_named
    from semeai.players.mcts import compile_players

    rules, sizes = game_named(game), integers("--size", size) if size else ()
    for s in sizes:
        rules.new_position(s)
    compile_players([game], note)
    tables = speed.run(game, sizes, seconds, note)
    if as_json:
        print_json([t.to_json() for t in tables])
        return
    for table in tables:
        Console().print(as_rich(table))
        Console().print(table.note, style="dim")
