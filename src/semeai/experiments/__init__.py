"""Experiments by name, one module per kind of table."""
