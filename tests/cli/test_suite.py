"""``semeai suite`` as a user types it."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.test_cli import semeai  # noqa: F401 - a fixture
from tests.suites.test_suite import ENGINES, POSITIONS

ENGINE = f"gtp:{sys.executable} {ENGINES} good"


@pytest.mark.slow
def test_table_list_and_json(semeai, tmp_path):  # noqa: F811
    done = semeai("suite", POSITIONS, ENGINE, "--each", "--workers", 2, "--markdown", "table.md")
    assert "A1 is suicide, failed (wanted E1)" in done.stdout
    assert "first free point b: B1, solved (wanted [BC]1|D4, a known failure)" in done.stdout
    assert "| first free point | 2 | 3 | 1 | 1 | 1 |" in (tmp_path / "table.md").read_text()
    assert "| all | 3 | 5 | 2 | 2 | 2 |" in (tmp_path / "table.md").read_text()
    assert "the player failed in 2 positions" in done.stdout
    done = semeai("suite", POSITIONS, ENGINE, "--suite", "capture", "--check", "--json", code=1)
    found = json.loads(done.stdout)
    assert (found["finished"], found["total"]["asked"], found["total"]["other_failures"]) == (True, 2, 1)
    assert [answer["move"] for answer in found["answers"]] == ["", "A1"]


@pytest.mark.slow
def test_ctrl_c_shows_what_is_known(tmp_path):
    line = {"suite": "empty", "size": 9, "to_move": "b", "want": "A1"}
    (tmp_path / "many.jsonl").write_text("\n".join(json.dumps({**line, "id": i}) for i in range(20_000)))
    log = tmp_path / "log"
    player = f"gtp:{sys.executable} {ENGINES} log {log}"
    running = subprocess.Popen(
        [sys.executable, "-m", "semeai", "suite", "many.jsonl", player, "--json", "--workers", "1"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while running.poll() is None and (not log.exists() or log.read_text().count("genmove") < 3):
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 130, err
    found = json.loads(out)
    assert not found["finished"]
    assert found["total"]["solved"] == found["total"]["asked"] == len(found["answers"]) >= 2
    assert "stopped after" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.jsonl",), "nothing.jsonl: cannot be read"),
        ((POSITIONS, "mtcs"), "no player 'mtcs'"),
        ((POSITIONS, "random", "--simulations", 5), "--simulations 5: player random does not take it"),
        ((POSITIONS, "random", "--suite", "x"), "--suite x"),
        ((POSITIONS, "random", "--game", "gow"), "gow"),
    ],
)
def test_mistakes_are_one_sentence(semeai, arguments, words):  # noqa: F811
    done = semeai("suite", *arguments, code=2)
    assert words in done.stderr
    assert done.stdout == ""
