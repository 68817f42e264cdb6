"""Learn a move model from games: find the shapes that occur often, fit the weights, test them on held-out games.

Games are replayed in chunks: memory holds the moves of all games, and the features of one chunk. A checkpoint beside
the output holds the weights after each chunk; the same command goes on from there.
"""

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semeai.archives import Wanted, read_arrays
from semeai.errors import ConfigError
from semeai.files import replace_file
from semeai.games.move_model import MoveModel
from semeai.games.record import GameRecord
from semeai.learn.examples import Examples, GameMoves, Harvester, Visits, digest_of
from semeai.learn.logit import Judged, ShapeNumbers, Weights
from semeai.rng import derive, generator

CHUNK_POSITIONS = 6_000
OTHERS = 3
"""Points per position that are drawn at random, beside the point played, to count shapes."""

MOST_SOURCES = 100
"""Largest number of names that a model keeps of what it was learnt from."""

Say = Callable[[str], object]


@dataclass(frozen=True)
class Settings:
    """Settings of ``learn_model``."""

    epochs: int = 3
    step: float = 0.12
    """First step of the weights along their gradient; it falls to a fifth."""
    factor_step: float = 0.05
    """The same for the factors; 0: no factors."""
    min_seen: int = 8
    """Number of times that a shape must be seen, among the moves played and a few others."""
    max_shapes: int = 100_000
    """Largest number of shapes; those seen most are kept."""
    counted: int = 400_000
    """Largest number of positions in which shapes are counted."""
    held_out: float = 0.05
    max_held_out: int = 300
    """Largest number of games held out."""
    skip: int = 0
    """Moves at the beginning of each game that are not learnt."""
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model and how well it predicts the held-out games."""

    model: MoveModel
    judged: Judged
    n_games: int
    n_held_out: int
    n_moves: int


def learn_model(
    games: Sequence[GameRecord],
    settings: Settings,
    checkpoint: Path | None = None,
    say: Say = lambda text: None,
    *,
    visits: Sequence[Visits] | None = None,
    start: MoveModel | None = None,
    sources: Iterable[str] = (),
) -> Learnt:
    """Learn a model. The same games and settings give the same model, also after a stop.

    With ``visits`` of searches, by game, the model learns what they prefer, and not the moves that were played. It
    begins with the weights of ``start``. ``sources`` says where the games are from, to be kept in the model. Raises
    ConfigError if the games are too few.
    """
    training, held_out = split(games, settings, visits)
    harvester = Harvester(games[0].game)
    features = harvester.rules.features
    keys = count_shapes(training, settings, harvester, say)
    if start is not None:
        keys = np.concatenate([start.keys, keys[~np.isin(keys, start.keys)]])[: features.max_shapes]
    if not any(game.teaches(settings.skip) for game in held_out):
        raise ConfigError(f"the {len(held_out)} games held out have no moves to test on")
    fit = Fit(training, keys, settings, harvester, start=start)
    if checkpoint is not None:
        fit.resume(checkpoint, say)
    while (line := fit.step()) is not None:
        say(line)
        if checkpoint is not None:
            fit.save(checkpoint)
    judged = fit.judge(held_out)
    about = {
        "kind": "move model", "targets": "moves" if visits is None else "visits",
        "start": None if start is None else start.digest,
        "sources": list(islice(sources, MOST_SOURCES)), "games_digest": digest_of([*training, *held_out]),
        "games": len(training), "moves": fit.n_moves, "games_held_out": len(held_out),
        "top_1": round(judged.top(1), 4), "top_20": round(judged.top(20), 4), **asdict(settings),
    }  # fmt: skip
    order = np.argsort(keys)
    model = MoveModel(features, fit.weights.rows, keys[order], fit.weights.shapes[order], about)
    return Learnt(model, judged, len(training), len(held_out), fit.n_moves)


def split(
    games: Sequence[GameRecord], settings: Settings, visits: Sequence[Visits] | None = None
) -> tuple[list[GameMoves], list[GameMoves]]:
    """Split the games at random into those to learn from and those held out."""
    if len(games) < 2:
        raise ConfigError(f"{len(games)} games: at least two are needed, one to learn from and one to test on")
    order = generator(settings.seed, "games").permutation(len(games))
    n = min(max(1, round(settings.held_out * len(games))), settings.max_held_out)
    every = [GameMoves.of_record(games[i], None if visits is None else visits[i]) for i in order]
    return every[n:], every[:n]


def _chunks(games: Sequence[GameMoves], order: Iterable[int], skip: int) -> Iterator[list[int]]:
    """Yield the games of each chunk, about CHUNK_POSITIONS moves at a time."""
    chunk: list[int] = []
    n = 0
    for i in order:
        chunk.append(int(i))
        n += int(games[i].takes(skip).sum())
        if n >= CHUNK_POSITIONS:
            yield chunk
            chunk, n = [], 0
    if chunk:
        yield chunk


def count_shapes(games: Sequence[GameMoves], settings: Settings, harvester: Harvester, say: Say) -> NDArray[np.uint32]:
    """Return the keys of the shapes that are seen most: around moves played, and around a few other points."""
    features = harvester.rules.features
    if not features.n_keys:
        return np.zeros(0, np.uint32)
    draws = generator(settings.seed, "counted points")
    found: list[NDArray[np.uint32]] = []
    n = 0
    for chunk in _chunks(games, range(len(games)), settings.skip):
        examples = harvester.harvest([games[i] for i in chunk], [games[i].takes(settings.skip) for i in chunk])
        lengths = np.diff(examples.starts)
        others = (draws.random((OTHERS, len(examples))) * lengths).astype(np.int64) + examples.starts[:-1]
        found.append(examples.keys[np.concatenate([examples.winners, others.ravel()])])
        n += len(examples)
        if n >= settings.counted:
            break
    if not n:
        raise ConfigError(f"{len(games)} games have no moves to learn from")
    keys, counts = np.unique(np.concatenate(found).ravel(), return_counts=True)
    often = (counts >= settings.min_seen) & (keys != 0)
    keys, counts = keys[often], counts[often]
    if not len(keys):
        raise ConfigError(f"no shape was seen {settings.min_seen} times in {n:,} positions: more games are needed")
    most = min(settings.max_shapes, features.max_shapes)
    kept = np.argsort(-counts, kind="stable")[:most]
    say(f"{len(kept):,} of {len(keys):,} shapes that were seen {settings.min_seen} times or more, in {n:,} positions")
    return np.asarray(keys[kept], np.uint32)


class Fit:
    """A fit that is done chunk by chunk, and can be stopped after each."""

    def __init__(
        self,
        games: Sequence[GameMoves],
        keys: NDArray[np.uint32],
        settings: Settings,
        harvester: Harvester,
        groups: Sequence[str] | None = None,
        start: MoveModel | None = None,
    ) -> None:
        self.games, self.settings, self.harvester = games, settings, harvester
        self.features = harvester.rules.features
        self.numbers = ShapeNumbers(keys, self.features)
        self.weights = Weights.first(self.features, len(keys), settings.seed, factors=settings.factor_step > 0)
        if start is not None:
            self.weights.begin_with(start.rows, start.shapes)
        self.start = "" if start is None else start.digest
        self.used = self.features.used_by(list(self.features.groups) if groups is None else groups)
        self.n_moves = 0
        self.n_done = 0  # chunks
        self._plan = [
            (epoch, chunk)
            for epoch in range(settings.epochs)
            for chunk in _chunks(games, generator(settings.seed, "order", epoch).permutation(len(games)), settings.skip)
        ]

    def step(self) -> str | None:
        """Fit the next chunk. Returns a line about it; None if all are done."""
        if self.n_done == len(self._plan):
            return None
        epoch, chunk = self._plan[self.n_done]
        examples = self._harvest([self.games[i] for i in chunk])
        shapes = self.numbers.find(examples)
        settings = self.settings
        seed = derive(settings.seed, "chunk", self.n_done)
        order = generator(seed, "positions").permutation(len(examples))
        slower = 1 - 0.8 * self.n_done / len(self._plan)
        steps = settings.step * slower, settings.factor_step * slower
        total = self.weights.fit(examples, shapes, order, steps, seed, self.used)
        self.n_moves += len(examples) if epoch == 0 else 0
        self.n_done += 1
        mean = total / max(1, len(examples))
        return f"chunk {self.n_done} of {len(self._plan)}: log-likelihood {mean:.3f} per move"

    def judge(self, games: Sequence[GameMoves]) -> Judged:
        """Return how well the weights predict the moves of other games."""
        parts = []
        for chunk in _chunks(games, range(len(games)), self.settings.skip):
            examples = self._harvest([games[i] for i in chunk])
            parts.append(self.weights.judge(examples, self.numbers.find(examples), self.used))
        return Judged.joined(parts)

    def _harvest(self, games: Sequence[GameMoves]) -> Examples:
        return self.harvester.harvest(games, [game.takes(self.settings.skip) for game in games])

    def _identity(self) -> str:
        """Return a hash of what the fit depends on, so that a checkpoint of another fit is not used."""
        shapes = [part.shape for part in vars(self.weights).values()]
        found = hashlib.sha256(json.dumps([asdict(self.settings), shapes, self.start], sort_keys=True).encode())
        for part in (self.numbers.keys.tobytes(), self.used.tobytes(), *(game.digest for game in self.games)):
            found.update(part)
        return found.hexdigest()

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        written = io.BytesIO()
        parts = {name: part.ravel() for name, part in vars(self.weights).items()}
        np.savez(written, identity=np.array(self._identity()), done=np.array([self.n_done, self.n_moves]), **parts)
        replace_file(path, written.getvalue(), "checkpoint")

    def resume(self, path: Path, say: Say) -> None:
        """Go on from a checkpoint of the same fit, if there is one."""
        if not path.exists():
            return
        parts = {name: Wanted("f", 1) for name in vars(self.weights)}
        arrays = read_arrays(
            path, "checkpoint", {"identity": Wanted("U"), "done": Wanted("i", 1), **parts}, 2 * self.features.most_bytes
        )
        if str(arrays["identity"]) != self._identity():
            say(f"{path} is the checkpoint of another fit: beginning again")
            return
        self.n_done, self.n_moves = (int(n) for n in arrays["done"])
        for name, old in vars(self.weights).items():
            setattr(self.weights, name, arrays[name].astype(np.float32).reshape(old.shape))
        say(f"going on after chunk {self.n_done}")


def by_group(
    games: Sequence[GameRecord], settings: Settings, say: Say = lambda text: None, most: int = 60_000
) -> list[tuple[str, Judged]]:
    """Fit one group of features, two groups, and so on, to ``most`` positions. Returns the accuracies."""
    training, held_out = split(games, settings)
    n_moves = np.cumsum([len(game.moves) for game in training])
    training = training[: int(np.searchsorted(n_moves, most)) + 1]
    harvester = Harvester(games[0].game)
    groups = list(harvester.rules.features.groups)
    keys = count_shapes(training, settings, harvester, say)
    found = []
    for n, group in enumerate(groups, 1):
        fit = Fit(training, keys, settings, harvester, groups[:n])
        while fit.step() is not None:
            pass
        found.append((group if n == 1 else f"+ {group}", fit.judge(held_out)))
        say(f"{found[-1][0]}: {found[-1][1].top(1):.1%} of the moves held out are predicted")
    return found
