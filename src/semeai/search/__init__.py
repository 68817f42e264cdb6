"""One game-independent Monte-Carlo Tree Search."""
