"""Parallel search on many ranks: communicators, and the schemes by which ranks share their statistics."""
