"""One run from its plan to its result: name, lock, state, signals, workers, observer."""
