"""Prove the openings of Havannah on base 4: for each, what White answers to each move of Black, and that it wins.

Two processes with a table of positions each share Black's moves. Every proof is a line in ``solved_havannah.jsonl``, so
that what was stopped goes on; without that file all is proven anew. Easy proofs come first and fill the table for the
others: two white stones and a black one are the same position whichever of the two came first.
"""

import json
import multiprocessing
import time
from pathlib import Path
from typing import Any

from semeai.games.havannah.bitboard import STRIDE, make_bitboard
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.solver import Solver
from semeai.table import Cell, ResultTable

BASE = 4
OPENINGS = ("a1", "b1", "b2", "c2", "c3", "d4")
"""One of each six or twelve that are the same when turned or mirrored; d4 is the centre."""
SHARES = (("d4", "c3", "c2"), ("b2", "b1", "a1"))
"""Black's moves, up to symmetry, by process."""
LIMITS = tuple(2_000_000 * 4**k for k in range(6))
"""Positions of a proof before the next is tried."""
MEMORY = 8192
"""MiB, for each process."""
RESULTS = Path(__file__).with_name("solved_havannah.jsonl")


def after(*moves: str) -> HavannahPosition:
    position = HavannahPosition(BASE)
    for text in moves:
        position.play(position.text_to_move(text))
    return position


def replies_to(solver: Solver, move: str) -> list[str]:
    """The other side's moves that differ; which side began does not matter."""
    position = after(move)
    return [position.move_to_text(move) for move in solver.different_moves(position)]


def names() -> list[str]:
    """All cells."""
    position = HavannahPosition(BASE)
    return [position.move_to_text(move) for move in map(int, position.legal_moves())]


def known() -> list[dict[str, Any]]:
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def prove(replies: tuple[str, ...]) -> None:
    """All openings against these moves of Black, with more and more positions for what is still open."""
    solver = Solver(BASE, MEMORY)
    done = {(row["opening"], row["reply"]) for row in known()}
    jobs = [(opening, reply) for reply in replies for opening in replies_to(solver, reply)]
    left = {job: 0.0 for job in jobs if job not in done}  # CPU seconds so far
    visited = dict.fromkeys(left, 0)
    for limit in LIMITS:
        for opening, reply in list(left):
            position = after(opening, reply)
            began = time.process_time()
            proof = solver.solve(position, limit)
            left[opening, reply] += time.process_time() - began
            visited[opening, reply] += proof.visited
            if proof.winner is None:
                print(f"{opening} {reply}: open after {visited[opening, reply]:,} positions", flush=True)
                continue
            row = {
                "opening": opening,
                "reply": reply,
                "winner": proof.winner,
                "by": None if proof.move is None else position.move_to_text(proof.move),
                "positions": visited[opening, reply],
                "cpu_seconds": round(left.pop((opening, reply)), 1),
            }
            print(row, flush=True)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def turned(row: dict[str, Any]) -> tuple[str, str, str]:
    """Opening, reply and answer, turned and mirrored so that the opening is one of ``OPENINGS`` and the reply least."""
    bits = {text: STRIDE * (int(text[1:]) - 1) + ord(text[0]) - ord("a") for text in names()}
    texts = {bit: text for text, bit in bits.items()}
    line = [row["opening"], row["reply"], row["by"]]
    ways = [tuple(texts[int(way[bits[text]])] for text in line) for way in make_bitboard(BASE)[0]["turned"]]
    return min((a, b, c) for a, b, c in ways if a in OPENINGS)


def tables(rows: list[dict[str, Any]]) -> list[ResultTable]:
    solver = Solver(BASE, memory=1)
    answers: dict[str, dict[str, str]] = {opening: {} for opening in OPENINGS}
    cost = {opening: [0, 0.0] for opening in OPENINGS}
    for row in rows:
        assert row["winner"] == 0, f"{row} contradicts what is known of base {BASE}"
        opening, reply, answer = turned(row)
        answers[opening][reply] = answer
        cost[opening][0] += row["positions"]
        cost[opening][1] += row["cpu_seconds"]
    found: list[tuple[Cell, ...]] = []
    for opening in OPENINGS:
        different = len(replies_to(solver, opening))
        proven = len(answers[opening])
        said = "White wins" if proven == different else "open"
        found.append((opening, said, different, proven, cost[opening][0], round(cost[opening][1])))
    return [
        ResultTable(
            "Openings of base 4",
            ("Opening", "Proven", "Black's different answers", "of them lost", "Positions", "CPU s"),
            tuple(found),
            "White has the first move. Of what is the same when turned or mirrored, one is named. "
            "What an answer cost is counted where it was proven first: two white stones and a black one are the same "
            "position whichever of the two came first, so that many proofs serve two openings.",
        ),
        ResultTable(
            "What White plays",
            ("Opening", "Black's answer, and White's move that wins"),
            tuple(
                (opening, ", ".join(f"{reply} {answer}" for reply, answer in sorted(answers[opening].items())))
                for opening in OPENINGS
            ),
            f"`semeai solve d4 c3 {answers['d4'].get('c3', 'a1')} --size {BASE}` proves one of them again.",
        ),
    ]


def run() -> list[ResultTable]:
    processes = [multiprocessing.Process(target=prove, args=(share,)) for share in SHARES]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return tables(known())
