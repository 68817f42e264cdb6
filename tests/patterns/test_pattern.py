"""Patterns: texts, symmetries, files and pictures."""

import contextlib
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.errors import ConfigError
from semeai.patterns.file import format_patterns, parse_patterns, read_patterns, write_patterns
from semeai.patterns.geometry import GEOMETRIES, HEX, SQUARE
from semeai.patterns.pattern import MAX_RADIUS, Cell, Pattern
from semeai.patterns.svg import svg_of

NAMED = [cell for cell in Cell if cell != Cell.ANY]
BIASES = st.one_of(st.sampled_from([1.0, -1.0, 10.0, -0.5]), st.floats(0.001, 1000), st.floats(-1000, -0.001))


@st.composite
def patterns(draw):
    geometry = draw(st.sampled_from([SQUARE, HEX]))
    around = geometry.around(draw(st.integers(1, 4)))
    cells = draw(st.dictionaries(st.sampled_from(around), st.sampled_from(NAMED), min_size=1, max_size=6))
    return Pattern(cells, draw(BIASES), geometry)


def test_symmetries_are_groups_that_keep_distances():
    for geometry, n in ((SQUARE, 8), (HEX, 12)):
        assert len(set(geometry.symmetries)) == n
        around = geometry.around(2)
        assert len(around) == {"square": 24, "hex": 18}[geometry.name]
        for s in range(n):
            turned = [geometry.turn(o, s) for o in around]
            assert sorted(turned) == sorted(around)
            assert [geometry.distance(o) for o in turned] == [geometry.distance(o) for o in around]


def test_the_hex_grid_is_havannahs():
    from semeai.games.havannah.kernels.tables import DIRECTIONS

    assert set(HEX.around(1)) == set(DIRECTIONS)


@given(patterns(), st.data())
def test_symmetric_patterns_have_one_canonical_form(pattern, data):
    symmetry = data.draw(st.integers(0, len(pattern.geometry.symmetries) - 1))
    turned = pattern.turned(symmetry)
    assert turned.canonical() == pattern.canonical()
    assert (turned.digest, turned.shape) == (pattern.digest, pattern.shape)
    assert turned.swapped().swapped() == turned
    assert set(turned.variants) == set(pattern.variants)


@given(patterns())
def test_text_and_file_give_the_pattern_again(pattern):
    assert Pattern.parse(pattern.text, pattern.geometry) == pattern
    (read,) = parse_patterns(format_patterns([pattern], "all\nof them"))
    assert read == pattern


def test_different_patterns_have_different_digests():
    texts = ["+1 X*", "-1 X*", "+2 X*", "+1 O*", "+1 X?*", "+1 S*", "+1 X*X", "+1 X?/?*"]
    digests = {Pattern.parse(text).digest for text in texts} | {Pattern.parse("+1 X*", HEX).digest}
    assert len(digests) == len(texts) + 1
    assert Pattern.parse("+1 X*").digest == Pattern.parse("*X").digest == Pattern.parse("+1 ?X/?*").digest


def test_a_drawing_shows_the_pattern():
    assert Pattern.parse("+1 X?_/S*./?O?").draw() == "X ? _\nS * .\n? O ?"
    assert Pattern.parse("+1 X?_/S*./?O?", HEX).draw() == "  X ? _\n S * .\n? O ?"
    assert Pattern.parse("+1 ??X/*??").draw() == "? ? X\n* ? ?"


def test_comments_and_order_survive_a_file(tmp_path):
    first = Pattern.parse("+1 XOX/.*.")
    second = Pattern({(0, 2): Cell.OFF_BOARD}, -0.25, comment="two lines\nabove the edge")
    write_patterns(tmp_path / "p.txt", [first, second])
    read = read_patterns(tmp_path / "p.txt")
    assert read == [first, second]
    assert [p.comment for p in read] == ["", "two lines\nabove the edge"]
    (tmp_path / "dos.txt").write_bytes((tmp_path / "p.txt").read_text().replace("\n", "\r\n").encode("utf-8-sig"))
    assert read_patterns(tmp_path / "dos.txt") == read


def test_blanks_are_jokers_wherever_the_drawing_stands():
    text = "semeai patterns 1\ngeometry square\npattern +1\n          X\n      *\n        O\n"
    assert parse_patterns(text) == [Pattern({(2, -1): Cell.BLACK, (1, 1): Cell.WHITE})]


HEAD = "semeai patterns 1\ngeometry square\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1: a pattern file begins with 'semeai patterns 1'"),
        ("semeai patterns 2\ngeometry hex\n", "line 1: file format '2', but this version of semeai reads format 1"),
        ("semeai patterns 1\npattern +1\n", "line 2: write 'geometry square' or 'geometry hex'"),
        ("semeai patterns 1\ngeometry squar\n", "line 2: no geometry 'squar': did you mean 'square'?"),
        (HEAD + "\n  X *\n", "line 4: write 'pattern BIAS' before a drawing, not 'X *'"),
        (HEAD + "pattern\n  X *\n", "line 3: write 'pattern BIAS'"),
        (HEAD + "pattern good\n  X *\n", "line 3: a bias is a number such as +1 or -0.5, not 'good'"),
        (HEAD + "pattern nan\n  X *\n", "line 3: a bias is a number from -1000 to 1000"),
        (HEAD + "pattern 0\n  X *\n", "line 3: a bias is a number from -1000 to 1000"),
        (HEAD + "pattern +1\n", "line 3: a drawing needs one move (*), not 0"),
        (HEAD + "pattern +1\n  X *\n  * O\n", "line 5: a drawing needs one move (*), not 2"),
        (HEAD + "pattern +1\n  X *\n  x O\n", "line 5: no cell 'x'"),
        (HEAD + "pattern +1\n  X *\n\t. O\n", "line 5: no cell '\\t'"),
        (HEAD + "pattern +1\n  X *\n   O\n", "line 5: 'O' in column 4 lies between two cells"),
        (HEAD + "pattern +1\n  ? *\n", "line 3: a pattern needs a cell that is not ?"),
        (HEAD + "pattern +1\n  *" + " " * 27 + "X\n", f"line 3: the cell at (14, 0) is more than {MAX_RADIUS} steps"),
        (HEAD + "pattern +1\n  X *\npattern -1\n  *\n  X\n", "line 5: the same shape as the pattern in line 3"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_reason(text, reason, tmp_path):
    path = tmp_path / "p.txt"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_patterns(path)
    assert f"patterns {path}, {reason}" in str(caught.value)


def test_what_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_patterns(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"semeai patterns 1\n\xff\n")
    with pytest.raises(ConfigError, match="line 2: not UTF-8 text"):
        read_patterns(tmp_path / "bytes.txt")


@pytest.mark.parametrize("text", ["", "X", "+1", "X*/ O", "one X*", "+1 XO", "+1 *X*", "+1 *", "inf X*", "+1 X* more"])
def test_a_bad_line_is_refused(text):
    with pytest.raises(ConfigError, match="pattern"):
        Pattern.parse(text)


@given(st.text(max_size=60))
def test_any_text_is_a_pattern_or_refused(text):
    for parse in (Pattern.parse, lambda t: parse_patterns(HEAD + t)):
        with contextlib.suppress(ConfigError):
            parse(text)


def test_the_picture_is_well_formed_and_shows_each_cell():
    shown = [Pattern.parse("+1 XOS/._*"), Pattern({(0, 2): Cell.OFF_BOARD}, -1, comment="<first> & last")]
    for geometry in GEOMETRIES.values():
        text = svg_of([Pattern(p.cells, p.bias, geometry, p.comment) for p in shown])
        root = ET.fromstring(text)
        stones = [e for e in root.iter("{http://www.w3.org/2000/svg}circle") if float(e.get("r")) > 5]
        assert len(stones) == 3
        assert "<first> & last" in "".join(root.itertext())
    ET.fromstring(svg_of([]))


def test_patterns_do_not_wait_for_numba():
    code = "import sys, semeai.patterns.file, semeai.patterns.svg, semeai.patterns.matcher as s; "
    done = subprocess.run(
        [sys.executable, "-c", code + "print('numba' in sys.modules)"], capture_output=True, text=True
    )
    assert done.stdout.strip() == "False", done.stderr
