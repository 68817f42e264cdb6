"""Evaluator that plays pairs of games: ``evaluator.match`` in a race file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from semeai.errors import BaselineFailed, ConfigError, ProgramFailed
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.players.pattern_files import with_contents, without_places
from semeai.players.specs import PlayerSpec
from semeai.work.evaluators import Answer, Evaluator, EvaluatorKind, Params, Play, Say
from semeai.work.needs import Needs


@dataclass(frozen=True)
class MatchEvaluator(Evaluator):
    """Plays pairs of games with colours swapped. Its two rewards are the candidate's, as first and as second player.

    A player that crashes, hangs or plays an illegal move loses that game. If somebody else kills its engine, the game
    is played again. A player that cannot be started, or whose engine is killed again and again, is a failed program.
    """

    baseline: Params
    settings: MatchSettings = field(default_factory=MatchSettings)
    folder: str | None = None
    timeout: float = 60.0
    """Seconds that an engine has to answer, unless its table says otherwise."""

    def spec(self, params: Params) -> PlayerSpec:
        """Return the player that a candidate's parameters describe."""
        is_engine = "command" in params or str(params.get("player", "")).startswith(("gtp:", "uci:"))
        table = {"timeout": self.timeout, **params} if is_engine else params
        return parse_spec(table, self.folder, self.settings.game)

    def open(self) -> Play:
        from semeai.match.pair import play_pair  # compiled games are loaded only where one is played
        from semeai.match.player_cache import worker_players
        from semeai.match.records import write_pair

        baseline = self.spec(self.baseline)

        def play(params: Params, seed: int) -> Answer:
            spec, keep = self.spec(params), bool(self.settings.records)
            first, second = play_pair(spec, baseline, self.settings, seed, worker_players(), explain=keep)
            if keep:
                write_pair(self.settings, spec, seed, (first.record, second.record))
            rewards = [first.reward, 1 - second.reward]
            for outcome, reward in zip((first, second), rewards, strict=True):
                if not outcome.failed_to_start and not outcome.killed:
                    continue
                if reward == 1:
                    raise BaselineFailed(f"the baseline failed: {outcome.failure}", outcome.stderr)
                raise ProgramFailed(outcome.failure, outcome.stderr)
            return rewards

        return play

    def complete(self, params: Params) -> Params:
        """Return the player's table with the contents of its pattern files and the digest of its database."""
        return with_contents(params, self.settings.game, self.folder)

    def check(self, who: str, params: Params) -> None:
        try:
            self.spec(params).verify()
        except ConfigError as error:
            raise ConfigError(f"{who}: {error}") from None

    def recorded(self, params: Params) -> Params:
        recorded: Params = without_places(params)
        return recorded

    def needs(self, candidates: Sequence[Params] = ()) -> Needs:
        from semeai.match.openings import needs_of_suite
        from semeai.match.pair import needs_of_player

        found = needs_of_suite(self.settings.suite)
        for params in (self.baseline, *candidates):
            found |= needs_of_player(self.spec(params))
        return found

    def prepare(self, say: Say) -> None:
        """Compile what the players need. The first time takes about a minute."""
        from semeai.match.pair import prepare_players

        prepare_players(self.settings, [self.spec(self.baseline)], say)


class MatchKind(EvaluatorKind):
    """``match = {size = 9, ...}``: candidates and baseline are players."""

    setting = MatchSettings
    games_per_seed = 2
    baseline = "the player that candidates play against"

    def make(
        self, value: MatchSettings, folder: str, timeout: float, baseline: Mapping[str, Any] | None
    ) -> MatchEvaluator:
        bare = MatchEvaluator(baseline or {}, value, folder, timeout)
        return MatchEvaluator(bare.complete(bare.baseline), value, folder, timeout)

    def located(self, value: MatchSettings, folder: str) -> MatchSettings:
        return value.located(folder)

    def identity(self, value: MatchSettings) -> dict[str, Any]:
        return value.identity()


MATCH = MatchKind()
