"""What commands and engines need on the machine that runs them."""

from pathlib import Path

import pytest

from semeai import mirror
from semeai.match.pair import needs_of_player
from semeai.players.catalog import parse_spec
from semeai.work.command import run_command
from semeai.work.needs import needs_of_command


@pytest.fixture
def place(tmp_path):
    for name in ("home/play.sh", "home/w.bin", "home/b.txt", "other/m.bin", "other/tool"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
    for name in ("home/play.sh", "other/tool"):
        (tmp_path / name).chmod(0o755)
    (tmp_path / "home" / "data").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "files", "programs", "places"),
    [
        (["./play.sh", "w.bin"], ["home/play.sh", "home/w.bin"], [], []),
        (["prog", "--weights=w.bin", "--books=b.txt,absent.txt"], ["home/w.bin", "home/b.txt"], ["prog"], []),
        (["prog", "-model", "{}/other/m.bin"], ["other/m.bin"], ["prog"], []),
        (["prog", "--net=../other/m.bin"], [], ["prog"], ["other/m.bin"]),
        (["prog", "{}/other/tool", "data"], [], ["prog", "other/tool"], ["home/data"]),
        (["../other/tool", "--level=10", ".", "w"], [], ["other/tool"], []),
    ],
)
def test_files_that_a_command_names_travel_or_must_be_there(place, command, files, programs, places):
    def absolute(paths):
        return {path if path == "prog" else str(place / path) for path in paths}

    found = needs_of_command([word.format(place) for word in command], str(place / "home"))
    assert (found.files, found.programs, found.places) == tuple(map(absolute, (files, programs, places)))


def test_the_network_of_a_uci_engine_travels_or_must_be_there(place):
    home = place / "home"
    near = parse_spec("uci:./play.sh option.EvalFile=w.bin", home, "chess")
    assert needs_of_player(near).files == {str(home / "play.sh"), str(home / "w.bin")}
    far = parse_spec("uci:./play.sh option.EvalFile=../other/m.bin", home, "chess")
    assert needs_of_player(far).places == {str(place / "other" / "m.bin")}


def test_a_program_finds_the_copies_of_files_that_it_is_told_by_their_paths(place, monkeypatch):
    path, root = str(place / "other" / "m.bin"), str(place / "copies")
    copy = Path(mirror.place_of(path, root))
    copy.parent.mkdir(parents=True)
    copy.write_text("of the driver")
    monkeypatch.setattr(mirror, "_root", root)
    assert run_command(["cat", path], folder=None, timeout=60) == "of the driver"
    assert run_command(["echo", f"--net={path},absent"], folder=None, timeout=60) == f"--net={copy},absent\n"
    player = parse_spec(f"uci:./play.sh option.EvalFile={path}", place / "home", "chess").make()
    assert player._options == {"EvalFile": str(copy)}
