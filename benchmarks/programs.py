"""Programs for the benchmarks: as cheap as a program can be."""


def trivial(params, seed):
    """A coin of efficiency p, without a random generator: the seed itself is random enough."""
    return 1.0 if seed & 0xFFFF < params["p"] * 0x10000 else 0.0
