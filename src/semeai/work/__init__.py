"""Running other programs: evaluators, commands, jobs, executors and the pool of workers."""
