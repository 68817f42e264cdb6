"""Game records in SGF: round trips, real files, and malicious files."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semeai.errors import ConfigError, IllegalMove
from semeai.games.go.kernels.board import MAX_SIZE, MIN_SIZE, PASS
from semeai.games.go.position import GoPosition
from semeai.games.go.sgf import INFO, MAX_MOVES, read_sgf, replay, write_sgf
from semeai.games.record import GameRecord


def names(record, moves=None):
    board = GoPosition(record.size)
    return " ".join("BW"[player] + board.move_to_text(p) for player, p in (record.moves if moves is None else moves))


def read(text):
    return read_sgf(text, "game.sgf")


# Round trips


@st.composite
def records(draw):
    """Games that were really played, with every field and awkward text."""
    size = draw(st.integers(MIN_SIZE, 9) | st.sampled_from([13, 19, 20, MAX_SIZE]))
    position = GoPosition(size, draw(st.integers(-40, 400)) / 4)
    random = draw(st.randoms(use_true_random=False))
    points = [p for p in position.legal_moves().tolist() if p != PASS]
    stones = random.sample(points, draw(st.integers(0, len(points) // 4)))
    for stone in stones:
        try:
            position.place(random.randrange(2), [stone])
        except IllegalMove:
            continue
    colors = position.states[0]["color"]
    setup = tuple(sorted((int(colors[p]) - 1, p) for p in stones if colors[p]))
    first = draw(st.integers(0, 1))
    position.set_to_move(first)
    for _ in range(draw(st.integers(0, 30))):
        player = position.to_move if random.random() < 0.9 else 1 - position.to_move
        position.play(int(random.choice(position.legal_moves_of(player))), player)
    line = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=12)
    text = st.lists(line | st.sampled_from(["[", "]", "\\", "\\]", ";", "(", ":"]), max_size=4).map("\n".join)
    moves = tuple(position.moves)
    return GameRecord(
        game="go",
        size=size,
        komi=position.komi,
        moves=moves,
        comments=tuple(draw(st.lists(text, min_size=len(moves), max_size=len(moves)))),
        setup=setup,
        first_player=first,
        result=position.result(),
        black=draw(line),
        white=draw(line),
        properties=draw(st.dictionaries(st.sampled_from(sorted(INFO - {"C", "HA"})), line, max_size=4))
        | draw(st.sampled_from([{}, {"HA": "2"}, {"C": "before\n] the first"}])),
    )


@given(records())
@settings(max_examples=40)
def test_what_is_written_is_read_again(record):
    text = write_sgf(record)
    assert write_sgf(record) == text
    assert read(text) == record
    assert read(text.encode()) == record
    assert write_sgf(read(text)) == text
    position = replay(record)
    assert tuple(position.moves) == record.moves
    assert position.result() == record.result


def test_the_text_of_a_record():
    position = GoPosition(9, 6.5)
    for name in ("C3", "G7", "pass"):
        position.play(position.text_to_move(name))
    record = GameRecord(
        "go", 9, position.komi, tuple(position.moves), ("", "a [nice] move", ""), result="B+R", black="semeai"
    )
    assert write_sgf(record) == (
        "(;FF[4]CA[UTF-8]GM[1]KM[6.5]PB[semeai]RE[B+R]SZ[9];B[cg];C[a [nice\\] move]W[gc]\n;B[])\n"
    )


def test_no_date_unless_given():
    record = GameRecord("go", 9, 7.5)
    assert "DT" not in write_sgf(record)
    assert "DT[2010-04-07]" in write_sgf(GameRecord("go", 9, 7.5, properties={"DT": "2010-04-07"}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "havannah"}, "'havannah' is no game of Go"),
        ({"size": 26}, "not 26"),
        ({"komi": float("nan")}, "nan is no komi"),
        ({"properties": {"EVE": "x"}}, "no property 'EVE'; did you mean 'EV'?"),
        ({"properties": {"B": "aa"}}, "no property 'B'"),
        ({"moves": ((0, 10),)}, "10 is no point of a 9x9 board"),
        ({"moves": ((0, 500),)}, "500 is no point of a 9x9 board"),
        ({"setup": ((0, PASS),)}, "0 is no point of a 9x9 board"),
    ],
)
def test_records_that_cannot_be_written(changes, message):
    with pytest.raises(ConfigError) as refusal:
        write_sgf(GameRecord(**{"game": "go", "size": 9, "komi": 7.5, **changes}))
    assert message in str(refusal.value)


# Files as they are found

READ = {
    "defaults": ("(;)", "", (19, 0.0, 0)),
    "moves": ("(;SZ[9]KM[7.5];B[aa];W[ii])", "BA9 WJ1", (9, 7.5, 0)),
    "passes": ("(;SZ[9];B[];W[tt];B[ab])", "Bpass Wpass BA8", (9, 0.0, 0)),
    "tt is a point of large boards": ("(;SZ[25];B[tt];W[])", "BU6 Wpass", (25, 0.0, 0)),
    "spaces": ("( ;SZ[ 9 ]KM[ 7.5 ]\n\n;B [aa]\r\n;W\t[bb] )", "BA9 WB8", (9, 7.5, 0)),
    "empty values": ("(;SZ[9]KM[]HA[]GM[];B[aa])", "BA9", (9, 0.0, 0)),
    "long names": ("(;SiZe[9]KoMi[5.5];Black[aa];White[bb])", "BA9 WB8", (9, 5.5, 0)),
    "square by two numbers": ("(;SZ[9:9];B[aa])", "BA9", (9, 0.0, 0)),
    "junk around": ("mail header\n(;SZ[9];B[aa])trailing ]]] (", "BA9", (9, 0.0, 0)),
    "two games": ("(;SZ[9];B[aa])(;SZ[13];B[bb])", "BA9", (9, 0.0, 0)),
    "main line of variations": ("(;SZ[9];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))", "BA9 WB8 BC7", (9, 0.0, 0)),
    "a move in the root": ("(;SZ[9]B[aa];W[bb])", "BA9 WB8", (9, 0.0, 0)),
    "nodes without moves": ("(;SZ[9];;B[aa];TR[bb];W[bb])", "BA9 WB8", (9, 0.0, 0)),
    "White first": ("(;SZ[9];W[aa];B[bb])", "WA9 BB8", (9, 0.0, 1)),
    "twice in a row": ("(;SZ[9];B[aa];B[bb])", "BA9 BB8", (9, 0.0, 0)),
    "PL": ("(;SZ[9]PL[W])", "", (9, 0.0, 1)),
    "PL in words": ("(;SZ[9]PL[white])", "", (9, 0.0, 1)),
    "PL against the first move": ("(;SZ[9]PL[B];W[aa])", "WA9", (9, 0.0, 0)),
    "handicap": ("(;SZ[9]HA[2]AB[cc][gg])", "", (9, 0.0, 1)),
    "handicap without stones": ("(;SZ[9]HA[2])", "", (9, 0.0, 0)),
    "UTF-8 mark": ("\ufeff(;SZ[9];B[aa])", "BA9", (9, 0.0, 0)),
}


@pytest.mark.parametrize(("text", "moves", "rest"), READ.values(), ids=[*READ])
def test_files_as_they_are_found(text, moves, rest):
    for data in (text, text.encode()):
        record = read(data)
        assert names(record) == moves
        assert (record.size, record.komi, record.first_player) == rest
        replay(record)


SETUPS = {
    "both colours": ("AB[aa][bb]AW[cc]", "BA9 BB8 WC7"),
    "a rectangle": ("AB[aa:bb]", "BA9 BB9 BA8 BB8"),
    "none": ("AB[]AW[]", ""),
    "taken away again": ("AB[aa][bb];AE[aa]", "BB8"),
    "changed": ("AB[aa];AW[aa]", "WA9"),
    "in a node of its own": ("C[x];AB[aa]", "BA9"),
    "twice the same": ("AB[aa][aa]", "BA9"),
}


@pytest.mark.parametrize(("text", "stones"), SETUPS.values(), ids=[*SETUPS])
def test_stones_before_the_first_move(text, stones):
    record = read(f"(;SZ[9]{text})")
    assert names(record, record.setup) == stones
    position = replay(record)
    for player, point in record.setup:
        assert position.states[0]["color"][point] == player + 1
    assert (position.colors > 0).sum() == len(record.setup)


def test_comments_belong_to_their_move():
    record = read("(;SZ[9]C[zero];C[more];B[aa]C[one];W[bb];C[two];C[and\\] so on])")
    assert record.properties == {"C": "zero\n\nmore"}
    assert record.comments == ("one", "two\n\nand] so on")


def test_what_is_known_of_a_game():
    record = read("(;SZ[9]PB[X\nY]PW[\\]]RE[W+0.5]DT[2008-03-22]EV[one\ntwo]GC[one\ntwo]HA[3]AB[aa]ZZ[private])")
    assert (record.black, record.white, record.result) == ("X Y", "]", "W+0.5")
    assert record.properties == {"DT": "2008-03-22", "EV": "one two", "GC": "one\ntwo", "HA": "3"}


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        ("CA[gb2312]", "gb2312"),
        ("CA[Shift_JIS]", "shift_jis"),
        ("CA[Big5]", "big5"),
        ("CA[UTF-8]", "utf-8"),
        ("", "utf-8"),
        ("CA[nonsense]", "utf-8"),
        ("CA[rot13]", "utf-8"),
        ("CA[utf-16]", "utf-8"),
        ("CA[unicode_escape]", "utf-8"),
    ],
)
def test_charsets(charset, encoding):
    """In Shift-JIS the second bytes of 表 and 充 are a backslash and a bracket."""
    name = "表面" if encoding != "gb2312" else "面"
    assert read(f"(;{charset}SZ[9]PB[{name}];B[aa])".encode(encoding)).black == name


@pytest.mark.parametrize(
    ("charset", "name"), [("", "Müller"), ("CA[ISO-8859-1]", "Müller"), ("CA[UTF-8]", "M\ufffdller")]
)
def test_bytes_that_are_not_utf8(charset, name):
    record = read(f"(;{charset}SZ[9]PB[Müller];B[aa])".encode("iso-8859-1"))
    assert (record.black, names(record)) == (name, "BA9")


def test_half_a_surrogate_can_be_read_and_written():
    assert read("(;SZ[9]PB[\ud800])").black == "?"
    assert "PB[?]" in write_sgf(GameRecord("go", 9, 7.5, black="\ud800"))


# Replaying

GAME = "(;SZ[9]KM[5.5]HA[2]AB[cc][gg];W[ee];B[ff];W[fe])"


def test_replay_up_to_a_move():
    record = read(GAME)
    assert [len(replay(record, n).moves) for n in (0, 1, 2, 3, None)] == [0, 1, 2, 3, 3]
    start = replay(record, 0)
    assert (start.to_move, start.komi, len(start.handicap)) == (1, 5.5, 2)
    assert replay(record).to_move == 0
    for n in (-1, 4):
        with pytest.raises(ConfigError, match=f"game.sgf has 3 moves, so it cannot be replayed up to move {n}"):
            replay(record, n)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[9];B[aa];W[bb];B[aa])", "game.sgf, move 3 of B: A9 is occupied"),
        ("(;SZ[3];B[ab];W[cc];B[ba];W[aa])", "game.sgf, move 4 of W: A3 is suicide"),
        (
            "(;SZ[4]AB[bb][ac][bd][cc]AW[cb][dc][cd];W[bc];B[cc])",
            "game.sgf, move 2 of B: C2 retakes a ko",
        ),
        ("(;SZ[3]AB[aa]AW[ba][ab])", "game.sgf, stones before the first move: no stone can be placed on A2"),
    ],
)
def test_illegal_games_name_the_file_the_move_and_the_point(text, message):
    record = read(text)
    with pytest.raises(IllegalMove) as refusal:
        replay(record)
    assert str(refusal.value) == message


def test_a_record_of_another_game_is_not_replayed():
    with pytest.raises(ConfigError, match="'havannah' is no game of Go"):
        replay(GameRecord("havannah", 9, 0.0))


# Bad files

BAD = {
    "nothing": (b"", "is no SGF file: no SGF data found"),
    "text": (b"hello", "is no SGF file: no SGF data found"),
    "no end": (b"(;SZ[9];B[aa]", "is no SGF file: unexpected end of SGF data"),
    "open value": (b"(;SZ[9];B[aa", "is no SGF file"),
    "escaped to the end": (b"(;C[\\]\\]\\])", "is no SGF file"),
    "property without value": (b"(;SZ;B[aa])", "is no SGF file: property with no values"),
    "binary": (bytes(range(256)) * 10, "is no SGF file"),
    "another game": (b"(;GM[2]SZ[8])", "holds a game of type GM[2]"),
    "game in words": (b"(;GM[chess])", "has GM[chess], which is no number"),
    "size 1": (b"(;SZ[1])", "has SZ[1], and a Go board has 2 to 25 lines"),
    "size 26": (b"(;SZ[26])", "has SZ[26]"),
    "negative size": (b"(;SZ[-9])", "has SZ[-9]"),
    "huge size": (b"(;SZ[" + b"9" * 100_000 + b"])", "has SZ[99999999999999999999…]"),
    "oblong": (b"(;SZ[9:13])", "has SZ[9:13]"),
    "no size": (b"(;SZ[])", "has SZ[]"),
    "size in words": (b"(;SZ[nine\n])", "has SZ[nine?]"),
    "komi in words": (b"(;SZ[9]KM[lots])", "has KM[lots], which is no komi"),
    "komi is not a number": (b"(;SZ[9]KM[nan])", "has KM[nan]"),
    "infinite komi": (b"(;SZ[9]KM[-inf])", "has KM[-inf]"),
    "huge komi": (b"(;SZ[9]KM[1e9])", "has KM[1e9]"),
    "handicap": (b"(;SZ[9]HA[two])", "has HA[two], which is no number"),
    "player": (b"(;SZ[9]PL[X])", "has PL[X], which is neither B nor W"),
    "point off the board": (b"(;SZ[9];B[aa];W[jj])", "has W[jj] as move 2, which is no point of a 9x9 board"),
    "half a point": (b"(;SZ[9];B[a])", "has B[a] as move 1"),
    "capitals": (b"(;SZ[9];B[AA])", "has B[AA] as move 1"),
    "names of another kind": (b"(;SZ[9];B[D4])", "has B[D4] as move 1"),
    "bytes as point": (b"(;CA[UTF-8]SZ[9];B[\xff\xfe])", "as move 1, which is no point"),
    "control characters": (b"(;SZ[9];B[\x1b[2J\n])", "has B[?[2J?] as move 1"),
    "two points": (b"(;SZ[9];B[aa][bb])", "has 2 points for move 1, B[aa]"),
    "both colours": (b"(;SZ[9];B[aa]W[bb])", "has moves of both colours in one node, before the first move"),
    "set-up off the board": (b"(;SZ[9]AB[zz])", "sets up AB[zz], which is no point of a 9x9 board"),
    "set-up of a pass": (b"(;SZ[9]AW[tt])", "sets up AW[tt]"),
    "rectangle inside out": (b"(;SZ[9]AE[bb:aa])", "sets up AE[bb:aa]"),
    "set-up twice": (b"(;SZ[9]AB[ab]AW[ab])", "sets up [ab] in two ways at once"),
    "set-up in the game": (b"(;SZ[9];B[aa];AW[bb])", "sets up stones after move 1"),
    "too much set-up": (b"(;SZ[9]" + b"AB[aa:ii]" * 500 + b")", "sets up more points than the board has"),
    "too many moves": (b"(;SZ[9]" + b";B[];W[]" * MAX_MOVES + b")", f"has more than {MAX_MOVES} moves"),
    "too long": (b"(;C[" + b"x" * 3_000_000 + b"])", "has no complete SGF game in its first 2000000 characters"),
    "nested to no end": (b"(;" * 100_000, "is no SGF file: unexpected end"),
    "only parentheses": (b"(" * 100_000, "is no SGF file: no SGF data found"),
    "parentheses in a game": (b"(;SZ[9]" + b"(" * 100_000 + b")" * 100_000 + b")", "is no SGF file: empty sequence"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=[*BAD])
def test_bad_files(data, message):
    start = time.process_time()
    with pytest.raises(ConfigError) as refusal:
        read(data)
    text = str(refusal.value)
    assert text.startswith("game.sgf ")
    assert message in text
    assert "\n" not in text
    assert len(text) < 200
    assert time.process_time() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"(;SZ[9]" + b"(;C[x]" * 100_000 + b")" * 100_001,
        b"(;SZ[9]" + b";" * 300_000 + b")",
        b"(;SZ[9]" + b"(;)" * 100_000 + b")",
        b"(;SZ[9]C[" + b"\\]" * 500_000 + b"])",
        b"(" * 100_000 + b"(;SZ[9])",
        b"(;SZ[9])" * 500_000,
    ],
    ids=["deep", "long", "wide", "escapes", "parentheses before", "many games"],
)
def test_large_files_that_are_well_formed(data):
    start = time.process_time()
    assert read(data).size == 9
    assert time.process_time() - start < 10


tokens = st.sampled_from(
    [b"(", b")", b";", b"(;", b"SZ[9]", b"SZ[", b"KM[7.5]", b"CA[utf-8]", b"CA[gbk]", b"B[aa]", b"W[bb]", b"B[]",
     b"W[tt]", b"B[aa]", b"AB[aa:cc]", b"AW[dd][ee]", b"AE[aa]", b"PL[W]", b"HA[2]", b"C[x]", b"C[\\]", b"]", b"[",
     b"\\", b"\xff", b"\n", b"GM[1]", b"B[zz]", b"RE[B+R]", b"\x00", b"PB[\xe8\xa1\xa8]"]
)  # fmt: skip


def refusal_of(action, *arguments):
    """Its result, or the sentence that refuses; any other exception fails the test."""
    try:
        return action(*arguments), ""
    except (ConfigError, IllegalMove) as error:
        return None, str(error)


def assert_read_or_refused(data):
    record, refusal = refusal_of(read, data)
    if record is not None:
        assert read(write_sgf(record)) == record
        _, refusal = refusal_of(replay, record)
    assert "\n" not in refusal


@given(st.binary(max_size=200) | st.text(max_size=100))
@example(b"(;[x])")
@example(b"(;a[1])")
def test_anything_is_read_or_refused(data):
    assert_read_or_refused(data)


@given(st.lists(tokens, max_size=30).map(b"".join))
@settings(max_examples=400)
def test_pieces_of_games_are_read_or_refused(data):
    assert_read_or_refused(data)
    assert_read_or_refused(b"(;SZ[9]" + data + b")")


@given(records(), st.data())
@settings(max_examples=40)
def test_damaged_games_are_read_or_refused(record, data):
    text = bytearray(write_sgf(record).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    assert_read_or_refused(bytes(text))
