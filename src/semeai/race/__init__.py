"""Races: decide which candidates are better than the baseline. No code here uses clocks, I/O or worker processes."""
