"""Positions and recorded games as JSON that the page draws: points by number, moves as changes of the board."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from semeai.errors import SemeaiError
from semeai.games.catalog import game_named
from semeai.games.position import Position
from semeai.games.record import GameRecord
from semeai.report.values import Json, number, text

if TYPE_CHECKING:
    import numpy as np

DRAWN = ("go", "havannah")
"""Games whose boards can be drawn."""
_RATE = re.compile(r"(?:win rate|book:) (\d+(?:\.\d+)?)%")


@lru_cache(maxsize=64)
def points_of(game: str, size: int) -> tuple[int, ...]:
    """Return the move of each point of the board, row by row from the top left."""
    if game == "go":
        return tuple((row + 1) * (size + 1) + column + 1 for row in range(size) for column in range(size))
    if game == "havannah":
        from semeai.games.havannah.coordinates import first_of_row

        rows = range(2 * size - 1)
        cells = ((x, y) for y in rows for x in range(first_of_row(size, y), min(2 * size - 1, y + size)))
        return tuple((y + 1) * 2 * size + x + 1 for x, y in cells)
    return ()


@lru_cache(maxsize=64)
def numbers_of(game: str, size: int) -> dict[int, int]:
    """Return the number of the point of each move that is a point."""
    return {move: i for i, move in enumerate(points_of(game, size))}


def can_be_drawn(game: str) -> bool:
    """Return whether there is a drawing of this game's board."""
    return game in DRAWN


@lru_cache(maxsize=64)
def names_of(game: str, size: int) -> tuple[str, ...]:
    """Return the names of the points of a board."""
    position = game_named(game).new_position(size)
    return tuple(position.move_to_text(move) for move in points_of(game, size))


def board_data(game: str, size: int) -> Json:
    """Return what is needed to draw an empty board: the game, its size and the names of its points."""
    return {"game": game, "size": size, "names": list(names_of(game, size)), "colours": list(game_named(game).colours)}


def stones(position: Position) -> str:
    """Return the stones as one letter per point: ``.`` empty, ``b`` black, ``w`` white."""
    colours: np.ndarray = position.states[0]["color"][list(points_of(position.game, position.size))]
    letters = ".bw" if game_named(position.game).colours[0] == "black" else ".wb"
    return "".join(letters[int(c)] for c in colours)


def move_place(position: Position, move: int) -> int | str:
    """Return the number of a point; the name of a move that is no point, such as a pass or a swap."""
    found = numbers_of(position.game, position.size).get(move)
    return position.move_to_text(move) if found is None else found


def game_data(record: GameRecord) -> Json:
    """Return a recorded game: its first board, and each move with the points that it changes and its comment."""
    rules = game_named(record.game)
    if not can_be_drawn(record.game):
        raise SemeaiError(f"a board of {record.game} cannot be drawn")
    position = rules.replay(record, 0)
    data = board_data(record.game, record.size)
    now = stones(position)
    data |= {
        "komi": record.komi if rules.has_komi else None,
        "black": text(record.black),
        "white": text(record.white),
        "result": text(record.result),
        "ending": text(record.properties.get("GC", "")),
        "start": now,
        "moves": [],
    }
    for i, (player, move) in enumerate(record.moves):
        position.play_recorded(move, player)
        before, now = now, stones(position)
        comment = record.comments[i] if record.comments else ""
        data["moves"].append({
            "player": player,
            "place": move_place(position, move),
            "name": position.move_to_text(move),
            "changes": [[k, b] for k, (a, b) in enumerate(zip(before, now, strict=True)) if a != b],
            "comment": text(comment),
            "rate": first_rate(comment, player),
        })  # fmt: skip
    return data


def first_rate(comment: str, player: int) -> float | None:
    """Return the win rate that a comment names, as the first player's; None if it names none."""
    found = _RATE.match(comment)
    if found is None:
        return None
    rate = float(found[1]) / 100
    return number(rate if player == 0 else 1 - rate)
