"""``semeai learn``: learn a pattern database (AE in the papers) from game records or from self-play."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import JsonOption, LedgerOption, WorkersOption
from semeai.cli.output import check_range, check_writable, note, print_json, say, warn
from semeai.errors import ConfigError
from semeai.store.places import DEFAULT_LEDGER

if TYPE_CHECKING:
    from semeai.games.record import GameRecord
    from semeai.learn.learn import Learnt
    from semeai.table import ResultTable

SHOWN = 5
"""Largest number of refused files that are named."""


def learn(
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write the database to.")],
    games: Annotated[list[Path] | None, typer.Argument(help="Game records in SGF, or folders of .sgf files.")] = None,
    self_play: Annotated[
        int | None, typer.Option(min=2, help="Learn from this many games that a player plays against itself.")
    ] = None,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size of self-play.")] = 9,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per move of self-play (default: 200).")
    ] = None,
    player: Annotated[str, typer.Option(help="Player of self-play, as in semeai match.")] = "mcts",
    workers: WorkersOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    min_seen: Annotated[
        int, typer.Option(min=1, help="How often a neighbourhood must occur to become a pattern.")
    ] = 10,
    prior: Annotated[
        float, typer.Option(help="Strength of the prior that pulls a pattern towards its parent (> 0).")
    ] = 2.0,
    held_out: Annotated[float, typer.Option(help="Fraction of the games used only for the test (at most 0.5).")] = 0.1,
    positions: Annotated[
        int, typer.Option(min=100, help="Largest number of positions to learn from, drawn at random.")
    ] = 60_000,
    skip: Annotated[
        int | None,
        typer.Option(
            min=0, help="Moves to skip at the beginning of each game (default: the random moves of self-play)."
        ),
    ] = None,
    distance: Annotated[
        int, typer.Option(min=3, max=10, help="Largest distance that patterns reach: dx + dy + the larger of both.")
    ] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same file.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Learn a database of Go patterns from records or from self-play.

    The patterns are nested neighbourhoods with Bradley-Terry strengths; a player uses them by `database=FILE`. Prints
    how well they predict the moves of the held-out games. Broken files are named and left out.

    Examples:
        semeai learn games/ -o ae.npz                      from all .sgf files below a folder
        semeai learn --self-play 400 --size 9 -o ae.npz    from games against itself, on all cores
        semeai learn --self-play 400 --player mcts:rave,simulations=500 -o ae.npz
        semeai match mcts:rave,database=ae.npz mcts:rave --simulations 200
    """
    from semeai.learn.games import OPENING_MOVES
    from semeai.learn.learn import Settings
    from semeai.learn.learn import learn as learn_from

    if bool(games) == (self_play is not None):
        raise ConfigError("give game records or --self-play GAMES, but not both")
    check_range("--held-out", held_out, gt=0, le=0.5)
    check_range("--prior", prior, gt=0, le=1000)
    check_writable("--output", output)
    progress = note if not as_json else lambda text: None
    refused: list[str] = []
    if self_play is None:
        records, refused = _read(games or [])
    else:
        records = _play(self_play, _player(player, simulations), size, seed, workers, ledger, as_json)
    if skip is None:
        skip = OPENING_MOVES if self_play else 0
    found = learn_from(records, Settings(min_seen, prior, held_out, positions, skip, seed, distance), progress)
    found.database.save(output)
    table = as_table(found)
    if as_json:
        print_json(as_dict(found, output, refused))
        return
    from semeai.cli.console import Console
    from semeai.cli.reproduce import as_rich

    Console().print(as_rich(table))
    say(summary(found, output))


def _player(words: str, simulations: int | None) -> str:
    """Return the player with ``simulations`` per move (default: 200), unless it has a budget of its own."""
    from semeai.players.catalog import words_with_simulations

    chosen = words_with_simulations(words, simulations or 200)
    if simulations is not None and chosen == words:
        raise ConfigError(f"--simulations {simulations}: the player {words!r} has a budget of its own")
    return chosen


def _read(paths: list[Path]) -> tuple[list["GameRecord"], list[str]]:
    from semeai.learn.games import find_files, read_games

    files = read_games(find_files(paths))
    for sentence in files.refused[:SHOWN]:
        note(f"left out: {sentence}")
    if len(files.refused) > SHOWN:
        note(f"left out: {len(files.refused) - SHOWN} more")
    if not files.games:
        raise ConfigError(f"none of {len(files.refused)} files can be used; the first: {files.refused[0]}")
    return list(files.games), list(files.refused)


def _play(
    games: int, player: str, size: int, seed: int, workers: int | None, ledger: str, quiet: bool
) -> list["GameRecord"]:
    from semeai.cli.match_display import make_match_display
    from semeai.learn.games import play_games, self_play

    match = self_play(player, size, seed)
    display = make_match_display(match, quiet)
    with display:
        stopped, records = play_games(match, games, ledger=ledger, workers=workers, observer=display)
    if stopped:
        warn(f"stopped; to continue: {shlex.join(['semeai', *sys.argv[1:]])}")
        raise typer.Exit(130)
    return records


def as_table(found: "Learnt") -> "ResultTable":
    """Make the table of how well the held-out games are predicted, by the size of the patterns."""
    from semeai.table import ResultTable, percent

    rows: list[tuple[Any, ...]] = []
    known = 0
    names = ["none", *map(str, found.database.about["distances"])]
    accuracies = (found.uniform, *found.by_size)
    for name, n, accuracy in zip(names, (0, *found.database.by_size()), accuracies, strict=False):
        known += n
        first, among = percent(accuracy.first), percent(accuracy.among_first)
        rows.append((name, known, first, among, round(accuracy.mean_rank, 1), round(accuracy.log_likelihood, 3)))
    title = f"Prediction of {found.uniform.n_moves:,} moves of {found.n_held_out} held-out games"
    columns = ("up to distance", "patterns", "top 1", "top 5", "mean rank", "log-likelihood")
    return ResultTable(title, columns, tuple(rows))


def summary(found: "Learnt", output: Path) -> str:
    database = found.database
    return (
        f"{output}: {len(database):,} patterns from {found.n_moves:,} moves of {found.n_games} games, "
        f"{output.stat().st_size / 1e6:.2f} MB on disk, {database.table_bytes / 1e6:.2f} MB in memory, "
        f"digest {database.digest}\nto play with it: semeai gtp --database {shlex.quote(str(output))}"
    )


def as_dict(found: "Learnt", output: Path, refused: list[str]) -> dict[str, Any]:
    database = found.database
    return {
        "output": str(output),
        "digest": database.digest,
        "patterns": len(database),
        "patterns_by_size": database.by_size(),
        "bytes_on_disk": output.stat().st_size,
        "bytes_in_memory": database.table_bytes,
        "games": found.n_games,
        "moves": found.n_moves,
        "games_held_out": found.n_held_out,
        "refused": refused,
        "uniform": vars(found.uniform),
        "by_size": [vars(accuracy) for accuracy in found.by_size],
    }
