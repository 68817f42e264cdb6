"""An evolution as JSON: the line of programs, what was accepted and discarded, games per step, validation matches."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from semeai.evolve.change import Change
from semeai.evolve.history import History, StepHistory, program_name, read_history
from semeai.evolve.report import opponent_name, summary
from semeai.evolve.store import FIRST, PREVIOUS, step_run
from semeai.patterns.pattern import Pattern
from semeai.patterns.svg import svg_of
from semeai.race.selection import Standing
from semeai.report.values import Json, interval, number, text
from semeai.store.ledger import Ledger, RunInfo

DRAWN = 60
"""Discarded patterns that a page draws: the last ones."""
OF_A_SET = 9
"""Patterns of a set that a page draws: a drawing takes 5 KB."""


def evolution_data(ledger: Ledger, run: RunInfo, state: str) -> Json:
    history = read_history(ledger, run.name)
    all_discarded = discarded(history)
    return {
        "game": history.game,
        "n_games": history.n_games,
        "words": evolution_words(history, state),
        "programs": programs(history),
        "steps": [step_row(history, step) for step in history.steps],
        "discarded": [discarded_data(*found) for found in all_discarded[-DRAWN:]],
        "n_discarded": len(all_discarded),
        "proposers": [
            {"name": text(name), "candidates": p.candidates, "acceptances": p.acceptances, "games": p.games}
            for name, p in sorted(history.by_proposer().items())
        ],
    }


def evolution_words(history: History, state: str) -> list[str]:
    n = len(history.accepting)
    head = "No change was accepted" if n == 0 else f"{n} change{'s' if n > 1 else ''} made the player better"
    words = [f"{head}{'.' if state == 'finished' else ' so far.'}", text(summary(history))]
    last = history.accepting[-1] if history.accepting else None
    if last and (against := last.matches.get(FIRST) or last.matches.get(PREVIOUS)) and against.tally.n_games:
        tally = against.tally
        low, high = tally.plain_interval or (0.0, 1.0)
        other = "the first one" if FIRST in last.matches else "the one before it"
        words.append(
            f"In {tally.n_games:,} separate games with new seeds, the last program scored {100 * tally.win_rate:.1f}% "
            f"against {other} (95% interval {100 * low:.1f}% to {100 * high:.1f}%)."
        )
    return words


def programs(history: History) -> list[Json]:
    """Return the line of programs: the first one, and one more for each accepted change."""
    line: list[Json] = [{"name": program_name(0), "matches": validations(history, 0, history.matches, None)}]
    for i, (step, change) in enumerate(history.accepted(), 1):
        assert step.accepted is not None
        standing = step.candidates[step.accepted.name]
        line.append({
            "name": program_name(i),
            "label": f"P{i}",
            "step": step.number,
            "race": step_run(history.name, step.number),
            "n_games": 2 * standing.n_evaluations,
            "win_rate": number(standing.win_rate),
            "matches": validations(history, i, step.matches, step),
            **change_data(change),
        })  # fmt: skip
    return line


def validations(history: History, n: int, matches: Any, step: StepHistory | None) -> list[Json]:
    found = []
    for part, played in matches.items():
        tally = played.tally
        if not tally.n_games:
            continue
        found.append({
            "run": step_run(history.name, step.number if step else 0, part),
            "opponent": text(opponent_name(n, part, played)),
            "budget": played.budget,
            "n_games": tally.n_games,
            "win_rate": number(tally.win_rate),
            "interval": interval(tally.plain_interval),
        })  # fmt: skip
    return found


def change_data(change: Change) -> Json:
    data: Json = {"change": text(change), "proposer": text(change.proposer)}
    if change.patterns:
        data |= {"picture": picture(change.patterns), "shapes": shapes_in_words(change.patterns)}
    return data


def shapes_in_words(patterns: Sequence[Pattern]) -> str:
    if len(patterns) > OF_A_SET:
        return f"{len(patterns)} patterns, {OF_A_SET} of them drawn"
    if len(patterns) > 1:
        return f"{len(patterns)} patterns"
    return "good shape" if patterns[0].bias > 0 else "bad shape"


def picture(patterns: Sequence[Pattern]) -> str:
    """Return the drawing of the first patterns as the address of an image, so that the page need not trust it."""
    return "data:image/svg+xml," + quote(svg_of(patterns[:OF_A_SET], captions=len(patterns) > 1), safe="")


def step_row(history: History, step: StepHistory) -> Json:
    verdicts = [standing.verdict.value for standing in step.candidates.values()]
    return {
        "number": step.number,
        "race": step_run(history.name, step.number),
        "n_games": step.n_games,
        "candidates": len(verdicts),
        "accepted": text(step.accepted.name) if step.accepted else "",
        "discarded": verdicts.count("discarded"),
        "undecided": verdicts.count("exhausted") + verdicts.count("undecided"),
    }


def discarded(history: History) -> list[tuple[int, Change, Standing]]:
    """Return the discarded changes in the order of their steps, with the number of the step."""
    return [
        (step.number, step.changes[name], standing)
        for step in history.steps
        for name, standing in step.candidates.items()
        if standing.verdict.value == "discarded" and name in step.changes
    ]


def discarded_data(step: int, change: Change, standing: Standing) -> Json:
    games, rate = 2 * standing.n_evaluations, number(standing.win_rate)
    return change_data(change) | {"step": step, "n_games": games, "win_rate": rate}
