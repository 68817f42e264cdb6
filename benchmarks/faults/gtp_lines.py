"""Lines of the Go Text Protocol, valid and broken, for engines to answer."""

from collections.abc import Mapping, Sequence
from random import Random

SAMPLES: Mapping[str, Sequence[str]] = {
    "COLOUR": ["b", "w", "B", "White", "black", "green", "", "0"],
    "VERTEX": [
        "A1",
        "b2",
        "C3",
        "D4",
        "E5",
        "F6",
        "g7",
        "H8",
        "J9",
        "pass",
        "PASS",
        "I5",
        "Z99",
        "A0",
        "T19",
        "4D",
        "#",
    ],
    "INT": ["0", "1", "2", "3", "5", "7", "9", "9", "100", "-1", "2147483648", "x", "1.5", "9" * 500],
    "FLOAT": ["6.5", "0", "-3", "1e30", "nan", "inf", "1e400", "seven"],
    "WORD": ["dead", "alive", "seki", "none", "absolute", "byoyomi", "canadian", "interval", "name", "\x00", "é", "#x"],
}
TEMPLATES = [
    *["play COLOUR VERTEX"] * 30,
    *["genmove COLOUR", "undo"] * 6,
    *["gogui-play_sequence COLOUR VERTEX COLOUR VERTEX", "is_legal COLOUR VERTEX", "showboard", "move_history"] * 2,
    "boardsize INT", "clear_board", "komi FLOAT", "get_komi", "gg-undo INT", "reg_genmove COLOUR",
    "fixed_handicap INT", "place_free_handicap INT", "set_free_handicap VERTEX VERTEX VERTEX",
    "time_settings INT INT INT", "time_left COLOUR INT INT", "kgs-time_settings WORD INT INT INT", "kgs-game_over",
    "kgs-genmove_cleanup COLOUR", "final_score", "final_status_list WORD", "lz-analyze COLOUR INT",
    "analyze INT WORD INT", "genmove_analyze COLOUR INT", "lz-genmove_analyze COLOUR", "semeai-seed INT", "semeai-gfx",
    "known_command WORD", "list_commands", "name", "version", "protocol_version", "cputime", "gomill-describe_engine",
    "gomill-explain_last_move", "gogui-analyze_commands", "loadsgf WORD INT", "loadsgf /nowhere/game.sgf", "loadsgf /",
    "WORD", "INT", "",
]  # fmt: skip


HAVANNAH_SAMPLES = {
    **SAMPLES,
    "VERTEX": [
        "a1",
        "b2",
        "C3",
        "d4",
        "E5",
        "b1",
        "c4",
        "d5",
        "e9",
        "a6",
        "swap",
        "SWAP",
        "pass",
        "z9",
        "a0",
        "4d",
        "#",
    ],
    "INT": [*SAMPLES["INT"], "4", "3"],
}
HAVANNAH_TEMPLATES = [
    *[line for line in TEMPLATES if not line.startswith(("komi", "get_komi", "f", "place", "set_free", "kgs-gen"))],
    *["genmove COLOUR"] * 20,
    *["havannah_winner", "havannah_win_kind", "all_legal", "final_score", "swap", "printsgf"] * 2,
    *["final_status_list WORD", "komi FLOAT", "all_legal INT", "swap COLOUR", "gogui-analyze_commands"],
]


def make_line(
    randomness: Random, templates: Sequence[str] = TEMPLATES, known: Mapping[str, Sequence[str]] = SAMPLES
) -> str:
    """Return a line of the grammar; one in ten is broken anywhere."""
    words = []
    for word in randomness.choice(templates).split():
        samples = known.get(word)
        if samples and randomness.random() < 0.95:
            words.append(randomness.choice(samples))
        elif not samples:
            words.append(word)
    line = randomness.choice([" ", " ", " ", "  ", "\t"]).join(words)
    if randomness.random() < 0.3:
        line = f"{randomness.randrange(10**6)} {line}"
    if randomness.random() < 0.1:  # broken anywhere
        at = randomness.randrange(len(line) + 1)
        line = line[:at] + randomness.choice(["", "\x07", "#", " ", "\r", "�", "-"]) + line[at + 1 :]
    return line
