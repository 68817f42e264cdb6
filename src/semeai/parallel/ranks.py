"""Teams whose ranks are processes of one MPI job. Rank 0 plays, and sends commands to the others.

A command is a line of JSON followed by raw records. Rank 0 sends it to all ranks. The other ranks do nothing else until
rank 0 ends.
"""

import json
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.games.catalog import game_named
from semeai.games.position import Moves
from semeai.parallel.alive import rank_timeout
from semeai.parallel.comm import Communicator
from semeai.parallel.config import ParallelConfig
from semeai.parallel.mpi import MpiCommunicator, ending_all_ranks, world
from semeai.parallel.program import Budget, RankProgram
from semeai.parallel.team import LocalTeam, Team, TeamSettings, make_program, rank_seed
from semeai.search.kernels.params import SEARCH_PARAMS
from semeai.search.search import Root, Search


def make_team(settings: TeamSettings) -> Team:
    """Make a team on the ranks of this MPI job; inside this process if ``mpiexec`` has not started several ranks.

    Raises ConfigError if the player needs more ranks than were started.
    """
    job = world()
    if not isinstance(job, MpiCommunicator) or settings.parallel.ranks == 1:
        return LocalTeam(settings)
    if settings.parallel.ranks > job.size:
        raise ConfigError(
            f"player setting parallel.ranks: {settings.parallel.ranks} ranks, but mpiexec has started {job.size}"
        )
    return MpiTeam(settings, job)


@dataclass(frozen=True)
class RemoteRoot:
    """A root position as received from rank 0."""

    states: NDArray[Any]
    moves: Sequence[tuple[int, int]]
    start_key: bytes
    to_move: int
    legal: Sequence[int]

    def legal_moves(self) -> Moves:
        return np.array(self.legal, np.int64)


class MpiTeam(Team):
    """A team as rank 0 sees it: it sends each command to all ranks, and does its own part."""

    _made = 0

    def __init__(self, settings: TeamSettings, job: MpiCommunicator) -> None:
        super().__init__()
        self._job, self._settings = job, settings
        self._id, MpiTeam._made = MpiTeam._made, MpiTeam._made + 1
        self._is_open = True
        parallel = settings.parallel
        self._tell(
            "make",
            game=settings.game,
            max_nodes=settings.max_nodes,
            threads=settings.threads,
            reuse_tree=settings.reuse_tree,
            parallel=parallel.model_dump(mode="json"),
            data=settings.params.tobytes() + settings.policy.tobytes(),
        )
        self.program = make_program(settings, _group(parallel.ranks))

    def _tell(self, command: str, data: bytes = b"", **values: Any) -> None:
        line = json.dumps({"command": command, "team": self._id, **values}).encode() + b"\n" + data
        self._job.start_scatter([line] * self._job.size)

    def seed(self, seed: int) -> None:
        self._tell("seed", seed=seed)
        self.program.seed(seed)

    def forget(self) -> None:
        self._tell("forget")
        self.program.forget()

    def _set_position(self, position: Root) -> None:
        self._tell(
            "position",
            moves=list(position.moves),
            start_key=position.start_key.hex(),
            to_move=position.to_move,
            legal=position.legal_moves().tolist(),
            data=position.states.tobytes(),
        )
        self.program.set_position(position, self._settings.reuse_tree)

    def _run(self, budget: Budget) -> None:
        self._tell("run", budget=vars(budget))
        _run(self.program, budget)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._tell("close")
            self.program.search.close()


def _run(program: RankProgram, budget: Budget) -> None:
    program.begin(budget)
    while program.step():
        pass


@cache
def _group(size: int) -> Communicator:
    """Return the communicator of the first ``size`` ranks.

    It is cached: each rank must create it once per size, in the order of rank 0's commands.
    """
    job = world()
    assert isinstance(job, MpiCommunicator)
    return job.subgroup(size)


def follow() -> None:
    """Run a rank other than 0: execute the commands of rank 0 until it ends."""
    job = world()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # rank 0 gets the signal too, and decides
    members: dict[int, _Member] = {}
    while True:
        line, _, data = job.start_scatter().result().partition(b"\n")
        words = json.loads(line)
        command, team = words.pop("command"), words.pop("team")
        if command == "end":
            return
        if command == "make":
            if job.rank < words["parallel"]["ranks"]:
                members[team] = _Member(_settings(words, data))
        elif command == "close":
            if member := members.pop(team, None):
                member.search.close()
        elif member := members.get(team):
            member.obey(command, words, data)


def on_rank_0(main: Callable[[], object]) -> None:
    """Run ``main`` on rank 0, and ``follow`` on the others. An error on one rank ends all."""
    job = world()
    with ending_all_ranks():
        if job.rank:
            follow()
        else:
            rank_timeout()  # a bad value is reported once
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise
            job.start_scatter([json.dumps({"command": "end", "team": -1}).encode()] * job.size)
        if isinstance(job, MpiCommunicator):
            job.meet(job.size)  # because the end of MPI waits inside MPI for all ranks


def _settings(words: dict[str, Any], data: bytes) -> TeamSettings:
    policy = game_named(words["game"]).policy().to_record()  # type: ignore[attr-defined]
    params = np.frombuffer(data, SEARCH_PARAMS, 1).copy()
    return TeamSettings(
        words["game"],
        params,
        np.frombuffer(data, policy.dtype, 1, SEARCH_PARAMS.itemsize).copy(),
        words["max_nodes"],
        words["threads"],
        words["reuse_tree"],
        ParallelConfig.model_validate(words["parallel"]),
    )


class _Member:
    """This rank as a member of one team."""

    def __init__(self, settings: TeamSettings) -> None:
        self._settings = settings
        self._comm = _group(settings.parallel.ranks)
        self._program = make_program(settings, self._comm)
        self._dtype = game_named(settings.game).new_position().states.dtype

    @property
    def search(self) -> Search:
        return self._program.search

    def obey(self, command: str, words: dict[str, Any], data: bytes) -> None:
        if command == "seed":
            self._program.seed(rank_seed(words["seed"], self._comm.rank))
        elif command == "forget":
            self._program.forget()
        elif command == "position":
            root = RemoteRoot(
                np.frombuffer(data, self._dtype, 1).copy(),
                [(player, move) for player, move in words["moves"]],
                bytes.fromhex(words["start_key"]),
                words["to_move"],
                words["legal"],
            )
            self._program.set_position(root, self._settings.reuse_tree)
        elif command == "run":
            _run(self._program, Budget(**words["budget"]))
