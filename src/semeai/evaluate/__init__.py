"""Turning a batch into rewards: evaluators, jobs for workers, executors."""
