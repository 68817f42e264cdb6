"""Who plays: MCTS, random, or any GTP engine as a subprocess."""
