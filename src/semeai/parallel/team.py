"""All ranks of a player, behind one interface: it sets the position, runs budgets and gives one search to read."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.parallel.comm import Communicator, Solo, virtual_cluster
from semeai.parallel.config import ParallelConfig, counted_in_simulations
from semeai.parallel.fast import FastTreeMaster, FastTreeSlave
from semeai.parallel.program import Budget, RankProgram
from semeai.parallel.slow import SlowSharing
from semeai.rng import derive
from semeai.search.leaf_search import LeafSearch
from semeai.search.search import Root, Search

SLAVE_NODES = 2048
"""Size of the tree of a rank that only plays out; it needs only the root and its children."""


@dataclass(frozen=True)
class TeamSettings:
    """The settings that all ranks of a team share."""

    game: str
    params: NDArray[Any]
    policy: NDArray[Any]
    max_nodes: int
    threads: int
    reuse_tree: bool
    parallel: ParallelConfig


def make_program(settings: TeamSettings, comm: Communicator) -> RankProgram:
    """Make the program of the rank that owns ``comm``."""
    parallel = settings.parallel
    if parallel.scheme == "fast_tree":
        nodes = settings.max_nodes if comm.rank == 0 else SLAVE_NODES
        search = LeafSearch(settings.params, settings.policy, nodes, comm.size)
        return FastTreeSlave(search, comm) if comm.rank else FastTreeMaster(search, comm)
    tree = Search(settings.params, settings.policy, settings.max_nodes, settings.threads)
    if parallel.scheme == "off" or comm.size == 1:
        return RankProgram(tree)
    return SlowSharing(tree, comm, parallel, bool(settings.params[0]["proof_backup"]))


def rank_seed(seed: int, rank: int) -> int:
    """Return the seed of a rank. Rank 0 has the player's seed, so one rank plays like a player without ranks."""
    return derive(seed, "rank", rank) if rank else seed


class Team(ABC):
    """The ranks of a player. ``search`` is the search of rank 0.

    After ``finish`` or a final budget, it knows what all ranks have found.
    """

    program: RankProgram
    """The program of rank 0."""

    def __init__(self) -> None:
        self._has_news = False  # whether ranks have results that they have not shared

    @property
    def search(self) -> Search:
        return self.program.search

    @property
    def simulations(self) -> int:
        """Simulations of all ranks since the position was set."""
        return self.program.simulations

    def set_position(self, position: Root) -> None:
        self.finish()
        self._set_position(position)

    def run(self, budget: Budget) -> int:
        """Let every rank spend the budget. Returns the number of simulations that rank 0 has run."""
        self._run(budget)
        self._has_news = not budget.final
        return self.program.done

    def finish(self) -> None:
        """Share among all ranks what each has found so far."""
        if self._has_news:
            self.run(Budget(simulations=0))

    @abstractmethod
    def seed(self, seed: int) -> None: ...

    @abstractmethod
    def forget(self) -> None: ...

    @abstractmethod
    def _set_position(self, position: Root) -> None: ...

    @abstractmethod
    def _run(self, budget: Budget) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


class LocalTeam(Team):
    """A team inside this process: one rank, or a virtual cluster whose ranks take turns by steps."""

    def __init__(self, settings: TeamSettings) -> None:
        super().__init__()
        parallel = settings.parallel
        if parallel.ranks > 1 and parallel.shares_by_time:
            raise ConfigError(
                f"player setting parallel.share_unit: a virtual cluster of {parallel.ranks} ranks shares by "
                "simulations; to share by seconds, start the ranks with mpiexec"
            )
        self._reuse = settings.reuse_tree
        comms: list[Communicator] = [Solo()] if parallel.ranks == 1 else virtual_cluster(parallel.ranks)
        self.programs = [make_program(settings, comm) for comm in comms]
        self.program = self.programs[0]

    def seed(self, seed: int) -> None:
        for rank, program in enumerate(self.programs):
            program.seed(rank_seed(seed, rank))

    def forget(self) -> None:
        for program in self.programs:
            program.forget()

    def _set_position(self, position: Root) -> None:
        for program in self.programs:
            program.set_position(position, self._reuse)

    def _run(self, budget: Budget) -> None:
        if budget.seconds is not None and len(self.programs) > 1:
            raise counted_in_simulations(len(self.programs))
        running = self.programs
        for program in running:
            program.begin(budget)
        while running:
            running = [program for program in running if program.step()]

    def close(self) -> None:
        for program in self.programs:
            program.search.close()
