"""The GTP commands of all games: setting up, playing, searching, and the clocks."""

import time
from collections.abc import Sequence

from semeai.errors import ConfigError, IllegalMove
from semeai.gtp.protocol import SYNTAX_ERROR, CommandFailed, parse_int, take
from semeai.gtp.session import CommandTable, Session
from semeai.players.clock import Clock, TimeSettings

COMMANDS = CommandTable()
BAD_MOVE = "invalid color or coordinate"


@COMMANDS.add("boardsize", "SIZE")
def boardsize(session: Session, words: Sequence[str]) -> str:
    """Change the board's size, and clear it."""
    size = parse_int(*take(words, 1))
    try:
        position = session.dialect.new_position(size, session.komi)
    except ConfigError:
        raise CommandFailed("unacceptable size") from None
    session.new_game(position)
    return ""


@COMMANDS.add("clear_board")
def clear_board(session: Session, words: Sequence[str]) -> str:
    """Start a new game on an empty board of the same size."""
    session.new_game(session.dialect.new_position(session.position.size, session.komi))
    return ""


@COMMANDS.add("play", "COLOUR VERTEX")
def play(session: Session, words: Sequence[str]) -> str:
    """Play a move, in turn or out of turn; also one that repeats a position, unless the engine is strict."""
    player, move = parse_move(session, words)
    session.play(player, move)
    return ""


@COMMANDS.add("gogui-play_sequence", "COLOUR VERTEX ...")
def play_sequence(session: Session, words: Sequence[str]) -> str:
    """Play several moves, or none of them if one is wrong."""
    moves = [parse_move(session, words[i : i + 2]) for i in range(0, len(words), 2)]
    for n, (player, move) in enumerate(moves):
        try:
            session.play(player, move)
        except CommandFailed:
            for _ in range(n):
                session.undo()
            raise
    return ""


def parse_move(session: Session, words: Sequence[str]) -> tuple[int, int]:
    """Parse a colour and a vertex. Returns the player and the move."""
    try:
        colour, vertex = take(words, 2)
        return session.player_named(colour), session.position.text_to_move(vertex)
    except (CommandFailed, IllegalMove):
        raise CommandFailed(BAD_MOVE) from None


@COMMANDS.add("undo")
def undo(session: Session, words: Sequence[str]) -> str:
    """Take back the last move; handicap stones stay."""
    session.undo()
    return ""


@COMMANDS.add("gg-undo", "[MOVES]")
def undo_moves(session: Session, words: Sequence[str]) -> str:
    """Take back several moves, or none if there are fewer."""
    count = parse_int((take(words, 0, 1) or ["1"])[0])
    if count > len(session.position.moves):
        raise CommandFailed("cannot undo")
    for _ in range(count):
        session.undo()
    return ""


@COMMANDS.add("genmove", "COLOUR")
def genmove(session: Session, words: Sequence[str]) -> str:
    """Choose a move and play it. Return the move: a vertex, `pass` or `resign`."""
    player = session.player_named(*take(words, 1))
    return session.settle(player, session.choose(player))


@COMMANDS.add("reg_genmove", "COLOUR")
def reg_genmove(session: Session, words: Sequence[str]) -> str:
    """Return the move that the engine would play here; it depends only on the position and the seed."""
    player = session.player_named(*take(words, 1))
    n_games, session.n_games = session.n_games, -1  # separate seeds, independent of earlier games
    session.forget()
    move = session.choose(player).move
    session.n_games = n_games
    session.forget()
    return "resign" if move is None else session.position.move_to_text(move)


@COMMANDS.add("showboard")
def showboard(session: Session, words: Sequence[str]) -> str:
    """Draw the board."""
    return "\n" + session.position.draw()


@COMMANDS.add("move_history")
def move_history(session: Session, words: Sequence[str]) -> str:
    """List the moves so far, the last one first."""
    position, colours = session.position, session.dialect.game.colours
    moves = [f"{colours[player]} {position.move_to_text(move)}" for player, move in position.moves]
    return "\n".join(reversed(moves))


@COMMANDS.add("is_legal", "COLOUR VERTEX")
def is_legal(session: Session, words: Sequence[str]) -> str:
    """Return 1 if the move is legal by all rules, superko too, else 0."""
    player, move = parse_move(session, words)
    try:
        session.position.play(move, player)
    except IllegalMove:
        return "0"
    session.undo()
    return "1"


@COMMANDS.add("time_settings", "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES")
def time_settings(session: Session, words: Sequence[str]) -> str:
    """Set the time of both players in seconds, with Canadian byo-yomi."""
    main, period, stones = map(parse_int, take(words, 3))
    session.clock = Clock(TimeSettings.from_gtp(main, period, stones))
    return ""


@COMMANDS.add("kgs-time_settings", "none | absolute M | byoyomi M T PERIODS | canadian M T STONES")
def kgs_time_settings(session: Session, words: Sequence[str]) -> str:
    """Set the time of both players in one of the time systems of the server KGS."""
    system, *numbers = take(words, 1, 4)
    try:
        session.clock = Clock(TimeSettings.from_kgs(system, *map(parse_int, numbers)))
    except ConfigError:
        raise CommandFailed(SYNTAX_ERROR) from None
    return ""


@COMMANDS.add("time_left", "COLOUR SECONDS STONES")
def time_left(session: Session, words: Sequence[str]) -> str:
    """Set the time left; STONES is 0 in main time, and the number of periods left in Japanese byo-yomi."""
    colour, seconds, stones = take(words, 3)
    session.clock.set_left(session.player_named(colour), parse_int(seconds), parse_int(stones))
    return ""


@COMMANDS.add("kgs-game_over")
def kgs_game_over(session: Session, words: Sequence[str]) -> str:
    """Accept the message that the game has ended; it has no effect."""
    return ""


@COMMANDS.add("semeai-seed", "SEED")
def set_seed(session: Session, words: Sequence[str]) -> str:
    """Set the seed; what follows depends only on it and on the commands."""
    session.set_seed(parse_int(*take(words, 1)))
    return ""


@COMMANDS.add("cputime")
def cputime(session: Session, words: Sequence[str]) -> str:
    """Return the CPU time of the engine in seconds, all threads together."""
    return f"{time.process_time():.3f}"


COMMANDS["gomill-cpu_time"] = COMMANDS["cputime"]


@COMMANDS.add("gomill-explain_last_move")
def explain_last_move(session: Session, words: Sequence[str]) -> str:
    """Explain the last move that the engine chose: the results of its search."""
    return session.explanation


@COMMANDS.add("gomill-describe_engine")
def describe_engine(session: Session, words: Sequence[str]) -> str:
    """Return the engine's name, version, seed and settings."""
    return f"{session.settings.description}\nseed {session.seed}"
