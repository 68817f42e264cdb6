"""Statistics of bounded rewards: deviations, spending, bounds, betting evidence, intervals. Pure functions."""
