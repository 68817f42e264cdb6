"""Prove the openings of Havannah on base 4: for each, what White answers to each move of Black, and that it wins.

Two processes with a table of positions each share Black's moves. Every proof is a line in ``solved_havannah.jsonl``, so
that what was stopped goes on; without that file all is proven anew. Easy proofs come first and fill the table for the
others: two white stones and a black one are the same position whichever of the two came first.
"""

import json
import multiprocessing
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from semeai.games.havannah.bitboard import STRIDE, make_bitboard
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.solver import Proof, Solver
from semeai.table import Cell, ResultTable

BASE = 4
OPENINGS = ("a1", "b1", "b2", "c2", "c3", "d4")
"""One of each six or twelve that are the same when turned or mirrored; d4 is the centre."""
SHARES = (("d4", "c3", "c2"), ("b2", "b1", "a1"))
"""Black's moves, up to symmetry, by process."""
CORNERS = ("a1", "d1", "g4", "g7", "d7", "a4")
LIMITS = (2_000_000, 8_000_000)
"""Positions of a proof before the next is tried."""
CORNER_TRIALS = ((30_000, 2), (300_000, 2), (3_000_000, 2))
TRIALS = ((3_000, 12), (30_000, 5), (300_000, 3), (3_000_000, 2))
"""Positions for each move of Black after an answer of White, and how many answers stay."""
WHITE_WINS, BLACK_WINS = 0, 1
MEMORY = 8192
"""MiB, for each process."""
RESULTS = Path(__file__).with_name("solved_havannah.jsonl")


def after(*moves: str) -> HavannahPosition:
    position = HavannahPosition(BASE)
    for text in moves:
        position.play(position.text_to_move(text))
    return position


def texts(position: HavannahPosition, moves: Iterable[int]) -> list[str]:
    return [position.move_to_text(int(move)) for move in moves]


def replies_to(solver: Solver, *moves: str) -> list[str]:
    """The next moves that differ. Of the first stone alone it does not matter whose it is."""
    position = after(*moves)
    return texts(position, solver.different_moves(position))


def known() -> list[dict[str, Any]]:
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def prove(replies: tuple[str, ...]) -> None:
    """All openings against these moves of Black: the whole position first, then White's corners."""
    solver = Solver(BASE, MEMORY)
    done = {(row["opening"], row["reply"]) for row in known()}
    jobs = [(opening, reply) for reply in replies for opening in replies_to(solver, reply)]
    left = {job: [0, 0.0] for job in jobs if job not in done}  # positions and CPU seconds so far
    for limit in (*LIMITS, None):
        for opening, reply in list(left):
            began = time.process_time()
            proof = by_corners(solver, opening, reply) if limit is None else solver.solve(after(opening, reply), limit)
            cost = left[opening, reply]
            cost[0] += proof.visited
            cost[1] += time.process_time() - began
            if proof.winner is None:
                print(f"{opening} {reply}: open after {cost[0]:,} positions", flush=True)
                continue
            del left[opening, reply]
            row = {
                "opening": opening,
                "reply": reply,
                "winner": proof.winner,
                "by": None if proof.move is None else HavannahPosition(BASE).move_to_text(proof.move),
                "positions": cost[0],
                "cpu_seconds": round(cost[1], 1),
            }
            print(row, flush=True)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def by_corners(solver: Solver, opening: str, reply: str) -> Proof:
    """White's win by a corner; what a corner leaves open of Black's next moves, by any move of White after it.

    A search of the whole position spreads over all of White's moves; of those found first, three in four were corners.
    """
    line = (opening, reply)
    corners = [text for text in replies_to(solver, *line) if text in CORNERS]
    answer, left, visited = by_trials(solver, line, corners, CORNER_TRIALS)
    for corner, open_moves in left.items():
        for text in open_moves:
            deeper = (*line, corner, text)
            found, _, more = by_trials(solver, deeper, replies_to(solver, *deeper), TRIALS)
            visited += more
            if found is None:
                break
        else:
            answer = corner
            break
    return Proof(None, visited) if answer is None else Proof(WHITE_WINS, visited, after().text_to_move(answer))


def by_trials(
    solver: Solver, line: tuple[str, ...], answers: list[str], trials: tuple[tuple[int, int], ...]
) -> tuple[str | None, dict[str, list[str]], int]:
    """White's answer that beats every next move, or what the best ones leave open; and how many positions it took.

    Few positions for each next move of Black first, then more for the answers that leave fewest open.
    """
    left = {answer: replies_to(solver, *line, answer) for answer in answers}
    visited = 0
    for limit, keep in trials:
        for answer in sorted(left, key=lambda answer: len(left[answer])):
            for text in list(left[answer]):
                proof = solver.solve(after(*line, answer, text), limit)
                visited += proof.visited
                if proof.winner == BLACK_WINS:
                    del left[answer]
                    break
                if proof.winner == WHITE_WINS:
                    left[answer].remove(text)
            if answer in left and not left[answer]:
                return answer, {}, visited
        left = {answer: left[answer] for answer in sorted(left, key=lambda answer: len(left[answer]))[:keep]}
        print(" ".join(line), f"{limit:,} positions leave {left}", flush=True)
    return None, left, visited


def turned(row: dict[str, Any]) -> tuple[str, str, str]:
    """Opening, reply and answer, turned and mirrored so that the opening is one of ``OPENINGS`` and the reply least."""
    cells = texts(after(), after().legal_moves())
    bits = {text: STRIDE * (int(text[1:]) - 1) + ord(text[0]) - ord("a") for text in cells}
    text_of = {bit: text for text, bit in bits.items()}
    line = [row["opening"], row["reply"], row["by"]]
    ways = [tuple(text_of[int(way[bits[text]])] for text in line) for way in make_bitboard(BASE)[0]["turned"]]
    return min((a, b, c) for a, b, c in ways if a in OPENINGS)


def tables(rows: list[dict[str, Any]]) -> list[ResultTable]:
    solver = Solver(BASE, memory=1)
    answers: dict[str, dict[str, str]] = {opening: {} for opening in OPENINGS}
    cost = {opening: [0, 0.0] for opening in OPENINGS}
    for row in rows:
        assert row["winner"] == WHITE_WINS, f"{row} contradicts what is known of base {BASE}"
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
            "position whichever of the two came first, so that many proofs serve two openings. Where all of a position "
            "stayed open, White's corners were tried apart; the limits of these trials differed from proof to proof.",
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
