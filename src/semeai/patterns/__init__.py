"""Patterns: shapes around a move, as data. A player's priors can be improved with them."""
