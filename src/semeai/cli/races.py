"""``semeai races``: the capturing races of a position of Go, solved."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import JsonOption
from semeai.cli.output import note, print_json, say
from semeai.errors import ConfigError
from semeai.files import read_bytes

if TYPE_CHECKING:
    from semeai.games.go.position import GoPosition
    from semeai.games.go.races import Race

NAMES = {"black": "Black wins", "white": "White wins", "unknown": "unknown"}


def races(
    file: Annotated[Path, typer.Argument(help="Game record in SGF; its main line is read.")],
    move: Annotated[int | None, typer.Option(min=0, help="Look after this move (default: the last one).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Largest number of positions read per question.")] = 3000,
    as_json: JsonOption = False,
) -> None:
    """Solve the capturing races (semeai) of a position of Go.

    Draws the board and, for each race: the two groups, their liberties, who captures whom if Black or if White moves
    first, and the moves that win. An answer is proven, for the whole board, apart from ko; what is not proven is
    called unknown. On the board, small letters mark the groups that race: x Black's, o White's; * a move that wins,
    ? one of which it is not known. At most eight races are told, the largest.

    Examples:
        semeai races game.sgf              after the last move
        semeai races game.sgf --move 57    after move 57
    """
    from semeai.games.go.races import races_of
    from semeai.games.go.sgf import read_sgf, replay
    from semeai.jit import compile_kernels

    record = read_sgf(read_bytes(file), str(file))
    if move is not None and move > len(record.moves):
        raise ConfigError(f"--move {move}: {file} has {len(record.moves)} moves")
    position = replay(record, move, may_repeat=True)
    compile_kernels(note)
    found = races_of(position, limit)
    if as_json:
        print_json([describe(position, race) for race in found])
        return
    say(draw(position, found))
    if not found:
        say("no capturing race")
    for number, race in enumerate(found, 1):
        say(f"\n{number}. {sentence(position, race)}")


def describe(position: "GoPosition", race: "Race") -> dict[str, Any]:
    """Return a race as JSON, with points by name."""
    text = position.move_to_text
    return {
        "black": {"stone": text(race.black), "stones": race.black_stones, "liberties": race.black_liberties},
        "white": {"stone": text(race.white), "stones": race.white_stones, "liberties": race.white_liberties},
        "shared_liberties": race.shared,
        "black_first": race.black_first,
        "white_first": race.white_first,
        "urgent": race.is_urgent,
        "black_moves": [text(p) for p in race.black_moves],
        "white_moves": [text(p) for p in race.white_moves],
        "black_unclear": [text(p) for p in race.black_unclear],
        "white_unclear": [text(p) for p in race.white_unclear],
        "reason": race.reason,
    }


def sentence(position: "GoPosition", race: "Race") -> str:
    """Return the lines that tell about a race."""
    text = position.move_to_text
    lines = [
        f"Black's {text(race.black)} ({race.black_stones} stones, {_liberties(race.black_liberties)}) against White's "
        f"{text(race.white)} ({race.white_stones} stones, {_liberties(race.white_liberties)}), {race.shared} shared"
    ]
    if race.is_known and race.black_first == race.white_first:
        lines.append(f"   {NAMES[race.black_first]}, also after a pass: no move is necessary")
    else:
        lines.append(f"   Black first: {NAMES[race.black_first]}; White first: {NAMES[race.white_first]}")
    for name, winning, unclear in (
        ("Black", race.black_moves, race.black_unclear),
        ("White", race.white_moves, race.white_unclear),
    ):
        if race.is_urgent:
            lines.append(f"   {name} has to play: {_listed(position, winning)}")
        if unclear:
            lines.append(f"   of {_listed(position, unclear)} it is not known whether {name} wins with it too")
    if race.reason:
        lines.append(f"   {race.reason}")
    return "\n".join(lines)


def _listed(position: "GoPosition", points: Iterable[int]) -> str:
    return " or ".join(map(position.move_to_text, points)) or "no move was proven to win"


def _liberties(n: int) -> str:
    return f"{n} liberty" if n == 1 else f"{n} liberties"


def draw(position: "GoPosition", found: "tuple[Race, ...]") -> str:
    """Draw the board with the groups that race in small letters, and marks at the moves that matter."""
    w = position.size + 1
    marks = {p: "?" for race in found for p in race.black_unclear + race.white_unclear}
    marks |= {p: "*" for race in found for p in race.black_moves + race.white_moves}
    marks |= {p: "x" for race in found for p in race.black_group} | {p: "o" for race in found for p in race.white_group}
    rows = [list(row) for row in position.draw().split("\n")]
    for p, mark in marks.items():
        row, column = divmod(p, w)
        rows[row][3 + 2 * (column - 1)] = mark
    return "\n".join(map("".join, rows))
