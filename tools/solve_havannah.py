"""Prove the openings of Havannah on base 4: ``python tools/solve_havannah.py``.

For each opening and each answer of Black, find White's next move and prove that it wins. Two processes, each with its
own table of positions, share Black's moves. Every proof is a line in ``solved_havannah.jsonl``, and so is every long
intermediate proof, so a stopped run continues; without that file everything is proven again. Easy proofs come first and
fill the table for the others: two white stones and a black one are the same position whichever white stone came first.
``python benchmarks/run.py solved-havannah`` does the same and writes the page.
"""

import json
import multiprocessing
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from semeai.games.havannah.kernels.bitboard import STRIDE, make_bitboard
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.solver import Solver

BASE = 4
OPENINGS = ("a1", "b1", "b2", "c2", "c3", "d4")
"""One opening per class of symmetric cells; d4 is the centre."""
SHARES = (("d4", "c3", "c2"), ("b2", "b1", "a1"))
"""Black's moves per process, up to symmetry."""
LIMITS = (2_000_000, 8_000_000, 64_000_000, 256_000_000)
"""Positions per proof before the next proof is tried."""
TRIALS = ((3_000, 12), (30_000, 6), (300_000, 4), (3_000_000, 2))
"""Positions per move of Black after an answer of White, and how many answers are kept."""
LEVELS = 2
"""Number of White's moves in a row whose answers are tried one by one."""
WORTH_KEEPING = 100_000
"""An intermediate proof with at least this many positions is recorded."""
WHITE = 0
MEMORY = 8192
"""MiB per process."""
RESULTS = Path(__file__).with_name("solved_havannah.jsonl")

Line = tuple[str, ...]


def after(*moves: str) -> HavannahPosition:
    position = HavannahPosition(BASE)
    for text in moves:
        position.play(position.text_to_move(text))
    return position


def texts(position: HavannahPosition, moves: Iterable[int]) -> list[str]:
    return [position.move_to_text(int(move)) for move in moves]


def replies_to(solver: Solver, *moves: str) -> list[str]:
    """Return the next moves up to symmetry. After a single stone, its colour does not matter."""
    position = after(*moves)
    return texts(position, solver.different_moves(position))


def known() -> list[dict[str, Any]]:
    """Return the recorded proofs: positions with White to move, each with the winning move."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def _ways() -> list[dict[str, str]]:
    """Return the symmetries of the board, each as a map from cell to cell."""
    bits = {
        text: STRIDE * (int(text[1:]) - 1) + ord(text[0]) - ord("a") for text in texts(after(), after().legal_moves())
    }
    text_of = {bit: text for text, bit in bits.items()}
    return [{text: text_of[int(way[bit])] for text, bit in bits.items()} for way in make_bitboard(BASE)[0]["turned"]]


WAYS = _ways()


def stones(line: Line) -> tuple[Line, Line]:
    """Return White's and Black's stones, equal for all lines that lead to the same position up to symmetry.

    Moves alternate and White begins. In lines of even length White is to move, so the stones describe the position.
    """
    lines = [[way[text] for text in line] for way in WAYS]
    return min((tuple(sorted(cells[::2])), tuple(sorted(cells[1::2]))) for cells in lines)


def turned(row: dict[str, Any]) -> Line:
    """Return opening, reply and answer in the symmetry whose opening is in ``OPENINGS`` and whose reply is smallest."""
    line = (*row["moves"].split(), row["by"])
    lines = [tuple(way[text] for text in line) for way in WAYS]
    return min(line for line in lines if line[0] in OPENINGS)


class Prover:
    """Proves that White wins after lines of moves with White to move, and records the proofs."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.solver = Solver(BASE, memory)
        self.proven = {stones(tuple(row["moves"].split())) for row in known()}

    def is_proven(self, line: Line) -> bool:
        return stones(line) in self.proven

    def keep(self, line: Line, by: str, positions: int, seconds: float) -> None:
        row = {"moves": " ".join(line), "by": by, "positions": positions, "cpu_seconds": round(seconds, 1)}
        print(row, flush=True)
        self.proven.add(stones(line))
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def prove(self, replies: Line) -> None:
        """Prove all openings against these moves of Black: first whole positions, then White's answers one by one."""
        jobs = [(opening, reply) for reply in replies for opening in replies_to(self.solver, reply)]
        cost = {job: [0, 0.0] for job in jobs if not self.is_proven(job)}  # positions and CPU seconds so far
        for limit in (*LIMITS, None):
            for line in [job for job in cost if not self.is_proven(job)]:
                began = time.process_time()
                answer, visited = self.whole(line, limit) if limit else self.by_answers(line, LEVELS)
                cost[line][0] += visited
                cost[line][1] += time.process_time() - began
                if answer is None:
                    print(f"{' '.join(line)}: open after {cost[line][0]:,} positions", flush=True)
                else:
                    self.keep(line, answer, *cost[line])

    def whole(self, line: Line, limit: int) -> tuple[str | None, int]:
        """Search at most ``limit`` positions. Returns White's winning move, or None, and the positions searched."""
        proof = self.solver.solve(after(*line), limit)
        if proof.is_proven and proof.winner != WHITE:
            raise AssertionError(f"White does not win {' '.join(line)}, which contradicts what is known of base {BASE}")
        return None if proof.move is None else after().move_to_text(proof.move), proof.visited

    def by_answers(self, line: Line, levels: int) -> tuple[str | None, int]:
        """Search one answer at a time, and deeper where Black's moves stay open. Returns the same as ``whole``.

        A search of the whole position spreads over all of White's moves, and its table is too small for all of them.
        """
        answer, left, visited = self.by_trials(line, replies_to(self.solver, *line), TRIALS)
        if levels > 1:
            for tried, open_moves in left.items():
                for text in open_moves:
                    began = time.process_time()
                    deeper = (*line, tried, text)
                    found, more = self.by_answers(deeper, levels - 1)
                    visited += more
                    if found is None:
                        break
                    self.keep(deeper, found, more, time.process_time() - began)
                else:
                    return tried, visited
        return answer, visited

    def by_trials(
        self, line: Line, answers: list[str], trials: tuple[tuple[int, int], ...]
    ) -> tuple[str | None, dict[str, list[str]], int]:
        """Return White's winning answer or None, Black's open moves by answer, and the positions searched.

        Each next move of Black first gets few positions, then more for the answers that leave the fewest moves open.
        """
        left = {answer: replies_to(self.solver, *line, answer) for answer in answers}
        visited = 0
        cost: dict[Line, list[float]] = {}  # positions and CPU seconds so far
        for limit, n_best in trials:
            for answer in sorted(left, key=lambda answer: len(left[answer])):
                for text in list(left[answer]):
                    deeper = (*line, answer, text)
                    if self.is_proven(deeper):
                        left[answer].remove(text)
                        continue
                    began = time.process_time()
                    proof = self.solver.solve(after(*deeper), limit)
                    visited += proof.visited
                    spent = cost.setdefault(deeper, [0, 0.0])
                    spent[0] += proof.visited
                    spent[1] += time.process_time() - began
                    if proof.is_proven and proof.winner != WHITE:
                        del left[answer]
                        break
                    if proof.is_proven:
                        left[answer].remove(text)
                        if spent[0] >= WORTH_KEEPING and proof.move is not None:
                            self.keep(deeper, after().move_to_text(proof.move), int(spent[0]), spent[1])
                if answer in left and not left[answer]:
                    return answer, {}, visited
            left = {answer: left[answer] for answer in sorted(left, key=lambda answer: len(left[answer]))[:n_best]}
            print(" ".join(line), f"{limit:,} positions leave {left}", flush=True)
        return None, left, visited


def prove_share(replies: Line) -> None:
    Prover().prove(replies)


def prove_all() -> None:
    """Prove what ``RESULTS`` does not have yet, in one process per share."""
    processes = [multiprocessing.Process(target=prove_share, args=(share,)) for share in SHARES]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    prove_all()
