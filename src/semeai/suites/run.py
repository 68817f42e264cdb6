"""Ask a player for its move in each position of a suite, on any number of workers."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from semeai.errors import PlayerFailed
from semeai.match.pair import MatchSetup
from semeai.match.player_cache import worker_players
from semeai.match.settings import MatchSettings
from semeai.players.specs import PlayerSpec
from semeai.rng import derive
from semeai.runs.run import Observer, Place, stopping_on_signals
from semeai.runs.tasks import TaskDriver
from semeai.suites.suite import SuitePosition
from semeai.work.deaths import Death


@dataclass(frozen=True)
class Answer:
    """What a player did in a position."""

    position: SuitePosition
    move: str
    """Its move; empty if it failed."""
    solved: bool
    win_rate: float | None = None
    simulations: int = 0
    cpu_seconds: float = 0.0
    failure: str = ""
    failed_to_start: bool = False

    @property
    def surprising(self) -> bool:
        """Whether the position was not solved though its author expected it."""
        return not self.solved and not self.position.line.known_failure


@dataclass(frozen=True)
class AnswerTask:
    """One position for one player. The seed depends on the names of suite and position, not on the other ones."""

    player: PlayerSpec
    position: SuitePosition
    seed: int
    time_limit: None = None  # players keep their own
    retries: int = 0

    @property
    def label(self) -> str:
        return f"position {self.position.line.id} of suite {self.position.line.suite!r}"

    def run(self) -> Answer:
        line = self.position.line
        player = worker_players().take(self.player, 0)
        player.explains = False
        board = self.position.set_up()
        started = False
        try:
            player.start(board, derive(self.seed, "suite", line.suite, line.id))
            started = True
            began = time.process_time()
            choice = player.choose()
        except PlayerFailed as error:
            player.close()  # the next position starts a new engine
            return Answer(self.position, "", False, failure=str(error), failed_to_start=not started)
        cpu = choice.cpu_seconds or time.process_time() - began
        move = "resign" if choice.move is None else board.move_to_text(choice.move)
        solved = self.position.wanted.fits(move)
        return Answer(self.position, move, solved, choice.win_rate, choice.simulations, cpu)

    def lost(self, death: Death) -> Answer:
        return Answer(self.position, "", False, failure=f"{self.label} repeatedly killed its worker")


class SuiteDriver(TaskDriver):
    """Asks about all positions. After ``stop`` it finishes those under way; ``answers`` has what is known."""

    @property
    def answers(self) -> list[Answer]:
        """The answers so far, in the order of the file."""
        return self.results

    def check(self, result: Answer) -> None:
        if result.failed_to_start and all(known.failed_to_start for known in self.answers):
            raise PlayerFailed(result.failure)  # it never will, and a table of failures shows nothing


def run_suites(
    positions: Sequence[SuitePosition], player: PlayerSpec, seed: int, place: Place, observer: Observer | None = None
) -> SuiteDriver:
    """Ask ``player`` for its move in each position. Returns the driver with the answers.

    The first Ctrl-C finishes the positions under way, the second one drops them; the answers so far are kept.
    """
    observer = observer or Observer()
    line = positions[0].line
    setup = MatchSetup(MatchSettings(game=positions[0].game, size=line.size), (player,))
    setup.prepare(observer.say)
    with place.open_pool(observer) as pool:
        pool.begin(setup)
        driver = SuiteDriver([AnswerTask(player, position, seed) for position in positions], pool, observer)
        with stopping_on_signals(driver, observer, place.executor == "inline"):
            observer.start(driver)
            driver.run()
    return driver


@dataclass(frozen=True)
class SuiteScore:
    """The counts of one suite, or of all together."""

    name: str
    asked: int
    solved: int
    known_failures: int
    """Positions that the author of the suite does not expect to be solved."""
    known_failures_solved: int
    failed: int
    """Positions in which the player crashed, hung or gave no legal move."""

    @property
    def surprises(self) -> int:
        """Positions that were not solved though the author expected it."""
        return (self.asked - self.known_failures) - (self.solved - self.known_failures_solved)


def score_of(name: str, answers: Iterable[Answer]) -> SuiteScore:
    found = list(answers)
    known = [answer for answer in found if answer.position.line.known_failure]
    return SuiteScore(
        name,
        len(found),
        sum(answer.solved for answer in found),
        len(known),
        sum(answer.solved for answer in known),
        sum(bool(answer.failure) for answer in found),
    )


def scores(answers: Sequence[Answer]) -> list[SuiteScore]:
    """Return the score of each suite, in the order of the file."""
    names = dict.fromkeys(answer.position.line.suite for answer in answers)
    return [score_of(name, (a for a in answers if a.position.line.suite == name)) for name in names]
