"""Options for the game and its board."""

from typing import Annotated

import typer

from semeai.games.catalog import GAMES

GAME_HELP = f"Game: {' or '.join(GAMES)}"
GameOption = Annotated[str, typer.Option(help=f"{GAME_HELP}.")]
SizeOption = Annotated[int | None, typer.Option(help="Board size (default: 9 in Go, 8 in Havannah).")]
KomiOption = Annotated[float | None, typer.Option(min=-1000, max=1000, help="Komi (Go only, default 7.5).")]
SwapOption = Annotated[
    bool, typer.Option("--swap", help="Let the second player take over the first move (Havannah only).")
]
