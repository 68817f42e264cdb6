"""``semeai suite``: how many positions of a suite does a player solve?"""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from semeai.cli.game_options import GameOption
from semeai.cli.options import ExecutorOption, JsonOption, WorkersOption
from semeai.cli.output import check_writable, print_json, warn
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.parallel.launch import started_ranks


def suite(
    file: Annotated[Path, typer.Argument(help="Positions, one JSON object per line; see the how-to Run a suite.")],
    player: Annotated[
        str,
        typer.Argument(help="Player: mcts:PRESET,NAME=VALUE, gtp: or uci:COMMAND LINE, random, or a .toml file."),
    ] = "mcts",
    game: GameOption = "go",
    name: Annotated[str | None, typer.Option("--suite", metavar="NAME", help="Ask only about this suite.")] = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per position for an MCTS player without a budget.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same answers, on any workers.")] = 1,
    each: Annotated[bool, typer.Option("--each", help="Also list every position with the player's move.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if a position fails that is not a known failure.")
    ] = False,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the table to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a player for its move in positions whose solutions are known.

    Prints per suite how many positions were solved. A position that its author marked as a known failure counts too,
    and is also counted apart. Ctrl-C ends the run and shows the results so far.

    Examples:
        semeai suite positions.jsonl --simulations 10000
        semeai suite positions.jsonl "gtp:gnugo --mode gtp --level 10" --suite ladders --each
        semeai suite positions.jsonl mcts:simulations=2000 --check --json > results.json
    """
    from semeai.cli.suite_display import as_dict, as_table, make_suite_display
    from semeai.players.catalog import parse_spec, words_with_simulations
    from semeai.runs.run import Place, place_named
    from semeai.suites.run import run_suites
    from semeai.suites.suite import read_suites

    check_writable("--markdown", markdown)
    words = player if simulations is None else words_with_simulations(player, simulations)
    if simulations is not None and words == player:
        raise ConfigError(f"--simulations {simulations}: player {shlex.quote(player)} does not take it")
    spec = parse_spec(words, game=game)
    found = read_suites(file, game, name)
    for sentence in found.unplayable:
        warn(f"left out: {sentence}")
    if started_ranks() > 1 and executor is not None:
        raise ConfigError(f"--executor {executor}: workers cannot reach the ranks that mpiexec has started")
    where = Place(None, "inline", workers) if started_ranks() > 1 else place_named(None, executor, workers)
    display = make_suite_display(quiet=as_json)
    with display:
        driver = run_suites(found.positions, spec, seed, where, display)
    answers = driver.answers
    table = as_table(str(file), spec.label, seed, answers, len(found.positions))
    if as_json:
        print_json(as_dict(str(file), spec.label, game, seed, driver, found.unplayable))
    else:
        display.summary(table, answers if each else [])
    if markdown is not None:
        write_text(markdown, table.to_markdown(), "--markdown")
    if not driver.finished:
        warn(f"stopped after {len(answers)} of {len(found.positions)} positions")
        raise typer.Exit(130)
    if check and any(answer.surprising for answer in answers):
        raise typer.Exit(1)
