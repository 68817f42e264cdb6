"""Build ``src/semeai/games/chess/openings.epd``: balanced positions after eight half moves.

    python tools/build_chess_openings.py --engine /usr/games/stockfish --positions 200

Each line begins with the usual position. At each half move the engine names its eight best moves after a short search,
and one of those that are at most ``--loss`` hundredths of a pawn worse than the best is drawn. A position is kept if a
longer search gives at most ``--balance`` hundredths of a pawn to either side. The same seed, engine and version give
the same file.
"""

import argparse
import random
from pathlib import Path

import chess
import chess.engine

PLACE = Path(__file__).parents[1] / "src/semeai/games/chess/openings.epd"


def centipawns(info: chess.engine.InfoDict) -> int:
    return info["score"].relative.score(mate_score=100_000)


def draw_line(engine: chess.engine.SimpleEngine, draw: random.Random, options: argparse.Namespace) -> chess.Board:
    board = chess.Board()
    for _ in range(options.plies):
        found = engine.analyse(board, chess.engine.Limit(nodes=options.nodes), multipv=8, game=object())
        best = centipawns(found[0])
        moves = [info["pv"][0] for info in found if best - centipawns(info) <= options.loss]
        board.push(draw.choice(moves))
    return board


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="/usr/games/stockfish")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--plies", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--loss", type=int, default=60)
    parser.add_argument("--balance", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw, found = random.Random(options.seed), {}
    with chess.engine.SimpleEngine.popen_uci(options.engine) as engine:
        engine.configure({"Hash": 4, "Threads": 1})
        while len(found) < options.positions:
            board = draw_line(engine, draw, options)
            judged = engine.analyse(board, chess.engine.Limit(nodes=10 * options.nodes), game=object())
            if not board.is_game_over() and abs(centipawns(judged)) <= options.balance:
                found[board.epd()] = None
    PLACE.write_text("".join(f"{epd}\n" for epd in sorted(found)))


if __name__ == "__main__":
    main()
