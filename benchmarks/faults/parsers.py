"""Every parser that takes input from outside, with a generator of inputs and a check of what it returns.

``parse`` returns if it read the input or answered it soundly. It raises SemeaiError if it refused the input; anything
else that it raises is a mistake of the parser.
"""

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.faults import gtp_lines, seeds
from benchmarks.faults.mutations import (
    VALUES,
    damaged_archive,
    damaged_bytes,
    damaged_settings,
    damaged_text,
    damaged_words,
)
from semeai.errors import IllegalMove, PlayerFailed
from semeai.evolve.config import EvolutionConfig, ValidationConfig, load_evolution
from semeai.games.catalog import game_named
from semeai.games.chess.position import ChessPosition
from semeai.games.go.book import Book
from semeai.games.go.database import Database, load_database
from semeai.games.go.kernels.features import N_IDS, WIDTH
from semeai.games.go.model import FEATURES
from semeai.games.go.position import GoPosition
from semeai.games.move_model import MoveModel, load_model
from semeai.match.settings import MatchSettings
from semeai.patterns.file import format_patterns, parse_patterns, read_patterns
from semeai.players.catalog import parse_spec
from semeai.players.config import parse_value, setting_names
from semeai.players.engine_answers import EngineAnswers
from semeai.players.engine_process import EngineProcess
from semeai.players.uci_process import MATE, UciLines, UciOption, facts_of
from semeai.printable import printable
from semeai.race.settings import RaceSettings
from semeai.runs.race_file import CandidatesTable, EvaluatorTable, RaceFile, load_race_file
from semeai.store.places import check_location, without_password
from semeai.suites.suite import read_suites
from semeai.work.metrics import parse_numbers


@dataclass(frozen=True)
class Parser:
    """A parser under test."""

    make: Callable[[Random], Any]
    """Return an input."""
    parse: Callable[[Any], object]
    share: float = 1.0
    """Part of all inputs that it gets, beside the other parsers."""


_MODELS = (RaceFile, EvaluatorTable, CandidatesTable, RaceSettings, MatchSettings, EvolutionConfig, ValidationConfig)
NAMES = sorted({*(name for model in _MODELS for name in model.model_fields), *setting_names("go"), "name", "player"})
"""Names of settings of race, evolution and player files."""


class Wrong(Exception):
    """What a parser returned is not sound."""


def parsers(folder: Path) -> dict[str, Parser]:
    """Return all parsers by name; those that read files read them from ``folder``."""
    (folder / "mine.txt").write_text(seeds.PATTERNS[0])
    (folder / "strong.toml").write_text('player = "mcts:rave"\nsimulations = 100\n')
    return {
        "SGF of Go": Parser(lambda r: bytes_like(r, seeds.GO_RECORDS), lambda data: read_record("go", data), 1.5),
        "SGF of Havannah": Parser(
            lambda r: bytes_like(r, seeds.HAVANNAH_RECORDS), lambda data: read_record("havannah", data)
        ),
        "PGN of chess": Parser(
            lambda r: bytes_like(r, seeds.CHESS_GAMES), lambda data: read_record("chess", data), 0.3
        ),
        "openings of chess": Parser(lambda r: bytes_like(r, seeds.CHESS_OPENINGS), read_openings, 0.5),
        "GTP of Go": Parser(gtp_lines.make_line, Engine("go"), 0.5),
        "GTP of Havannah": Parser(
            lambda r: gtp_lines.make_line(r, gtp_lines.HAVANNAH_TEMPLATES, gtp_lines.HAVANNAH_SAMPLES),
            Engine("havannah"),
            0.5,
        ),
        "race files": Parser(lambda r: settings_like(r, seeds.RACES), File(folder / "race.toml", plan_race), 0.8),
        "evolution files": Parser(
            lambda r: settings_like(r, seeds.EVOLUTIONS), File(folder / "evolve.toml", load_evolution), 0.8
        ),
        "pattern files": Parser(lambda r: bytes_like(r, seeds.PATTERNS), File(folder / "p.txt", patterns_again), 1.5),
        "pattern databases": Parser(Archives(folder, valid_database()), File(folder / "ae.npz", load_database), 0.7),
        "move models": Parser(Archives(folder, valid_model()), File(folder / "model.npz", load_go_model), 0.05),
        "opening books": Parser(
            lambda r: bytes_like(r, seeds.BOOKS), File(folder / "book.txt", lambda path: list(Book.load(path).lines()))
        ),
        "players": Parser(make_player_words, lambda words: parse_player(words, folder), 0.7),
        "command lines": Parser(make_command_line, parse_command_line, 0.5),
        "counts": Parser(make_counts, run_command_line, 0.1),
        "output of programs": Parser(lambda r: text_like(r, seeds.OUTPUTS), parse_numbers, 1.5),
        "answers of engines": Parser(
            lambda r: bytes_like(r, seeds.ENGINE_OUTPUT), File(folder / "answer", ask_engine), 0.01
        ),
        "output of GTP engines": Parser(lambda r: bytes_like(r, seeds.ENGINE_OUTPUT), hear_gtp, 1.0),
        "output of UCI engines": Parser(lambda r: bytes_like(r, seeds.UCI_OUTPUT), hear_uci, 1.0),
        "suites": Parser(lambda r: bytes_like(r, seeds.SUITES), File(folder / "s.jsonl", read_suites), 0.5),
        "places of ledgers": Parser(lambda r: text_like(r, seeds.LEDGERS), locate, 0.7),
    }


def bytes_like(random: Random, valid: list[Any]) -> bytes:
    """Return a valid input with damage, or in a few cases nothing but random bytes."""
    if random.random() < 0.03:
        return random.randbytes(random.randrange(200))
    chosen = random.choice(valid)
    data = chosen.encode() if isinstance(chosen, str) else chosen
    if random.random() < 0.3:  # words of one input in the place of words of another
        return damaged_words(random, [data.decode("latin-1"), *map(as_text, valid)]).encode("utf-8", "replace")
    return damaged_bytes(random, data)


def settings_like(random: Random, valid: list[str]) -> bytes:
    """Return a TOML file with other settings, or with damage to its text."""
    if random.random() < 0.2:
        return bytes_like(random, valid)
    return damaged_settings(random, random.choice(valid), NAMES).encode()


def as_text(data: str | bytes) -> str:
    return data if isinstance(data, str) else data.decode("latin-1")


def text_like(random: Random, valid: list[str]) -> str:
    if random.random() < 0.03:
        return random.randbytes(random.randrange(200)).decode("utf-8", "replace")
    return damaged_words(random, valid) if random.random() < 0.5 else damaged_text(random, random.choice(valid))


def read_record(game: str, data: bytes) -> None:
    """Read a record, and write it if it can be replayed: what is written must be the same record again."""
    rules = game_named(game)
    record = rules.read_record(data, "game.sgf")
    rules.replay(record)
    again = rules.read_record(rules.write_record(record).encode(), "game.sgf")
    if (again.moves, again.size, again.setup) != (record.moves, record.size, record.setup):
        raise Wrong("what was written is another game")


def read_openings(data: bytes) -> None:
    for opening in game_named("chess").read_suite(data, "openings.epd"):
        opening.start.encode()


def hear_gtp(data: bytes) -> None:
    """Read what a GTP engine writes, in two parts, up to the first complete answer."""
    answers, half = EngineAnswers(), len(data) // 2
    for part in (data[:half], data[half:]):
        answers.add(part)
        try:
            found = answers.take("genmove b")
        except ValueError as error:  # what the player tells with the engine's name
            raise PlayerFailed(f"engine {error}") from None
        if found is not None:
            with contextlib.suppress(IllegalMove):
                GoPosition(9).text_to_move(found[1])
            return


def hear_uci(data: bytes) -> None:
    """Read what a UCI engine writes, in two parts, as a player does who has asked for a move."""
    lines, half = UciLines(), len(data) // 2
    lines.add(data[:half])
    lines.add(data[half:])
    position = ChessPosition()
    while (line := lines.take()) is not None:
        if line.startswith("option "):
            option = UciOption.from_line(line)
            option.check(option.low or "some words")
        elif line.startswith("bestmove"):
            position.play(position.text_to_move((line.split()[1:] or [""])[0]))
        elif not -MATE <= facts_of(line).get("score", 0) <= MATE:
            raise Wrong(f"the score of {line!r}")


class Engine:
    """A GTP engine: every answer must be well formed, and no command may fail by a mistake of the program."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._engine: Any = None

    def __call__(self, line: str) -> None:
        from semeai.cli.gtp import SessionStart, make_engine

        if self._engine is None or self._engine.finished:
            changes = {"simulations": 2, "memory_mb": 1}
            self._engine = make_engine(SessionStart(self._game, changes=changes, size=5, analysis_simulations=20))
        response = self._engine.answer(line)
        if response is None:
            return
        text = response.format()
        if text[0] not in "=?" or not text.endswith("\n\n") or "\n\n" in text[:-2] or printable(text) != text:
            raise Wrong(f"the answer is {text!r}")
        if "internal error" in text:
            raise Wrong(text.strip())
        stream = response.stream
        for _ in range(100):
            if stream is None or stream.finished or stream.resting:
                return
            stream.step()


class File:
    """Writes the input to a file that the parser reads."""

    def __init__(self, path: Path, read: Callable[[Path], object]) -> None:
        self._path, self._read = path, read

    def __call__(self, data: bytes) -> None:
        self._path.write_bytes(data)
        self._read(self._path)


def plan_race(path: Path) -> None:
    file = load_race_file(path)
    check_location(file.ledger_beside(path.parent))
    if file.candidates.generator is None and file.evaluator.name != "callable":  # these name code to be run
        list(zip(range(100), file.plan(path.parent).candidates, strict=False))


def patterns_again(path: Path) -> None:
    found = read_patterns(path)
    if [p.shape for p in parse_patterns(format_patterns(found))] != [p.shape for p in found]:
        raise Wrong("what was written are other patterns")


def valid_database() -> Database:
    keys = np.sort(np.random.default_rng(1).integers(1, 2**63, 40, np.uint64))
    return Database(keys, np.zeros(40, np.uint8), np.linspace(-2, 2, 40, dtype=np.float32), {"games": 3})


def load_go_model(path: Path) -> MoveModel:
    return load_model(path, FEATURES)


def valid_model() -> MoveModel:
    rows = np.random.default_rng(1).normal(0, 1, (N_IDS, WIDTH)).round().astype(np.float32)  # it packs well
    keys, shapes = np.arange(1, 41, dtype=np.uint32), np.linspace(-2, 2, 40, dtype=np.float32)
    return MoveModel(FEATURES, rows, keys, shapes, {"games": 3})


class Archives:
    """Makes damaged archives."""

    def __init__(self, folder: Path, valid: Database | MoveModel) -> None:
        valid.save(folder / "valid.npz")
        self._data = (folder / "valid.npz").read_bytes()

    def __call__(self, random: Random) -> bytes:
        return damaged_archive(random, self._data)


def make_player_words(random: Random) -> tuple[str, Any]:
    """Return a game and a player: words as on a command line, or a table as in a race file."""
    game = random.choice(["go", "havannah"])
    words: Any = damaged_words(random, seeds.PLAYERS)
    if random.random() < 0.5:
        changes = [f"{random.choice(setting_names(game))}={random.choice(VALUES)}" for _ in range(random.randrange(4))]
        words = ",".join([random.choice(["mcts:default", "mcts:rave", "mcts:"]), *changes])
    if random.random() < 0.3:
        kind, _, rest = words.partition(":")
        pairs = [part.partition("=") for part in rest.split(",")]
        words = {"player": kind, **{key: value for key, _, value in pairs}}
        names = random.sample(setting_names(game), 2)
        words |= {name: parse_value(random.choice(VALUES)) for name in names if random.random() < 0.5}
        words |= random.choice([{}, {"command": ["sh", "{a}"], "a": 1}, {"timeout": -1}, {"search": {"rave": []}}])
    return game, words


def parse_player(given: tuple[str, Any], folder: Path) -> None:
    game, words = given
    json.dumps(parse_spec(words, folder, game).identity())


def make_command_line(random: Random) -> list[str]:
    words = damaged_words(random, seeds.COMMAND_LINES).split(" ")
    return [random.choice(VALUES) if word[:1] != "-" and random.random() < 0.05 else word for word in words]


def make_counts(random: Random) -> list[str]:
    """Return a command line of ``semeai bounds``, which computes with the numbers that it is given."""
    names = ["wins", "losses", "draws", "candidates", "index", "tests", "risk", "accept-above", "discard-below"]
    words = [(f"--{random.choice(names)}", random.choice([*VALUES[:12], "10", "1000"])) for _ in range(3)]
    return ["bounds", *random.choice([[], ["--json"]]), *(word for pair in words for word in pair)]


def parse_command_line(words: list[str]) -> None:
    """Read a command line up to the call of its command."""
    from semeai.cli import group

    with _replaced(group.Command, "invoke", lambda command, context: None):
        run_command_line(words)


def run_command_line(words: list[str]) -> None:
    """Run a command. Its output must be safe to print."""
    from semeai.cli.app import app

    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            app(words)
        except SystemExit as end:
            if end.code not in (0, 2, None):
                raise Wrong(f"exit code {end.code}") from None
    if out.getvalue() != printable(out.getvalue()):
        raise Wrong(f"it printed {out.getvalue()!r}")


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = owner.__dict__.get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if before is None:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


def ask_engine(path: Path) -> None:
    """Ask an engine that writes the bytes of a file and ends, and read its answer as a player does."""
    engine = EngineProcess(["sh", "-c", f"read line; cat {path.name}"], "engine", str(path.parent), 60)
    try:
        for word in engine.ask("genmove b", 60).split():
            GoPosition(9).text_to_move(word)
    finally:
        engine.close()


def locate(location: str) -> None:
    check_location(location)
    if location.startswith("postgresql://me:secret@") and ":secret@" in without_password(location):
        raise Wrong(f"the password is in {without_password(location)!r}")


def new_folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="semeai-fuzz-")
