"""``semeai plan``: estimate the cost of a race."""

from typing import Annotated

import typer

from semeai.cli.options import (
    AcceptAboveOption,
    DiscardBelowOption,
    ExecutorOption,
    JsonOption,
    RiskOption,
    WorkersOption,
)
from semeai.cli.output import note, print_json, warn
from semeai.errors import ConfigError


def plan(
    efficiency: Annotated[float, typer.Option(min=0, max=1, help="True win rate of the candidate.")],
    risk: RiskOption = 0.05,
    candidates: Annotated[
        int, typer.Option(min=1, help="Candidates raced together; all others have a win rate of 0.5.")
    ] = 1,
    accept_above: AcceptAboveOption = 0.501,
    discard_below: DiscardBelowOption = 0.504,
    races: Annotated[int, typer.Option(min=1, help="Simulated races per method.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same estimate.")] = 1,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate how many games a race will need, by simulation.

    Prints the expected games and the frequency of acceptance for each method, and for one candidate the information
    bound: the smallest expected number of games of any method.

    Examples:
        semeai plan --efficiency 0.52 --risk 0.05 --candidates 10
        semeai plan --efficiency 0.505 --candidates 100 --races 20000 --executor dask://node1:8786
    """
    from rich.table import Table

    from semeai.cli.console import Console
    from semeai.experiments import guarantee
    from semeai.experiments.simulated_race import ACCEPTED, Kernels, simulate, simulate_on
    from semeai.jit import compile_kernels
    from semeai.models import checked
    from semeai.race.settings import RaceSettings
    from semeai.runs.run import Observer, place_named
    from semeai.stats.information import information_bound
    from semeai.work.spread import Spread

    compile_kernels(note)
    shared = {"risk": risk, "accept_above": accept_above, "discard_below": discard_below}
    checked(RaceSettings, shared)
    truth = [0.5] * (candidates - 1) + [efficiency]
    if accept_above == discard_below and accept_above in truth:
        raise ConfigError(f"with both thresholds at {accept_above:g}, no race ends for a candidate exactly there")
    methods = [method.model_copy(update=shared) for method in guarantee.METHODS.values()]
    if executor is None and workers is None:  # threads of this process
        results = [simulate(method, truth, races, seed) for method in methods]
    else:
        observer = Observer()
        observer.say, observer.warning = note, warn  # type: ignore[method-assign]
        with place_named(None, executor, workers).open_pool(observer) as pool:
            pool.begin(Kernels())
            results = simulate_on(Spread(pool), methods, truth, races, seed)
    rows = []
    for name, result in zip(guarantee.METHODS, results, strict=True):
        rows.append((name, float(result.games.mean()), float((result.verdicts[:, -1] == ACCEPTED).mean())))
    bound = information_bound(efficiency, risk, accept_above, discard_below)
    if as_json:
        entries = [{"method": m, "games": g, "accepted": a} for m, g, a in rows]
        print_json({"information_bound": bound, "methods": entries})
        return
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in ("method", "expected games", "x information bound", "accepted"):
        table.add_column(title, justify="left" if title == "method" else "right")
    for m, g, a in rows:
        table.add_row(m, f"{g:,.0f}", f"{g / bound:.2f}" if candidates == 1 and bound else "", f"{100 * a:.1f}%")
    if candidates == 1:
        table.add_row("information bound", f"{bound:,.0f}", "1.00", "")
    Console().print(table)
