"""Shapes around a move, as data: what a player's priors may be grown by."""
