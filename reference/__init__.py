"""Slow, obvious plain Python that the fast code must agree with exactly. Not installed."""
