"""Neighbourhoods and look-ups of a database agree with the plain reference; the database file."""

import contextlib
import zipfile

import numpy as np
import pytest
from reference.go import Board, empty_cells
from reference.neighbourhoods import neighbourhood

from semeai.errors import ConfigError, IllegalMove
from semeai.games.go.database import Database, database_of, database_values, load_database, setting_of
from semeai.games.go.kernels.neighbourhoods import CELLS, DISTANCES, N_SIZES, WIDE, wide_index
from semeai.games.go.position import GoPosition
from semeai.learn.competitions import Competitions
from tests.games.go.test_patterns import board_of


def scattered(draw, size):
    """Stones of both colours anywhere, as many as may be, and either player to move; at least one point is legal."""
    while True:
        position, density = GoPosition(size), draw.random() * 0.9
        for p in range(size * size):
            if draw.random() < density:
                with contextlib.suppress(IllegalMove):
                    position.place(int(draw.integers(2)), [position.point(*divmod(p, size))])
        position.set_to_move(int(draw.integers(2)))
        if len(legal_points(position)):
            return position


def board_and_mover(position):
    return Board(position.size, empty_cells(position.size) | board_of(position)), "XO"[position.to_move]


def legal_points(position):
    """(row, column) in the order of ``Competitions.points``."""
    moves = sorted(int(m) for m in position.legal_moves() if m != 0 and m != position.states[0]["ko"])
    return [(m // (position.size + 1) - 1, m % (position.size + 1) - 1) for m in moves]


def keys_of(position):
    """Size by point, for the points of ``legal_points``."""
    points = legal_points(position)
    games = Competitions.of_moves([(position, position.point(*points[0]))])
    assert games.points.tolist() == [wide_index(position.point(*p), position.size + 1) for p in points]
    return np.array([games.keys(size) for size in range(N_SIZES)])


def turned(position, turn, swap=False):
    """The same position, turned and mirrored, and with colours exchanged."""
    new = GoPosition(position.size)
    n, places = position.size - 1, {}
    for r in range(position.size):
        for c in range(position.size):
            x, y = (c, r) if turn & 1 else (r, c)
            places[r, c] = (n - x if turn & 2 else x, n - y if turn & 4 else y)
    for player in (0, 1):
        stones = [new.point(*places[int(r), int(c)]) for r, c in np.argwhere(position.colors == player + 1)]
        new.place(1 - player if swap else player, stones)
    new.set_to_move(1 - position.to_move if swap else position.to_move)
    return new, places


def test_the_sizes_are_rings_around_the_move():
    distance = [abs(x) + abs(y) + max(abs(x), abs(y)) for x, y in CELLS]
    assert distance == sorted(distance)
    assert [sum(d <= most for d in distance) for most in DISTANCES] == [8, 12, 20, 28, 36, 48, 60, 72]
    assert max(max(abs(x), abs(y)) for x, y in CELLS) == (WIDE - 25) // 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_kernels_agree_with_the_reference(seed):
    """Twice 5,000 points: the same key just where the writing is the same, and the strength of the largest known."""
    draw = np.random.default_rng(seed)
    text_of, key_of, cases = {}, {}, []
    n_points = 0
    while n_points < 5000:
        position = scattered(draw, int(draw.integers(2, 14)))
        points = legal_points(position)
        keys = keys_of(position)
        board, mover = board_and_mover(position)
        texts = [[neighbourhood(board, point, mover, distance) for point in points] for distance in DISTANCES]
        for size in range(N_SIZES):
            for key, text in zip(keys[size].tolist(), texts[size], strict=True):
                assert text_of.setdefault(key, (size, text)) == (size, text)
                assert key_of.setdefault((size, text), key) == key
        cases.append((position, [position.point(*point) for point in points], texts))
        n_points += len(points)
    assert len(text_of) > 10_000
    known = {pattern: float(draw.normal()) for pattern in key_of if draw.random() < 0.7}
    order = sorted(known, key=lambda pattern: key_of[pattern])
    database = Database(
        np.array([key_of[p] for p in order], np.uint64),
        np.array([size for size, _ in order], np.uint8),
        np.array([known[p] for p in order], np.float32),
    )
    for position, moves, texts in cases:
        expected = []
        for i in range(len(moves)):
            weight, size = 0.0, 0
            while size < N_SIZES and (size, texts[size][i]) in known:
                weight, size = known[size, texts[size][i]], size + 1
            expected.append(weight)
        values = np.exp(np.array(expected, np.float32))
        assert np.allclose(database_values(position.states, database, moves), values / values.max(), rtol=1e-6)


@pytest.mark.parametrize("size", range(2, 26))
def test_turns_mirrors_and_colours_do_not_matter(size):
    position = scattered(np.random.default_rng(size), size)
    keys = dict(zip(legal_points(position), keys_of(position).T.tolist(), strict=True))
    for turn in range(8):
        for swap in (False, True):
            other, places = turned(position, turn, swap)
            found = dict(zip(legal_points(other), keys_of(other).T.tolist(), strict=True))
            assert found == {places[point]: key for point, key in keys.items()}


def small_database():
    return Database(
        np.array([5, 9], np.uint64), np.array([0, 1], np.uint8), np.array([0.5, -1.0], np.float32), {"a": 1}
    )


def test_a_file_keeps_everything(tmp_path):
    database, path = small_database(), tmp_path / "db.npz"
    database.save(path)
    again = load_database(path)
    assert again.digest == database.digest
    assert again.keys.tolist() == [5, 9]
    assert again.weights.tolist() == [0.5, -1.0]
    assert again.by_size() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert again.about == {"a": 1}
    again.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    other = Database(database.keys, database.sizes, database.weights + 1)
    assert other.digest != database.digest


def rewritten(path, **arrays):
    """The file with other arrays, and the digest that it had."""
    with np.load(path) as file:
        found = {**file, **{name: np.array(value) for name, value in arrays.items()}}
    np.savez_compressed(path, **found)


BAD = {
    "keys are not in order": {"keys": np.array([9, 5], np.uint64)},
    "2 keys, 1 sizes and 2 weights": {"sizes": np.array([0], np.uint8)},
    "a size is 8": {"sizes": np.array([0, 8], np.uint8)},
    "a weight is not between": {"weights": np.array([0, np.nan], np.float32)},
    "is damaged": {"weights": np.array([0, 0], np.float32)},
    "is of version 1, and this program reads version 2": {"version": 1},
    "its keys are float64": {"keys": np.zeros(2)},
    "what it says of itself": {"about": "[1"},
    "0 patterns, and 1 to": {"keys": np.empty(0, np.uint64), "sizes": np.empty(0, np.uint8),
                             "weights": np.empty(0, np.float32)},
    "it holds other things": {"more": 1},
    "unpacks to more than": {"about": "x" * 3_000_000},
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD)
def test_bad_files_are_refused_in_a_sentence(tmp_path, sentence):
    path = tmp_path / "db.npz"
    small_database().save(path)
    rewritten(path, **BAD[sentence])
    with pytest.raises(ConfigError, match=sentence) as found:
        load_database(path)
    assert str(path) in str(found.value)


def test_what_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "db.npz"
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_database(path)
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_database(tmp_path)
    path.write_text("(;GM[1])")
    with pytest.raises(ConfigError, match="is damaged, or is no database"):
        load_database(path)
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("version", "keys", "sizes", "weights", "about", "digest"):
            archive.writestr(f"{name}.npy", b"\x80\x04K\x01.")
    with pytest.raises(ConfigError, match="is damaged, or is no database"):
        load_database(path)
    small_database().save(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ConfigError, match="is damaged, or is no database"):
        load_database(path)
    with pytest.raises(ConfigError, match="cannot be written: No such file"):
        small_database().save(tmp_path / "none" / "db.npz")


def test_a_setting_finds_its_database_while_it_is_the_same(tmp_path):
    path = tmp_path / "db.npz"
    small_database().save(path)
    setting = setting_of(path)
    assert setting == f"{small_database().digest}@{path}"
    database = small_database()
    Database(database.keys, database.sizes, database.weights * 2).save(path)
    with pytest.raises(ConfigError, match=r"db.npz: has changed: it was [0-9a-f]{16} when the player was read, now"):
        database_of(setting)
    path.unlink()
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        database_of(setting)
    with pytest.raises(ConfigError, match="known by its digest only"):
        database_of(database.digest)
