"""Deciding on evidence: which candidates are better than the baseline. Pure: no clock, no I/O, no pool."""
