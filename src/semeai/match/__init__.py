"""Whole games: one game, pairs with colours swapped, matches."""
