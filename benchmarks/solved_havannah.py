"""Prove the missing openings of Havannah on base 4, and tabulate all proofs of ``tools/solved_havannah.jsonl``."""

from typing import Any

from tools.solve_havannah import BASE, OPENINGS, known, prove_all, replies_to, turned

from semeai.games.havannah.solver import Solver
from semeai.table import Cell, ResultTable


def tables(rows: list[dict[str, Any]]) -> list[ResultTable]:
    solver = Solver(BASE, memory=1)
    answers: dict[str, dict[str, str]] = {opening: {} for opening in OPENINGS}
    cost = {opening: [0, 0.0] for opening in OPENINGS}
    for row in rows:
        if len(row["moves"].split()) > 2:
            continue
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
            ("Opening", "Proven", "Black's answers", "proven lost", "Positions", "CPU s"),
            tuple(found),
            "White has the first move. Moves that are equal by rotation or reflection are listed once. "
            "The cost of an answer is counted where it was proven first: two white stones and a black one are the same "
            "position in either order of the white stones, so many proofs serve two openings. If a position stayed "
            "open, White's answers were tried one by one. Limits differed from proof to proof; c3 a1, c3 a4 "
            "and d4 c2 count only the successful attempts.",
        ),
        ResultTable(
            "White's winning moves",
            ("Opening", "Black's answer and White's winning move"),
            tuple(
                (opening, ", ".join(f"{reply} {answer}" for reply, answer in sorted(answers[opening].items())))
                for opening in OPENINGS
            ),
            f"`semeai solve d4 c3 {answers['d4'].get('c3', 'a1')} --size {BASE}` proves one of them again.",
        ),
    ]


def run() -> list[ResultTable]:
    prove_all()
    return tables(known())
