"""``semeai tournament``: play many games between several players, and rank them."""

import enum
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from semeai.cli.game_options import (
    AdjudicateOption,
    KomiOption,
    MatchGameOption,
    SizeOption,
    SuiteOption,
    adjudication_table,
    game_of,
)
from semeai.cli.options import ExecutorOption, JsonOption, LedgerOption, WorkersOption
from semeai.cli.output import check_writable, naming_options, print_json, warn
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.store.places import DEFAULT_LEDGER, without_password


class Format(enum.StrEnum):
    round_robin = "round-robin"
    gauntlet = "gauntlet"


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(help="Two players or more: random, mcts:…, gtp:COMMAND LINE, uci:COMMAND LINE, or .toml files."),
    ],
    rounds: Annotated[
        int, typer.Option(min=1, help="Rounds; in each round each pairing plays two games with colours swapped.")
    ] = 20,
    form: Annotated[
        Format, typer.Option("--format", help="Everybody against everybody, or the first player against all others.")
    ] = Format.round_robin,
    game: MatchGameOption = None,
    size: SizeOption = None,
    komi: KomiOption = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per move for MCTS players without a budget of their own.")
    ] = None,
    suite: SuiteOption = None,
    openings: Annotated[int, typer.Option(min=0, help="Random moves that both games of a pair begin with.")] = 0,
    adjudicate: AdjudicateOption = None,
    move_limit: Annotated[
        int | None, typer.Option(min=1, help="Moves after which a game is counted as it stands.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same games, on any workers.")] = 1,
    sgf: Annotated[
        Path | None, typer.Option(help="Folder for the games, one file per game; created if it does not exist.")
    ] = None,
    pgn: Annotated[Path | None, typer.Option(help="One file for all games (chess only).")] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the run (default: made from the players and the settings).")
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    markdown: Annotated[Path | None, typer.Option(help="Also write the standings to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a tournament of several players, or continue a stopped one.

    The same command continues it; with more --rounds it becomes longer. The standings may be watched and the tournament
    stopped at any time: their intervals stay valid.

    Examples:
        semeai tournament "uci:stockfish nodes=100" "uci:stockfish nodes=200" "uci:gnuchess --uci depth=2" --rounds 50
        semeai tournament mcts:uct mcts:rave mcts random --size 7 --simulations 200
        semeai tournament new.toml old1.toml old2.toml --format gauntlet --rounds 200
    """
    from semeai.cli.tournament_display import as_dict, as_result_table, make_display, print_standings
    from semeai.match.run import run_tournament
    from semeai.match.settings import MatchSettings
    from semeai.match.tournament import Tournament
    from semeai.models import checked
    from semeai.players.catalog import parse_spec, words_with_simulations
    from semeai.runs.run import checked_name, place_named

    check_writable("--markdown", markdown)
    game = game or game_of(players)
    if pgn is not None and game != "chess":
        raise ConfigError(f"--pgn {pgn}: PGN is for chess; use --sgf FOLDER for {game}")
    table: dict[str, Any] = {
        "game": game, "size": size, "komi": komi, "opening_moves": openings, "move_limit": move_limit,
    }  # fmt: skip
    if suite:
        table["suite"] = suite
    if adjudicate:
        table["adjudication"] = adjudication_table(adjudicate)
    with naming_options(table):
        settings = checked(MatchSettings, table).located(".")
    texts = players if simulations is None else [words_with_simulations(words, simulations) for words in players]
    specs = tuple(parse_spec(words, game=game) for words in texts)
    chosen = Tournament(specs, settings, form.value, seed)
    run_name = chosen.name if name is None else checked_name(name, "--name")
    with make_display(chosen, as_json) as display:
        place = place_named(ledger, executor, workers)
        tally, finished, failures = run_tournament(
            chosen, rounds, place, name=run_name, sgf=sgf, pgn=pgn, observer=display
        )
    where = without_password(ledger)
    if as_json:
        print_json(as_dict(tally, run_name, where, finished))
    else:
        print_standings(display.console, tally)
        for played in failures[:3]:
            warn(f"game {played.number + 1}: {played.failure}")
    if markdown is not None:
        write_text(markdown, as_result_table(tally).to_markdown(), "--markdown")
    if not finished:
        warn(f"stopped; to continue: {shlex.join(['semeai', *sys.argv[1:]])}")
        raise typer.Exit(130)
