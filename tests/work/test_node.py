"""What a worker of a cluster keeps on its machine, without a cluster."""

import os
import time
from pathlib import Path

import pytest

from semeai import mirror
from semeai.work.cluster import node
from semeai.work.cluster.messages import contents, offer
from semeai.work.needs import Needs


class Setup:
    def __init__(self, *files, places=()):
        self.files, self.places = files, places

    def needs(self):
        return Needs(frozenset(map(str, self.files)), places=frozenset(map(str, self.places)))

    def prepare(self, say):
        pass


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the machine. This process is no worker: it keeps its number of threads."""
    monkeypatch.setattr(node, "_ONE_THREAD", {})
    monkeypatch.setattr(node.Node, "_end_idle", lambda worker: None)
    monkeypatch.setattr(node, "own_folder", lambda: tmp_path / "node")
    return tmp_path / "node"


def age(place, days):
    os.utime(place, (time.time() - 86_400 * days,) * 2)


def test_a_file_is_asked_for_kept_and_found_by_its_contents(folder, tmp_path):
    path = tmp_path / "model.txt"
    path.write_text("first")
    offered = offer(Setup(path))
    files = contents(offered.files)
    path.unlink()
    worker = node.Node()
    assert worker.greet(offered).wants_files
    assert not worker.take_files(offered, files).wants_files
    copy = Path(mirror.place_of(str(path), worker._root(offered.digest)))
    assert copy.read_text() == "first"
    assert not node.Node().greet(offered).wants_files  # another worker of the machine finds the copy
    copy.write_text("changed")
    assert node.Node().greet(offered).wants_files


def test_a_file_that_does_not_travel_must_be_the_same(folder, tmp_path):
    path = tmp_path / "net.bin"
    path.write_text("first")
    offered = offer(Setup(places=[path, tmp_path]))
    assert node.Node().greet(offered).refusal == ""
    path.write_text("second")
    assert "it has another file '" in node.Node().greet(offered).refusal
    path.unlink()
    assert f"it has no file or folder {str(path)!r}" in node.Node().greet(offered).refusal


def test_copies_and_markers_that_nobody_has_used_for_a_day_are_removed(folder):
    for name, days in (("used", 2), ("old", 2), ("young", 0.5)):
        (folder / "files" / name).mkdir(parents=True)
        (folder / "files" / name / "model.txt").write_text("it")
        (folder / f"ready-{name}").touch()
        age(folder / "files" / name, days)
        age(folder / f"ready-{name}", days)
    node.keep([folder / "files" / "used", folder / "ready-used"])
    assert sorted(os.listdir(folder / "files")) == ["used", "young"]
    assert sorted(os.listdir(folder)) == ["files", "ready-used", "ready-young"]
    age(folder / "files" / "used", 0.9)
    node.keep([])
    assert sorted(os.listdir(folder / "files")) == ["used", "young"]


def test_a_machine_whose_kernels_were_deleted_is_not_prepared(folder, tmp_path, monkeypatch):
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    folder.mkdir()
    monkeypatch.setattr(node, "_kernel_cache", lambda: str(kernels))
    offered = offer(Setup())
    node._prepare.__wrapped__(node.Ready(offered.digest, offered.setup, (), os.getcwd(), ""))
    assert node._is_prepared(offered.digest)
    kernels.rmdir()
    assert not node._is_prepared(offered.digest)
