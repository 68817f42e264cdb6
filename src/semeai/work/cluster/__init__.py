"""Work on the machines of a cluster, through a dask scheduler: the driver's pool, and the worker's side of it."""
