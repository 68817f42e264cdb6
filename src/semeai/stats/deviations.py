"""Deviations: how far an empirical mean may be from the efficiency, at a given risk (BGP papers, section 2).

Equation numbers are those of the EuroGP version unless stated otherwise; its Eq. 2 is Eq. 3 of the long version.
"""

import math


def hoeffding_deviation(risk: float, n_games: int) -> float:
    """Return Hoeffding's deviation sqrt(log(2 / risk) / (2 n)), equation 1."""
    if n_games <= 0 or risk <= 0:
        return math.inf
    return math.sqrt(math.log(2 / risk) / (2 * n_games))


def bernstein_deviation(risk: float, n_games: int, sigma: float) -> float:
    """Return Bernstein's deviation sigma sqrt(2 log(3 / risk) / n) + 3 log(3 / risk) / n.

    It is equation 2 of the long version; sigma is the empirical standard deviation.
    """
    if n_games <= 0 or risk <= 0:
        return math.inf
    log_term = math.log(3 / risk) / n_games
    return sigma * math.sqrt(2 * log_term) + 3 * log_term
