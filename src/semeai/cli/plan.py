"""``semeai plan``: what a race will cost."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from semeai.errors import ConfigError
from semeai.models import checked
from semeai.race.settings import RaceSettings
from semeai.stats.information import information_bound


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai plan --efficiency 0.52 --risk 0.05 --candidates 10")(plan)


def plan(
    efficiency: Annotated[float, typer.Option(min=0, max=1, help="Of the candidate: its true win rate.")],
    risk: float = 0.05,
    candidates: Annotated[int, typer.Option(min=1, help="Raced together, the others being null (0.5).")] = 1,
    accept_above: float = 0.501,
    discard_below: float = 0.504,
    races: Annotated[int, typer.Option(min=1, help="Simulated races a method.")] = 2000,
    seed: int = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Expected games of a race by method, simulated, and the information bound that no method can beat."""
    from semeai.experiments import guarantee
    from semeai.experiments.simulated_race import ACCEPTED, simulate
    from semeai.jit import compile_kernels

    console = Console(stderr=True)
    compile_kernels(lambda text: console.print(f"[dim]{text}[/]"))
    shared = {"risk": risk, "accept_above": accept_above, "discard_below": discard_below}
    checked(RaceSettings, shared)
    truth = [0.5] * (candidates - 1) + [efficiency]
    if accept_above == discard_below and accept_above in truth:
        raise ConfigError(f"with both thresholds at {accept_above:g}, no race ends for a candidate exactly there")
    rows = []
    for name, method in guarantee.METHODS.items():
        result = simulate(method.model_copy(update=shared), truth, races, seed)
        rows.append((name, float(result.games.mean()), float((result.verdicts[:, -1] == ACCEPTED).mean())))
    bound = information_bound(efficiency, risk, accept_above, discard_below)
    if as_json:
        methods = [{"method": m, "games": g, "accepted": a} for m, g, a in rows]
        typer.echo(json.dumps({"information_bound": bound, "methods": methods}, indent=2))
        return
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in ("method", "expected games", "x information bound", "accepted"):
        table.add_column(title, justify="left" if title == "method" else "right")
    for m, g, a in rows:
        table.add_row(m, f"{g:,.0f}", f"{g / bound:.2f}" if candidates == 1 and bound else "", f"{100 * a:.1f}%")
    if candidates == 1:
        table.add_row("information bound", f"{bound:,.0f}", "1.00", "")
    Console().print(table)
