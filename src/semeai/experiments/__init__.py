"""Experiments by name: one module a table."""
