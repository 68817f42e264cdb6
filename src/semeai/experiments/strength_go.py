"""How strong the Go player is against a foreign engine: GNU Go, by simulations a move."""

import os
import shutil
from collections.abc import Sequence

from semeai.errors import ConfigError
from semeai.experiments.matches import Pairing, Progress, play_all, rate_and_interval
from semeai.experiments.table import ResultTable
from semeai.match.settings import MatchSettings

SIMULATIONS = (100, 300, 1_000, 3_000)
GAMES = 200
ARGUMENTS = "--mode gtp --chinese-rules --positional-superko --level 10 --seed {seed}"


def run(
    games: int = GAMES,
    size: Sequence[int] = (9,),
    simulations: Sequence[int] = SIMULATIONS,
    seed: int = 1,
    workers: int | None = None,
    ledger: str | None = None,
    progress: Progress = lambda text: None,
) -> list[ResultTable]:
    """One table a board size."""
    engine = f"gtp:{find_gnugo()} {ARGUMENTS}"
    tables = []
    for s in size:
        settings = MatchSettings(size=s)
        player = "mcts:default,resign_below=0.05,simulations={}"
        pairings = [
            Pairing(f"{s}x{s}, {n:,} simulations", player.format(n), engine, settings, games) for n in simulations
        ]
        tallies = play_all(pairings, seed, ledger, workers, progress)
        rows = tuple(
            (
                n,
                rate_and_interval(tally),
                tally.cpu[0] / tally.n_games,
                tally.simulations[0] / max(tally.cpu[0], 1e-9),
                tally.cpu[1] / tally.n_games,
                tally.n_games,
            )
            for n, tally in zip(simulations, tallies, strict=True)
        )
        tables.append(
            ResultTable(
                f"{s}x{s} Go against GNU Go level 10, komi 7.5",
                ("simulations a move", "win rate, 95% Wilson", "our CPU s a game", "simulations a CPU s",
                 "GNU Go's CPU s a game", "games"),
                rows,
                "Colours alternate; one thread; the tree is reused between moves and does not count as simulations. "
                f"GNU Go: `{ARGUMENTS}`. Stones that both engines call dead are taken off.",
            )
        )  # fmt: skip
    return tables


def find_gnugo() -> str:
    """GNU Go's program; Debian keeps games in a folder that is not always searched."""
    found = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games", "/usr/local/games"]))
    if found is None:
        raise ConfigError("gnugo is not installed here (Debian: apt-get install gnugo)")
    return found
