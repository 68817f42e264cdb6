"""Games: the protocol their kernels follow, positions, and the games themselves."""
