"""The commands by group. A command's module is imported when the command is used, so this table repeats its summary."""

from importlib import import_module
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """Where a command is defined, and the first sentence of its docstring, which a test compares with this one."""

    module: str
    summary: str


GROUPS: dict[str, dict[str, Entry]] = {
    "Race programs": {
        "init": Entry("init", "Write a small example to run and to change."),
        "race": Entry("race", "Race the candidates of a file, or resume a race that was stopped."),
        "compare": Entry("compare", "Compare commands: which is faster, or prints the better number?"),
        "plan": Entry("plan", "Estimate how many games a race will need, by simulation."),
        "bounds": Entry("bounds", "Compute bounds and the verdict from wins, draws and losses."),
    },
    "Play": {
        "play": Entry("play", "Play and analyse Go or Havannah on a board in the browser."),
        "match": Entry("match", "Play a match between two players, or continue a stopped one."),
        "tournament": Entry("tournament", "Play a tournament of several players, or continue a stopped one."),
        "gtp": Entry("gtp", "Play by the Go Text Protocol (GTP) on standard input and output."),
        "analyze": Entry("analyze", "Show what each move of a game cost, and which was better."),
        "suite": Entry("suite", "Ask a player for its move in positions whose solutions are known."),
        "races": Entry("races", "Solve the capturing races (semeai) of a position of Go."),
        "solve": Entry("solve", "Prove who wins a Havannah position on a small board."),
    },
    "Grow a player": {
        "evolve": Entry("evolve", "Improve a player step by step, by races of proposed changes."),
        "learn": Entry("learn", "Learn which moves strong players choose, from games."),
        "pattern": Entry("pattern", "Show, check, draw and match the patterns of a file."),
    },
    "Inspect results": {
        "runs": Entry("runs", "List the runs of a ledger."),
        "status": Entry("runs", "Show the state of a run, also while it is running."),
        "export": Entry("runs", "Write the rows of a run to standard output."),
        "workers": Entry("workers", "Show the workers of a dask scheduler, and what they do."),
        "report": Entry("report", "Write the results of runs as one page that opens anywhere."),
        "dashboard": Entry("dashboard", "Watch the runs of a ledger in the browser, live."),
        "retry": Entry("ledger", "Reopen failed candidates of a race, once they are repaired."),
    },
    "Look after a ledger": {
        "check": Entry("ledger", "Verify a ledger: every row, every total, and every verdict."),
        "backup": Entry("ledger", "Copy a ledger safely, also while runs are written to it."),
        "migrate": Entry("ledger", "Convert a ledger of an older version of semeai."),
    },
    "Measure": {
        "bench": Entry("bench", "Measure playouts and simulations per CPU second."),
        "reproduce": Entry("reproduce", "Run an experiment of the papers or the docs; print its tables."),
        "warmup": Entry("warmup", "Compile all kernels and keep them on disk."),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


def load(name: str) -> Any:
    """Return the function of a command, or the app of a command that has commands of its own."""
    return getattr(import_module(f"semeai.cli.{COMMANDS[name].module}"), name)
