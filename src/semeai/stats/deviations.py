"""How far an empirical mean may stray from the efficiency, at a given risk (BGP papers, section 2).

Equations are numbered as in the EuroGP version unless said otherwise; the long version calls its Eq. 2 Eq. 3.
"""

import math


def hoeffding_deviation(risk: float, n_games: int) -> float:
    """sqrt(log(2 / risk) / (2 n)), equation 1."""
    if n_games <= 0 or risk <= 0:
        return math.inf
    return math.sqrt(math.log(2 / risk) / (2 * n_games))


def bernstein_deviation(risk: float, n_games: int, sigma: float) -> float:
    """sigma sqrt(2 log(3 / risk) / n) + 3 log(3 / risk) / n, equation 2 of the long version; sigma is empirical."""
    if n_games <= 0 or risk <= 0:
        return math.inf
    log_term = math.log(3 / risk) / n_games
    return sigma * math.sqrt(2 * log_term) + 3 * log_term
