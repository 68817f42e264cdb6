"""How often the solver of capturing races answers in games, and how often a deep search agrees with it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from semeai.experiments.matches import Progress, silent
from semeai.experiments.race_games import RacePosition, ScanTask, games_of, spread_evenly
from semeai.games.go.config import GoPolicy
from semeai.games.go.game import GAME
from semeai.games.go.ownership import expected_owners
from semeai.games.go.races import Race
from semeai.games.record import GameRecord
from semeai.players.analysis import search_position
from semeai.players.mcts import compile_players
from semeai.rng import derive
from semeai.runs.run import Observer, place_named
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent
from semeai.work.spread import Spread, SpreadTask

GAMES = 100
SIMULATIONS = 100_000
ASKED = 40
"""Positions that the deep search looks at, per kind of games."""
SMALLER = (2, 3, 5, 10)
"""Stones of the smaller group: the columns of the second table."""


@dataclass(frozen=True)
class AgreementTask(SpreadTask):
    """Let a deep search judge the first known race of a position.

    An open race: the search begins with one of the moves that win. A decided one: at the end of the line that the
    search expects, playouts give both chains' points to the winner.
    """

    position: RacePosition
    record: GameRecord
    simulations: int
    seed: int

    @property
    def label(self) -> str:
        return f"search in game {self.position.game + 1} after move {self.position.n_moves}"

    def run(self) -> tuple[str, bool]:
        board = GAME.replay(self.record, self.position.n_moves)
        race = self.position.known[0]
        seed = derive(self.seed, "agreement", self.position.game, self.position.n_moves)
        player = f"mcts:default,simulations={self.simulations}"
        line = search_position(board, player, seed=seed)[0].pv
        if race.is_urgent:
            moves = race.black_moves if board.to_move == 0 else race.white_moves
            return "open", line[0] in moves
        for move in line:
            board.play(move)
        owners = expected_owners(board, GoPolicy().to_record())
        return "decided", _as_told(race, owners[race.black], owners[race.white])


def _as_told(race: Race, black: float, white: float) -> bool:
    """Return whether both chains' points belong to the winner of a race that is decided, also after a pass."""
    return (black > 0 and white > 0) if race.black_first == "black" else (black < 0 and white < 0)


def run(
    records: Path | None = None,
    games: int = GAMES,
    runs: int = ASKED,
    size: Sequence[int] = (9, 19),
    simulations: Sequence[int] = (SIMULATIONS,),
    seed: int = 1,
    workers: int | None = None,
    executor: str | None = None,
    progress: Progress = silent,
) -> list[ResultTable]:
    """Return what the solver says in positions of self-play, and of the games in ``records`` if they are given."""
    sources: list[tuple[str, Path | None, int]] = [(f"self-play, {s}x{s}", None, s) for s in size]
    if records is not None:
        sources.append((f"games of {records.name}", records, 19))
    compile_players(["go"], progress)
    rows: list[tuple[Cell, ...]] = []
    by_size: list[tuple[Cell, ...]] = []
    unknown = Counter[str]()
    with place_named(None, executor, workers).open_pool(Observer()) as pool:
        for name, folder, board in sources:
            found = games_of(folder, games, board, seed, workers, executor, None, progress)
            progress(f"{name}: races in {len(found):,} games …")
            positions = [p for part in Spread(pool).run(
                [ScanTask(i, record, seed) for i, record in enumerate(found)]
            ) for p in part]  # fmt: skip
            unknown.update(race.reason for p in positions for race in p.races if not race.is_known)
            known = [p for p in positions if p.known]
            clear = [p for p in known if p.known[0].is_urgent or p.known[0].black_first == p.known[0].white_first]
            asked = spread_evenly(clear, runs)
            progress(f"{name}: a search of {simulations[0]:,} simulations in {len(asked)} positions …")
            tasks = [AgreementTask(p, found[p.game], simulations[0], seed) for p in asked]
            answers = Counter(Spread(pool).run(tasks))
            rows.append(
                (
                    name,
                    len(positions),
                    _part(sum(bool(p.races) for p in positions), len(positions)),
                    _part(len(known), len(positions)),
                    _part(sum(any(race.is_urgent for race in p.known) for p in positions), len(positions)),
                    *(_agreed(answers, kind) for kind in ("decided", "open")),
                )
            )
            by_size.append(
                (name, *(_part(sum(any(r.smaller >= n for r in p.known) for p in positions), len(positions))
                         for n in SMALLER))
            )  # fmt: skip
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in unknown.most_common()) or "none"
    return [
        ResultTable(
            "Capturing races in games",
            (
                "games", "positions", "with a race", "with a known race", "with an open race",
                "decided races: search agrees", "open races: search agrees",
            ),
            tuple(rows),
            f"Every fifth position from move 20 on. Search: the default player, {simulations[0]:,} simulations. "
            f"Open: who moves first wins. Races without an answer: {reasons}.",
        ),
        ResultTable(
            "Positions with a known race, by size",
            ("games", *(f"smaller group has {n} stones or more" for n in SMALLER)),
            tuple(by_size),
            "The same positions.",
        ),
    ]  # fmt: skip


def _part(count: int, n: int) -> str:
    return percent(count / n, wilson_interval(count, n)) if n else ""


def _agreed(answers: Counter[tuple[str, bool]], kind: str) -> str:
    yes, no = answers[kind, True], answers[kind, False]
    return f"{yes} of {yes + no}"
