"""``semeai pattern``: look at files of patterns, check them, draw them, and find them in games."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from semeai.errors import ConfigError
from semeai.games.catalog import GAMES
from semeai.patterns.file import read_patterns
from semeai.patterns.matcher import PatternMatcher
from semeai.patterns.pattern import Pattern, format_bias
from semeai.patterns.svg import COLUMNS, svg_of

FileArgument = Annotated[Path, typer.Argument(help="A file of patterns.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

patterns_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Files of patterns: show them, check them, draw them, and find them in games.",
    epilog="Example: semeai pattern show patterns.txt",
)


def register(app: typer.Typer) -> None:
    patterns_app.command(epilog="Example: semeai pattern show patterns.txt")(show)
    patterns_app.command(epilog="Example: semeai pattern check patterns.txt && semeai gtp --patterns patterns.txt")(
        check
    )
    patterns_app.command(epilog=MATCH_EXAMPLES)(match)
    patterns_app.command(epilog="Example: semeai pattern draw patterns.txt --svg patterns.svg")(draw)
    app.add_typer(patterns_app, name="pattern")


MATCH_EXAMPLES = """Examples:

semeai pattern match patterns.txt game.sgf

semeai pattern match hex.txt game.sgf --game havannah --json
"""


def show(file: FileArgument, as_json: JsonOption = False) -> None:
    """Print each pattern of a file as a drawing, with its bias, its digest and its comment."""
    patterns = read_patterns(file)
    if as_json:
        typer.echo(json.dumps([as_dict(i, pattern) for i, pattern in enumerate(patterns, 1)], indent=2))
        return
    for i, pattern in enumerate(patterns, 1):
        comment = " ".join(pattern.comment.split())
        typer.echo(f"{i}: {format_bias(pattern.bias)}  {pattern.digest}  {comment}".rstrip())
        typer.echo("\n".join(f"   {line}" for line in pattern.draw().splitlines()) + "\n")


def as_dict(number: int, pattern: Pattern) -> dict[str, Any]:
    return {
        "number": number,
        "text": pattern.canonical().text,
        "bias": pattern.bias,
        "digest": pattern.digest,
        "geometry": pattern.geometry.name,
        "radius": pattern.radius,
        "comment": pattern.comment,
    }


def check(file: FileArgument) -> None:
    """Say what a file of patterns holds; a bad one is refused with the line and the reason, and exit code 2."""
    patterns = read_patterns(file)
    good = sum(pattern.bias > 0 for pattern in patterns)
    kind = f"{patterns[0].geometry.name} " if patterns else ""
    reach = f", up to {max(p.radius for p in patterns)} steps from the move" if patterns else ""
    typer.echo(f"{file}: {len(patterns)} {kind}patterns, {good} good and {len(patterns) - good} bad shapes{reach}")


def match(
    file: FileArgument,
    record: Annotated[Path, typer.Argument(metavar="GAME", help="A game record in SGF; LittleGolem's for Havannah.")],
    game: Annotated[str, typer.Option(help=f"What was played: {' or '.join(GAMES)}.")] = "go",
    as_json: JsonOption = False,
) -> None:
    """List the moves of a game that each pattern matched, and how often it matches legal moves at all."""
    found = find_in_game(read_patterns(file), record, game)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for row in found:
        typer.echo(
            f"{row['number']}: {row['text']}  matched {len(row['moves'])} of {row['played']} moves played, "
            f"{100 * row['share']:.2f}% of the legal ones"
        )
        if row["moves"]:
            typer.echo("   " + ", ".join(f"{m['number']} {m['move']}" for m in row["moves"]))


def find_in_game(patterns: list[Pattern], file: Path, game: str) -> list[dict[str, Any]]:
    """What each pattern matched, as ``--json`` prints it."""
    from semeai.cli.analyze import read_record
    from semeai.games.catalog import game_named
    from semeai.games.patterns.matching import add_moves
    from semeai.players.pattern_files import geometry_of

    if patterns and patterns[0].geometry != geometry_of(game):
        raise ConfigError(f"the patterns are {patterns[0].geometry.name}, and {game} is played on another board")
    record, rules = read_record(file, game), game_named(game)
    position = rules.replay(record, 0)
    around = PatternMatcher(max((p.radius for p in patterns), default=1))
    played: dict[int, tuple[int, str]] = {}  # the point's index among all: number and name of the move
    for number, (player, move) in enumerate(record.moves, 1):
        before = around.n_points
        legal = add_moves(around, position, position.legal_moves().tolist(), player)
        if move in legal:
            played[before + legal.index(move)] = number, position.move_to_text(move)
        position.play(move, player)
    rows = []
    for number, pattern in enumerate(patterns, 1):
        fits = around.matches(pattern)
        moves = [{"number": n, "move": name} for index, (n, name) in played.items() if fits[index]]
        share = float(fits.mean()) if len(fits) else 0.0
        rows.append({**as_dict(number, pattern), "played": len(played), "moves": moves, "share": share})
    return rows


def draw(
    file: FileArgument,
    svg: Annotated[Path, typer.Option(help="Where to write the picture.")],
    columns: Annotated[int, typer.Option(min=1, help="Patterns in a row.")] = COLUMNS,
) -> None:
    """Draw the patterns of a file as boards into one SVG picture."""
    patterns = read_patterns(file)
    try:
        svg.write_text(svg_of(patterns, columns), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--svg {svg}: {error.strerror}") from None
    typer.echo(f"{svg}: {len(patterns)} patterns")
