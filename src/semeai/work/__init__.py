"""Evaluation of candidates in worker processes: evaluators, commands, jobs, executors and the worker pool."""
