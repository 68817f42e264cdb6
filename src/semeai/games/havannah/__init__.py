"""Havannah: board, playouts, priors, positions and game records."""
