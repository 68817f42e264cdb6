"""Compiled search: the tree, simulations, threads, shares between ranks."""
