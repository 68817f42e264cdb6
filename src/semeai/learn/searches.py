"""Ask deep searches which moves are good in positions of games: targets of a move model (expert iteration).

Anthony, Tian & Barber 2017, "Thinking fast and slow with deep learning and tree search". The visits of each search are
kept in a file, one line per position, so that a stopped run goes on and a longer one searches only new positions.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.files import append_to, read_text, write_text
from semeai.games.catalog import game_named
from semeai.games.record import GameRecord
from semeai.learn.examples import Visits
from semeai.match.pair import MatchSetup
from semeai.match.player_cache import worker_players
from semeai.match.settings import MatchSettings
from semeai.players.mcts import MctsPlayer
from semeai.players.specs import MctsSpec
from semeai.rng import derive, generator
from semeai.runs.run import Observer, Place, stopping_on_signals
from semeai.runs.tasks import TaskDriver
from semeai.work.deaths import Death

NO_POINT = 0
"""The pass of Go, and the swap of Havannah."""
PER_GAME = 12
SIMULATIONS = 2_000


@dataclass(frozen=True)
class SearchSettings:
    """Which positions are searched, and by whom."""

    player: MctsSpec
    per_game: int = PER_GAME
    """Positions per game, drawn at random."""
    skip: int = 0
    """Moves at the beginning of each game after which nothing is searched."""
    seed: int = 1

    def identity(self) -> str:
        """Return a hash of what a search depends on, beside its position."""
        return hashlib.sha256(json.dumps([self.player.identity(), self.seed], sort_keys=True).encode()).hexdigest()[:16]


def searcher(spec: Any, simulations: int) -> MctsSpec:
    """Return the player for the searches: always searching, never by the book."""
    if not isinstance(spec, MctsSpec):
        raise ConfigError(f"--targets visits: the player {spec.label!r} does not tell its visits: name an mcts: player")
    config = spec.config.with_changes({"simulations": simulations, "book": False, "stop_early": False})
    return MctsSpec(f"mcts:{config.words()}", config)


@dataclass(frozen=True)
class SearchTask:
    """One position to be searched, as a game up to it."""

    player: MctsSpec
    record: GameRecord
    key: str
    seed: int
    time_limit: None = None
    retries: int = 0

    @property
    def label(self) -> str:
        return f"the position after {len(self.record.moves)} moves of {self.record.place or 'a game'}"

    def run(self) -> tuple[str, dict[int, int]]:
        """Return the key and the visits of each point; none if a pass has most."""
        player = worker_players().take(self.player, 0)
        assert isinstance(player, MctsPlayer), "a MctsSpec makes a MctsPlayer"
        player.explains = False
        position = game_named(self.record.game).replay(self.record)
        if position.is_over:
            return self.key, {}
        player.start(position, derive(self.seed, "search", self.key))
        player.choose()
        report = [line for line in player.report() if line.visits > 0]
        if not report or report[0].move == NO_POINT:
            return self.key, {}
        return self.key, {line.move: line.visits for line in report if line.move != NO_POINT}

    def lost(self, death: Death) -> tuple[str, dict[int, int]]:
        return self.key, {}


def chosen_positions(games: Sequence[GameRecord], settings: SearchSettings) -> list[dict[int, str]]:
    """Return for each game the numbers of moves played before the positions to be searched, with their keys.

    What is chosen in a game depends on its moves, not on the other games.
    """
    found = []
    for game in games:
        whole = _key(game)
        numbers = [n for n in range(settings.skip, len(game.moves)) if _in_turn(game, n)]
        n = min(settings.per_game, len(numbers))
        draw = generator(settings.seed, "searched", whole)
        chosen = sorted(int(i) for i in draw.choice(len(numbers), n, replace=False)) if n else []
        found.append({numbers[i]: _key(_up_to(game, numbers[i])) for i in chosen})
    return found


def _in_turn(game: GameRecord, n: int) -> bool:
    """Return whether the player whose turn it is played after ``n`` moves."""
    return game.moves[n][0] == (1 - game.moves[n - 1][0] if n else game.first_player)


def _up_to(game: GameRecord, n: int) -> GameRecord:
    moves, first = game.moves[:n], game.first_player
    return GameRecord(game.game, game.size, game.komi, moves, setup=game.setup, first_player=first, place=game.place)


def _key(game: GameRecord) -> str:
    parts = [game.size, game.komi, list(game.setup), game.first_player, list(game.moves)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def search_games(
    games: Sequence[GameRecord], settings: SearchSettings, path: Path, place: Place, observer: Observer | None = None
) -> tuple[bool, list[Visits]]:
    """Search positions of all games that ``path`` does not have yet. Returns whether it was stopped, and the visits."""
    observer = observer or Observer()
    chosen, known = chosen_positions(games, settings), read_searches(path, settings)
    tasks: dict[str, SearchTask] = {}
    for game, keys in zip(games, chosen, strict=True):
        for number, key in keys.items():
            if key not in known:
                tasks[key] = SearchTask(settings.player, _up_to(game, number), key, settings.seed)
    stopped = False
    if tasks:
        if not path.exists():
            write_text(path, json.dumps({"searches": settings.identity()}) + "\n", "searches")
        setup = MatchSetup(MatchSettings(game=games[0].game, size=games[0].size), (settings.player,))
        setup.prepare(observer.say)
        with place.open_pool(observer) as pool:
            pool.begin(setup)

            def keep(_: SearchTask, found: tuple[str, dict[int, int]]) -> None:
                with append_to(path, "searches") as file:
                    file.write(json.dumps({"position": found[0], "visits": found[1]}) + "\n")

            driver = TaskDriver(list(tasks.values()), pool, observer, keep)
            with stopping_on_signals(driver, observer, place.executor == "inline"):
                observer.start(driver)
                driver.run()
        stopped = not driver.finished
        known |= dict(driver.results)
    return stopped, [{n: known[key] for n, key in keys.items() if known.get(key)} for keys in chosen]


def read_searches(path: Path, settings: SearchSettings) -> dict[str, Mapping[int, int]]:
    """Return the visits of each position in the file, if there is one. A last line that was cut off is left out.

    Raises ConfigError if it is no such file, or has searches of another player or seed.
    """
    if not path.exists():
        return {}
    lines = read_text(path, "searches").splitlines(keepends=True)
    found: dict[str, Mapping[int, int]] = {}
    try:
        identity = json.loads(lines[0])["searches"]
        for line in lines[1:]:
            if line.endswith("\n"):
                row = json.loads(line)
                found[str(row["position"])] = {int(p): int(n) for p, n in row["visits"].items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ConfigError(f"{path}: is no file of searches, line {len(found) + 1 + bool(found)}") from None
    if identity != settings.identity():
        raise ConfigError(f"{path}: has searches of another player or seed: remove it, or choose another --output")
    if not lines[-1].endswith("\n"):
        write_text(path, "".join(lines[:-1]), "searches")
    return found
