"""Tournaments: more than two players, in rounds. A round is one pair of games of each pairing.

The rounds are independent and alike, so a player's mean reward in a round is one observation in [0, 1], whose mean is
its score against its opponents. Its always-valid interval needs no model of how strengths add up. In Elo, it is the
difference to an opponent against whom the player would have the same score.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

from semeai.errors import ConfigError
from semeai.match.pair import PairTask, PlayedGame
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.specs import PlayerSpec
from semeai.rng import derive
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts, reward_level
from semeai.stats.elo import Rated, elo, elo_interval
from semeai.stats.intervals import always_valid_interval
from semeai.store.identity import hash_config

Form = Literal["round-robin", "gauntlet"]
RISK = 0.05
MAX_PLAYERS = 100


@dataclass(frozen=True)
class Tournament:
    """A tournament without its number of rounds, which may grow later. In a gauntlet the first player plays all."""

    players: tuple[PlayerSpec, ...]
    settings: MatchSettings = field(default_factory=MatchSettings)
    form: Form = "round-robin"
    seed: int = 1

    def __post_init__(self) -> None:
        if not 2 <= len(self.players) <= MAX_PLAYERS:
            raise ConfigError(f"a tournament has 2 to {MAX_PLAYERS} players, not {len(self.players)}")
        known: list[dict[str, Any]] = []
        for player in self.players:
            if (identity := player.identity()) in known:
                raise ConfigError(f"player {player.label!r} takes part twice")
            known.append(identity)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """The pairs of players who meet, by number from 0."""
        n = len(self.players)
        return [(0, i) for i in range(1, n)] if self.form == "gauntlet" else list(itertools.combinations(range(n), 2))

    def task(self, number: int) -> PairTask:
        """Return pair ``number`` of games: the pairings in turn, round by round."""
        a, b = self.pairings[number % len(self.pairings)]
        key = derive(self.seed, "tournament")
        return PairTask(self.players[a], self.players[b], self.settings, key, number)

    def identity(self) -> dict[str, Any]:
        players = [player.identity() for player in self.players]
        return {"players": players, "settings": self.settings.identity(), "form": self.form, "seed": self.seed}

    @classmethod
    def from_identity(cls, data: Mapping[str, Any]) -> Self:
        players = tuple(PlayerSpec.from_identity(player) for player in data["players"])
        return cls(players, MatchSettings.model_validate(data["settings"]), data["form"], data["seed"])

    @property
    def name(self) -> str:
        """Name of the tournament's run, derived from its arguments."""
        return f"tournament-{hash_config(self.identity())[:10]}"


class Standing(NamedTuple):
    """A player's result so far."""

    player: int
    n_games: int
    score: float
    """Mean reward, over complete rounds."""
    interval: Bounds
    """Always valid, for all players at once."""
    elo: Rated
    beaten: tuple[int, ...]
    """The opponents that are proven weaker in direct games, over all pairings at once."""


class TournamentTally(Tally):
    """Counts of a tournament: of each pairing, and of each player by rounds."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__()
        self.tournament = tournament
        self.of_pairing = [Tally() for _ in tournament.pairings]
        self._rounds: list[list[int]] = [[] for _ in tournament.players]
        self._round: list[list[float]] = [[] for _ in tournament.players]

    def add(self, pair: Sequence[PlayedGame]) -> None:
        number = self.n_pairs % len(self.of_pairing)
        super().add(pair)
        self.of_pairing[number].add(pair)
        mean = sum(game.reward for game in pair) / 2
        a, b = self.tournament.pairings[number]
        self._round[a].append(mean)
        self._round[b].append(1 - mean)
        if number == len(self.of_pairing) - 1:  # the end of a round
            for rewards, rounds in zip(self._round, self._rounds, strict=True):
                rounds.append(reward_level(sum(rewards) / len(rewards), pair[0].seed))
                rewards.clear()

    @property
    def n_rounds(self) -> int:
        """Number of complete rounds."""
        return len(self._rounds[0])

    def standings(self) -> list[Standing]:
        """Return the players, the best score first."""
        beaten = self._beaten()
        found = [self._standing(i, beaten[i]) for i in range(len(self.tournament.players))]
        return sorted(found, key=lambda standing: (-standing.score, standing.player))

    def _standing(self, player: int, beaten: tuple[int, ...]) -> Standing:
        counts = RewardCounts({level: self._rounds[player].count(level) for level in set(self._rounds[player])})
        confidence = 1 - RISK / len(self.tournament.players)
        games = sum(
            t.n_games for t, who in zip(self.of_pairing, self.tournament.pairings, strict=True) if player in who
        )
        score, interval = counts.mean if counts else 0.5, always_valid_interval(counts, confidence)
        rated = Rated(elo(score) if counts else math.nan, *elo_interval(interval))
        return Standing(player, games, score, interval, rated, beaten)

    def _beaten(self) -> list[tuple[int, ...]]:
        """Return for each player the opponents that are proven weaker."""
        confidence = 1 - RISK / len(self.of_pairing)
        found: list[list[int]] = [[] for _ in self.tournament.players]
        for (a, b), tally in zip(self.tournament.pairings, self.of_pairing, strict=True):
            lower, upper = always_valid_interval(RewardCounts(tally.levels), confidence)
            if lower > 0.5:
                found[a].append(b)
            elif upper < 0.5:
                found[b].append(a)
        return [tuple(opponents) for opponents in found]
