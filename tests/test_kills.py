"""Programs that somebody else kills: nobody is blamed, and they are run again."""

import os
import signal
import threading
import time

import pytest

from semeai import kills
from semeai.kills import Memory, from_outside, was_killed
from semeai.work.evaluators import AgainstBaseline, CommandEvaluator
from semeai.work.jobs import Job, run_job

GENEROUS = 300.0  # seconds, for a machine that is busy with other things


def job(script, *, size=1, evaluator=None, **params):
    program = CommandEvaluator(("sh", "-c", script, "sh", *(f"{{{name}}}" for name in params)), None, GENEROUS)
    return Job(evaluator(program) if evaluator else program, "c", params, 5, 0, size)


@pytest.fixture
def no_pauses(monkeypatch):
    monkeypatch.setattr(kills, "PAUSES", (0.0, 0.0))


@pytest.mark.parametrize("code", [-9, -15, -1, 137, 143, 129])
def test_signals_from_outside(code):
    assert from_outside(code)


@pytest.mark.parametrize("code", [0, 1, 3, -11, -6, -8, 139, 124])
def test_crashes(code):
    assert not from_outside(code)


def test_a_program_that_fails_while_memory_is_used_up_was_killed(monkeypatch):
    counts = iter([4, 4, 5, 5])
    monkeypatch.setattr(kills, "memory_state", lambda: Memory(next(counts), None))
    was_killed(1)
    assert [was_killed(1) for _ in range(3)] == [False, True, False]


def test_a_program_killed_from_outside_is_run_again(tmp_path):
    script = f"if [ ! -e {tmp_path}/pid ]; then echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; "
    script += "exec sleep 1000; fi; echo 1"

    def kill():
        deadline = time.monotonic() + GENEROUS
        while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    result = run_job(job(script, size=2))
    thread.join()
    assert result.failure is None
    assert result.counts.total == 2


@pytest.mark.parametrize("end", ["kill -9 $$", "kill -TERM $$", "exit 137"])
def test_a_program_that_is_killed_in_every_try_fails(no_pauses, tmp_path, end):
    failure = run_job(job(f"echo again >> {tmp_path}/tries; {end}")).failure
    assert failure.kind == "program"
    assert "in 3 tries; somebody or a batch system has sent it, or memory was used up" in failure.message
    assert (tmp_path / "tries").read_text() == "again\n" * 3


def test_a_crash_is_not_tried_again(no_pauses, tmp_path):
    failure = run_job(job(f"echo again >> {tmp_path}/tries; kill -SEGV $$")).failure
    assert failure.message.endswith("exit status -11 (SIGSEGV)")
    assert (tmp_path / "tries").read_text() == "again\n"


def test_a_baseline_that_is_killed_once_is_run_again(no_pauses, tmp_path):
    script = f"if [ $1 = base ] && [ ! -e {tmp_path}/done ]; then touch {tmp_path}/done; kill -9 $$; fi; echo 1"
    result = run_job(job(script, evaluator=lambda program: AgainstBaseline(program, {"x": "base"}), x="ours"))
    assert result.failure is None
    assert (tmp_path / "done").exists()
