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
"""One of each six or twelve that are the same when turned or mirrored; d4 is the centre."""
SHARES = (("d4", "c3", "c2"), ("b2", "b1", "a1"))
"""Black's moves, up to symmetry, by process."""
LIMITS = (2_000_000, 8_000_000, 64_000_000, 256_000_000)
"""Positions of a proof before the next is tried."""
TRIALS = ((3_000, 12), (30_000, 6), (300_000, 4), (3_000_000, 2))
"""Positions for each move of Black after an answer of White, and how many answers stay."""
LEVELS = 2
"""White's answers that are tried apart, one after the other."""
WORTH_KEEPING = 100_000
"""Positions of a proof on the way to another."""
WHITE = 0
MEMORY = 8192
"""MiB, for each process."""
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
    """The next moves that differ. Of the first stone alone it does not matter whose it is."""
    position = after(*moves)
    return texts(position, solver.different_moves(position))


def known() -> list[dict[str, Any]]:
    """Positions with White to move, and the move that wins."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def _ways() -> list[dict[str, str]]:
    """Where each way to turn and mirror the board takes a cell."""
    bits = {
        text: STRIDE * (int(text[1:]) - 1) + ord(text[0]) - ord("a") for text in texts(after(), after().legal_moves())
    }
    text_of = {bit: text for text, bit in bits.items()}
    return [{text: text_of[int(way[bit])] for text, bit in bits.items()} for way in make_bitboard(BASE)[0]["turned"]]


WAYS = _ways()


def stones(line: Line) -> tuple[Line, Line]:
    """White's and Black's, the same for all lines to the same position, turned and mirrored too.

    They alternate, White's first: of lines of even length, all with White to move, the stones say all.
    """
    lines = [[way[text] for text in line] for way in WAYS]
    return min((tuple(sorted(cells[::2])), tuple(sorted(cells[1::2]))) for cells in lines)


def turned(row: dict[str, Any]) -> Line:
    """Opening, reply and answer, turned and mirrored so that the opening is one of ``OPENINGS`` and the reply least."""
    line = (*row["moves"].split(), row["by"])
    lines = [tuple(way[text] for text in line) for way in WAYS]
    return min(line for line in lines if line[0] in OPENINGS)


class Prover:
    """Proves lines of moves after which White is to move, and keeps what it has proven."""

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
        """All openings against these moves of Black: the whole position first, then White's answers apart."""
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
        """White's move that wins, if so many positions are enough, and how many it took."""
        proof = self.solver.solve(after(*line), limit)
        if proof.is_proven and proof.winner != WHITE:
            raise AssertionError(f"White does not win {' '.join(line)}, which contradicts what is known of base {BASE}")
        return None if proof.move is None else after().move_to_text(proof.move), proof.visited

    def by_answers(self, line: Line, levels: int) -> tuple[str | None, int]:
        """The same, answer by answer; what an answer leaves open of Black's next moves, by White's answers to those.

        A search of the whole position spreads over all of White's moves, and forgets what its table has no room for.
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
        """White's answer that beats every next move, or what the best ones leave open; and how many positions it took.

        Few positions for each next move of Black first, then more for the answers that leave fewest open.
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
    """Prove what ``RESULTS`` does not have yet, in one process for each share."""
    processes = [multiprocessing.Process(target=prove_share, args=(share,)) for share in SHARES]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    prove_all()
