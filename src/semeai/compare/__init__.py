"""Comparisons of commands: which is faster, or prints the better number, measured in rounds until it is clear."""
