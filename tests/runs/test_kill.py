"""Kill -9 of the driver and of its workers at random moments does not change the ledger or the verdicts."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOML = """
seed = 11
[race]
mode = "plain"
accept_above = 0.505
discard_below = 0.525
[evaluator]
callable = "tests.programs:slow_coin"
[[candidates]]
name = "a"
p = 0.53
[[candidates]]
name = "b"
p = 0.5
[[candidates]]
name = "c"
p = 0.56
[[candidates]]
name = "d"
p = 0.47
"""
KILLS = 8

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes through /proc"),
    pytest.mark.slow,
]


def descendants(pid: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found, fringe = [], [pid]
    while fringe:
        fringe = [child for child, parent in parents.items() if parent in fringe]
        found += fringe
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def command(folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "semeai", "race", str(folder / "race.toml"), "--workers", "2", "--json", *more]


def assert_sound(ledger: Path) -> None:
    if ledger.exists():
        connection = sqlite3.connect(ledger)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()


def state(ledger: Path) -> str | None:
    if not ledger.exists():
        return None
    connection = sqlite3.connect(ledger)
    try:
        row = connection.execute("SELECT state FROM runs").fetchone()
    except sqlite3.OperationalError:  # killed before the tables were made
        return None
    finally:
        connection.close()
    return row and row[0]


def wait_for_workers(driver: subprocess.Popen[bytes]) -> list[int]:
    """The processes below the driver's fork server, once they are there."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        children = [pid for pid in descendants(driver.pid) if descendants(pid)]
        workers = [pid for server in children for pid in descendants(server)]
        if len(workers) >= 2:
            return workers
        time.sleep(0.02)
    raise AssertionError("no workers have started")


def test_kills_change_nothing(tmp_path):
    (tmp_path / "race.toml").write_text(TOML)
    ledger = tmp_path / "semeai.sqlite"
    draw = random.Random(4)
    kills = 0
    while kills < KILLS:
        process = subprocess.Popen(command(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if kills % 3 == 0:  # the driver alone, perhaps while it starts
            time.sleep(draw.uniform(0.1, 2.0))
        else:  # a worker first, then the driver while it recovers
            os.kill(draw.choice(wait_for_workers(process)), signal.SIGKILL)
            kills += 1
            time.sleep(draw.uniform(0.0, 1.0))
        family = descendants(process.pid)
        process.kill()
        process.wait()
        kills += 1
        assert_sound(ledger)
        assert state(ledger) != "finished", "the race is too short for this test"
        deadline = time.monotonic() + 300
        while any(alive(pid) for pid in family):  # nobody works on for a dead driver
            assert time.monotonic() < deadline, "workers outlive their driver"
            time.sleep(0.05)

    resumed = json.loads(subprocess.run(command(tmp_path), capture_output=True, check=True, timeout=300).stdout)
    undisturbed = json.loads(
        subprocess.run(command(tmp_path, "--name", "undisturbed"), capture_output=True, check=True, timeout=300).stdout
    )
    assert_sound(ledger)
    for result in (resumed, undisturbed):
        assert result["finished"]
    assert resumed["digest"] == undisturbed["digest"]
    assert resumed["candidates"] == undisturbed["candidates"]


def test_a_second_process_is_refused_and_ctrl_c_says_how_to_go_on(tmp_path):
    (tmp_path / "race.toml").write_text(TOML.replace('"a"', '"x"'))
    first = subprocess.Popen(command(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_workers(first)
    second = subprocess.run(command(tmp_path), capture_output=True, text=True, timeout=300)
    assert second.returncode == 4
    assert f"run 'race' is being written already, by process {first.pid}" in second.stderr
    first.send_signal(signal.SIGINT)
    output, errors = first.communicate(timeout=300)
    assert first.returncode == 130
    assert f"to continue: semeai race {tmp_path / 'race.toml'}" in errors
    assert not json.loads(output)["finished"]
    assert not list(tmp_path.glob("*.lock"))


def test_a_signal_to_the_whole_group_stops_cleanly(tmp_path):
    """`timeout` and batch systems end a job so: the driver, its workers and what forks them get it at once."""
    (tmp_path / "race.toml").write_text(TOML.replace('"a"', '"x"'))
    race = subprocess.Popen(
        command(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_workers(race)  # then signals are handled
    os.killpg(race.pid, signal.SIGTERM)
    output, errors = race.communicate(timeout=300)
    assert race.returncode == 130, errors
    assert "Traceback" not in errors
    assert not json.loads(output)["finished"]


@pytest.mark.parametrize("end", ["ctrl-c twice", "kill -9"])
def test_nothing_that_a_command_started_is_left_behind(tmp_path, end):
    """Not even the children of a shell script, which the kernel would not end with their parent."""
    nap = f"77{os.getpid()}"  # seconds, and a mark to find them by
    (tmp_path / "play.sh").write_text(f"#!/bin/sh\nsleep {nap}\necho 1\n")
    (tmp_path / "play.sh").chmod(0o755)
    (tmp_path / "race.toml").write_text('[evaluator]\ncommand = ["./play.sh", "{seed}"]\n[[candidates]]\nname = "c"\n')
    process = subprocess.Popen(command(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def sleepers() -> list[str]:
        found = subprocess.run(["pgrep", "-f", f"^sleep {nap}"], capture_output=True, text=True)
        return found.stdout.split()

    deadline = time.monotonic() + 300
    while len(sleepers()) < 2:
        assert time.monotonic() < deadline, "the commands have not started"
        time.sleep(0.05)
    if end == "kill -9":
        process.kill()
    else:
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
    process.wait(300)
    deadline = time.monotonic() + 300
    while sleepers():
        assert time.monotonic() < deadline, "commands outlive their race"
        time.sleep(0.05)
