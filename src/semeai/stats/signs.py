"""An always-valid sign test: is the current one of two programs worse, on the same seeds?

Each seed is a fair coin if neither is better more often; ties say nothing. Gamblers bet fixed parts of their wealth on
"worse". So their mean wealth is a non-negative supermartingale if the program is better at least as often as worse,
given all that was seen before. By Ville's inequality it ever reaches 1 / risk with probability at most ``risk``.
Nothing else is assumed of the values: no moments, no symmetry, no range.
"""

import math

_STAKES = (0.1, 0.2, 0.4, 0.6, 0.8)


def log_evidence(n_worse: int, n_better: int) -> float:
    """Return the logarithm of the wealth that the gamblers have after so many seeds, in any order."""
    logs = [n_worse * math.log1p(stake) + n_better * math.log1p(-stake) for stake in _STAKES]
    largest = max(logs)
    return largest + math.log(sum(math.exp(value - largest) for value in logs) / len(logs))


def is_proven_worse(n_worse: int, n_better: int, risk: float) -> bool:
    """Return whether the evidence reaches 1 / ``risk``. It may be asked after every seed."""
    return log_evidence(n_worse, n_better) >= -math.log(risk)
