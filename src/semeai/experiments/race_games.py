"""Games with capturing races: read from a folder or played by the player against itself, and what the solver says."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from semeai.errors import SemeaiError
from semeai.experiments.matches import DEFAULT_LEDGER, MatchTeller, Progress
from semeai.games.go.game import GAME
from semeai.games.go.kernels.board import PASS
from semeai.games.go.position import GoPosition
from semeai.games.go.races import Race, races_of
from semeai.games.record import GameRecord
from semeai.learn.games import find_files, play_games, read_games, self_play
from semeai.rng import generator, run_seed
from semeai.runs.run import place_named
from semeai.work.spread import SpreadTask

SELF_PLAY_SIMULATIONS = 200
FIRST_MOVE = 20
"""Earlier positions have no races."""
EVERY = 5
"""Moves between two positions of a game that are looked at."""


@dataclass(frozen=True)
class RacePosition:
    """A position of a game, after ``n_moves`` moves, with its races."""

    game: int
    n_moves: int
    races: tuple[Race, ...]

    @property
    def known(self) -> tuple[Race, ...]:
        return tuple(race for race in self.races if race.is_known)


@dataclass(frozen=True)
class ScanTask(SpreadTask):
    """Find the races of a game: in every ``EVERY``-th position from a random one on."""

    number: int
    record: GameRecord
    seed: int

    @property
    def label(self) -> str:
        return f"races of game {self.number + 1}"

    def run(self) -> list[RacePosition]:
        start = FIRST_MOVE + int(generator(self.seed, "scan", self.number).integers(EVERY))
        found = []
        for n in range(start, len(self.record.moves), EVERY):
            position = GAME.replay(self.record, n)
            if not position.is_over:
                found.append(RacePosition(self.number, n, races_of(position)))
        return found


def games_of(
    records: Path | None,
    games: int,
    size: int,
    seed: int,
    workers: int | None,
    executor: str | None,
    ledger: str | None,
    progress: Progress,
) -> list[GameRecord]:
    """Return games of a folder, evenly spread over its files, or self-play games. The ledger keeps self-play."""
    if records is not None:
        files = find_files([records])
        step = max(1.0, len(files) / games)
        read = read_games([files[int(i * step)] for i in range(min(games, len(files)))])
        for sentence in read.refused:
            progress(f"left out: {sentence}")
        if not read.games:
            raise SemeaiError(f"{records}: no game in this folder can be read")
        return [game for game in read.games if not game.setup]
    place = place_named(ledger or DEFAULT_LEDGER, executor, workers)
    match = self_play(f"mcts:default,simulations={SELF_PLAY_SIMULATIONS}", size, run_seed(seed, "races"))
    stopped, played = play_games(match, games, place, observer=MatchTeller(f"self-play on {size}x{size}", progress))
    if stopped:
        raise KeyboardInterrupt
    return played


def opening_moves(record: GameRecord, n_moves: int) -> tuple[str, ...] | None:
    """Return the first moves of a game as texts for a match; None if they do not alternate from Black's first move."""
    moves = record.moves[:n_moves]
    if any(player != i % 2 or move == PASS for i, (player, move) in enumerate(moves)):
        return None
    board = GoPosition(record.size)
    return tuple(board.move_to_text(move) for _, move in moves)


def spread_evenly(found: Sequence[RacePosition], most: int) -> list[RacePosition]:
    """Return at most ``most`` positions, evenly spread over the list."""
    step = max(1.0, len(found) / most)
    return [found[int(i * step)] for i in range(min(most, len(found)))]
