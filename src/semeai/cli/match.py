"""``semeai match``: play many games between two players, and find out who is stronger."""

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
    SprtOption,
    SuiteOption,
    SwapOption,
    adjudication_table,
    game_of,
)
from semeai.cli.options import ExecutorOption, JsonOption, LedgerOption, WorkersOption
from semeai.cli.output import check_writable, naming_options, print_json, warn
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.parallel.launch import started_ranks
from semeai.store.places import DEFAULT_LEDGER, without_password


class Scoring(enum.StrEnum):
    agreed = "agreed"
    area = "area"


def match(
    a: Annotated[
        str,
        typer.Argument(
            help="Player A: random, mcts:PRESET,NAME=VALUE, gtp:COMMAND LINE, uci:COMMAND LINE, or a .toml file."
        ),
    ],
    b: Annotated[str, typer.Argument(help="Player B, written in the same way.")],
    games: Annotated[
        int, typer.Option(min=1, help="Games, rounded up to pairs with the same opening and swapped colours.")
    ] = 100,
    game: MatchGameOption = None,
    size: SizeOption = None,
    komi: KomiOption = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per move for MCTS players without a budget of their own.")
    ] = None,
    swap: SwapOption = False,
    suite: SuiteOption = None,
    openings: Annotated[int, typer.Option(min=0, help="Random moves that both games of a pair begin with.")] = 0,
    adjudicate: AdjudicateOption = None,
    scoring: Annotated[
        Scoring, typer.Option(help="Remove the stones that both players call dead, or count all stones as they stand.")
    ] = Scoring.agreed,
    move_limit: Annotated[
        int | None,
        typer.Option(min=1, help="Moves after which a game is counted as it stands (default: 3 per point)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same games, on any workers.")] = 1,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the always-valid interval excludes 50%.")
    ] = False,
    sgf: Annotated[
        Path | None, typer.Option(help="Folder for the games, one file per game; created if it does not exist.")
    ] = None,
    pgn: Annotated[
        Path | None, typer.Option(help="One file for all games (chess only); a match that resumes goes on at its end.")
    ] = None,
    sprt: SprtOption = "0,5",
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the run (default: made from the players and the settings).")
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    markdown: Annotated[Path | None, typer.Option(help="Also write the result to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a match between two players, or continue a stopped one.

    The same command continues the match; with more --games it becomes longer. Engines are started without a shell. An
    engine that crashes, hangs or plays an illegal move loses that game.

    Examples:
        semeai match mcts "gtp:gnugo --mode gtp --chinese-rules --positional-superko" --games 400 --sgf games
        semeai match mcts:uct mcts:rave --simulations 500 --size 7 --until-decided
        semeai match a.toml b.toml --games 1000    after a match of 400 games: 600 more
        semeai match mcts random --game havannah --size 5
        semeai match "uci:stockfish nodes=800" "uci:stockfish nodes=400" --games 200 --pgn games.pgn
        mpiexec -n 8 semeai match mcts:parallel.scheme=slow_tree,parallel.ranks=8 mcts
    """
    from semeai.cli.match_display import as_dict, as_result_table, make_match_display
    from semeai.match.match import Match
    from semeai.match.run import run_match
    from semeai.match.settings import MatchSettings
    from semeai.models import checked
    from semeai.players.catalog import parse_spec, words_with_simulations
    from semeai.runs.run import Place, checked_name, place_named
    from semeai.stats.elo import parse_hypotheses

    check_writable("--markdown", markdown)
    hypotheses = parse_hypotheses(sprt, "--sprt")
    game = game or game_of([a, b])
    if pgn is not None and game != "chess":
        raise ConfigError(f"--pgn {pgn}: PGN is for chess; use --sgf FOLDER for {game}")
    table: dict[str, Any] = {
        "game": game, "size": size, "komi": komi, "swap": swap, "opening_moves": openings, "scoring": scoring.value,
        "move_limit": move_limit,
    }  # fmt: skip
    if suite:
        table["suite"] = suite
    if adjudicate:
        table["adjudication"] = adjudication_table(adjudicate)
    with naming_options(table):
        settings = checked(MatchSettings, table).located(".")
    players = [words if simulations is None else words_with_simulations(words, simulations) for words in (a, b)]
    if simulations is not None and players == [a, b]:
        raise ConfigError(f"--simulations {simulations}: neither {a!r} nor {b!r} takes it")
    chosen = Match(parse_spec(players[0], game=game), parse_spec(players[1], game=game), settings, seed)
    run_name = chosen.name if name is None else checked_name(name, "--name")
    if started_ranks() > 1 and executor is not None:
        raise ConfigError(f"--executor {executor}: workers cannot reach the ranks that mpiexec has started")
    # Worker processes cannot reach ranks either.
    where = Place(ledger, "inline", workers) if started_ranks() > 1 else place_named(ledger, executor, workers)
    display = make_match_display(chosen, as_json, hypotheses)
    with display:
        result = run_match(
            chosen,
            games,
            where,
            name=run_name,
            sgf=sgf,
            pgn=pgn,
            until_decided=until_decided,
            observer=display,
        )
    place = without_password(ledger)
    if as_json:
        print_json(as_dict(chosen, run_name, place, result, until_decided, hypotheses))
    else:
        display.summary(result, until_decided, run_name, place)
    if markdown is not None:
        write_text(markdown, as_result_table(chosen, result, until_decided, hypotheses).to_markdown(), "--markdown")
    if not result.finished:
        warn(f"stopped; to continue: {shlex.join(['semeai', *sys.argv[1:]])}")
        raise typer.Exit(130)
