"""UCI engines for the tests: ``python tests/uci_engines.py BEHAVIOUR``.

Each plays the first legal move and shows one kind of bad behaviour. What it was told goes to standard error.
"""

import sys
import time

import chess

BEHAVIOUR = sys.argv[1]


def write(text: str) -> None:
    print(text, flush=True)


def go(board: chess.Board, n_moves: int) -> None:
    move = next(iter(board.legal_moves)).uci()
    if BEHAVIOUR == "hang":
        time.sleep(1000)
    if n_moves > 2:
        if BEHAVIOUR == "crash":
            print("a stack trace", file=sys.stderr, flush=True)
            sys.exit(7)
        if BEHAVIOUR == "flood":
            while True:
                write("info string " + "x" * 10_000)
        if BEHAVIOUR == "long-line":
            sys.stdout.write("x" * 1_000_000)
            sys.stdout.flush()
            time.sleep(1000)
        if BEHAVIOUR == "illegal":
            move = "e1e8"
        if BEHAVIOUR == "none":
            move = "(none)"
    write("info string a thought")
    write("info depth 3 seldepth 4 multipv 1 score cp 31 nodes 20 pv e2e4 mate")
    write("info depth 4 multipv 1 score cp 99 lowerbound nodes 25 pv e2e4")
    write("info depth 4 multipv 2 score cp -50 nodes 26 pv d2d4")
    write(f"bestmove {move} ponder e7e5")
    if BEHAVIOUR == "twice":
        write(f"bestmove {move}")


def main() -> None:
    board, n_moves = chess.Board(), 0
    for line in sys.stdin:
        words = line.split()
        print(line.strip(), file=sys.stderr, flush=True)
        if words[0] == "uci":
            if BEHAVIOUR == "silent":
                time.sleep(1000)
            write("id name test")
            write("option name Some Number type spin default 1 min 0 max 10")
            write("option name Style type combo default Solid var Solid var Very Risky")
            write("option name Quiet type check default false")
            write("uciok")
        elif words[0] == "isready":
            write("readyok")
        elif words[0] == "position":
            at = words.index("moves") if "moves" in words else len(words)
            board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:at]))
            for move in words[at + 1 :]:
                board.push_uci(move)
        elif words[0] == "go":
            n_moves += 1
            go(board, n_moves)
        elif words[0] == "quit":
            return


main()
