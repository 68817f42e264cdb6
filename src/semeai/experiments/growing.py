"""Section 5 of "Bandit-Based Genetic Programming", long version: patterns grown for Go, with the paper's figures.

The papers used a cluster for weeks. Here budgets and numbers of games are options, and a laptop needs hours.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

from semeai.errors import ConfigError, did_you_mean
from semeai.evolve.config import EvolutionConfig, checked_evolution
from semeai.evolve.history import History, Validation, program_name
from semeai.evolve.loop import EvolutionObserver, EvolutionResult, run_evolution
from semeai.evolve.report import proposer_table
from semeai.evolve.store import DEEP, FIRST, OPPONENT, PREVIOUS
from semeai.experiments.cost import seconds_of_games
from semeai.experiments.matches import DEFAULT_LEDGER, STOPPING, TOLD_EVERY, MatchTeller, Playing, Progress
from semeai.experiments.starts import STARTS, Start
from semeai.learn.games import OPENING_MOVES, find_files, play_games, read_games, self_play
from semeai.learn.learn import Settings, learn
from semeai.match.match import Match, MatchResult
from semeai.race.race import Decision
from semeai.runs.driver import RaceDriver
from semeai.runs.run import Observer, Place, place_named
from semeai.table import Cell, ResultTable, percent

GAMES = 400
"""Games per validation match."""
DATABASE_GAMES = 100
"""Self-play games that the database is learnt from, without records."""
MOST_POSITIONS = 200_000
"""Positions that a database is learnt from."""
RACED_GAMES = 350
"""Games that a candidate needs until its verdict, in the mean of docs/benchmarks/proposers.md; for estimates."""
ACCEPT_ABOVE = 0.501


class Campaign(NamedTuple):
    """What the options of an evolution say."""

    simulations: int
    steps: int | None
    proposer: str
    start: str
    records: Path | None

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of proposers; with several, each is asked as often as the others."""
        return [kind.strip() for kind in self.proposer.split(",")]

    @property
    def label(self) -> str:
        """Return the part of the evolution's name that tells it from others."""
        return f"{self.simulations}-{'-'.join(self.kinds)}" + (f"-{self.start}" if self.start != "bare" else "")


Tested = tuple[int, str]
"""Number of patterns of the tested program, and its opponent."""


@dataclass(frozen=True)
class Growing:
    name: str
    section: str
    size: int
    simulations: int
    shapes: str
    candidates: int
    """|S0|: candidates per step."""
    steps: int
    paper: Mapping[Tested, str]
    paper_accepted: str
    """How many patterns the paper accepted, of those that it tried."""
    max_per_candidate: int = 1000
    """Largest number of pairs of games; a candidate without a verdict by then is not accepted."""
    after: "Growing | None" = None
    """Experiment whose last program is the first program here."""
    database: bool = False
    """Whether the first program has a database."""
    deep_part: int = 4
    """For so many games of a match, one is played at ten times the budget."""
    opponent: Literal["GNU Go level 1", "first + AE", "the first of section 5.1"] = "GNU Go level 1"
    """Opponent of the first and the last program in the validation."""

    def run(
        self,
        simulations: tuple[int, ...] = (),
        steps: int | None = None,
        proposer: str = "guided",
        start: str = "bare",
        records: Path | None = None,
        **playing: Unpack[Playing],
    ) -> list[ResultTable]:
        """Run the evolution. Returns a table of the accepted programs' win rates and a table of their cost.

        ``records`` is a folder of games that the database is learnt from; without it, self-play.
        """
        if start not in STARTS:
            raise ConfigError(f"--start {start!r}: {did_you_mean(start, STARTS)}")
        budget = simulations[0] if simulations else self.simulations
        history = self.grow(Campaign(budget, steps, proposer, start, records), playing).history
        return [self._table(history, start), proposer_table(history)]

    def seconds(
        self,
        simulations: Sequence[int] = (),
        steps: int | None = None,
        proposer: str = "guided",
        games: int = GAMES,
        start: str = "bare",
    ) -> float:
        """Return the expected CPU seconds of ``run``, with an acceptance in every tenth step."""
        budget = simulations[0] if simulations else self.simulations
        steps = steps or self.steps
        raced = steps * self.candidates * RACED_GAMES
        validated: float = games * (2 * max(1, steps // 10) + 2)
        validated += games / self.deep_part * 10  # the deep games have ten times the budget
        validated += self._confirming(STARTS[start]) * max(1, steps // 10)
        before = 0.0 if self.after is None else self.after.seconds((budget,), steps, proposer, games, start)
        return before + seconds_of_games("go", self.size, budget, raced + round(validated))

    def grow(self, campaign: Campaign, playing: Playing) -> EvolutionResult:
        """Run or resume the evolution. Raises KeyboardInterrupt if it was stopped."""
        say = playing.get("progress") or _silent
        folder, name = _folder(playing), f"{self.name}-{campaign.label}-{playing.get('seed', 1)}"
        player: dict[str, Any] = {"player": STARTS[campaign.start].player, "simulations": campaign.simulations}
        opponent: dict[str, Any] | None = None
        if self.after is not None:
            opponent = player
            player = dict(self.after.grow(campaign, playing).player)
        elif self.database:
            player["database"] = str(self._database(campaign, playing))
        elif self.opponent == "first + AE":
            opponent = {**player, "database": str(self._database(campaign, playing))}
        config = self._config(player, opponent, campaign, playing)
        result = run_evolution(
            config, folder, _place(playing), name=name, output=folder / name,
            observer=_Teller(self.name, say),
        )  # fmt: skip
        if not result.finished:
            say("stopped; the same command resumes")
            raise KeyboardInterrupt
        return result

    def _config(
        self,
        player: Mapping[str, Any],
        opponent: Mapping[str, Any] | None,
        campaign: Campaign,
        playing: Playing,
    ) -> EvolutionConfig:
        games, start = playing.get("games") or GAMES, STARTS[campaign.start]
        validation: dict[str, Any] = {
            "games": games,
            "deep_games": games // self.deep_part,
            "opponent_games": games // 4,
        }
        if opponent is not None:
            validation |= {"opponent": dict(opponent), "opponent_games": games}
        data = {
            "seed": playing.get("seed", 1),
            "steps": campaign.steps or self.steps,
            "candidates": self.candidates,
            "player": dict(player),
            "match": {"size": self.size, "opening_moves": 2, "scoring": "area"},
            "race": {
                "accept_above": ACCEPT_ABOVE,
                "discard_below": start.discard_below,
                "max_per_candidate": self.max_per_candidate,
            },
            "confirm": {"games": self._confirming(start)} if start.confirm else None,
            "sample": start.sample(self.size),
            "proposers": [start.proposer(kind, self.shapes, campaign.simulations) for kind in campaign.kinds],
            "validation": validation,
        }
        return checked_evolution(data, self.name)

    def _confirming(self, start: Start) -> int:
        """Return the games that confirm a change; on large boards, where each costs much, no more than a match."""
        return start.confirm if self.size <= 9 else min(start.confirm, GAMES)

    def _database(self, campaign: Campaign, playing: Playing) -> Path:
        """Return a database learnt from records or from self-play; made once, in the folder of the ledger."""
        say, seed = playing.get("progress") or _silent, playing.get("seed", 1)
        source = f"{seed}" if campaign.records is None else f"{campaign.records.resolve().name}-{seed}"
        path = (_folder(playing) / f"database-{self.size}-{source}.npz").resolve()
        if path.exists():
            return path
        if campaign.records is not None:
            say(f"{self.name}: learning a database from the games in {campaign.records} …")
            read = read_games(find_files([campaign.records])).games
            games = [game for game in read if game.size == self.size]
        else:
            say(f"{self.name}: learning a database from {DATABASE_GAMES} games of self-play …")
            match = self_play(f"mcts:default,simulations={self.simulations}", self.size, seed)
            stopped, games = play_games(match, DATABASE_GAMES, _place(playing))
            if stopped:
                say("stopped; the same command resumes")
                raise KeyboardInterrupt
        skip = OPENING_MOVES if campaign.records is None else 0
        learn(games, Settings(skip=skip, max_positions=MOST_POSITIONS), say).database.save(path)
        return path

    def title(self, start: str = "bare") -> str:
        """Return the title of the table of programs."""
        return f"{self.section}, {STARTS[start].title_words}{self.size}x{self.size} Go"

    def _table(self, history: History, start: str) -> ResultTable:
        rows: list[tuple[Cell, ...]] = []
        programs = [history.matches, *(step.matches for step in history.accepting)]
        for part in (PREVIOUS, FIRST, OPPONENT, DEEP):
            for n, matches in enumerate(programs):
                if part in matches:
                    rows.append(self._row(n, part, matches[part]))
        c = history.config
        accepted, tried = len(history.accepting), sum(len(step.candidates) for step in history.steps)
        return ResultTable(
            self.title(start),
            ("tested", "opponent", "budget per move", "success rate, 95% Wilson", "paper", "games"),
            tuple(rows),
            f"{len(history.steps):,} steps with |S0| = {c['candidates']}, {tried:,} candidates, {history.n_games:,} "
            f"games of races, {accepted:,} accepted. The rates come from separate games with new seeds, played after "
            "the verdicts. The paper's ± is its standard error; its first program is MoGo, and its budget 10,000 "
            "simulations per move on 9x9 and 3,500 on 19x19.",
        )

    def opponent_name(self, n: int, part: str) -> str:
        """Return the opponent of program ``n`` in a part of the validation."""
        return {PREVIOUS: program_name(n - 1), OPPONENT: self.opponent}.get(part, program_name(0))

    def _row(self, n: int, part: str, played: Validation) -> tuple[Cell, ...]:
        opponent = self.opponent_name(n, part)
        rate = percent(played.tally.win_rate, played.tally.plain_interval)
        return program_name(n), opponent, played.budget, rate, self.paper.get((n, part), ""), played.tally.n_games


def _folder(playing: Playing) -> Path:
    """Return the folder for files: that of the ledger, or this one if the ledger is on a server."""
    ledger = playing.get("ledger") or DEFAULT_LEDGER
    return Path(".") if "://" in ledger else Path(ledger).parent


def _place(playing: Playing) -> Place:
    return place_named(playing.get("ledger") or DEFAULT_LEDGER, playing.get("executor"), playing.get("workers"))


def _silent(text: str) -> None:
    pass


class _Teller(EvolutionObserver):
    """Prints lines of progress of an evolution."""

    def __init__(self, name: str, progress: Progress) -> None:
        self.name, self.tell = name, progress

    def say(self, text: str) -> None:
        self.tell(f"{self.name}: {text}")

    def race(self, step: int, n_steps: int, what: str) -> Observer:
        return _RaceTeller(f"step {step} of {n_steps}", self.say)

    def match(self, title: str, match: Match) -> Observer:
        self.say(f"{title} …")
        return MatchTeller(title, self.say)

    def stepped(self, step: int, change: object, races: object) -> None:
        if change is not None:
            self.say(f"step {step}: {change} accepted")

    def played(self, title: str, result: MatchResult) -> None:
        self.say(f"{title}: {percent(result.tally.win_rate, result.tally.plain_interval)}")


class _RaceTeller(Observer):
    """Prints the beginning, the progress and the verdicts of a step's race."""

    def __init__(self, place: str, progress: Progress) -> None:
        self.place, self.tell = place, progress
        self._told = time.monotonic()

    def start(self, driver: RaceDriver) -> None:
        self.tell(f"{self.place}: {len(driver.race.standings)} candidates …")

    def stop(self, driver: RaceDriver) -> None:
        self.tell(STOPPING)

    def decision(self, decision: Decision) -> None:
        self.tell(f"{self.place}: candidate {decision.candidate} {decision.verdict.value}")

    def progress(self, driver: RaceDriver) -> None:
        if not driver.race.finished and time.monotonic() >= self._told + TOLD_EVERY:
            self._told = time.monotonic()
            self.tell(f"{self.place}: {2 * driver.race.n_evaluations:,} games")


GOOD_9 = Growing(
    "bgp-9x9-good",
    "Section 5.1, good shapes",
    9,
    200,
    "good",
    10,
    3,
    {
        (1, PREVIOUS): "50.78 ± 0.10%",
        (2, PREVIOUS): "51.2 ± 0.20%",
        (2, FIRST): "51.9 ± 0.16%",
        (2, DEEP): "52.1 ± 0.6%",
    },
    "2 of 183",
)
BAD_9 = Growing(
    "bgp-9x9-bad",
    "Section 5.2, bad shapes",
    9,
    200,
    "bad",
    1,
    20,
    {
        (1, PREVIOUS): "50.9 ± 0.2%",
        (2, PREVIOUS): "50.6 ± 0.13%",
        (0, OPPONENT): "51.9 ± 0.16%",
        (1, OPPONENT): "52.6 ± 0.16%",
        (2, OPPONENT): "53.5 ± 0.16%",
    },
    "2 of 173",
    after=GOOD_9,
    opponent="the first of section 5.1",
)
WITH_DATABASE_19 = Growing(
    "bgp-19x19-with-database", "Section 5.3, with the database", 19, 50, "good", 1, 20, {}, "0 of 62", database=True,
    deep_part=20,
)  # fmt: skip
_PREVIOUS_19 = (
    "50.9 ± 0.13%", "51.2 ± 0.28%", "56.7 ± 1.50%", "52.1 ± 0.39%", "51.1 ± 0.20%", "54.1 ± 0.78%", "50.9 ± 0.20%",
    "51.2 ± 0.28%", "50.4 ± 0.10%", "52.3 ± 0.55%",
)  # fmt: skip
_FIRST_19 = (
    "53.4 ± 0.50%", "57.3 ± 0.49%", "59.4 ± 0.49%", "58.6 ± 0.49%", "61.7 ± 0.49%", "61.3 ± 0.49%", "63.1 ± 0.48%",
    "62.3 ± 0.48%", "63.0 ± 0.48%",
)  # fmt: skip
_DATABASE_19 = (
    "26.6 ± 0.20%", "27.5 ± 0.49%", "28.0 ± 0.51%", "30.9 ± 0.46%", "32.1 ± 0.43%", "30.9 ± 0.46%", "32.8 ± 0.47%",
    "31.9 ± 0.47%", "32.2 ± 0.47%", "32.6 ± 0.47%", "34.5 ± 0.48%",
)  # fmt: skip
WITHOUT_DATABASE_19 = Growing(
    "bgp-19x19-without-database",
    "Section 5.4, without the database",
    19,
    50,
    "good",
    1,
    40,
    {
        **{(i, PREVIOUS): text for i, text in enumerate(_PREVIOUS_19, 1)},
        **{(i, FIRST): text for i, text in enumerate(_FIRST_19, 2)},
        **{(i, OPPONENT): text for i, text in enumerate(_DATABASE_19)},
    },
    "10 of 443",
    opponent="first + AE",
    deep_part=20,
)
