"""Toy games with known answers: they show what the search finds, without a board to understand."""
