"""Slow and simple Python versions of the fast code, which must agree with them exactly. Not installed."""
