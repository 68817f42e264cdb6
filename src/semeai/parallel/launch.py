"""Whether this process is a rank of an MPI job: known before anything that takes time is imported."""

import os

_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS")
"""What MPICH's and Open MPI's ``mpiexec``, and others, tell the processes that they start."""


def started_ranks() -> int:
    """How many ranks ``mpiexec`` has started; 1 without it."""
    return max([1, *(int(value) for name in _SIZES if (value := os.environ.get(name, "")).isdecimal())])
