"""``semeai pattern``: show, check and draw pattern files, and find their patterns in games."""

from pathlib import Path
from typing import Annotated, Any

import typer

from semeai.cli.game_options import GameOption
from semeai.cli.group import Command, Group, new_app
from semeai.cli.options import JsonOption
from semeai.cli.output import print_json, say
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.patterns.file import read_patterns
from semeai.patterns.matcher import PatternMatcher
from semeai.patterns.pattern import Pattern, format_bias
from semeai.patterns.svg import COLUMNS, svg_of

FileArgument = Annotated[Path, typer.Argument(help="Pattern file.")]

pattern = new_app(Group, help="Show, check, draw and match the patterns of a file.")


@pattern.command(cls=Command)
def show(file: FileArgument, as_json: JsonOption = False) -> None:
    """Print each pattern of a file as a drawing.

    Its bias, digest and comment are above the drawing.

    Examples:
        semeai pattern show patterns.txt
    """
    patterns = read_patterns(file)
    if as_json:
        print_json([as_dict(i, pattern) for i, pattern in enumerate(patterns, 1)])
        return
    for i, pattern in enumerate(patterns, 1):
        comment = " ".join(pattern.comment.split())
        say(f"{i}: {format_bias(pattern.bias)}  {pattern.digest}  {comment}".rstrip())
        say("\n".join(f"   {line}" for line in pattern.draw().splitlines()) + "\n")


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


@pattern.command(cls=Command)
def check(file: FileArgument) -> None:
    """Check a pattern file, and count its patterns.

    A wrong file is refused with exit code 2, the line and the reason.

    Examples:
        semeai pattern check patterns.txt && semeai gtp --patterns patterns.txt
    """
    patterns = read_patterns(file)
    good = sum(pattern.bias > 0 for pattern in patterns)
    kind = f"{patterns[0].geometry.name} " if patterns else ""
    reach = f", up to {max(p.radius for p in patterns)} steps from the move" if patterns else ""
    say(f"{file}: {len(patterns)} {kind}patterns, {good} good and {len(patterns) - good} bad shapes{reach}")


@pattern.command(cls=Command)
def match(
    file: FileArgument,
    record: Annotated[Path, typer.Argument(metavar="GAME", help="Game record in SGF (Havannah: LittleGolem's).")],
    game: GameOption = "go",
    as_json: JsonOption = False,
) -> None:
    """List the moves of a game that each pattern matches.

    Also prints the percentage of all legal moves that it matches.

    Examples:
        semeai pattern match patterns.txt game.sgf
        semeai pattern match hex.txt game.sgf --game havannah --json
    """
    found = find_in_game(read_patterns(file), record, game)
    if as_json:
        print_json(found)
        return
    for row in found:
        say(
            f"{row['number']}: {row['text']}  matched {len(row['moves'])} of {row['played']} moves played, "
            f"{100 * row['share']:.2f}% of all legal moves"
        )
        if row["moves"]:
            say("   " + ", ".join(f"{m['number']} {m['move']}" for m in row["moves"]))


@pattern.command(cls=Command)
def explain(
    record: Annotated[Path, typer.Argument(metavar="GAME", help="Go game record in SGF.")],
    move: Annotated[int | None, typer.Option(min=1, help="Number of the move (default: the next one).")] = None,
    model: Annotated[
        str, typer.Option(metavar="FILE", help="Move model of semeai learn; `own`: the one that comes with semeai.")
    ] = "own",
    moves: Annotated[int, typer.Option(min=1, help="How many moves to list.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Say why the move model likes a move, by feature.

    Lists the most likely moves of a position, and the move that was played, with what adds most to each.

    Examples:
        semeai pattern explain game.sgf --move 30
    """
    found = explain_move(record, move, model, moves)
    if as_json:
        print_json(found)
        return
    for row in found["moves"]:
        played = ", played" if row["played"] else ""
        say(f"{row['rank']}. {row['move']}: {100 * row['probability']:.1f}%{played}")
        parts = [f"{part['feature']} {part['adds']:+.2f}" for part in row["parts"][:6]]
        say("   " + ", ".join(parts))


def explain_move(file: Path, number: int | None, model: str, most: int) -> dict[str, Any]:
    """Return the most likely moves and the one that was played, as ``--json`` prints it."""
    from semeai.cli.analyze import read_record
    from semeai.games.go.config import GoPolicy
    from semeai.games.go.explain import judge_moves
    from semeai.games.go.model import FEATURES
    from semeai.games.go.sgf import replay
    from semeai.games.move_model import model_of

    record = read_record(file, "go")
    number = len(record.moves) + 1 if number is None else number
    if number > len(record.moves) + 1:
        raise ConfigError(f"--move {number}: {file} has {len(record.moves)} moves")
    position = replay(record, number - 1)
    played = None
    if number <= len(record.moves):
        player, played = record.moves[number - 1]
        position.set_to_move(player)
    setting = GoPolicy.model_setting(model, Path())
    rows = []
    for rank, judged in enumerate(judge_moves(position, model_of(setting, FEATURES)), 1):
        if rank <= most or judged.move == played:
            parts = [{"feature": name, "adds": adds} for name, adds in judged.parts]
            rows.append(
                {
                    "rank": rank,
                    "move": position.move_to_text(judged.move),
                    "probability": judged.probability,
                    "played": judged.move == played,
                    "parts": parts,
                }
            )
    return {"file": str(file), "number": number, "model": setting.partition("@")[0], "moves": rows}


def find_in_game(patterns: list[Pattern], file: Path, game: str) -> list[dict[str, Any]]:
    """Return what each pattern matched, as ``--json`` prints it."""
    from semeai.cli.analyze import read_record
    from semeai.games.catalog import game_named
    from semeai.games.patterns.matching import add_moves
    from semeai.players.pattern_files import geometry_of

    if patterns and patterns[0].geometry != geometry_of(game):
        raise ConfigError(
            f"the patterns are {patterns[0].geometry.name}, but the board of {game} is {geometry_of(game).name}"
        )
    record, rules = read_record(file, game), game_named(game)
    position = rules.replay(record, 0)
    around = PatternMatcher(max((p.radius for p in patterns), default=1))
    played: dict[int, tuple[int, str]] = {}  # number and name of the played move, by the index of its point
    for number, (player, move) in enumerate(record.moves, 1):
        before = around.n_points
        legal = add_moves(around, position, position.legal_moves().tolist(), player)
        if move in legal:
            played[before + legal.index(move)] = number, position.move_to_text(move)
        position.play_recorded(move, player)
    rows = []
    for number, pattern in enumerate(patterns, 1):
        fits = around.matches(pattern)
        moves = [{"number": n, "move": name} for index, (n, name) in played.items() if fits[index]]
        share = float(fits.mean()) if len(fits) else 0.0
        rows.append({**as_dict(number, pattern), "played": len(played), "moves": moves, "share": share})
    return rows


@pattern.command(cls=Command)
def draw(
    file: FileArgument,
    svg: Annotated[Path, typer.Option(help="File to write the picture to.")],
    columns: Annotated[int, typer.Option(min=1, help="Patterns per row.")] = COLUMNS,
) -> None:
    """Draw the patterns of a file as boards in one SVG picture.

    Examples:
        semeai pattern draw patterns.txt --svg patterns.svg
    """
    patterns = read_patterns(file)
    write_text(svg, svg_of(patterns, columns), "--svg")
    say(f"{svg}: {len(patterns)} patterns")
