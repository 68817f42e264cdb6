"""Chess: the rules by python-chess, PGN, and opening suites."""

import pytest

pytest.importorskip("chess")

from semeai.errors import ConfigError, IllegalMove
from semeai.games.catalog import game_named, new_position
from semeai.games.chess.pgn import read_pgn, write_pgn
from semeai.games.chess.position import ChessPosition
from semeai.games.chess.suite import read_suite
from semeai.games.opening import Opening
from semeai.games.record import GameRecord

SHUFFLE = "Nf3 Nf6 Ng1 Ng8 " * 2
LONE_KINGS = "8/8/4k3/8/8/3rK3/8/8 w - - 0 1"
NEARLY_FIFTY = "8/8/4k3/8/8/4K3/8/R7 w - - 99 80"


@pytest.mark.parametrize(
    ("start", "moves", "ending", "result", "reward"),
    [
        ("", "f3 e5 g4 Qh4#", "checkmate", "0-1", 0.0),
        ("", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", "checkmate", "1-0", 1.0),
        ("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "Qg6", "stalemate", "1/2-1/2", 0.5),
        (LONE_KINGS, "Kxd3", "material", "1/2-1/2", 0.5),
        (NEARLY_FIFTY, "Ra2", "fifty moves", "1/2-1/2", 0.5),
        ("", SHUFFLE, "repetition", "1/2-1/2", 0.5),
        ("", "e4", "", "*", 0.5),
    ],
)
def test_endings(start, moves, ending, result, reward):
    position = ChessPosition(start)
    for text in moves.split():
        assert not position.is_over
        position.play(position.text_to_move(text))
    assert (position.ending, position.result(), position.reward()) == (ending, result, reward)
    if ending:
        assert len(position.legal_moves()) == 0
        with pytest.raises(IllegalMove, match="the game is over"):
            position.play(position.moves[-1][1])


def test_undo_and_copy_restore_the_position():
    position = new_position("chess")
    for text in ["e2e4", "c5", "e1e2", "d8b6"]:
        position.play(position.text_to_move(text))
    copy = position.copy()
    copy.undo()
    copy.undo()
    assert (len(position.moves), len(copy.moves)) == (4, 2)
    assert copy.to_move == 0
    assert len(copy.legal_moves()) == len(list(copy.board.legal_moves))
    while copy.moves:
        copy.undo()
    assert copy.draw() == new_position("chess").draw()
    with pytest.raises(IllegalMove, match="no move to take back"):
        copy.undo()


def test_promotions_and_castling_have_names():
    position = ChessPosition("8/P6k/8/8/8/8/8/R3K3 w Q - 0 1")
    names = {position.move_to_text(int(move)) for move in position.legal_moves()}
    assert {"a7a8q", "a7a8n", "e1c1"} <= names
    assert position.text_to_move("O-O-O") == position.text_to_move("e1c1")


@pytest.mark.parametrize("text", ["e2e5", "Ke2", "0000", "--", "", "x" * 1000, "e2e4 e7e5", "\x1b[2J"])
def test_what_is_no_legal_move(text):
    with pytest.raises(IllegalMove):
        new_position("chess").text_to_move(text)


@pytest.mark.parametrize("start", ["nonsense", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1"])
def test_impossible_positions_are_refused(start):
    with pytest.raises(ConfigError, match="chess position"):
        ChessPosition(start)


def test_the_mcts_player_says_that_it_does_not_play_chess():
    from semeai.players.catalog import parse_spec

    with pytest.raises(ConfigError, match="MCTS player does not play chess"):
        parse_spec("mcts", game="chess")
    with pytest.raises(ConfigError, match="UCI engines"):
        parse_spec("gtp:true", game="chess")


def test_pgn_round_trip():
    position = ChessPosition(NEARLY_FIFTY)
    position.play(position.text_to_move("Ra2"))
    record = GameRecord(
        "chess", 8, 0.0, tuple(position.moves), ("+1.0/3 } 1-0 {",), start=NEARLY_FIFTY, result="1/2-1/2",
        white='a "b" \n[Result "1-0"]', black="c", properties={"GC": "Ended by fifty moves.", "Termination": "normal"},
    )  # fmt: skip
    text = write_pgn(record)
    again = read_pgn(text, "test")
    assert (again.start, again.moves, again.result) == (record.start, record.moves, record.result)
    assert again.properties["GC"] == "Ended by fifty moves."
    assert write_pgn(again).splitlines()[4:8] == text.splitlines()[4:8]
    assert game_named("chess").replay(again).ending == "fifty moves"


def test_a_result_that_pgn_does_not_have_is_none():
    record = read_pgn('[Event "a"]\n[Result "1-----------0"]\n\n1. e4 1-0\n', "x")
    assert (record.result, len(record.moves)) == ("", 1)
    assert read_pgn(write_pgn(record), "x").moves == record.moves


def test_suites():
    epd = b'# mine\n\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; id "e4";\n' + NEARLY_FIFTY.encode()
    first, second = read_suite(epd, "x.epd")
    assert first == Opening("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    assert second.start == NEARLY_FIFTY
    pgn = b'[Event "a"]\n\n1. e4 (1. d4 d5) 1... c5 *\n\n[Event "b"]\n\n1. c4 *\n'
    assert [o.moves for o in read_suite(pgn, "x.pgn")] == [("e2e4", "c7c5"), ("c2c4",)]
    assert len(read_suite(game_named("chess").own_suite, "own")) >= 100


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no opening"),
        (b"\n8/8/8 w - -\n", "x, line 2: .* is no position in EPD or FEN"),
        (b"8/8/8/8/8/8/8/8 w - -\n", "x, line 1: .* no possible chess position: no white king"),
        (b"7k/6Q1/6K1/8/8/8/8/8 b - -\n", "line 1: the game is over in this position .checkmate"),
        (b'[Event "a"]\n\n1. e4 e4 *\n', "x, game 1: illegal san"),
        (b"1. e4 e5 2. Bb8 Nf6) 2... Nc6 3. Bb5 *\n", "x, game 1: illegal san: 'Bb8'"),
        (b"1. e4 e5 2. -- Nf6 *\n", "x, game 1: move 2 is no move: '0000' passes the turn"),
        (b"\xff\xfe\x00", "is no position"),
    ],
)
def test_wrong_suites(data, message, caplog):
    with pytest.raises(ConfigError, match=message):
        read_suite(data, "x")
    assert caplog.messages == []  # python-chess has a voice of its own
