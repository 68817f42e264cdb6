"""Results in plain words: what was found, how sure it is, and what it does not say."""

import math
from typing import TYPE_CHECKING

from semeai.race.candidate import Verdict
from semeai.race.race import Race
from semeai.race.settings import RaceSettings
from semeai.report.values import text
from semeai.stats.elo import elo, elo_interval

if TYPE_CHECKING:
    from semeai.match.tally import Tally

NAMED = 5
"""Accepted candidates that a sentence names."""
STATES = {
    "running": "It is running.",
    "interrupted": "It was stopped before its end, and can be resumed.",
    "killed": "Its process was killed before its end; it can be resumed.",
    "error": "It ended with an error.",
}


def guarantee_sentence(settings: RaceSettings) -> str:
    risk, threshold = f"{100 * settings.risk:g}%", f"{settings.accept_above:g}"
    if settings.mode == "stream" and settings.spending in ("geometric", "quadratic"):
        # The papers' series of races, each with the whole risk: nothing bounds the risk of the whole stream.
        return f"For each candidate alone, the risk of accepting it though it is not better than {threshold} is {risk}."
    if settings.fdr:
        return (
            f"Among the accepted candidates, the expected share that is not better than {threshold} is at most {risk}, "
            "over all looks."
        )
    return (
        f"The risk that any accepted candidate is not better than {threshold} is at most {risk}, "
        "over all candidates and looks."
    )


def race_words(race: Race, state: str, n_failures: int) -> list[str]:
    """Return the result of a race as sentences."""
    by = {v: [s for s in race.standings if s.verdict == v] for v in Verdict}
    accepted, discarded = by[Verdict.ACCEPTED], by[Verdict.DISCARDED]
    words = []
    if accepted:
        names = ", ".join(text(s.candidate.name) for s in accepted[:NAMED])
        more = f" and {len(accepted) - NAMED:,} more" if len(accepted) > NAMED else ""
        be = "is" if len(accepted) == 1 else "are"
        words.append(f"{names}{more} {be} better than the baseline.")
    elif state == "finished":
        words.append("No candidate was accepted.")
    else:
        words.append("No candidate is accepted so far.")
    if state in STATES:
        words.append(STATES[state])
    rest = [
        f"{len(found):,} {what}"
        for what, found in (
            ("discarded", discarded),
            ("without a verdict at the limit of evaluations", by[Verdict.EXHAUSTED]),
            ("failed", by[Verdict.FAILED]),
            ("undecided", by[Verdict.UNDECIDED]),
        )
        if found
    ]
    total = f"{len(race.standings):,} candidate{'s' if len(race.standings) != 1 else ''}"
    words.append(f"{total}, {race.n_evaluations:,} evaluations" + (f"; {', '.join(rest)}." if rest else "."))
    if accepted:
        words.append(guarantee_sentence(race.settings))
        words.append("The win rate at a verdict is biased by the stopping: measure it again with new seeds.")
    if n_failures:
        words.append("Some evaluations failed: see the failures below.")
    return words


def match_words(tally: "Tally", a: str, b: str, state: str, n_failures: int = 0) -> list[str]:
    """Return the result of a match as sentences; ``a`` and ``b`` are the players."""
    if not tally.n_games:
        return ["No pair of games is recorded yet."]
    lower, upper = tally.interval
    better = f"{a} is stronger than {b}" if lower > 0.5 else f"{b} is stronger than {a}" if upper < 0.5 else ""
    words = [f"{better}." if better else f"It is not decided whether {a} or {b} is stronger."]
    if state in STATES:
        words.append(STATES[state])
    words.append(
        f"{a} scored {100 * tally.win_rate:.1f}% of {tally.n_games:,} games. The 95% interval, valid however long the "
        f"match goes on, is {100 * max(0.0, lower):.1f}% to {100 * min(1.0, upper):.1f}%: {elo_words(tally)}."
    )
    if n_failures:
        words.append(f"{n_failures:,} game{'s' if n_failures > 1 else ''} ended by a failure: see the failures below.")
    return words


def elo_words(tally: "Tally") -> str:
    """Return the difference on Elo's scale with its interval."""
    low, high = elo_interval(tally.interval)
    return f"Elo {signed(elo(tally.win_rate))}, from {signed(low)} to {signed(high)}"


def signed(value: float) -> str:
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:+.0f}".replace("-", "−")
