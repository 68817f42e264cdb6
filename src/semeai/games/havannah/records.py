"""Read and write Havannah games in LittleGolem's format: SGF with its own coordinates, White first.

``RE`` names the loser. A move is a cell, ``swap`` or ``resign``. After a swap the first stone is Black's, and White
moves next. LittleGolem always has the swap rule; a game without it says so in ``RU``. Files come from anywhere, so
every value is checked here; ``place`` names the file in each error.
"""

import re
from collections.abc import Iterator, Mapping

from sgfmill import sgf_grammar

from semeai.errors import ConfigError, IllegalMove
from semeai.games.charset import decoded
from semeai.games.havannah.kernels.tables import MAX_BASE, MIN_BASE
from semeai.games.havannah.position import COLOURS, HavannahPosition
from semeai.games.record import GameRecord

MAX_LENGTH = 200_000
"""Limit of the characters in a file."""
RESIGN = "resign"
_NAMED = ("FF", "PB", "PW", "SZ", "RE")
_INFO = (
    "EV",
    "RU",
    "GC",
    "SO",
    "DT",
    "RO",
    "AN",
    "CP",
    "GN",
    "ON",
    "PC",
    "TM",
    "US",
    "BR",
    "WR",
    "BT",
    "WT",
    "OT",
    "C",
)
_RULES = {True: "LG", False: "no swap"}
"""The property ``RU`` for games with and without the swap rule."""
_OTHER_GAMES = frozenset(["amazons", "chess", "dots", "dvonn", "go", "gomoku", "hex", "reversi", "twixt"])
"""Other games of LittleGolem: its property ``EV`` begins with the name of the game."""
_SET_UP = ("AB", "AW", "AE", "PL")
_PLAYERS = {COLOURS[player][0]: player for player in (0, 1)}


def write_littlegolem(record: GameRecord) -> str:
    """Return a record in LittleGolem's format; equal records have equal texts."""
    if record.game != "havannah":
        raise ConfigError(f"LittleGolem's format is written for havannah, not for {record.game}")
    names = HavannahPosition(record.size, swap=True, coordinates="littlegolem")
    unknown = sorted(set(record.properties) - set(_INFO))
    if unknown:
        raise ConfigError(f"a record of Havannah cannot hold the property {unknown[0]}")
    properties = dict(record.properties)
    head = {"FF": "4", "EV": properties.pop("EV", "havannah"), "PB": record.black, "PW": record.white}
    rules = properties.pop("RU", _RULES[record.swap])
    head |= {"SZ": str(record.size), "RU": rules, "RE": _loser(record.result)} | properties
    text = "(;" + "".join(f"{name}[{_escaped(value)}]" for name, value in head.items() if value)
    for (player, move), comment in zip(record.moves, record.comments or [""] * len(record.moves), strict=True):
        text += f";{COLOURS[player][0]}[{names.move_to_text(move)}]" + (f"C[{_escaped(comment)}]" if comment else "")
    if record.result.endswith("+R"):
        text += f";{_loser(record.result)}[{RESIGN}]"
    return text + ")\n"


def read_littlegolem(data: bytes | str, place: str = "the game record") -> GameRecord:
    """Return the first game of ``data`` without variations. Raises ConfigError in one sentence if anything is wrong."""
    text = decoded(data) if isinstance(data, bytes) else data
    if len(text) > MAX_LENGTH:
        raise ConfigError(f"{place} is longer than {MAX_LENGTH} characters, too long for a game of Havannah")
    try:
        nodes = list(sgf_grammar.main_sequence_iter(sgf_grammar.parse_sgf_game(text.encode())))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place} is no SGF: {error}") from None
    root = _values(nodes[0])
    _check_game(root, place)
    size, swap = _size(root, place), root.get("RU") != _RULES[False]
    position = HavannahPosition(size, swap, coordinates="littlegolem")
    comments: list[str] = []
    resigned: int | None = None
    for values in map(_values, nodes):
        if set_up := [name for name in _SET_UP if name in values]:
            raise ConfigError(f"{place} has {set_up[0]}, and a game of Havannah begins with an empty board")
        for player, word in _moves_of(values):
            where = f"{place}, move {len(position.moves) + 1} of {COLOURS[player]}"
            if resigned is not None:
                raise ConfigError(f"{where}: the game was resigned before")
            if word.lower() == RESIGN:
                resigned = player
                continue
            try:
                position.play(position.text_to_move(word), player)
            except IllegalMove as error:
                raise ConfigError(f"{where}: {error}") from None
            comments.append(values.get("C", ""))
    return GameRecord(
        game="havannah", size=size, komi=0.0, moves=tuple(position.moves), comments=tuple(comments), swap=swap,
        result=_result(root.get("RE", ""), position, resigned, place), black=root.get("PB", ""),
        white=root.get("PW", ""), properties=_info(root), place=place,
    )  # fmt: skip


def _values(node: Mapping[str, list[bytes]]) -> dict[str, str]:
    """Return the first value of each property as text."""
    return {name: sgf_grammar.text_value(values[0]).decode("utf-8", errors="replace") for name, values in node.items()}


def _info(root: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a record, without rules that ``swap`` expresses already."""
    found = {name: root[name] for name in _INFO if root.get(name)}
    if found.get("RU") in _RULES.values():
        del found["RU"]
    return found


def _check_game(root: Mapping[str, str], place: str) -> None:
    if "GM" in root:
        raise ConfigError(f"{place} holds a game of type GM[{root['GM']:.20}], and Havannah has none")
    event = root.get("EV", "").strip().lower()
    if (name := re.split(r"[^a-z]", event)[0]) in _OTHER_GAMES:
        raise ConfigError(f"{place} holds a game of {name}, not of Havannah")


def _size(root: Mapping[str, str], place: str) -> int:
    text = root.get("SZ", "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and MIN_BASE <= int(text) <= MAX_BASE):
        raise ConfigError(f"{place}: SZ[{text:.40}] is no base of a Havannah board, {MIN_BASE} to {MAX_BASE}")
    return int(text)


def _moves_of(values: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    return ((player, values[letter].strip()) for letter, player in _PLAYERS.items() if letter in values)


def _result(loser: str, position: HavannahPosition, resigned: int | None, place: str) -> str:
    """Return ``W+fork``, ``B+R`` or ``0``; empty if neither the file nor the board shows the result."""
    name = loser.strip()[:1].upper()
    if position.is_over:
        found = position.result()
        if name in _PLAYERS and found != "0" and found[0] == name:
            raise ConfigError(f"{place}: RE[{loser:.40}] names {name} as the loser, but the game ends with {found}")
        return found
    if resigned is not None:
        return f"{COLOURS[1 - _PLAYERS.get(name, resigned)][0]}+R"
    return f"{COLOURS[1 - _PLAYERS[name]][0]}+F" if name in _PLAYERS else ""


def _loser(result: str) -> str:
    """Return LittleGolem's ``RE`` for a result such as ``W+ring``."""
    return {"W": "B", "B": "W", "0": "draw"}.get(result[:1], "")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
