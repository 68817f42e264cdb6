"""Fast playouts have the right statistics; slow ones win, block and keep bridges."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.havannah import Replies

from semeai.games.havannah.config import HavannahPolicy
from semeai.games.havannah.kernels.playout import play_out
from semeai.games.havannah.position import HavannahPosition
from semeai.jit import kernel
from semeai.rng_kernels import CERTAIN
from tests.games.havannah.faces import copy_first, new_scratch, new_states, rules

N = 20_000
# Base: mean plies, their standard deviation, share of games that the first player wins. By half a million to a million
# shuffles of the cells; OpenSpiel judged 1.2 million on base 5 (46.527 +- 0.012 plies, 53.70 +- 0.09%) and 238,000 on
# base 10 (179.77 +- 0.13, 50.92 +- 0.20%), intervals of 95%.
SHUFFLED = {4: (27.95, 4.9, 0.554), 5: (46.53, 7.5, 0.536), 8: (120.46, 19.6, 0.515), 10: (179.83, 32.0, 0.509)}


@kernel
def run_playout(states, policy, scratches):
    scratches[0].n_played = 0
    play_out(states[0], policy[0], scratches[0])


@kernel
def go_on(states, policy, scratches):
    """As ``run_playout``, after the moves that the scratch has."""
    play_out(states[0], policy[0], scratches[0])


@kernel
def run_many(states, policy, scratches, lengths, winners):
    for i in range(len(lengths)):
        copy_first(states)
        scratches[0].n_played = 0
        play_out(states[1], policy[0], scratches[0])
        lengths[i] = scratches[0].n_played
        winners[i] = states[1].winner


@pytest.mark.statistical
@pytest.mark.parametrize("base", SHUFFLED)
def test_fast_playouts_have_the_statistics_of_shuffled_cells(base):
    """Means within 4.5 standard errors and the error of the figures themselves: sound code fails 7e-6 of all seeds."""
    n = N if base < 8 else N // 4
    plies, deviation, wins = SHUFFLED[base]
    lengths, winners = np.zeros(n, np.int64), np.zeros(n, np.int64)
    run_many(new_states(base), rules(False), new_scratch(2026), lengths, winners)
    assert lengths.std() == pytest.approx(deviation, rel=0.1)
    assert lengths.mean() == pytest.approx(plies, abs=4.5 * deviation / n**0.5 + 0.05)
    assert (winners == 1).mean() == pytest.approx(wins, abs=4.5 * 0.5 / n**0.5 + 0.005)


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("base", [2, 3, 5, 10])
def test_a_playout_is_a_game(base, slow):
    """Its moves, replayed, give the same winner by the same kind."""
    scratches = new_scratch(5)
    for _ in range(40 if base < 6 else 5):
        states = new_states(base)
        run_playout(states, rules(slow), scratches)
        position = HavannahPosition(base)
        n = int(scratches[0]["n_played"])
        for move, color in zip(scratches[0]["played"][:n], scratches[0]["played_by"][:n], strict=True):
            assert position.to_move == color - 1
            threats = position.winning_cells(position.to_move), position.winning_cells(1 - position.to_move)
            if slow and (len(threats[0]) or len(threats[1])):
                assert move in (threats[0] if len(threats[0]) else threats[1])
            position.play(int(move))
        assert position.is_over
        for name in ("winner", "kind", "n_empty", "n_moves", "to_move"):
            assert states[0][name] == position.states[0][name], name
        assert (states[0]["color"] == position.states[0]["color"]).all()


BRIDGES = [  # own stones, the intrusion, the answers that keep the link
    ("d4 e6", "d5", "e5"),
    ("d4 e6", "e5", "d5"),
    ("d4 c3", "d5", ""),
    ("c2", "b1", "c1"),  # the edge counts as a stone
    ("e5 d3 f6", "d4", "e4"),
]


@pytest.mark.parametrize(("own", "intrusion", "answers"), BRIDGES)
def test_a_slow_playout_keeps_bridges(own, intrusion, answers):
    position = HavannahPosition(5)
    for text in own.split():
        position.play(position.text_to_move(text), 0)
    position.play(position.text_to_move(intrusion), 1)
    expected = {position.text_to_move(text) for text in answers.split()}
    scratches, firsts = new_scratch(3), set()
    for _ in range(60):
        states = position.states.copy()
        run_playout(states, rules(True), scratches)
        firsts.add(int(scratches[0]["played"][0]))
    assert firsts == expected if expected else len(firsts) > 10


def test_fast_playouts_choose_every_cell_equally_often():
    """By a chi-square test that a sound generator fails once in 100,000 seeds."""
    position, scratches = HavannahPosition(5), new_scratch(9)
    counts = np.zeros(len(position.states[0]["color"]))
    for _ in range(6100):
        states = position.states.copy()
        run_playout(states, rules(False), scratches)
        counts[scratches[0]["played"][0]] += 1
    counts = counts[position.legal_moves()]
    assert ((counts - 100) ** 2 / 100).sum() < 116.0  # chi-square with 60 degrees: 1e-5 beyond


def learned(scratches):
    """The kernel's table as the reference keeps it."""
    table = scratches[0]["replies"]
    return {(int(who) + 1, int(before)): int(table[who, before]) for who, before in np.argwhere(table)}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(2, 6), st.integers(1, 2**60), st.integers(0, 6))
def test_last_good_replies_are_given_learned_and_forgotten_as_by_the_reference(base, seed, n_moves):
    """Playouts that follow each other, each after random moves as a tree would play them, without any other rule."""
    policy, scratches, reference, shuffle = rules(True), new_scratch(seed), Replies(), random.Random(seed)
    policy["win"] = policy["block"] = policy["bridge_reply"] = 0
    policy["last_good_reply"] = CERTAIN
    for _ in range(30):
        position, scratch = HavannahPosition(base), scratches[0]
        for i in range(n_moves):
            if not position.is_over:
                scratch["played_by"][i] = position.to_move + 1
                scratch["played"][i] = shuffle.choice(position.legal_moves())
                position.play(int(scratch["played"][i]))
        depth = scratch["n_played"] = len(position.moves)
        if position.is_over:
            continue
        states = position.states.copy()
        go_on(states, policy, scratches)
        n = int(scratch["n_played"])
        game = list(zip(scratch["played_by"][:n].tolist(), scratch["played"][:n].tolist(), strict=True))
        empty = set(position.legal_moves().tolist())
        for i in range(depth, n):
            player, move = game[i]
            reply = reference.known.get((player, game[i - 1][1])) if i else None
            assert move == reply or reply not in empty
            empty.remove(move)
        if winner := int(states[0]["winner"]):
            reference.learn(game, winner)
        assert learned(scratches) == reference.known


def test_without_the_rule_nothing_is_learned():
    scratches = new_scratch(8)
    run_playout(new_states(5), HavannahPolicy(last_good_reply=0).to_record(), scratches)
    assert learned(scratches) == {}
    run_playout(new_states(5), HavannahPolicy().to_record(), scratches)
    assert learned(scratches)
