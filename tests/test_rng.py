import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from semeai.rng import SEED_BITS, derive, evaluation_seeds, generator, run_seed
from semeai.rng_kernels import binomial, next_word, seed_state, uniform


def plain_seed(key: int, i: int) -> int:
    """``evaluation_seeds``, one at a time, in plain integers."""
    mask = 2**31 - 1
    x = (i + key) & mask
    for round_key in (key >> 31 & mask, key >> 17 & mask):
        for shift, multiplier in ((16, 0x2C1B3C6D), (15, 0x297A2D39), (14, 0x5F356495)):
            x ^= x >> shift
            x = x * multiplier & mask
        x ^= round_key
    return x


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.integers(0, 30))
def test_seeds_agree_with_the_reference(key, start, count):
    assert evaluation_seeds(key, start, count).tolist() == [plain_seed(key, i) for i in range(start, start + count)]


def test_seeds_are_distinct_and_fit_a_c_int():
    seeds = evaluation_seeds(derive(1, "evaluation", 1), 0, 1_000_000)
    assert len(np.unique(seeds)) == 1_000_000
    assert seeds.min() >= 0
    assert seeds.max() < 2**SEED_BITS


def test_seeds_are_spread_evenly():
    seeds = evaluation_seeds(derive(1, "evaluation", 1), 0, 64_000)
    for shift in (0, 12, 25):
        assert chisquare(np.bincount((seeds >> shift) & 63, minlength=64)).pvalue > 1e-4


def test_streams_differ_by_every_part_of_their_name():
    keys = {derive(1, "a"), derive(2, "a"), derive(1, "b"), derive(1, "a", 1), derive(1, "a", "1"), derive(1, "a", 2)}
    assert len(keys) == 6
    assert generator(1, "a").random() == generator(1, "a").random()


def test_xoshiro_agrees_with_plain_integers():
    mask = 2**64 - 1
    state = np.empty(4, np.uint64)
    seed_state(state, np.uint64(42))
    words = [int(word) for word in state]

    def rotated(x, k):
        return (x << k | x >> (64 - k)) & mask

    for _ in range(1000):
        expected = rotated(words[1] * 5 & mask, 7) * 9 & mask
        shifted = words[1] << 17 & mask
        words[2] ^= words[0]
        words[3] ^= words[1]
        words[1] ^= words[2]
        words[0] ^= words[3]
        words[2] ^= shifted
        words[3] = rotated(words[3], 45)
        assert int(next_word(state)) == expected


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (8, 0.5), (16, 0.9), (40, 0.5), (200, 0.501), (1000, 0.02), (50, 0.99)])
def test_binomial_has_the_right_distribution(n, p):
    state = np.empty(4, np.uint64)
    seed_state(state, np.uint64(derive(7, "binomial", n)))
    draws = np.array([binomial(state, n, p) for _ in range(40_000)])
    expected = binom.pmf(np.arange(n + 1), n, p) * len(draws)
    observed = np.bincount(draws, minlength=n + 1)
    tail = expected < 10  # pool the rare values
    observed = np.append(observed[~tail], observed[tail].sum())
    expected = np.append(expected[~tail], expected[tail].sum())
    keep = expected > 1e-9
    assert chisquare(observed[keep], expected[keep] * observed.sum() / expected[keep].sum()).pvalue > 1e-4


def test_binomial_of_many_games():
    state = np.empty(4, np.uint64)
    seed_state(state, np.uint64(9))
    draws = np.array([binomial(state, 1_000_000, 0.501) for _ in range(4000)])
    # Five standard errors each way: a false alarm of 6e-7.
    assert draws.mean() == pytest.approx(501_000, abs=5 * 500 / np.sqrt(4000))
    assert draws.std() == pytest.approx(500, rel=5 / np.sqrt(2 * 4000))


def test_uniform_lies_in_the_unit_interval():
    state = np.empty(4, np.uint64)
    seed_state(state, np.uint64(3))
    draws = [uniform(state) for _ in range(10_000)]
    assert min(draws) >= 0
    assert max(draws) < 1


def test_a_ledger_can_keep_the_seed_of_every_run():
    seeds = [run_seed(n, "races") for n in range(64)]
    assert len(set(seeds)) == 64
    assert any(derive(n, "races") >= 1 << 63 for n in range(64))
    assert all(0 <= seed < 1 << 63 for seed in seeds)
