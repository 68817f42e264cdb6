"""Running a race for real: configuration, the loop that joins race, workers and ledger, and resuming."""
