"""The part of ``semeai learn`` for move models: tables, sentences and the figure."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from semeai.games.move_model import MoveModel
from semeai.games.record import GameRecord
from semeai.learn.examples import Visits
from semeai.learn.logit import Judged
from semeai.learn.move_model import Learnt, Settings, by_group, learn_model
from semeai.table import ResultTable, percent

PHASES = {"all moves": (1, 10**6), "moves 1 to 30": (1, 30), "31 to 100": (31, 100), "101 to the end": (101, 10**6)}
_TOPS = (1, 5, 10, 20)
_COLUMNS = (*(f"top {n}" for n in _TOPS), "log-likelihood")


def learn_moves(
    records: Sequence[GameRecord],
    output: Path,
    chosen: Mapping[str, Any],
    groups: bool,
    figure: Path | None,
    progress: Callable[[str], object],
    visits: Sequence[Visits] | None = None,
    start: MoveModel | None = None,
    sources: Sequence[str] = (),
) -> tuple[list[ResultTable], str, dict[str, Any]]:
    """Learn and save a model. Returns the tables, a summary, and both as data; None in ``chosen`` is the default."""
    settings = Settings(**{name: value for name, value in chosen.items() if value is not None})
    checkpoint = output.with_name(output.name + ".part")
    found = learn_model(records, settings, checkpoint, progress, visits=visits, start=start, sources=sources)
    found.model.save(output)
    checkpoint.unlink(missing_ok=True)
    tables = [by_phase(found)]
    if groups:
        tables.append(group_table(by_group(records, settings, progress)))
    if figure is not None:
        draw_calibration(found.judged, figure)
    return tables, summary(found, output), as_dict(found)


def _cells(judged: Judged) -> tuple[Any, ...]:
    if not len(judged.ranks):
        return ("",) * len(_COLUMNS)
    return (*(percent(judged.top(n)) for n in _TOPS), round(judged.log_likelihood, 3))


def by_phase(found: Learnt) -> ResultTable:
    """Make the table of how well the held-out games are predicted, by number of the move."""
    parts = {name: found.judged.between(*numbers) for name, numbers in PHASES.items()}
    rows = tuple((name, len(part.ranks), *_cells(part)) for name, part in parts.items())
    title = f"Prediction of the moves of {found.n_held_out} held-out games"
    return ResultTable(title, ("moves", "number", *_COLUMNS), rows)


def group_table(found: Sequence[tuple[str, Judged]]) -> ResultTable:
    """Make the table of what each group of features adds."""
    rows = tuple((name, *_cells(judged)) for name, judged in found)
    return ResultTable("Prediction by groups of features, fitted to a part of the games", ("features", *_COLUMNS), rows)


def summary(found: Learnt, output: Path) -> str:
    features = found.model.features
    learnt = f"{len(found.model):,} shapes" if features.n_keys else f"{features.n_ids:,} weights"
    game = "" if features.game == "go" else f" --game {features.game}"
    return (
        f"{output}: {learnt} from {found.n_moves:,} moves of {found.n_games} games, "
        f"{output.stat().st_size / 1e6:.2f} MB, digest {found.model.digest}\n"
        f"to play with it: semeai gtp{game} --set {shlex.quote(f'model={output}')}"
    )


def as_dict(found: Learnt) -> dict[str, Any]:
    judged = found.judged
    return {
        "digest": found.model.digest,
        "shapes": len(found.model),
        "games": found.n_games,
        "moves": found.n_moves,
        "games_held_out": found.n_held_out,
        "moves_held_out": len(judged.ranks),
        **{f"top_{n}": judged.top(n) for n in _TOPS},
        "log_likelihood": judged.log_likelihood,
        "calibration": calibration(judged),
    }


def calibration(judged: Judged) -> list[dict[str, float]]:
    """Return, by probability of a point: how many points, their mean probability, and the share that was played."""
    return [
        {"points": int(n), "probability": float(total / n), "played": float(won / n)}
        for n, total, won in judged.bins
        if n
    ]


def draw_calibration(judged: Judged, path: Path) -> None:
    """Draw the share of points that were played by their probability; a perfect model lies on the diagonal."""
    from semeai.experiments.figure import draw
    from semeai.table import Chart, Curve

    rows = [(100 * row["probability"], 100 * row["played"]) for row in calibration(judged)]
    curves = (
        Curve("held-out games", tuple((x, y, y, y) for x, y in rows)),
        Curve("perfect", ((0.0, 0.0, 0.0, 0.0), (100.0, 100.0, 100.0, 100.0)), measured=False),
    )
    x, y = "probability by the model, in percent", "played, in percent"
    draw([Chart("How often moves of each probability were played", x, y, curves, even=None, log_x=False)], path)
