"""Files that users name: what can be wrong with them is one sentence, and no reader waits or reads for ever."""

import os
import re
from pathlib import Path

import pytest

from semeai import files, make_player, run_race_file
from semeai.cli.app import app
from semeai.errors import ConfigError, SemeaiError
from semeai.evolve.config import load_evolution
from semeai.games.go.book import Book
from semeai.games.go.database import Database, load_database
from semeai.learn.games import find_files, read_games
from semeai.match.records import Records
from semeai.models import read_toml
from semeai.patterns.file import read_patterns, write_patterns
from semeai.players.catalog import parse_spec
from semeai.work.evaluators import CommandEvaluator
from tests.gtp.helpers import Talk

BIG = 5_000_000_000
ODD = {
    "folder": "Is a directory",
    "pipe": "it is a pipe or a device",
    "big": "it has more than",
    "/dev/zero": "it is a pipe or a device",
    "nothing": "No such file",
    "file/inside": "Not a directory",
    "x" * 300: "File name too long",
    "loop": "Too many levels of symbolic links",
    "a\0b": "no file can have this name",
    "a\ud800b": "no file can have this name",
}


@pytest.fixture
def odd(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    Path("loop").symlink_to("loop")
    os.mkfifo("pipe")
    with open("big", "wb") as file:
        file.truncate(BIG)  # it takes no room on the disk
    return tmp_path


def one_sentence(wrong, name):
    sentence = str(wrong.value)
    assert re.search(ODD[name], sentence)
    assert sentence.isprintable()
    return sentence


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_reading(odd, name):
    for read in (files.read_bytes, files.read_text):
        with pytest.raises(ConfigError) as wrong:
            read(name, "patterns", 1000)
        assert one_sentence(wrong, name).startswith("patterns ")


@pytest.mark.parametrize("name", ODD, ids=ascii)
@pytest.mark.parametrize("read", [
    read_toml, read_patterns, load_database, load_evolution, run_race_file, lambda path: Book.load(Path(path)),
    lambda path: parse_spec({"player": "mcts", "patterns": path}),
    lambda path: make_player({"player": "mcts", "database": path}),
])  # fmt: skip
def test_every_reader(odd, name, read):
    with pytest.raises(ConfigError) as wrong:
        read(Path(name) if read in (read_toml, load_evolution) else name)
    one_sentence(wrong, name)


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_game_records(odd, name):
    assert ODD[name] in read_games([Path(name)]).refused[0]
    assert Talk().fails(f"loadsgf {name}") == "cannot load file"
    with pytest.raises(SemeaiError):
        app(["analyze", name])


def test_folders_of_games_leave_out_what_is_no_file(odd):
    os.mkfifo("folder/pipe.sgf")
    with pytest.raises(ConfigError, match=r"there is no \.sgf file"):
        find_files([Path("folder")])


def test_text_has_a_limit_and_an_encoding(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf12345")
    assert files.read_text(path, limit=8) == "12345"  # without the mark of UTF-8
    with pytest.raises(ConfigError, match=r"a\.txt: cannot be read: it has more than 7 bytes"):
        files.read_text(path, limit=7)
    path.write_bytes(b"one\ntwo \xff")
    with pytest.raises(ConfigError, match=r"a\.txt, line 2: not UTF-8 text"):
        files.read_text(path)
    assert len(files.read_bytes("/proc/self/status")) > 0  # a regular file whose size is not known before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_of_somebody_else(tmp_path):
    path = tmp_path / "a.txt"
    path.touch(mode=0)
    with pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        files.read_text(path)


def test_readers_close_what_they_opened(odd):
    before = len(os.listdir("/proc/self/fd"))
    for name in ODD:
        with pytest.raises(ConfigError):
            files.read_bytes(name)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "folder", "file/inside"], ids=ascii)
@pytest.mark.parametrize("write", [
    lambda path: files.write_text(path, ""),
    lambda path: files.replace_file(path, b""),
    files.append_to,
    lambda path: Records(Path(path if path != "folder" else "file")),
    lambda path: write_patterns(path, []),
    lambda path: Database(*[__import__("numpy").zeros(0)] * 3).save(Path(path)),
    lambda path: app(["init", path if path != "folder" else "file"]),
    lambda path: app(["gtp", "--log", path]),
])  # fmt: skip
def test_writing(odd, name, write):
    with pytest.raises(ConfigError) as wrong:
        write(name)
    assert str(wrong.value).partition("\ntry: ")[0].isprintable()


@pytest.mark.parametrize(("text", "place"), [
    (r'ledger = "a\u0000b"', "ledger"),
    (r'name = "a\u0000b"', "name"),
    ('"a\\u0000b" = 1', r"a\\x00b"),
    ('[evaluator]\ncommand = ["a\\u0000b"]', r"evaluator\.command\.0"),
    ('[[candidates]]\ndatabase = "a\\u0000b"', r"candidates\.0\.database"),
    ('[baseline]\nplayer = "gtp:a\\u0000b"', r"baseline\.player"),
])  # fmt: skip
def test_nul_in_a_race_file(tmp_path, text, place):
    path = tmp_path / "race.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"race\.toml: {place}: texts must not have NUL characters"):
        run_race_file(path)


@pytest.mark.parametrize(("text", "sentence"), [
    (".".join(["a"] * 3000) + " = 1", "there must not be more than 20 tables and lists inside each other"),
    ("a = " + "[" * 100 + "]" * 100, "there must not be more than 20 tables"),
    ("a = " + "[" * 5000 + "]" * 5000, "not valid TOML"),
    ("a = 0x1" + "0" * 5000, "must be a number of at most 300 digits"),
    ("a = 1" + "0" * 5000, "not valid TOML"),
    ("a = 1979-05-27", "values must be finite numbers"),
])  # fmt: skip
def test_toml_that_other_code_could_not_follow(tmp_path, text, sentence):
    path = tmp_path / "race.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=sentence):
        read_toml(path)


@pytest.mark.parametrize("words", [["race", "a\0b"], ["match", "random", "gtp:a\0b"], ["runs", "--ledger", "a\0b"]])
def test_nul_on_the_command_line(words):
    with pytest.raises(ConfigError, match=r"argument '.*\\x00.*': must not have NUL characters"):
        app(words)


@pytest.mark.parametrize("spec", [
    {"command": ["a\0b"]}, {"command": ["sh", "a\0b"]}, {"command": ["sh", "{a}"], "a": "\0"}, "gtp:sh a\0b",
    {"player": "mcts", "database": "a\0b"}, "mcts:patterns=a\0b", 'mcts:database="a\\u0000b"', "a\0b.toml",
])  # fmt: skip
def test_nul_in_a_player(spec):
    with pytest.raises(ConfigError) as wrong:
        parse_spec(spec)
    assert str(wrong.value).isprintable()


@pytest.mark.parametrize("value", ["a\0b", "a\ud800b"], ids=ascii)
def test_a_parameter_that_no_program_can_have(value):
    program = CommandEvaluator(("echo", "{a}"))
    with pytest.raises(ConfigError, match=r"candidate 'c': no program can have the argument"):
        program.check("candidate 'c'", {"a": value})
