"""``semeai evolve``: improve a player, change by change."""

import enum
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from semeai.cli.game_options import GAME_HELP, SizeOption
from semeai.cli.options import ExecutorOption, FileLedgerOption, FileNameOption, JsonOption, WorkersOption
from semeai.cli.output import check_folder, print_json, warn
from semeai.evolve.proposers import PROPOSERS
from semeai.store.places import beside, without_password

ProposerName = enum.StrEnum("ProposerName", list(PROPOSERS))  # type: ignore[misc]


class ShapeName(enum.StrEnum):
    good = "good"
    bad = "bad"
    both = "both"


def evolve(
    file: Annotated[Path | None, typer.Argument(help="Evolution file (TOML); options override it.")] = None,
    player: Annotated[
        str | None, typer.Option(help="First player (default: RAVE and light playouts, without knowledge).")
    ] = None,
    game: Annotated[str | None, typer.Option(help=f"{GAME_HELP} (default: go).")] = None,
    size: SizeOption = None,
    simulations: Annotated[int | None, typer.Option(min=1, help="Simulations per move in races.")] = None,
    proposer: Annotated[
        list[ProposerName] | None,
        typer.Option(help="Source of candidates (default: guided and random, mixed)."),
    ] = None,
    shapes: Annotated[
        ShapeName | None, typer.Option(help="Shapes that guided and random propose (default: good).")
    ] = None,
    candidates: Annotated[
        int | None, typer.Option(min=1, help="Candidates per step, |S0| in the papers (default: 10).")
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps, each a race of candidates (default: 20).")] = None,
    hours: Annotated[
        float | None, typer.Option(help="Start no more games of races after this many hours; then validate.")
    ] = None,
    risk: Annotated[
        float | None, typer.Option(help="Largest probability of any wrong acceptance, over all steps (default: 0.05).")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same player (default: 1).")] = None,
    name: FileNameOption = None,
    ledger: FileLedgerOption = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Folder for the player, its patterns and the report (default: the run's name)."),
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Improve a player step by step, by races of proposed changes.

    Proposes changes, races them against the player, and keeps what is proven better. Accepted changes are validated
    by separate games: against the previous players, at ten times the budget, and against another engine. The same
    command continues an evolution that was stopped.

    Examples:
        semeai evolve evolve.toml               run it, or continue where it stopped
        semeai evolve evolve.toml --steps 40    with twenty more steps
        semeai evolve --size 9 --simulations 100 --proposer guided --steps 5
        semeai evolve --game havannah --size 5 --simulations 100 --candidates 1 --steps 50
    """
    from semeai.cli.evolve_display import as_dict, make_evolve_display, next_steps
    from semeai.evolve.config import load_evolution
    from semeai.evolve.loop import run_evolution
    from semeai.evolve.output import REPORT_FILE, write_file
    from semeai.evolve.report import report
    from semeai.runs.run import checked_name, place_of

    changes: dict[str, Any] = {
        "player": player, "match.game": game, "match.size": size, "player.simulations": simulations,
        "proposers": [
            {"kind": p.value, **({"shapes": shapes.value} if shapes and PROPOSERS[p.value].has_shapes else {})}
            for p in proposer or ()
        ] or None,
        "candidates": candidates, "steps": steps, "hours": hours, "race.risk": risk, "seed": seed,
    }  # fmt: skip
    config = load_evolution(file, {key: value for key, value in changes.items() if value is not None})
    folder = Path() if file is None else file.parent
    default_name = config.name or ("evolve" if file is None else file.stem)
    run_name = default_name if name is None else checked_name(name, "--name")
    place = ledger or beside(config.ledger, folder)
    target = output or folder / (config.output or run_name)
    check_folder("--output", target)
    display = make_evolve_display(config.steps, quiet=as_json)
    with display:
        where = place_of(config.executor, place, executor, workers)
        result = run_evolution(config, folder, where, name=run_name, output=target, observer=display)
    write_file(target / REPORT_FILE, report(result.history, result.notes))
    shown = without_password(place)
    if as_json:
        print_json(as_dict(shown, result))
    else:
        display.summary(result, next_steps(str(target), run_name, shown, config.match.game, config.match.size))
    if not result.finished:
        warn(f"stopped; to continue: {shlex.join(['semeai', *sys.argv[1:]])}")
        raise typer.Exit(130)
