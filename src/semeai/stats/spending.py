"""Risk spending: how the risk of a race is split over its tests (BGP paper, ``computeBounds`` variants 1, 2, 3).

Each function returns the risk of test number ``n_tests`` (1, 2, ...) of one candidate. The risks of all tests of all
candidates sum to at most ``risk``.
"""

import math
from collections.abc import Callable

from semeai.errors import ConfigError, did_you_mean

Spending = Callable[[float, int, int, int], float]

BASEL = math.pi**2 / 6  # sum of 1 / t^2


def geometric(risk: float, n_tests: int, n_candidates: int, index: int) -> float:
    """Return risk / (#S 2^t), variant 1."""
    return math.ldexp(risk / n_candidates, -n_tests)


def quadratic(risk: float, n_tests: int, n_candidates: int, index: int) -> float:
    """Return risk / (#S t^2 pi^2 / 6), variant 2."""
    return risk / (n_candidates * BASEL * n_tests**2)


def countable(risk: float, n_tests: int, n_candidates: int, index: int) -> float:
    """Return risk_i / (t^2 pi^2 / 6) with risk_i = 6 risk / (pi^2 i^2), variant 3. ``n_candidates`` is not used."""
    return countable_share(risk, index) / (BASEL * n_tests**2)


def countable_share(risk: float, index: int) -> float:
    """Return the part of ``risk`` that candidate ``index`` (1, 2, ...) of an endless stream may use."""
    return risk / (BASEL * index**2)


def online_fdr_share(risk: float, index: int, n_accepted: int) -> float:
    """Return the level of candidate ``index`` of a stream after ``n_accepted`` acceptances, by e-LOND.

    Each level is risk * g_i * (n_accepted + 1), with shares g_i that sum to at most 1. A candidate that is accepted by
    an e-value of at least 1 / level then adds at most risk * g_i * (its e-value) to the false discovery proportion,
    because at least n_accepted + 1 are accepted in the end. If it is bad, its e-value is at most 1 on average. So the
    false discovery rate is at most ``risk``, also if the candidates depend on each other (Xu & Ramdas, "Online multiple
    testing with e-values", 2024). The shares fall as 1 / (i log^2 i), more slowly than those of ``countable_share``.
    """
    return risk * (n_accepted + 1) / (SUM_OF_SHARES * (index + 1) * math.log(index + 1) ** 2)


SUM_OF_SHARES = 2.11
"""Sum of 1 / (n log(n)^2) from n = 2 on, rounded up."""

SPENDINGS: dict[str, Spending] = {"geometric": geometric, "quadratic": quadratic, "countable": countable}


def spending_named(name: str) -> Spending:
    """Return the schedule of that name. Raises ConfigError if there is none."""
    try:
        return SPENDINGS[name]
    except KeyError:
        raise ConfigError(f"unknown spending {name!r}: {did_you_mean(name, SPENDINGS)}") from None
