"""``semeai learn``: learn a move model, or a pattern database (AE in the papers), from records or from self-play."""

import shlex
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from semeai.cli.game_options import GameOption
from semeai.cli.options import ExecutorOption, JsonOption, LedgerOption, WorkersOption
from semeai.cli.output import check_range, check_writable, note, print_json, say, warn
from semeai.errors import ConfigError
from semeai.store.places import DEFAULT_LEDGER

if TYPE_CHECKING:
    from semeai.games.move_model import Features, MoveModel
    from semeai.games.record import GameRecord
    from semeai.runs.run import Place
    from semeai.table import ResultTable


class Targets(StrEnum):
    """What a move model learns."""

    moves = "moves"
    visits = "visits"


SHOWN = 5
"""Largest number of refused files that are named."""


def learn(
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write the model to.")],
    games: Annotated[list[Path] | None, typer.Argument(help="Game records in SGF, or folders of .sgf files.")] = None,
    self_play: Annotated[
        int | None, typer.Option(min=2, help="Learn from this many games that a player plays against itself.")
    ] = None,
    game: GameOption = "go",
    size: Annotated[
        int | None, typer.Option(min=2, max=25, help="Board size of self-play (default: 9 in Go, 8 in Havannah).")
    ] = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per move of self-play (default: 200).")
    ] = None,
    player: Annotated[str, typer.Option(help="Player of self-play, as in semeai match.")] = "mcts",
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    patterns_only: Annotated[
        bool, typer.Option("--patterns-only", help="Learn a database of patterns (AE in the papers) instead.")
    ] = False,
    min_seen: Annotated[
        int | None,
        typer.Option(min=1, help="How often a shape must occur to get a weight (default: 8; of patterns 10)."),
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, max=100, help="Passes over the games (default: 3).")] = None,
    shapes: Annotated[
        int | None, typer.Option(min=1, max=131_072, help="Largest number of shapes (default: 100,000).")
    ] = None,
    targets: Annotated[
        Targets, typer.Option(help="What is learnt: the moves that were played, or the visits of deep searches.")
    ] = Targets.moves,
    searches: Annotated[
        int | None, typer.Option(min=1, help="Visits only: positions per game that are searched (default: 12).")
    ] = None,
    search_simulations: Annotated[
        int | None, typer.Option(min=10, help="Visits only: simulations per search (default: 2000).")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="FILE", help="Model to begin with: a file, or own for that of semeai.")
    ] = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Also say what each group of features adds, by fits to 60,000 positions.")
    ] = False,
    figure: Annotated[
        Path | None, typer.Option(help="Draw how often moves of each probability were played (.svg, .pdf, .png).")
    ] = None,
    prior: Annotated[
        float | None, typer.Option(help="Patterns only: strength of the prior towards the parent (default: 2).")
    ] = None,
    positions: Annotated[
        int | None, typer.Option(min=100, help="Patterns only: largest number of positions (default: 60,000).")
    ] = None,
    distance: Annotated[
        int | None,
        typer.Option(min=3, max=10, help="Patterns only: reach, dx + dy + the larger of both (default: 10)."),
    ] = None,
    held_out: Annotated[
        float | None, typer.Option(help="Fraction of the games used only for the test (default: 0.05; patterns: 0.1).")
    ] = None,
    skip: Annotated[
        int | None,
        typer.Option(
            min=0, help="Moves to skip at the beginning of each game (default: the random moves of self-play)."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same file.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Learn which moves strong players choose, from games.

    A move model adds up shapes, tactics, distances to the last moves and lines of the board; a player uses it by
    `model=FILE`. Prints how well it predicts the moves of the held-out games. Broken files are named and left
    out. A stopped run goes on with the same command.

    Examples:
        semeai learn games/ -o model.npz                     from all .sgf files below a folder
        semeai learn --self-play 400 --size 9 -o model.npz   from games against itself, on all cores
        semeai learn --self-play 400 --targets visits --start own -o next.npz
        semeai match mcts:model=model.npz mcts --size 19 --simulations 200
        semeai learn --game havannah --self-play 1000 --size 8 --simulations 1000 -o havannah.npz
        semeai learn games/ --patterns-only -o ae.npz        the papers' AE, for database=ae.npz
    """
    from semeai.games.catalog import game_named
    from semeai.learn.games import OPENING_MOVES
    from semeai.runs.run import place_named

    rules = game_named(game)
    if patterns_only and game != "go":
        raise ConfigError(f"--game {game}: --patterns-only is for Go; learn a move model instead")
    features = rules.features
    size = rules.default_size if size is None else size
    rules.check_size(size)
    if bool(games) == (self_play is not None):
        raise ConfigError("give game records or --self-play GAMES, but not both")
    if held_out is not None:
        check_range("--held-out", held_out, gt=0, le=0.5)
    if prior is not None:
        check_range("--prior", prior, gt=0, le=1000)
    _check_kind(patterns_only, {"--prior": prior, "--positions": positions, "--distance": distance}, True)
    by_visits = targets is Targets.visits
    others = {"--epochs": epochs, "--shapes": shapes, "--groups": groups or None, "--figure": figure, "--start": start}
    _check_kind(patterns_only, {**others, "--targets visits": by_visits or None}, False)
    for name, value in {"--searches": searches, "--search-simulations": search_simulations}.items():
        if value is not None and not by_visits:
            raise ConfigError(f"{name} is an option with --targets visits")
    if groups and by_visits:
        raise ConfigError("--groups is an option without --targets visits")
    check_writable("--output", output)
    if figure is not None:
        from semeai.experiments.figure import check_format

        check_format(figure)
        check_writable("--figure", figure)
    first = None if patterns_only or start is None else _model_named(start, features)
    if by_visits:
        from semeai.cli.learn_searches import search_records, search_settings

        searching = search_settings(player, game, searches, search_simulations)
    progress = note if not as_json else lambda text: None
    refused: list[str] = []
    where = place_named(ledger, executor, workers)
    if self_play is None:
        records, refused = _read(games or [], game)
        sources = [str(path) for path in games or []]
    else:
        words = _player(player, simulations)
        records = _play(self_play, words, game, size, seed, where, as_json)
        sources = [f"{self_play} games of {words} against itself, {rules.board_name(size)}, seed {seed}"]
    if skip is None:
        skip = OPENING_MOVES if self_play else 0
    chosen = {"skip": skip, "seed": seed, "min_seen": min_seen, "held_out": held_out}
    if patterns_only:
        from semeai.cli.learn_patterns import learn_patterns

        chosen |= {"prior": prior, "max_positions": positions, "distance": distance}
        found = learn_patterns(records, output, chosen, progress)
    else:
        from semeai.cli.learn_model import learn_moves

        chosen |= {"epochs": epochs, "max_shapes": shapes}
        visits = None
        if by_visits:
            visits = search_records(records, replace(searching, skip=skip, seed=seed), output, where, as_json)
        found = learn_moves(records, output, chosen, groups, figure, progress, visits, first, sources)
    tables, sentence, data = found
    if as_json:
        print_json({"output": str(output), "bytes_on_disk": output.stat().st_size, "refused": refused, **data})
        return
    _print_tables(tables)
    say(sentence)


def stopped_early() -> NoReturn:
    """End the command after Ctrl-C."""
    warn(f"stopped; to continue: {shlex.join(['semeai', *sys.argv[1:]])}")
    raise typer.Exit(130)


def _model_named(name: str, features: "Features") -> "MoveModel":
    """Return the model that ``--start`` names: ``own``, or a file."""
    from semeai.games.learnt import OWN
    from semeai.games.move_model import load_model, model_of

    if name == OWN:
        return model_of(features.own_model, features)
    try:
        return load_model(name, features)
    except ConfigError as error:
        raise ConfigError(f"--start: {error}") from None


def _check_kind(patterns_only: bool, options: dict[str, Any], of_patterns: bool) -> None:
    for name, value in options.items():
        if value is not None and patterns_only != of_patterns:
            raise ConfigError(f"{name} is an option {'with' if of_patterns else 'without'} --patterns-only")


def _print_tables(tables: "list[ResultTable]") -> None:
    from semeai.cli.console import Console
    from semeai.cli.reproduce import as_rich

    for table in tables:
        Console().print(as_rich(table))


def _player(words: str, simulations: int | None) -> str:
    """Return the player with ``simulations`` per move (default: 200), unless it has a budget of its own."""
    from semeai.players.catalog import words_with_simulations

    chosen = words_with_simulations(words, simulations or 200)
    if simulations is not None and chosen == words:
        raise ConfigError(f"--simulations {simulations}: the player {words!r} has a budget of its own")
    return chosen


def _read(paths: list[Path], game: str) -> tuple[list["GameRecord"], list[str]]:
    from semeai.learn.games import find_files, read_games

    found = find_files(paths)
    note(f"reading {len(found):,} files")
    files = read_games(found, game)
    for sentence in files.refused[:SHOWN]:
        note(f"left out: {sentence}")
    if len(files.refused) > SHOWN:
        note(f"left out: {len(files.refused) - SHOWN} more")
    if not files.games:
        raise ConfigError(f"none of {len(files.refused)} files can be used; the first: {files.refused[0]}")
    return list(files.games), list(files.refused)


def _play(games: int, player: str, game: str, size: int, seed: int, where: "Place", quiet: bool) -> list["GameRecord"]:
    from semeai.cli.match_display import make_match_display
    from semeai.learn.games import play_games, self_play

    match = self_play(player, size, seed, game=game)
    display = make_match_display(match, quiet)
    with display:
        stopped, records = play_games(match, games, where, observer=display)
    if stopped:
        stopped_early()
    return records
