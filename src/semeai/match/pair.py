"""Pairs of games, the units of a match: the same opening twice, with colours swapped."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from semeai import kills
from semeai.games.catalog import game_named
from semeai.games.position import Position
from semeai.match.game import GameOutcome, play_game
from semeai.match.openings import needs_of_suite, openings_of
from semeai.match.player_cache import PlayerCache, worker_players
from semeai.match.settings import MatchSettings
from semeai.players.pattern_files import learnt_files
from semeai.players.specs import GtpSpec, MctsSpec, PlayerSpec, UciSpec
from semeai.rng import derive, evaluation_seeds, generator
from semeai.work.needs import Needs, Say, needs_of_command, needs_of_words


def play_pair(
    a: PlayerSpec,
    b: PlayerSpec,
    settings: MatchSettings,
    seed: int,
    cache: PlayerCache | None = None,
    *,
    explain: bool = True,
) -> tuple[GameOutcome, GameOutcome]:
    """Play two games: A moves first in the first, B in the second. Without ``cache`` the players are closed at the end.

    ``explain``: whether players write comments on their moves, for games that are kept.
    """
    if cache is None:
        with PlayerCache() as own:
            return play_pair(a, b, settings, seed, own, explain=explain)
    opening = draw_opening(settings, seed)
    players = cache.take(a, 0), cache.take(b, 1)
    for player in players:
        player.explains = explain
    first = _until_undisturbed(lambda: play_game(players, settings, derive(seed, "game", 0), opening))
    second = _until_undisturbed(lambda: play_game(players[::-1], settings, derive(seed, "game", 1), opening))
    return first, second


def _until_undisturbed(play: Callable[[], GameOutcome]) -> GameOutcome:
    """Play a game again if somebody else killed an engine, after longer and longer pauses."""
    for pause in kills.PAUSES:
        if not (outcome := play()).killed:
            return outcome
        time.sleep(pause)
    outcome = play()
    return replace(outcome, failure=f"{outcome.failure} {kills.how_often()}") if outcome.killed else outcome


def draw_opening(settings: MatchSettings, seed: int) -> Position:
    """Return the position that both games of the pair begin with, and the moves that led to it."""
    draw = generator(seed, "opening")
    position = settings.new_position()
    moves: Sequence[str] = ()
    if settings.openings:
        moves = settings.openings[int(draw.integers(len(settings.openings)))]
    elif settings.suite:
        suite = openings_of(settings.suite, settings.game)
        opening = suite[int(draw.integers(len(suite)))]
        moves = opening.moves
        position = game_named(settings.game).position_from(opening.start) if opening.start else position
    for text in moves:
        position.play(position.text_to_move(text))
    for _ in range(settings.opening_moves):
        position.play(int(draw.choice(position.sensible_moves())))
        if position.is_over:
            position.undo()
            break
    return position


@dataclass(frozen=True)
class PlayedGame:
    """A finished game as the ledger keeps it. A moves first in games with an even number."""

    number: int
    seed: int
    """Seed of the game's pair."""
    reward: float
    """Player A's reward."""
    reason: str
    result: str
    n_moves: int
    cpu_a: float
    cpu_b: float
    simulations_a: int
    simulations_b: int
    failure: str
    stderr: str
    sgf: str
    """Game record, in the SGF of its game."""

    @property
    def a_is_first(self) -> bool:
        return self.number % 2 == 0


@dataclass(frozen=True)
class PairResult:
    games: tuple[PlayedGame, ...]
    failed_to_start: bool = False
    failure: str = ""
    """Why there are no games: the pair repeatedly killed its worker, or somebody else its engines."""


@dataclass(frozen=True)
class PairTask:
    """Pair ``number`` of a match. Any worker plays the same games if its players depend only on their seeds."""

    a: PlayerSpec
    b: PlayerSpec
    settings: MatchSettings
    key: int
    """Key of the match's seed stream."""
    number: int

    @property
    def seed(self) -> int:
        return int(evaluation_seeds(self.key, self.number, 1)[0])

    def run(self) -> PairResult:
        outcomes = play_pair(self.a, self.b, self.settings, self.seed, worker_players())
        for outcome in outcomes:
            if outcome.killed:  # it is nobody's loss, so it is not recorded
                return PairResult((), failure=f"{self.label}: {outcome.failure}")
        games = tuple(self._played(i, outcome) for i, outcome in enumerate(outcomes))
        return PairResult(games, any(outcome.failed_to_start for outcome in outcomes))

    @property
    def label(self) -> str:
        return f"games {2 * self.number + 1} and {2 * self.number + 2}"

    def lost(self) -> PairResult:
        return PairResult((), failure=f"{self.label} repeatedly killed their worker")

    def _played(self, i: int, outcome: GameOutcome) -> PlayedGame:
        a_first = 1 if i == 0 else -1
        cpu_a, cpu_b = outcome.cpu_seconds[::a_first]
        simulations_a, simulations_b = outcome.simulations[::a_first]
        return PlayedGame(
            number=2 * self.number + i,
            seed=self.seed,
            reward=outcome.reward if i == 0 else 1 - outcome.reward,
            reason=outcome.reason,
            result=str(outcome.record.result),
            n_moves=outcome.n_moves,
            cpu_a=cpu_a,
            cpu_b=cpu_b,
            simulations_a=simulations_a,
            simulations_b=simulations_b,
            failure=outcome.failure,
            stderr=outcome.stderr,
            sgf=game_named(self.settings.game).write_record(outcome.record),
        )


@dataclass(frozen=True)
class MatchSetup:
    """What all pairs of a match have in common, for workers on other machines."""

    settings: MatchSettings
    players: tuple[PlayerSpec, ...]

    def needs(self) -> Needs:
        found = needs_of_suite(self.settings.suite)
        for player in self.players:
            found |= needs_of_player(player)
        return found

    def prepare(self, say: Say) -> None:
        prepare_players(self.settings, self.players, say)


def needs_of_player(spec: PlayerSpec) -> Needs:
    """Return the learnt files of a player, or the program and the files of an engine."""
    if isinstance(spec, UciSpec):
        values = [value for _, value in spec.options]  # such as the file of a network
        return needs_of_command(spec.arguments, spec.folder) | needs_of_words(values, spec.folder)
    if isinstance(spec, GtpSpec):
        return needs_of_command(spec.arguments, spec.folder)
    return Needs(learnt_files(spec.config.policy)) if isinstance(spec, MctsSpec) else Needs()


def prepare_players(
    settings: MatchSettings, specs: Iterable[PlayerSpec], say: Callable[[str], object] = lambda text: None
) -> None:
    """Check the players and compile what a game needs, once here and not in every worker.

    Raises the error of the first player that cannot be made.
    """
    configs = []
    for spec in specs:
        spec.make().close()
        spec.verify()
        if isinstance(spec, MctsSpec):
            configs.append(spec.config)
    if configs:
        from semeai.players.mcts import compile_players

        compile_players([settings.game], say, configs)
    position = settings.new_position()
    position.play(int(position.sensible_moves()[0]))
    position.result()
