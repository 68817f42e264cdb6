"""Registry of proposers by name, one file per proposer; each is loaded when it is first used."""

from typing import TYPE_CHECKING

from semeai.registry import Registry

if TYPE_CHECKING:
    from semeai.evolve.proposers.base import Source

PROPOSERS: Registry["type[Source]"] = Registry("proposer", "semeai.proposers")
for _name, _source in {
    "guided": "GuidedSource", "random": "RandomSource", "mutate": "MutateSource", "crossover": "CrossoverSource",
    "grown": "GrownSource", "fitted": "FittedSource", "features": "FeaturesSource", "number": "NumberSource",
    "given": "GivenSource",
}.items():  # fmt: skip
    PROPOSERS.add_lazily(_name, f"semeai.evolve.proposers.{_name}:{_source}")
