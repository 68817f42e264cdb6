"""Valid inputs of every parser that takes text from outside. The fuzzer damages them."""

GO_RECORDS = [
    b"(;GM[1]FF[4]SZ[9]KM[7.5]PB[one]PW[two]RE[B+3.5];B[ee];W[cc]C[a comment \\] here];B[];W[gg];B[tt])",
    b"(;GM[1]FF[4]CA[UTF-8]SZ[9]HA[2]KM[0.5]AB[cg][gc]PL[W]DT[2009-01-02];W[ee];B[ge](;W[ff])(;W[aa];B[bb]))",
    b"(;FF[4]SZ[19:19]AB[aa:cc]AW[dd]AE[ff]RU[Chinese];B[pd];W[dp];B[pp])",
    "(;GM[1]CA[GB2312]SZ[7]PB[\u56f4\u68cb]C[\u8bc4\u8bba];B[dd];W[cc])".encode("gb2312"),
    b"(;GM[1]SZ[3];B[aa];W[bb];B[cc];W[ab];B[ba];W[ac];B[ca];W[];B[])",
]
HAVANNAH_RECORDS = [
    b"(;FF[4]EV[havannah.in.size4]PB[one]PW[two]SZ[4]RU[LG]RE[B]GC[ game #1]SO[http://www.littlegolem.com];"
    b"W[E1];B[swap];W[F2];B[D3];W[G1];B[E4];W[G4];B[resign])\n",
    b"(;FF[4]EV[havannah]SZ[3]RU[no swap]PB[Jos\xc3\xa9];W[A1]C[first];B[B2];W[C3])",
    b"(;SZ[10];W[A1];B[B2];W[J10])",
]
CHESS_GAMES = [
    b'[Event "club"]\n[White "one"]\n[Black "two"]\n[Result "1-0"]\n\n'
    b"1. e4 {+0.31/12} e5 2. Nf3 (2. Bc4 Nf6) 2... Nc6 $1 3. Bb5 a6 4. O-O 1-0\n\n",
    b'[SetUp "1"]\n[FEN "4k3/P7/8/8/8/8/8/4K2R b K - 0 1"]\n\n1... Kd7 2. a8=Q Ke6 3. O-O ; late\n*\n\n',
    b"1. f3 e5 2. g4 Qh4# 0-1\n",
]
CHESS_OPENINGS = [
    b"r1bqk1nr/ppppb1pp/2n5/4pp2/8/2PP1N1P/PP2PPP1/RNBQKB1R w KQkq -\n"
    b"r1bqkb1r/1pp1pppp/p1n2n2/3p4/8/1PP1PN2/P2P1PPP/RNBQKB1R w KQkq - 3 5\n",
    b"# two\nrnbqkbnr/pppp1ppp/8/8/4pP2/8/PPPPP1PP/RNBQKBNR b KQkq f3 hmvc 0; fmvn 3;\n",
    CHESS_GAMES[2] + b"\n" + CHESS_GAMES[0],
]
UCI_OUTPUT = [
    b"id name Some Engine 1.0\noption name Hash type spin default 16 min 1 max 1024\n"
    b"option name Style type combo default Solid var Solid var Wild\n"
    b"option name Ponder type check default false\nuciok\n",
    b"info depth 12 seldepth 18 multipv 1 score cp 31 nodes 20000 nps 900000 pv e2e4 e7e5\n"
    b"info depth 13 score mate -3 lowerbound nodes 30000\nbestmove e2e4 ponder e7e5\n",
    b"info string hello\r\ninfo depth 1 score mate 1 pv g1f3\r\nbestmove g1f3\r\n",
    b"bestmove (none)\nreadyok\n",
]
RACES = [
    """
name = "planted"
seed = 3
ledger = "races.sqlite"
[race]
mode = "plain"
risk = 0.05
accept_above = 0.505
discard_below = 0.525
max_per_candidate = 1000
batch = 10
[evaluator]
command = ["sh", "-c", "echo {a} {b} {seed}"]
better = "lower"
timeout = 2.5
retries = 1
[baseline]
a = 0.3
b = "word"
[[candidates]]
name = "hotter"
a = 0.6
[[candidates]]
a = 1
b = "other {{braces}}"
[executor]
name = "local"
workers = 2
""",
    """
[evaluator]
command = ["sh", "{x}", "{y}"]
[candidates]
limit = 5
[candidates.grid]
x = [1, 2, 3]
y = ["a", "b"]
""",
    """
[race]
mode = "stream"
method = "hoeffding"
spending = "quadratic"
[evaluator.match]
size = 5
komi = 6.5
opening_moves = 2
openings = ["C3 D4", "B2"]
[baseline]
player = "mcts:rave,simulations=20"
[[candidates]]
name = "more"
search = {exploration = 0.1}
[[candidates]]
player = "gtp:sh -c level {level}"
level = 8
""",
]
EVOLUTIONS = [
    """
name = "grown"
seed = 1
steps = 3
candidates = 4
hours = 1.5
[player]
player = "mcts:rave"
search.exploration = 0
simulations = 50
[match]
size = 7
[race]
risk = 0.05
accept_above = 0.501
discard_below = 0.53
throughput = true
max_per_candidate = 250
[screen]
simulations = 10
[[proposers]]
kind = "guided"
weight = 3
[[proposers]]
kind = "number"
settings = {"search.exploration" = {low = 0.0, high = 1.0}}
[validation]
games = 200
deep_games = 40
opponent = "random"
""",
    """
player = "mcts"
sample = 10
match = {game = "havannah", size = 4, swap = true}
[[proposers]]
kind = "random"
shapes = "both"
""",
]
PATTERNS = [
    "semeai patterns 1\ngeometry square\n\n# hane at the head of a stone\npattern +1\n  X O X\n  . * .\n\n"
    "# first line\npattern -0.5\n  . * .\n  _ _ _\n",
    "semeai patterns 1\ngeometry hex\n\npattern 2\n   X O\n  . * S\n   ? .\n",
]
SUITES = [
    '{"suite": "a", "id": 1, "size": 5, "setup": [["b", "C3"], ["w", "pass"]], "to_move": "b", "want": "[AB]1|C2"}',
    '{"suite": "a", "id": "x", "size": 5, "komi": 0.5, "to_move": "w", "want": "!(A1|.2)*", "known_failure": true}\n'
    '{"suite": "b", "id": 2, "size": 9, "setup": [["b", "E5"]], "to_move": "w", "want": "PASS"}',
]
BOOKS = [
    "# a book\n9 7.5 B - / - > E5 52.1 20000\n9 7.5 W E5 / - > D3 47.2 20000\n9 7.5 B E5 G7 / C3 > F3 50.0 1000\n",
]
PLAYERS = [
    "random", "mcts", "mcts:uct,simulations=500,search.exploration=1", "mcts:rave,threads=2,seconds=0.5",
    "mcts:default,book=true,memory_mb=1,reuse_tree=false", "mcts:database=none,policy.playout=light",
    "mcts:patterns=mine.txt,policy.pattern_visits=3", "mcts:parallel.scheme=slow_tree,parallel.ranks=4",
    "gtp:sh -c 'gnugo --mode gtp' --level 8", "gtp:gnugo", "strong.toml", "mcts:database=own,resign_below=0.1",
    'mcts:policy.patterns=["+1 XO/.*"],stop_early=true',
]  # fmt: skip
COMMAND_LINES = [
    "race race.toml --workers 2 --name again --ledger races.sqlite --json",
    "match mcts:uct gtp:gnugo --games 100 --size 9 --komi 7.5 --seed 3 --until-decided --markdown out.md",
    "evolve evolve.toml --steps 3 --proposer guided --proposer random --shapes both --hours 1.5 --risk 0.05",
    "gtp --game havannah --size 5 --simulations 300 --set search.exploration=0.1 --log gtp.log --no-resign",
    "analyze game.sgf --moves 10-40 --simulations 100 --sgf out.sgf --coordinates littlegolem",
    "pattern show patterns.txt --json", "pattern match patterns.txt game.sgf --game go",
    "pattern draw p.txt --svg p.svg",
    "bounds --wins 60 --losses 40 --tests 3", "plan --efficiency 0.52 --accept-above 0.5 --discard-below 0.55 --json",
    "learn games --output model.npz --held-out 0.1 --epochs 2", "learn games --patterns-only --output ae.npz --prior 1",
    "reproduce guarantee --races 100 --size 9,19", "status race --json",
    "runs --ledger postgresql://me@host/db", "export race --table batches", "solve --size 3",
    "init first-race --evolve",
    "--version", "--help", "race --help", "bench --json", "warmup", "",
]  # fmt: skip
OUTPUTS = [
    "0.5\n", "tour length\n12.25\n", "1 0 0.5\n", "a\nb\n1,0,1\n", "nan\n", "1e5\r\n", "inf -inf\n", "0x10\n",
]  # fmt: skip
ENGINE_OUTPUT = [
    "= D4\n\n", "=12 pass\n\n", "? illegal move\n\n", "# a comment\n= resign\n\n", "=\nA1 B2\nC3\n\n", "= \n\n",
    "=1 name\nversion\nquit\n\n= E5\n\n", "info move D4 visits 3 winrate 4500\n",
]  # fmt: skip
LEDGERS = [
    "semeai.sqlite", "sqlite:///a/b.db", "sqlite:////a/b.db", "postgresql://me:secret@host:5432/races?sslmode=require",
    "postgresql+psycopg://semeai@/races?host=/run", "postgres://host/db", "mysql://host/db", ":memory:", "C:/races.db",
]  # fmt: skip
