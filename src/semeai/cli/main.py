"""The ``semeai`` command."""

import sys
from collections.abc import Callable

import typer

from semeai.cli import (
    analyze,
    bench,
    bounds,
    evolve,
    gtp,
    init,
    learn,
    match,
    pattern,
    plan,
    race,
    reproduce,
    runs,
    solve,
    warmup,
)
from semeai.errors import SemeaiError
from semeai.parallel.launch import started_ranks

app = typer.Typer(
    name="semeai",
    help="Race changes of a stochastic program against a baseline, with a proven bound on the risk.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    epilog="First time? `semeai init first-race` writes a small example, `semeai race first-race/race.toml` runs it.",
)

for module in (
    init, race, match, evolve, runs, bounds, plan, reproduce, gtp, analyze, pattern, learn, solve, bench, warmup,
):  # fmt: skip
    module.register(app)


def version(show: bool) -> None:
    if show:
        from importlib.metadata import version as installed

        typer.echo(f"semeai {installed('semeai')}")
        raise typer.Exit


@app.callback()
def options(
    show_version: bool = typer.Option(False, "--version", callback=version, is_eager=True, help="Show the version."),
) -> None:
    pass


def main() -> None:
    """Run; of several ranks that mpiexec has started, the first runs and the others search for it."""
    if started_ranks() == 1:
        run(app)
        return
    from semeai.parallel.ranks import on_rank_0

    run(lambda: on_rank_0(lambda: run(app)))


def run(command: Callable[[], object]) -> None:
    """An error is one sentence on stderr and the exit code of its kind."""
    try:
        command()
    except SemeaiError as error:
        print(f"semeai: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:  # before or after a race, which handles its own
        sys.exit(130)
    except BrokenPipeError:  # `semeai export | head`
        sys.stderr.close()
        sys.exit(0)
