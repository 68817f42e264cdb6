"""Players: MCTS, random moves, or any GTP engine as a subprocess."""
