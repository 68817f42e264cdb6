"""Options for the game and its board."""

from typing import Annotated

import typer

from semeai.errors import ConfigError
from semeai.games.catalog import GAMES, OTHER_GAMES

GAME_HELP = f"Game: {' or '.join(GAMES)}"
GameOption = Annotated[str, typer.Option(help=f"{GAME_HELP}.")]
SizeOption = Annotated[int | None, typer.Option(help="Board size (default: 9 in Go, 8 in Havannah).")]
KomiOption = Annotated[float | None, typer.Option(min=-1000, max=1000, help="Komi (Go only, default 7.5).")]
SwapOption = Annotated[
    bool, typer.Option("--swap", help="Let the second player take over the first move (Havannah only).")
]
MatchGameOption = Annotated[
    str | None,
    typer.Option(
        "--game", help=f"{GAME_HELP} or {' or '.join(OTHER_GAMES)} (default: chess for uci: players, go for others)."
    ),
]
SuiteOption = Annotated[
    str | None,
    typer.Option(
        help="File of openings: EPD or PGN in chess (default: the one that comes with semeai), lines of moves in Go."
    ),
]
ADJUDICATE_NAMES = {
    "draw-score": "draw_score", "draw-moves": "draw_moves", "draw-from": "draw_from",
    "win-score": "win_score", "win-moves": "win_moves",
}  # fmt: skip


def adjudication_table(text: str) -> dict[str, str]:
    """Return the settings in ``win-score=600,draw-score=10``."""
    table = {}
    for word in text.split(","):
        name, equals, value = word.strip().partition("=")
        if not equals or name not in ADJUDICATE_NAMES:
            names = ", ".join(ADJUDICATE_NAMES)
            raise ConfigError(f"--adjudicate {word.strip()[:40]!r}: write NAME=NUMBER with one of {names}")
        table[ADJUDICATE_NAMES[name]] = value.strip()
    return table


AdjudicateOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=NUMBER,...",
        help="End games by the scores of both engines (chess only): win-score=600,win-moves=4,draw-score=10,"
        "draw-moves=8,draw-from=40 (scores in hundredths of a pawn).",
    ),
]


def game_of(players: list[str]) -> str:
    """Return the game of players without ``--game``: chess if one of them is a UCI engine."""
    return "chess" if any(words.strip().startswith("uci:") for words in players) else "go"


SprtOption = Annotated[
    str,
    typer.Option(
        metavar="ELO0,ELO1",
        help="Hypotheses of the log likelihood ratio (LLR) that chess shows; it decides nothing.",
    ),
]
