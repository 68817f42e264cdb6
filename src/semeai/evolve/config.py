"""Configuration of an evolution, as in its TOML file: frozen, validated, and with an identity."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, SerializeAsAny, field_validator, model_validator

from semeai.errors import ConfigError, did_you_mean
from semeai.evolve.context import config_of
from semeai.evolve.proposers import PROPOSERS
from semeai.evolve.proposers.base import Mixture, Positive, Proposer, Source
from semeai.evolve.proposers.guided import GuidedSource
from semeai.evolve.proposers.random import RandomSource
from semeai.evolve.sample import Sample
from semeai.games.catalog import game_named
from semeai.match.settings import MatchSettings
from semeai.models import Model, checked, flat_settings, read_toml
from semeai.players.config import PlayerConfig
from semeai.players.pattern_files import with_contents
from semeai.race.settings import RaceSettings
from semeai.rng import derive
from semeai.work.cluster.settings import ExecutorTable

Games = Annotated[int, Field(ge=0, le=10**9)]

LAPTOP: Mapping[str, Any] = {"accept_above": 0.501, "discard_below": 0.51, "max_per_candidate": 5000}
"""Defaults of a step's race: the papers' acceptance threshold, and a limit that ends races of equal candidates."""


def _source(table: Any) -> Source:
    """Return the settings of a proposer, by the kind in its table."""
    if isinstance(table, Source):
        return table
    if not isinstance(table, Mapping) or "kind" not in table:
        raise ValueError(f"kind is missing; known: {', '.join(PROPOSERS)}")
    kind = str(table["kind"])
    if kind not in PROPOSERS:
        raise ValueError(f"there is no proposer of kind {kind!r}: {did_you_mean(kind, PROPOSERS)}")
    return PROPOSERS[kind].model_validate(table)


class ScreenConfig(Model):
    """A cheap race at a small budget before the one that decides. It accepts nothing."""

    simulations: Annotated[int, Field(ge=1)]
    """Simulations per move."""
    candidates: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Number of candidates in the screen; default: three times `candidates` of the evolution."""
    max_per_candidate: Annotated[int, Field(ge=1)] = 200
    """Largest number of pairs of games; a candidate that is not discarded by then has passed."""
    accept_above: Annotated[float, Field(gt=0, lt=1)] = 0.5
    discard_below: Annotated[float, Field(gt=0, lt=1)] = 0.53
    discard_risk: Annotated[float, Field(gt=0, lt=1)] = 0.47

    def settings(self, risk: float) -> RaceSettings:
        return RaceSettings(
            mode="plain", risk=risk, accept_above=self.accept_above, discard_below=self.discard_below,
            discard_risk=self.discard_risk, max_per_candidate=self.max_per_candidate, games_per_seed=2,
        )  # fmt: skip


class ConfirmConfig(Model):
    """Separate games that an accepted change must pass; otherwise it is taken out again."""

    games: Annotated[int, Field(ge=2, le=10**9)] = 1000
    """Games of the player with the change against the player without it."""
    above: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The change is kept if the 95% interval of its win rate lies above this."""


class ValidationConfig(Model):
    """Separate games after a verdict, because the race's win rate is biased by its stopping. 0 games: no match."""

    games: Games = 400
    """Games against the previous program, and as many against the first, after each acceptance."""
    deep_games: Games = 100
    """Games of the last program against the first, at `deep_factor` times the simulations."""
    deep_factor: Annotated[float, Field(gt=1, le=1000)] = 10.0
    opponent_games: Games = 100
    """Games against each foreign engine, for the first and for the last program."""
    opponent: str | dict[str, Any] | tuple[str | dict[str, Any], ...] | None = None
    """The foreign engine, a player, or a list of them; default in Go: GNU Go level 1, if it is installed."""
    every_program: bool = False
    """Play the larger budget and the engines with every accepted program, not only with the first and the last."""


class EvolutionConfig(Model):
    name: Annotated[str, Field(min_length=1, max_length=150)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    ledger: str | None = None
    output: str | None = None
    """Folder for patterns, player and report; default: the name of the evolution."""
    steps: Annotated[int, Field(ge=1, le=10**6)] = 20
    """Number of steps; a larger number continues a finished evolution."""
    candidates: Annotated[int, Field(ge=1, le=10_000)] = 10
    """|S0|: candidates per step. The papers use 1 as well."""
    hours: Positive | None = None
    """Start no more games of races after this many hours; the same command resumes."""
    fresh_risk: bool = False
    """Give each step the whole risk, as in the papers; False: all steps share it."""
    sample: Annotated[int, Field(ge=0, le=100_000)] = 200
    """Number of positions that pattern proposers look at."""
    player: dict[str, Any]
    """The first program, as in a player file."""
    match: MatchSettings = MatchSettings()
    race: RaceSettings = RaceSettings(**LAPTOP, throughput=True, games_per_seed=2)
    screen: ScreenConfig | None = None
    confirm: ConfirmConfig | None = None
    proposers: Annotated[
        tuple[Annotated[SerializeAsAny[Source], BeforeValidator(_source)], ...], Field(min_length=1)
    ] = (GuidedSource(), RandomSource())
    validation: ValidationConfig = ValidationConfig()
    executor: ExecutorTable = ExecutorTable()

    @field_validator("race", mode="before")
    @classmethod
    def _race_defaults(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        for key, needed in (("mode", "bgp"), ("games_per_seed", 2)):
            if value.get(key, needed) != needed:
                raise ValueError(f"an evolution's race has {key} = {needed!r}, not {value[key]!r}")
        # Thresholds are set as a pair. Settings of discarding or of the papers' methods switch off the default.
        own = {"accept_above", "discard_below"} & value.keys()
        defaults = {k: v for k, v in LAPTOP.items() if not own or k == "max_per_candidate"}
        if (
            not {"throughput", "discard_risk", "coverage"} & value.keys()
            and value.get("method", "betting") == "betting"
        ):
            defaults["throughput"] = True
        return {**defaults, **value, "games_per_seed": 2}

    @model_validator(mode="after")
    def _playable(self) -> Self:
        try:
            self.make_proposer()
        except ConfigError as error:
            raise ValueError(str(error)) from None
        for source in self.proposers:
            if self.sample < source.least_sample:
                few = "" if source.least_sample == 1 else f" at least {source.least_sample}"
                raise ValueError(f"{source.kind} proposals need a sample of{few} positions: sample is {self.sample}")
        if self.screen is not None and any("simulations" in getattr(s, "settings", ()) for s in self.proposers):
            raise ValueError("a screen gives every candidate the same simulations: they cannot be a number to evolve")
        if self.screen is not None and (self.screen.candidates or self.candidates) < self.candidates:
            raise ValueError(
                f"screen.candidates ({self.screen.candidates}) must not be less than candidates ({self.candidates})"
            )
        return self

    @property
    def first(self) -> PlayerConfig:
        return config_of(self.player, self.match.game)

    def make_proposer(self) -> Proposer:
        first = self.first
        parts = [
            (source.make(first, derive(self.seed, "proposer", i)), source.weight)
            for i, source in enumerate(self.proposers)
        ]
        return Mixture(parts)

    @property
    def needs_sample(self) -> bool:
        return self.sample > 0 and any(source.needs_sample for source in self.proposers)

    @property
    def reach(self) -> int:
        """Largest radius of a pattern that is matched in the sample."""
        return max(Sample.radius, *(source.reach for source in self.proposers))

    @property
    def n_proposed(self) -> int:
        """Number of candidates that a step begins with."""
        if self.screen is None:
            return self.candidates
        return self.screen.candidates or 3 * self.candidates

    def identity(self) -> dict[str, Any]:
        """Return the settings that its decisions depend on: not its length, validation, file names or workers."""
        left_out = {"name", "ledger", "output", "steps", "hours", "validation", "executor"}
        found = self.model_dump(mode="json", exclude=left_out)
        # These keys are younger than some ledgers, whose evolutions still resume.
        if self.confirm is None:
            del found["confirm"]
        for source in found["proposers"]:
            if source.get("searched") == 0:
                del source["searched"]
        return {**found, "race": self.race.identity(), "match": self.match.identity()}


def load_evolution(path: Path | None, changes: Mapping[str, Any] | None = None) -> EvolutionConfig:
    """Read and validate an evolution file. ``changes`` override it; their keys are like ``player.simulations``.

    Raises ConfigError if a value is missing or wrong.
    """
    data = {} if path is None else read_toml(path)
    for key, value in (changes or {}).items():
        table, *inner = key.split(".")
        if not inner:
            data[table] = value
        else:
            whole = data.get(table, {})
            whole = {table: whole} if isinstance(whole, str) else whole  # player = "mcts:rave"
            data[table] = {**whole, ".".join(inner): value} if isinstance(whole, dict) else whole
    return checked_evolution(data, "evolve" if path is None else path, Path() if path is None else path.parent)


def checked_evolution(
    data: Mapping[str, Any], place: str | Path = "evolve", folder: Path | None = None
) -> EvolutionConfig:
    """Return the validated configuration. File names of the player are relative to ``folder``.

    Raises ConfigError that begins with ``place``.
    """
    match = data.get("match", {})
    game = str(match.get("game", "go")) if isinstance(match, Mapping) else "go"
    player = data.get("player", {})
    try:
        data = {**data, "player": first_player(player, game, folder or Path())}
    except ConfigError as error:
        raise ConfigError(f"{place}: player: {error}") from None
    return checked(EvolutionConfig, data, place)


def first_player(player: Any, game: str, folder: Path) -> Any:
    """Return a player, given as text, table or file, as a table that includes the contents of its files."""
    table = {"player": player} if isinstance(player, str) else player
    if not isinstance(table, Mapping):
        return table
    words = table.get("player")
    if isinstance(words, str) and words.endswith(".toml"):
        path = folder / words
        own = {key: value for key, value in flat_settings(table) if key != "player"}
        return {**first_player(read_toml(path), game, path.parent), **with_contents(own, game, folder)}
    if "player" not in table and "command" not in table:
        table = {"player": game_named(game).bare_player, **table}
    return with_contents(dict(flat_settings(table)), game, folder)
