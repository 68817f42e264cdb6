"""Single games, pairs of games with colours swapped, and matches."""
