"""Statistics of bounded rewards as pure functions: deviations, risk spending, bounds, betting evidence, intervals."""
