"""Ctrl-C and SIGTERM end every command: soon, with the documented exit code, and without leaving anything behind."""

import contextlib
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from semeai.store.migrate import migrate
from tests.started import ROOT, Started, needs_proc

pytestmark = needs_proc

ENTRIES = {"module": ["-m", "semeai"], "script": ["-c", "from semeai.cli.main import main; main()"]}
LONG = ["bench", "--seconds", "1000"]
SLOW = "100000000"
SOON = 60
"""Seconds in which commands end that would work for hours. 5 s are promised, but the machine may be busy."""
ENGINE = f"gtp:{shlex.quote(sys.executable)} -m semeai gtp --simulations {SLOW}"
COLUMNS = "abcdefghi"
GAME = "(;GM[1]SZ[9]KM[7.5]" + "".join(f";{'BW'[i % 2]}[{COLUMNS[i % 9]}{COLUMNS[i // 9]}]" for i in range(60)) + ")"
RACE = '[evaluator]\ncommand = ["sleep", "100000"]\n[executor]\nname = "{}"\n[[candidates]]\nname = "c"\n'


@dataclass(frozen=True)
class Case:
    """A command that works for hours."""

    words: str
    stdin: str = ""
    says: str = ""
    """Text that it prints when it is at work."""
    opens: str = ""
    """File that it has open when it is at work; without both, it is at work after two CPU seconds."""
    code: int = 130

    def is_at_work(self, command):
        if self.opens:
            return command.folder / self.opens in command.open_files()
        return self.says in command.output if self.says else command.cpu_seconds() > 2


RUNS = {
    "race": "race local.toml",
    "race in one process": "race inline.toml",
    "match": f"match mcts:simulations={SLOW} random",
    "tournament": f"tournament mcts:simulations={SLOW} random",
    "match with an engine": f"match {shlex.quote(ENGINE)} random",
    "reproduce": f"reproduce scaling-go --simulations {SLOW}",
    "learn from self-play": f"learn --self-play 400 --simulations {SLOW} -o db.npz",
}
"""Commands that finish the work under way after the first signal. The second one drops it."""
OTHERS = {
    "learn": Case("learn games -o db.npz"),
    "solve": Case("solve --size 4", says="positions"),
    "analyze": Case(f"analyze game.sgf --simulations {SLOW}"),
    "bench": Case(shlex.join(LONG)),
    "plan": Case("plan --efficiency 0.5 --races 100000000 --candidates 10"),
    "reproduce": Case("reproduce guarantee --races 100000000", says="simulating"),
    "check": Case("check --ledger ledger.sqlite", opens="ledger.sqlite"),
    "migrate": Case("migrate --ledger ledger.sqlite", says="converting"),
    "dashboard": Case("dashboard --ledger ledger.sqlite", says="open http", code=0),
    "play": Case("play --size 5", says="open http", code=0),
    "gtp": Case(f"gtp --size 7 --simulations {SLOW}", "genmove b"),
    "gtp with threads": Case(f"gtp --size 7 --simulations {SLOW} --threads 2", "genmove b"),
    "gtp with virtual ranks": Case(f"gtp --size 7 --simulations {SLOW} --parallel slow_tree --ranks 3", "genmove b"),
}


def has_work(command):
    """Whether a worker or a program has started, so that the run handles signals."""
    lines = [process.line for process in command.processes()]
    return any("sleep" in line for line in lines) or sum("forkserver" in line for line in lines) > 1


def assert_ended(command, code):
    """Call it right after the last signal."""
    began = time.monotonic()
    assert command.ended() == code, command.output
    assert time.monotonic() - began < SOON
    assert "Traceback" not in command.output
    assert "ignored" not in command.output  # as in "Exception ignored in ..."


def large_old_ledger(place, n_batches):
    """Make a ledger of semeai 0.1.0."""
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.executescript((ROOT / "tests" / "golden" / "ledger-0.1" / "ledger.sql").read_text())
        ((highest,),) = connection.execute("SELECT max(number) FROM batches WHERE run_id = 1")
        columns = [row[1] for row in connection.execute("PRAGMA table_info(batches)")]
        values = ", ".join({"number": "i"}.get(column, column) for column in columns)
        numbers = f"WITH RECURSIVE n(i) AS (SELECT {highest + 1} UNION ALL SELECT i + 1 FROM n LIMIT {n_batches})"
        row = f"(SELECT * FROM batches WHERE run_id = 1 AND number = {highest})"
        connection.execute(f"INSERT INTO batches ({', '.join(columns)}) {numbers} SELECT {values} FROM n, {row}")
        connection.commit()


@pytest.fixture
def start(tmp_path):
    for name in ("local", "inline"):
        (tmp_path / f"{name}.toml").write_text(RACE.format(name))
    (tmp_path / "game.sgf").write_text(GAME)
    started = []

    def start(arguments, **environment):
        started.append(Started(tmp_path, arguments, **environment))
        return started[-1]

    yield start
    for command in started:
        command.close()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
@pytest.mark.parametrize("name", RUNS)
def test_two_signals_end_a_run(start, name, number):
    command = start(["-m", "semeai", *shlex.split(RUNS[name])])
    command.wait_until(lambda: has_work(command))
    command.process.send_signal(number)
    command.wait_until(lambda: "stopping: finishing" in command.output)
    command.process.send_signal(number)
    assert_ended(command, 130)
    assert "continue:" in command.output or "the same command resumes" in command.output


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
def test_one_signal_ends_the_sampling_of_an_evolution(start, number):
    """Nothing of it is recorded, so there is no work under way to finish."""
    command = start(["-m", "semeai", *shlex.split(f"evolve --size 5 --simulations {SLOW} --proposer random")])
    command.wait_until(lambda: "sampling" in command.output and has_work(command))
    command.process.send_signal(number)
    assert_ended(command, 130)
    assert "to continue:" in command.output
    assert "leaked" not in command.output


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_one_ctrl_c_ends_other_commands(start, tmp_path, name):
    case = OTHERS[name]
    if name == "learn":
        (tmp_path / "games").mkdir()
        for i in range(5000):
            (tmp_path / "games" / f"{i}.sgf").write_text(GAME)
    if name in ("check", "dashboard", "migrate"):
        large_old_ledger(tmp_path / "ledger.sqlite", 1_000_000 if name == "migrate" else 40_000)
    if name in ("check", "dashboard"):
        migrate(str(tmp_path / "ledger.sqlite"), backup=tmp_path / "old.sqlite", say=print)
    command = start(["-m", "semeai", *shlex.split(case.words)])
    command.say(case.stdin)
    command.wait_until(lambda: case.is_at_work(command))
    command.process.send_signal(signal.SIGINT)
    assert_ended(command, case.code)


@pytest.mark.slow
def test_sigterm_ends_other_commands(start):
    command = start(["-m", "semeai", "solve", "--size", "4"])
    command.wait_until(lambda: "positions" in command.output)
    command.process.send_signal(signal.SIGTERM)
    assert_ended(command, -signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.1, 1, 3])
def test_ctrl_c_while_kernels_compile(start, tmp_path, seconds):
    """The compiler calls back into Python, where an exception would be printed and forgotten."""
    command = start(["-m", "semeai", *LONG], SEMEAI_CACHE_DIR=str(tmp_path / "cache"))
    command.wait_until(lambda: "compiling" in command.output)
    began = command.cpu_seconds()
    command.wait_until(lambda: command.cpu_seconds() > began + seconds)
    command.process.send_signal(signal.SIGINT)
    assert_ended(command, 130)


FORGOTTEN = {
    "destructor": "class Dying:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\nDying()\n",
    "finalizer": "import weakref\nweakref.finalize(set(), signal.raise_signal, signal.SIGINT)\n",
}


@pytest.mark.parametrize("where", FORGOTTEN)
def test_ctrl_c_where_an_exception_would_be_forgotten(start, where):
    code = (
        "import signal, time\nfrom semeai.cli.interrupt import take_over\ntake_over()\n"
        f"try:\n    exec({FORGOTTEN[where]!r})\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n    print('caught')"
    )
    command = start(["-c", code])
    assert_ended(command, 0)
    assert command.output == "caught\n"


@pytest.mark.slow
def test_ctrl_c_in_a_call_that_does_not_come_back(start):
    """The main thread is in compiled code for minutes, where Python calls no handlers."""
    code = (
        "import hashlib\nfrom semeai.cli.interrupt import take_over\ntake_over()\nprint('ready')\n"
        "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
    )
    command = start(["-c", code])
    command.wait_until(lambda: "ready" in command.output)
    command.process.send_signal(signal.SIGINT)
    assert_ended(command, 130)


@pytest.mark.slow
def test_a_run_that_does_not_end_in_time_says_how_to_go_on(start):
    """On a busy machine the main thread may need longer than is promised."""
    code = (
        "import signal, time\nfrom semeai.cli.interrupt import take_over\ntake_over()\n"
        "signal.signal(signal.SIGINT, lambda *_: print('heard'))\nprint('ready')\n"
        "while True: time.sleep(1)"
    )
    command = start(["-c", code])
    command.wait_until(lambda: "ready" in command.output)
    for n in (1, 2):
        command.process.send_signal(signal.SIGINT)
        command.wait_until(lambda n=n: command.output.count("heard") == n)
    assert_ended(command, 130)
    assert "the same command resumes" in command.output


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("n_modules", [1, 100, *(pytest.param(n, marks=pytest.mark.slow) for n in (30, 200, 400, 800))])
def test_nothing_is_printed(entry, n_modules):
    """It is interrupted after that many modules, which Python lists on standard error as they are imported."""
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", *ENTRIES[entry], *LONG],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not process.stderr.readline().endswith("| semeai.cli.main\n"):
        assert process.poll() is None
    for _ in range(n_modules):
        process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert output == ""
    assert [line for line in errors.splitlines() if not line.startswith("import time:")] == []
