"""Compiled Go: the board, playouts, priors and tactics that the search calls."""
