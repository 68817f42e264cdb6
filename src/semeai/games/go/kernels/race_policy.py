"""What players that know capturing races do differently: functions for records of ``GO_RACING_POLICY``."""

import numpy as np

from semeai.games.go.kernels import playout, priors
from semeai.games.go.kernels.board import State, random_point
from semeai.games.go.kernels.playout import play_and_note, policy_move, safe_random_point
from semeai.games.go.kernels.policy import GO_RACING_POLICY
from semeai.games.go.kernels.race_playouts import (
    has_races,
    look_at_root,
    mark_necessary,
    note_races,
    race_move,
    recount,
    spoils_race,
)
from semeai.games.protocol import Record
from semeai.jit import implements, kernel, optional
from semeai.rng_kernels import happens

_SPARING_TRIES = 4
"""Random points that are drawn instead of one that loses a race, before a pass."""


@optional
def look(policy: Record, state: State, scratch: Record) -> None:
    """Do what is done once per search, at its root."""


@implements(look, GO_RACING_POLICY)
def look_for_races(policy: Record, state: State, scratch: Record) -> None:
    look_at_root(state, policy, scratch)


@optional
def replays(policy: Record, state: State, scratch: Record) -> int:
    """Return how often a playout from here may be replayed if it contradicts the solver of races."""
    return 0


@implements(replays, GO_RACING_POLICY)
def known_replays(policy: Record, state: State, scratch: Record) -> int:
    if policy.semeai_conditioning == 0 or note_races(state, policy, scratch) == 0:
        return 0
    return policy.semeai_conditioning


@implements(priors.add_expertise, GO_RACING_POLICY)
def add_expertise(policy: Record, state: State, scratch: Record, n: int) -> None:
    if policy.semeai_expertise > 0 and mark_necessary(state, policy, scratch):
        for i in range(n):
            if scratch.marked[np.uint64(scratch.moves[np.uint64(i)])]:
                scratch.prior_visits[np.uint64(i)] += policy.semeai_expertise
                scratch.prior_wins[np.uint64(i)] += policy.semeai_expertise
                scratch.heuristic[np.uint64(i)] += priors.H_PER_VISIT * policy.semeai_expertise


@implements(playout.follow_races, GO_RACING_POLICY)
def follow_races(policy: Record, state: State, color: int, n: int, limit: int, scratch: Record) -> tuple[int, int]:
    if policy.race_playouts and has_races(scratch):
        note_races(state, policy, scratch)
        return _play_races(policy, state, color, n, limit, scratch)
    return color, n


@kernel
def _play_races(policy: Record, state: State, color: int, n: int, limit: int, scratch: Record) -> tuple[int, int]:
    """Play on while a race is open. Returns whose turn it is and the number of moves."""
    is_open = recount(state, np.int64(0), scratch)
    while state.passes < 2 and n < limit and is_open:
        p = race_move(state, color, scratch) if happens(scratch, policy.race_playouts) else np.int64(0)
        if p == 0:
            p = policy_move(state, color, policy, scratch) if policy.mogo else random_point(state, color, scratch)
            tries = _SPARING_TRIES
            while p and tries and spoils_race(state, p, color, scratch) and happens(scratch, policy.race_playouts):
                tries -= 1
                p = safe_random_point(state, color, policy, scratch, state.stride) if tries else 0
        before = state.n_empty
        play_and_note(state, p, color, n, scratch)
        if p:
            is_open = recount(state, p if state.n_empty == before - 1 else np.int64(0), scratch)
        color = 3 - color
        n += 1
    return color, n
