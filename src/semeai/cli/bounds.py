"""``semeai bounds``: compute bounds and verdicts from counts."""

import math
from typing import Annotated, Any

import typer

from semeai.cli.options import AcceptAboveOption, DiscardBelowOption, JsonOption, RiskOption
from semeai.cli.output import print_json
from semeai.errors import ConfigError

METHODS: dict[str, dict[str, Any]] = {
    "betting (default)": {"method": "betting"},
    "betting, coverage": {"method": "betting", "coverage": True},
    "hoeffding, geometric (variant 1)": {"method": "hoeffding", "spending": "geometric"},
    "hoeffding, quadratic (variant 2)": {"method": "hoeffding", "spending": "quadratic"},
    "hoeffding, countable (variant 3)": {"method": "hoeffding", "spending": "countable"},
    "bernstein, quadratic": {"method": "bernstein", "spending": "quadratic"},
}


def bounds(
    wins: Annotated[int, typer.Option(min=0, help="Games won by the candidate.")] = 0,
    losses: Annotated[int, typer.Option(min=0, help="Games lost by the candidate.")] = 0,
    draws: Annotated[int, typer.Option(min=0, help="Games drawn.")] = 0,
    candidates: Annotated[int, typer.Option(min=1, help="Number of candidates, which share the risk.")] = 1,
    index: Annotated[
        int, typer.Option(min=1, help="Number of this candidate, from 1; matters only with countable spending.")
    ] = 1,
    tests: Annotated[
        int | None, typer.Option(min=1, help="Looks so far (default: as if looking after 1, 2, 4, ... games).")
    ] = None,
    risk: RiskOption = 0.05,
    accept_above: AcceptAboveOption = 0.501,
    discard_below: DiscardBelowOption = 0.504,
    as_json: JsonOption = False,
) -> None:
    """Compute bounds and the verdict from wins, draws and losses.

    Prints for each method the bounds on the true win rate, the verdict now, and the number of games still expected.

    Examples:
        semeai bounds --wins 520 --losses 480 --candidates 10
    """
    from rich.table import Table
    from rich.text import Text

    from semeai.cli.console import Console
    from semeai.cli.race_status import COLOURS
    from semeai.models import checked
    from semeai.race.settings import RaceSettings
    from semeai.stats.counts import RewardCounts
    from semeai.stats.intervals import wilson_interval

    counts = RewardCounts.of(wins=wins, draws=draws, losses=losses)
    n = counts.n
    if n == 0:
        raise ConfigError("no games: give --wins, --losses or --draws")
    looks = tests or n.bit_length()
    rows = []
    for name, choice in METHODS.items():
        thresholds = {"risk": risk, "accept_above": accept_above, "discard_below": discard_below}
        rule = checked(RaceSettings, {**choice, **thresholds}).resolved().rule(candidates)
        verdict = rule.look(counts, looks, index).verdict
        lower, upper = rule.bounds(counts, looks, index)
        more = rule.forecast(counts, looks, index)
        rows.append((name, max(0.0, lower), min(1.0, upper), verdict, more))
    plain = wilson_interval(counts.total, n)
    if as_json:
        result = [
            {
                "method": m,
                "lower": lo,
                "upper": up,
                "verdict": v.value,
                "more_games": g if math.isfinite(g) else None,
            }
            for m, lo, up, v, g in rows
        ]
        print_json({"games": n, "win_rate": counts.mean, "wilson_95": list(plain), "methods": result})
        return
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in ("method", "lower", "upper", "verdict now", "games still expected"):
        table.add_column(title, justify="left" if title in ("method", "verdict now") else "right")
    for m, lo, up, v, g in rows:
        expected = "" if v.value != "undecided" else f"{g:,.0f}" if math.isfinite(g) else "never, at this rate"
        table.add_row(m, f"{lo:.4f}", f"{up:.4f}", Text(v.value, style=COLOURS[v]), expected)
    console = Console()
    console.print(f"{n:,} games, win rate {counts.mean:.4f}, {looks} looks, {candidates} candidates", highlight=False)
    console.print(table)
    console.print(
        f"Wilson's 95% interval [{plain.lower:.4f}, {plain.upper:.4f}] holds for one finished, independent "
        "sample: not for a race that was watched, nor for the best of several.",
        highlight=False,
        style="dim",
    )
