"""Patterns on the boards of games: a policy with patterns, their masks in kernels, and where they match."""
