"""GTP engines for the tests: ``python tests/engines.py BEHAVIOUR [ARGUMENT]``.

Each plays the first free point, row by row, and shows one kind of bad behaviour that real engines have shown.
"""

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
BEHAVIOUR, ARGUMENT = sys.argv[1], (sys.argv[2:] or [""])[0]
COMMANDS = ["list_commands", "boardsize", "clear_board", "komi", "play", "genmove", "quit", "final_status_list"]

size = 9
taken: set[str] = set()
n_moves = n_answers = 0
draw = random.Random(0)


def write(text: str) -> None:
    sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()


def answer(text: str = "", mark: str = "=", identity: str = "") -> None:
    end = "\r\n" if BEHAVIOUR == "crlf" else "\n"
    if BEHAVIOUR == "ids":
        identity = str(100 + n_answers)
    write(f"{mark}{identity} {text.replace(chr(10), end)}{end}{end}")


def free_point() -> str:
    """Or a pass, where there is none."""
    points = [f"{LETTERS[column]}{row}" for row, column in itertools.product(range(1, size + 1), range(size))]
    free = [point for point in points if point not in taken] or ["pass"]
    return draw.choice(free) if BEHAVIOUR in ("seeded", "asked-for-seed") else free[0]


def genmove() -> None:
    global n_moves
    n_moves += 1
    if n_moves > 2:
        if BEHAVIOUR in ("crash", "orphans"):
            print("a stack trace", file=sys.stderr, flush=True)
            sys.exit(7)
        if BEHAVIOUR == "killed" and not Path(ARGUMENT).exists():
            with contextlib.suppress(OSError):  # in a folder that does not exist it is killed every time
                Path(ARGUMENT).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if BEHAVIOUR == "hang":
            time.sleep(1000)
        if BEHAVIOUR == "garbage":
            write("I think that D4 is nice\n\n")
            return
        if BEHAVIOUR == "no move":
            answer("somewhere")
            return
        if BEHAVIOUR == "illegal":
            answer(sorted(taken)[0])
            return
        if BEHAVIOUR == "refuses":
            answer("out of memory", "?")
            return
        if BEHAVIOUR == "resigns":
            answer("RESIGN")
            return
    if BEHAVIOUR == "flood":
        for _ in range(160):
            sys.stderr.write("x" * 65535 + "\n")
        sys.stderr.write("the end of the flood\n")
        sys.stderr.flush()
    if BEHAVIOUR == "burn":
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
    if BEHAVIOUR == "passes" or (BEHAVIOUR == "until" and n_moves > int(ARGUMENT)):
        answer("pass")
        return
    point = free_point()
    taken.add(point)
    answer({"lower": point.lower(), "talks": f"{point} # obvious\nand more lines"}.get(BEHAVIOUR, point))


def main() -> None:
    global size, n_answers, n_moves
    if BEHAVIOUR == "exits":
        sys.exit("no licence")
    if BEHAVIOUR == "slow":
        time.sleep(float(ARGUMENT))
    if BEHAVIOUR == "seeded":
        draw.seed(int(ARGUMENT))
    if BEHAVIOUR in ("children", "orphans"):
        subprocess.Popen(["sleep", ARGUMENT])
    if BEHAVIOUR == "stubborn":
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        words = line.split("#")[0].split()
        if not words:
            continue
        n_answers += 1
        if BEHAVIOUR == "log":
            with Path(ARGUMENT).open("a") as log:
                log.write(line)
        command, *rest = words
        if command == "list_commands":
            more = {"asked-for-seed": ["semeai-seed"], "log": ["set_free_handicap"]}.get(BEHAVIOUR, [])
            answer("\n".join(COMMANDS + more))
        elif command == "quit":
            if BEHAVIOUR != "stubborn":
                answer()
                break
        elif command == "genmove":
            genmove()
        elif command == "semeai-seed":
            draw.seed(int(rest[0]))
            answer()
        elif command == "final_status_list":
            answer(ARGUMENT if BEHAVIOUR == "dead" else "")
        elif command == "boardsize" and not 2 <= int(rest[0]) <= 19:
            answer("unacceptable size", "?")
        else:
            if command == "boardsize":
                size = int(rest[0])
            if command == "clear_board":
                taken.clear()
                n_moves = 0
            if command == "play" and rest[1].lower() != "pass":
                taken.add(rest[1].upper())
            answer()


main()
