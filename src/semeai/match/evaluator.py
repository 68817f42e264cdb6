"""What answers "how good is this candidate on this seed?" by two games against the baseline."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.errors import BaselineFailed, ConfigError, ProgramFailed
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.players.specs import PlayerSpec
from semeai.work.evaluators import Answer, Play


@dataclass(frozen=True)
class MatchEvaluator:
    """A pair of games with colours swapped; the rewards are the candidate's, as first and as second player.

    Who crashes, hangs or plays an illegal move loses that game. A player that cannot be started is a failed program.
    """

    baseline: Mapping[str, Any]
    settings: MatchSettings = field(default_factory=MatchSettings)
    folder: str | None = None
    timeout: float = 60.0
    """Seconds that an engine has for an answer, unless its table says otherwise."""

    def spec(self, params: Mapping[str, Any]) -> PlayerSpec:
        """A candidate's parameters as a player."""
        is_engine = "command" in params or str(params.get("player", "")).startswith("gtp:")
        table = {"timeout": self.timeout, **params} if is_engine else params
        return parse_spec(table, self.folder, self.settings.game)

    def open(self) -> Play:
        from semeai.match.pair import play_pair  # compiled games are loaded only where one is played
        from semeai.match.player_cache import worker_players

        baseline = self.spec(self.baseline)

        def play(params: Mapping[str, Any], seed: int) -> Answer:
            first, second = play_pair(self.spec(params), baseline, self.settings, seed, worker_players(), explain=False)
            rewards = [first.reward, 1 - second.reward]
            for outcome, reward in zip((first, second), rewards, strict=True):
                if outcome.failed_to_start and reward == 1:
                    raise BaselineFailed(f"the baseline failed: {outcome.failure}", outcome.stderr)
                if outcome.failed_to_start:
                    raise ProgramFailed(outcome.failure, outcome.stderr)
            return rewards

        return play

    def check(self, who: str, params: Mapping[str, Any]) -> None:
        """ConfigError where ``params`` are no player."""
        try:
            self.spec(params)
        except ConfigError as error:
            raise ConfigError(f"{who}: {error}") from None

    def warm_up(self) -> None:
        """Compile what the players need, before workers begin; the first time takes a minute and says so."""
        from semeai.match.pair import warm_up

        warm_up(self.settings, [self.spec(self.baseline)], lambda text: print(text, file=sys.stderr))
