"""How the risk of a whole race is spent on its single tests (BGP paper, ``computeBounds`` variants 1, 2, 3).

Every schedule gives the risk of test number ``n_tests`` (1, 2, ...) of one candidate, such that the risks of all
tests of all candidates sum to at most ``risk``.
"""

import math
from collections.abc import Callable

from semeai.errors import ConfigError, did_you_mean

Spending = Callable[[float, int, int, int], float]

BASEL = math.pi**2 / 6  # sum of 1 / t^2


def geometric(risk: float, n_tests: int, n_candidates: int, index: int) -> float:
    """Variant 1: risk / (#S 2^t)."""
    return math.ldexp(risk / n_candidates, -n_tests)


def quadratic(risk: float, n_tests: int, n_candidates: int, index: int) -> float:
    """Variant 2: risk / (#S t^2 pi^2 / 6)."""
    return risk / (n_candidates * BASEL * n_tests**2)


def countable(risk: float, n_tests: int, n_candidates: int, index: int) -> float:
    """Variant 3: risk_i / (t^2 pi^2 / 6) with risk_i = 6 risk / (pi^2 i^2); the number of candidates is unused."""
    return countable_share(risk, index) / (BASEL * n_tests**2)


def countable_share(risk: float, index: int) -> float:
    """The part of ``risk`` that candidate ``index`` (1, 2, ...) of an endless stream may use."""
    return risk / (BASEL * index**2)


SPENDINGS: dict[str, Spending] = {"geometric": geometric, "quadratic": quadratic, "countable": countable}


def spending_named(name: str) -> Spending:
    try:
        return SPENDINGS[name]
    except KeyError:
        raise ConfigError(f"unknown spending {name!r}: {did_you_mean(name, SPENDINGS)}") from None
