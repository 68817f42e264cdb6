"""Counts and win rates of a match so far: a pure function of its games in their order."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from semeai.match.pair import PlayedGame
from semeai.stats.bounds import Bounds
from semeai.stats.counts import SCALE, RewardCounts
from semeai.stats.intervals import always_valid_interval, wilson_interval

HALF = SCALE // 2


@dataclass
class Tally:
    """Counts over whole pairs. All rates are player A's."""

    levels: Counter[int] = field(default_factory=Counter)
    """Number of pairs by mean reward of the pair, in thousandths."""
    as_first: Counter[float] = field(default_factory=Counter)
    """Number of games that A began, by A's reward."""
    as_second: Counter[float] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    n_moves: int = 0
    cpu: tuple[float, float] = (0.0, 0.0)
    simulations: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, pairs: Iterable[Sequence[PlayedGame]]) -> "Tally":
        tally = cls()
        for pair in pairs:
            tally.add(pair)
        return tally

    def add(self, pair: Sequence[PlayedGame]) -> None:
        self.levels[round(sum(game.reward for game in pair) * HALF)] += 1
        for game in pair:
            (self.as_first if game.a_is_first else self.as_second)[game.reward] += 1
            self.reasons[game.reason] += 1
            self.n_moves += game.n_moves
            self.cpu = self.cpu[0] + game.cpu_a, self.cpu[1] + game.cpu_b
            self.simulations = self.simulations[0] + game.simulations_a, self.simulations[1] + game.simulations_b

    @property
    def n_pairs(self) -> int:
        return self.levels.total()

    @property
    def n_games(self) -> int:
        return 2 * self.n_pairs

    @property
    def total(self) -> float:
        """Sum of A's rewards."""
        return sum(level * n for level, n in self.levels.items()) / HALF

    @property
    def win_rate(self) -> float:
        return self.total / self.n_games if self.n_games else float("nan")

    @property
    def draws(self) -> int:
        return self.as_first[0.5] + self.as_second[0.5]

    @property
    def interval(self) -> Bounds:
        """Always-valid 95% confidence interval, with one observation per pair."""
        return always_valid_interval(RewardCounts(self.levels))

    @property
    def plain_interval(self) -> Bounds | None:
        """Wilson's 95% confidence interval, for a match whose number of games was planned; None without games."""
        return wilson_interval(self.total, self.n_games) if self.n_games else None

    @property
    def is_decided(self) -> bool:
        """Whether the always-valid interval excludes 1/2."""
        lower, upper = self.interval
        return not lower <= 0.5 <= upper
