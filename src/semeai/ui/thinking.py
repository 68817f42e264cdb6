"""The thinking behind the board: one thread searches for moves and for analysis, another one reviews whole games.

Pages see the results of a search a few times per second (``ui.look``).
"""

import contextlib
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from semeai.errors import IllegalMove, SemeaiError
from semeai.games.catalog import game_named
from semeai.games.position import Position
from semeai.gtp.review import MoveAnalysis, analyze_moves
from semeai.gtp.session import FIRST_CHUNK, Session, SessionSettings, next_chunk
from semeai.players.base import Choice, Player
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer, compile_players, team_settings
from semeai.report.boards import DRAWN
from semeai.report.values import Json, number, text
from semeai.rng import SEED_BITS, derive
from semeai.ui.look import LINE, Look
from semeai.ui.table import GameChoice, Table

REVIEW_SIMULATIONS = 400


@dataclass(frozen=True)
class Budget:
    """Simulations or seconds per move of the player, and simulations of an analysis."""

    simulations: int | None = None
    seconds: float | None = None
    analysis: int = 100_000


class Board:
    """A table with a player that thinks in the background. All methods can be called from any thread."""

    def __init__(
        self, choice: GameChoice, config_of: Callable[[str], PlayerConfig], budget: Budget,
        opponent: Callable[[str], Player] | None = None, seed: int = 1, opponent_name: str = "semeai",
    ) -> None:  # fmt: skip
        self._config_of, self._budget, self._opponent_of, self._seed = config_of, budget, opponent, seed
        self._changed = threading.Condition()
        self.table = Table(choice, opponent_name)
        self.version = 0
        """Grows with every change that pages should see."""
        self.analysing = False
        self.doing = ""
        """What the thread does that a person waits for: "thinking", "counting" or nothing."""
        self.compiling = ""
        """Sentence on the kernels that are compiled at present."""
        self.problem = ""
        self.analysis: Json | None = None
        self.review: Json | None = None
        self._done_at: int | None = None  # generation whose analysis has used up its budget
        self._closing = False
        self._compiled: set[str] = set()
        self._compiles = threading.Lock()
        self._players: dict[str, MctsPlayer] = {}
        self._opponents: dict[str, Player] = {}
        self._reviewing: threading.Event | None = None
        self._listeners: list[Callable[[], object]] = []
        self._thread = threading.Thread(target=self._work, name="thinking", daemon=True)
        self._thread.start()

    def close(self) -> None:
        with self._changed:
            self._closing = True
            if self._reviewing:
                self._reviewing.set()
            self._changed.notify_all()
        self._thread.join(5)
        for player in (*self._players.values(), *self._opponents.values()):
            player.close()

    # -- actions of the person ---------------------------------------------------------------------------------

    def act(self, action: Callable[[Table], object]) -> None:
        """Change the table. An error of the action is raised, and nothing is changed."""
        with self._changed:
            before = self.table.generation
            action(self.table)
            self.problem = ""
            if self.table.generation != before:
                self.analysis = None
            self._note()

    def begin(self, choice: GameChoice, simulations: int | None = None) -> None:
        """Start a new game, in which the player has this strength from its first move on."""
        with self._changed:
            self.act(lambda table: table.begin(choice))
            if simulations is not None:
                self.set_simulations(simulations)

    @contextlib.contextmanager
    def held(self) -> Iterator[Table]:
        """Yield the table, which does not change within the block."""
        with self._changed:
            yield self.table

    def load(self, data: bytes) -> None:
        """Show a recorded game, of the game on the board or of another one."""
        self.act(lambda table: table.load(data, sorted(DRAWN, key=lambda game: game != table.rules.name)))
        self.stop_review()

    def set_simulations(self, simulations: int) -> None:
        """Change the simulations per move of the player; not that of another opponent, or one with seconds."""
        with self._changed:
            if self._simulations is not None:
                self._budget = replace(self._budget, simulations=simulations)
                self._note()

    @property
    def _simulations(self) -> int | None:
        """Simulations per move, if the person can choose them."""
        return None if self._opponent_of is not None else self._budget.simulations

    def analyse(self, on: bool) -> None:
        with self._changed:
            self.analysing = on
            self._done_at = None
            self.problem = ""
            if not on:
                self.analysis = None
            self._note()

    def start_review(self, simulations: int = REVIEW_SIMULATIONS) -> None:
        """Search every position of the game in the background, and list the mistakes."""
        with self._changed:
            record = self.table.record()
            if not record.moves:
                raise IllegalMove("there is no move to review yet")
            self.stop_review()
            stop = self._reviewing = threading.Event()
            self.review = {"done": 0, "total": len(record.moves), "moves": []}
            self._note()
        thread = threading.Thread(target=self._review, args=(record, simulations, stop), name="review", daemon=True)
        thread.start()

    def stop_review(self) -> None:
        with self._changed:
            if self._reviewing:
                self._reviewing.set()
            self._reviewing = self.review = None
            self._note()

    def data(self) -> Json:
        """Return the whole state for a page."""
        with self._changed:
            return {
                "version": self.version,
                "table": self.table.data(),
                "simulations": self._simulations,
                "analysing": self.analysing,
                "doing": self.compiling or self.doing,
                "problem": text(self.problem),
                "analysis": self.analysis,
                "review": self.review,
            }

    def _note(self) -> None:
        self.version += 1
        self._changed.notify_all()
        for wake in tuple(self._listeners):
            wake()

    @contextlib.contextmanager
    def listening(self, wake: Callable[[], object]) -> Iterator[None]:
        """Call ``wake`` after every change, from any thread, within the block."""
        with self._changed:
            self._listeners.append(wake)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.remove(wake)

    # -- the thread that thinks --------------------------------------------------------------------------------

    def _player(self, game: str) -> MctsPlayer:
        if game not in self._players:
            self._compile(game)
            player = self._players[game] = MctsPlayer(self._config_of(game))
            position = self.table.rules.new_position(self.table.position.size)
            player.start(position, derive(self._seed, "play") >> 64 - SEED_BITS)
        return self._players[game]

    def _compile(self, game: str) -> None:
        """Compile the kernels of a game before its first search; pages say so."""
        with self._compiles:
            if game not in self._compiled:
                try:
                    compile_players([game], self._say_compiling, [self._config_of(game)])
                finally:
                    self._say_compiling("")
                self._compiled.add(game)

    def _say_compiling(self, words: str) -> None:
        with self._changed:
            self.compiling = words
            self._note()

    def _wanted(self) -> str | None:
        """Return what is to be done: a move, a count, an analysis, or nothing."""
        table = self.table
        if table.awaits_player and not self.problem:
            return "move"
        if table.needs_dead_stones:
            return "count"
        if self.analysing and not table.position.is_over and self._done_at != table.generation:
            return "analysis"
        return None

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._closing and self._wanted() is None:
                    self._changed.wait()
                if self._closing:
                    return
                work, generation = self._wanted(), self.table.generation
                self.doing = {"move": "thinking", "count": "counting"}.get(str(work), "")
                self._note()
            try:
                self._do(str(work), generation)
            except Exception as error:  # whatever a player does, the board stays usable
                self._failed(error, str(work), generation)
            finally:
                with self._changed:
                    self.doing = ""
                    self._note()

    def _do(self, work: str, generation: int) -> None:
        with self._changed:
            if self.table.generation != generation:
                return
            position = self.table.position.copy()
        if work == "count":
            self._count(position, generation)
        else:
            self._think(work == "move", position, generation)

    def _failed(self, error: Exception, work: str, generation: int) -> None:
        """Show an error, and do not try the same again until the person does something."""
        with self._changed:
            self.problem = sentence_of(error)
            if self.table.generation == generation:
                if work == "analysis":
                    self._done_at = generation
                if work == "count":
                    self.table.dead = set()
            player = None if isinstance(error, SemeaiError) else self._players.pop(self.table.rules.name, None)
        if player is not None:  # its tree may be damaged
            with contextlib.suppress(Exception):
                player.close()

    def _count(self, position: Position, generation: int) -> None:
        """Find the stones that are dead at the end of a game of Go."""
        self._compile(position.game)
        policy = team_settings(self._config_of(position.game)).policy
        found = game_named(position.game).dead_stones(position, policy) or []
        with self._changed:
            if self.table.generation == generation:
                self.table.dead = set(found)
                self._note()

    def _think(self, to_play: bool, position: Position, generation: int) -> None:
        if to_play and self._opponent_of is not None:
            choice = self._ask_opponent(position)
        else:
            player = self._player(position.game)
            player.set_position(position)
            finished = self._search(player, position, generation, to_play)
            if not finished:
                return
            if not to_play:
                with self._changed:
                    self._done_at = generation
                return
            choice = player.conclude()
        with self._changed:
            if self.table.generation == generation:
                self._play(choice)

    def _ask_opponent(self, position: Position) -> Choice:
        assert self._opponent_of is not None
        if position.game not in self._opponents:
            self._opponents[position.game] = self._opponent_of(position.game)
        opponent = self._opponents[position.game]
        try:
            opponent.start(position, derive(self._seed, "opponent", len(position.moves)))
            return opponent.choose()
        except Exception:
            del self._opponents[position.game]  # the next move begins with a new one
            opponent.close()
            raise

    def _play(self, choice: Choice) -> None:
        table = self.table
        if choice.move is None:
            table.resign(table.position.to_move)
            return
        n = table.at
        if choice.win_rate is not None:
            table.rates[n] = choice.win_rate if table.position.to_move == 0 else 1 - choice.win_rate
        table.play(choice.move)
        if choice.comment:
            table.comments[n] = choice.comment
        self.analysis = None

    def _search(self, player: MctsPlayer, position: Position, generation: int, to_play: bool) -> bool:
        """Search within the budget, and let pages look at it. Returns False if the table has changed meanwhile."""
        budget = self._budget
        most = (budget.simulations if budget.seconds is None else None) if to_play else budget.analysis
        end = time.monotonic() + budget.seconds if to_play and budget.seconds is not None else None
        look = Look(player, position)
        done, chunk = 0, FIRST_CHUNK
        while self.table.generation == generation and not self._closing and (to_play or self.analysing):
            began = time.monotonic()
            if end is not None and began >= end:
                break
            ran = player.think(chunk if most is None else min(chunk, most - done)) if most is None or done < most else 0
            done += ran
            chunk = next_chunk(chunk, time.monotonic() - began)
            if ran == 0 or look.is_due:
                self._publish(look.data(done), generation)
            if ran == 0:
                break
        else:
            return False
        self._publish(look.data(done), generation)
        return True

    def _publish(self, found: Json, generation: int) -> None:
        with self._changed:
            if self.table.generation == generation:
                self.analysis = found | {"generation": generation}
                if found["first_rate"] is not None:
                    self.table.rates[self.table.at] = found["first_rate"]
                self._note()

    # -- the thread that reviews -------------------------------------------------------------------------------

    def _review(self, record: Any, simulations: int, stop: threading.Event) -> None:
        from semeai.gtp.dialects import DIALECTS

        settings = SessionSettings(record.size, record.komi, self._seed, simulations)
        changes = {"simulations": simulations, "seconds": None, "threads": 1}
        player = None
        try:
            self._compile(record.game)
            player = MctsPlayer(self._config_of(record.game).with_changes(changes))
            session = Session(DIALECTS[record.game](record.swap), player, settings)
            for found in analyze_moves(record, session, 1, len(record.moves)):
                if stop.is_set():
                    return
                with self._changed:
                    if self.review is None or self._reviewing is not stop:
                        return
                    moves = [*self.review["moves"], _reviewed(found)]
                    self.review = self.review | {"done": found.number, "moves": moves}
                    if self.table.line[: found.number] == list(record.moves[: found.number]):
                        self.table.rates[found.number] = found.first_win_rate
                    self._note()
        except Exception as error:  # as in _work
            with self._changed:
                self.problem = sentence_of(error)
                if self.review is not None and self._reviewing is stop:
                    self.review = self.review | {"total": self.review["done"]}
                self._note()
        finally:
            if player is not None:
                player.close()


def sentence_of(error: Exception) -> str:
    """Return what a person reads of an error; what is not foreseen goes to the terminal too."""
    if isinstance(error, SemeaiError):
        return str(error)
    traceback.print_exception(error, file=sys.stderr)
    return f"the player failed ({type(error).__name__}: {error}); the terminal says more"


def _reviewed(found: MoveAnalysis) -> Json:
    return {
        "number": found.number,
        "player": found.player,
        "move": found.move,
        "loss": number(found.loss),
        "rate": number(found.first_win_rate),
        "best": found.best,
        "line": list(found.line[:LINE]),
    }
