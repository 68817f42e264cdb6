"""Runs from plan to result: name, lock, state, signals, workers and observer."""
