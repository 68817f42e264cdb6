"""Experiments that ``semeai reproduce`` can run, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from semeai.errors import ConfigError, did_you_mean
from semeai.experiments import (
    ablation,
    figures,
    growing,
    guarantee,
    parallel,
    parallel_ranks,
    race_coverage,
    race_strength,
    races,
    scaling,
    strength,
)
from semeai.games.catalog import game_named
from semeai.table import ResultTable


@dataclass(frozen=True)
class Experiment:
    """An experiment. ``run`` takes ``seed``, ``progress`` and the options in ``options``; each has a default."""

    name: str
    about: str
    run: Callable[..., list[ResultTable]]
    options: tuple[str, ...]
    game: str = "go"

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that were given. Raises ConfigError for an option that this experiment does not have."""
        chosen = {name: value for name, value in given.items() if value is not None}
        for name in chosen.keys() - set(self.options):
            known = ", ".join(f"--{option}" for option in self.options)
            raise ConfigError(f"experiment {self.name!r} has no option --{name}, it has {known}")
        for size in chosen.get("size", ()):
            game_named(self.game).check_size(size)
        return chosen


_MATCHES = ("games", "size", "simulations", "workers", "executor", "ledger")
_ASKING = ("runs", "simulations", "workers", "executor", "answers")
_GROWING = ("games", "simulations", "steps", "proposer", "start", "records", "workers", "executor", "ledger")
EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment(
            "guarantee", "cost and error rates of every method on simulated games", guarantee.run, ("races",)
        ),
        Experiment(
            "scaling-go", "Table 1 of the MCTS paper: 2N simulations per move against N", scaling.GO.run, _MATCHES
        ),
        Experiment(
            "strength-go", "the Go player against GNU Go, by simulations per move", strength.run_go, _MATCHES
        ),
        Experiment(
            "ablation-go", "what each part of the Go player adds, measured by matches", ablation.GO.run, _MATCHES
        ),
        Experiment(
            "semeai", "Table 3 of the MCTS paper: good moves in capturing races, by solver and simulations",
            races.run_races, (*_ASKING, "size"),
        ),
        Experiment(
            "rave-problems", "Figure 1 of the MCTS paper and its kin: moves that are good only if played first",
            races.run_rave_problems, _ASKING,
        ),
        Experiment(
            "figures", "the figures of the papers as positions, and what the player thinks of them", figures.run,
            ("runs", "simulations"),
        ),
        Experiment(
            "semeai-coverage", "how often the solver of races answers in games, and deep searches agree",
            race_coverage.run, ("records", "games", "runs", "size", "simulations", "workers", "executor"),
        ),
        Experiment(
            "semeai-strength", "matches of the players with a solver of races, from open races and empty boards",
            race_strength.run, (*_MATCHES, "records"),
        ),
        Experiment(
            "bgp-9x9-good", "section 5.1 of the BGP paper: good shapes grown for 9x9 Go", growing.GOOD_9.run, _GROWING
        ),
        Experiment(
            "bgp-9x9-bad", "section 5.2: bad shapes for the player grown in 5.1", growing.BAD_9.run, _GROWING
        ),
        Experiment(
            "bgp-19x19-with-database", "section 5.3: patterns grown for 19x19 Go, from a program with a database",
            growing.WITH_DATABASE_19.run, _GROWING,
        ),
        Experiment(
            "bgp-19x19-without-database", "section 5.4: patterns grown for 19x19 Go, from a program without a database",
            growing.WITHOUT_DATABASE_19.run, _GROWING,
        ),
        Experiment(
            "scaling-havannah", "Table 2 of the MCTS paper: 2N simulations per move against N, fast and slow",
            scaling.HAVANNAH.run, _MATCHES, "havannah",
        ),
        Experiment(
            "strength-havannah", "the Havannah player against OpenSpiel's MCTS bot, equal simulations and equal time",
            strength.run_havannah, _MATCHES, "havannah",
        ),
        Experiment(
            "ablation-havannah", "what each part of the Havannah player adds, measured by matches",
            ablation.HAVANNAH.run, _MATCHES, "havannah",
        ),
        Experiment(
            "parallel-go", "Table 4 of the MCTS paper: slow tree, 32 ranks against 1 to 32", parallel.GO.run, _MATCHES
        ),
        Experiment(
            "parallel-voting", "Table 5 of the MCTS paper: sharing against voting, 40 ranks", parallel.GO_VOTING.run,
            _MATCHES,
        ),
        Experiment(
            "parallel-depth", "the MCTS paper's slow tree of depth 1 against slow root, 40 ranks",
            parallel.GO_DEPTH.run, _MATCHES,
        ),
        Experiment(
            "parallel-ranks", "slow tree on up to 1,024 ranks, with the bytes per share", parallel_ranks.GO.run,
            _MATCHES,
        ),
        Experiment(
            "parallel-havannah", "Table 4 of the MCTS paper, in Havannah", parallel.HAVANNAH.run, _MATCHES, "havannah",
        ),
        Experiment(
            "parallel-voting-havannah", "Table 5 of the MCTS paper, in Havannah", parallel.HAVANNAH_VOTING.run,
            _MATCHES, "havannah",
        ),
        Experiment(
            "parallel-depth-havannah", "slow tree of depth 1 against slow root, in Havannah",
            parallel.HAVANNAH_DEPTH.run, _MATCHES, "havannah",
        ),
        Experiment(
            "parallel-ranks-havannah", "slow tree on up to 1,024 ranks, in Havannah", parallel_ranks.HAVANNAH.run,
            _MATCHES, "havannah",
        ),
    )
}  # fmt: skip


def experiment_named(name: str) -> Experiment:
    try:
        return EXPERIMENTS[name]
    except KeyError:
        raise ConfigError(f"unknown experiment {name!r}: {did_you_mean(name, EXPERIMENTS)}") from None
