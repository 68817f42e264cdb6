"""What ``semeai reproduce`` can run, by name."""

from collections.abc import Callable
from dataclasses import dataclass

from semeai.errors import ConfigError, did_you_mean
from semeai.experiments import guarantee
from semeai.experiments.table import ResultTable


@dataclass(frozen=True)
class Experiment:
    name: str
    about: str
    run: Callable[..., list[ResultTable]]  # (races, seed, progress)
    default_races: int


EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment(
            "guarantee",
            "cost and error rates of every method on coins of known efficiency",
            guarantee.run,
            guarantee.DEFAULT_RACES,
        ),
    )
}


def experiment_named(name: str) -> Experiment:
    try:
        return EXPERIMENTS[name]
    except KeyError:
        raise ConfigError(f"unknown experiment {name!r}: {did_you_mean(name, EXPERIMENTS)}") from None
