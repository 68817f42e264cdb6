"""Detection of an MPI job. It imports nothing slow, so it can run before everything else."""

import os

_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS")
"""Environment variables with the number of ranks, as set by ``mpiexec`` of MPICH, Open MPI and others."""


def started_ranks() -> int:
    """Return the number of ranks that ``mpiexec`` has started; 1 without ``mpiexec``."""
    return max([1, *(int(value) for name in _SIZES if (value := os.environ.get(name, "")).isdecimal())])
