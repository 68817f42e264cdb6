"""What raised stakes save: the method bold_betting beside the others, and its error rates in the worst cases."""

import math

import numpy as np
from numpy.typing import NDArray

from semeai.experiments.error_rates import OPEN_NOTE, REWARDS, Ends
from semeai.experiments.first_good import BAD, certainty_bound, mean_and_error, search_bound
from semeai.experiments.numbers import VARIANCES
from semeai.experiments.simulated_race import ACCEPTED, DISCARDED, simulate
from semeai.race.settings import RaceSettings
from semeai.rng import generator
from semeai.stats.betting import Floats
from semeai.stats.bold import BoldBetting, Side, raised_stakes
from semeai.stats.information import information_bound
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent

RISK = 0.05
COSTS = {  # thresholds: efficiencies
    (0.501, 0.504): (
        *(0.42, 0.44, 0.45, 0.48, 0.49, 0.5, 0.5025, 0.505, 0.51, 0.52, 0.535, 0.55, 0.567, 0.58, 0.6, 0.7),
    ),
    (0.505, 0.525): (0.45, 0.5, 0.515, 0.53, 0.55, 0.6),
    (0.51, 0.6): (0.45, 0.5, 0.555, 0.62, 0.7),
}
METHODS = ("betting", "wide_betting", "bold_betting")
LOW, HIGH = 0.505, 0.525  # thresholds of the other tables
LONGEST = 6000  # evaluations
GOOD = (0.51, 0.52, 0.55)


def run() -> list[ResultTable]:
    return [costs(), at_the_thresholds(), small_variances(), worst_cases(), first_good()]


def costs(races: int = 4000) -> ResultTable:
    """Return the games up to the verdict, and those of the whole race, as multiples of the information bound."""
    rows: list[tuple[Cell, ...]] = []
    for pair, efficiencies in COSTS.items():
        for efficiency in efficiencies:
            bound = information_bound(efficiency, RISK, *pair)
            row: list[Cell] = [f"{pair[0]}, {pair[1]}", efficiency, bound]
            for method in METHODS:
                settings = RaceSettings(method=method, accept_above=pair[0], discard_below=pair[1])
                games = simulate(settings, [efficiency], races).games
                row.append(mean_and_error(up_to_the_verdict(games, settings) / bound))
            row.append(mean_and_error(games / bound))
            rows.append(tuple(row))
    return ResultTable(
        f"One candidate: games as multiples of the information bound, {races:,} races per cell",
        ("thresholds", "efficiency", "information bound", *METHODS, "bold_betting, with what was under way"),
        tuple(rows),
        "Risk 5%. The first three columns count the games up to the verdict; the last one also those of the batches "
        "that were under way at the verdict, as the page of the guarantee does. Half widths of 95% intervals.",
    )


def up_to_the_verdict(games: NDArray[np.int64], settings: RaceSettings) -> NDArray[np.int64]:
    """Return the games of one candidate until its verdict, from those of the race with what was under way then."""
    resolved = settings.resolved()
    assert resolved.lookahead is not None
    totals = [0]
    while totals[-1] < games.max():
        totals.append(totals[-1] + resolved.batch_size(totals[-1]))
    return np.array(totals)[np.searchsorted(totals, games) - (resolved.lookahead - 1)]


def at_the_thresholds(races: int = 4000) -> ResultTable:
    """Return the error rates of candidates at the thresholds."""
    rows: list[tuple[Cell, ...]] = []
    for pair in COSTS:
        settings = RaceSettings(method="bold_betting", accept_above=pair[0], discard_below=pair[1])
        several = races // 4
        low = simulate(settings, [pair[0]], races).verdicts == ACCEPTED
        high = simulate(settings, [pair[1]], races).verdicts == DISCARDED
        ten = simulate(settings, [pair[0]] * 10, several).verdicts == ACCEPTED
        mixed = simulate(settings, [pair[0]] * 9 + [pair[1]], several).verdicts
        wrong = (mixed[:, :-1] == ACCEPTED).any(1) | (mixed[:, -1] == DISCARDED)
        rows.append((f"{pair[0]}, {pair[1]}", *(_rate(x) for x in (low[:, 0], high[:, 0], ten.any(1), wrong))))
    return ResultTable(
        f"bold_betting, errors at the thresholds: {races:,} races of one candidate, {races // 4:,} of ten",
        ("thresholds", "accepted at accept_above", "discarded at discard_below", "ten at accept_above: any accepted",
         "nine at accept_above, one at discard_below: any error"),
        tuple(rows),
        "Risk 5%, with 95% Wilson intervals. Each must be compatible with at most 5%.",
    )  # fmt: skip


class Gamblers:
    """Many candidates at once, with a look after each reward: the evidence of one side of bold betting."""

    def __init__(self, test: BoldBetting, side: Side, several: int) -> None:
        self.side = side
        self.log_wealth: Floats = np.repeat(test.log_weights[None, :], several, axis=0)
        self.log_reserve: Floats = np.zeros(several)
        self.evidence: Floats = np.zeros(several)

    def bet(self, who: NDArray[np.int64], rewards: Floats) -> None:
        """Bet on the next reward of some candidates."""
        gap = (rewards - self.side.threshold)[:, None]
        shares, stakes = raised_stakes(self.side, self.log_wealth[who], self.log_reserve[who], RISK, 1)
        self.evidence[who] += np.logaddexp.reduce(shares + np.log1p(stakes * gap), axis=1)
        self.log_wealth[who] += np.log1p(self.side.stakes * gap)
        self.log_reserve[who] += np.log1p(self.side.reserve_stake * gap[:, 0])


def worst_cases(several: int = 500) -> ResultTable:
    """Return the error rates of one candidate at a threshold, against adversaries that see the evidence."""
    rows: list[tuple[Cell, ...]] = []
    for name in REWARDS:
        rows.append((name, *(_ever_wrong(name, several, accepting).words for accepting in (True, False))))
    return ResultTable(
        f"bold_betting, worst cases: errors of one candidate, {several:,} races of at most {LONGEST:,} evaluations",
        ("rewards", "accepted at accept_above", "discarded at discard_below"),
        tuple(rows),
        f"Thresholds {LOW} and {HIGH}, risk 5%, a look after each evaluation. Each rate must be compatible with at "
        f"most 5%. For discards all rewards are mirrored: 1 - x, with the expectation discard_below. {OPEN_NOTE}",
    )


def _ever_wrong(name: str, several: int, accepting: bool) -> Ends:
    rng, test = generator(1, "bold worst case", name), BoldBetting(LOW, HIGH)
    own_side, other_side = test.sides if accepting else test.sides[::-1]
    own, other = Gamblers(test, own_side, several), Gamblers(test, other_side, several)
    wrong = np.zeros(several, bool)
    alive = np.arange(several)
    for t in range(LONGEST):
        x = REWARDS[name](rng, own.evidence[alive], t, own_side.threshold)
        own.bet(alive, x)
        other.bet(alive, 1 - x)
        bad, right = own.evidence[alive] >= -math.log(RISK), other.evidence[alive] >= -math.log(RISK)
        wrong[alive[bad]] = True
        alive = alive[~bad & ~right]
        if not len(alive):
            break
    still_open = np.zeros(several, bool)
    still_open[alive] = True
    return Ends(wrong, still_open)


def small_variances(several: int = 400) -> ResultTable:
    """Return the evaluations that bold_betting needs if rewards vary little; a look after each."""
    rows: list[tuple[Cell, ...]] = []
    for name, draw in VARIANCES.items():
        rewards = np.clip(draw(generator(1, "variance", name), several, LONGEST), 0, 1)
        test = BoldBetting(LOW, HIGH)
        up, down = (Gamblers(test, side, several) for side in test.sides)
        needed, accepted, alive = np.full(several, LONGEST), np.zeros(several, bool), np.arange(several)
        for t in range(LONGEST):
            x = rewards[alive, t]
            up.bet(alive, x)
            down.bet(alive, 1 - x)
            accepts, discards = up.evidence[alive] >= -math.log(RISK), down.evidence[alive] >= -math.log(RISK)
            needed[alive[accepts | discards]] = t + 1
            accepted[alive[accepts]] = True
            alive = alive[~accepts & ~discards]
        rows.append((name, float(needed.mean()), _rate(accepted)))
    return ResultTable(
        f"bold_betting, rewards of small variance: evaluations of one candidate, {several:,} races",
        ("rewards", "evaluations", "accepted"),
        tuple(rows),
        f"Thresholds {LOW} and {HIGH}, risk 5%, a look after each evaluation. Races without a verdict end after "
        f"{LONGEST:,} evaluations. The page of the guarantee has the other methods.",
    )


def first_good(races: int = 1000) -> ResultTable:
    """Compare the games to the first acceptance with the lower bounds."""
    rows: list[tuple[Cell, ...]] = []
    for good in GOOD:
        for k in (2, 5, 10):
            bound = max(certainty_bound(k, good, RISK, 0.501), search_bound(k, good, BAD, RISK, races, 1))
            truth = [BAD] * (k - 1) + [good]
            ratios = (simulate(RaceSettings(method=method), truth, races).games / bound for method in METHODS)
            rows.append((good, k, bound, *map(mean_and_error, ratios)))
    return ResultTable(
        f"The first good candidate: games as multiples of the larger lower bound, {races:,} races per cell",
        ("efficiency of the good one", "candidates", "larger bound", *METHODS),
        tuple(rows),
        f"All others have efficiency {BAD}; thresholds 0.501 and 0.504, risk 5%. The bounds are those of the page of "
        "the guarantee. Games include the batches that were under way. Half widths of 95% intervals.",
    )


def _rate(wrong: NDArray[np.bool_]) -> str:
    low, high = wilson_interval(float(wrong.sum()), len(wrong))
    return f"{percent(wrong.mean())} [{100 * low:.3g}, {100 * high:.3g}]"
