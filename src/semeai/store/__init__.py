"""The ledger: every batch and every decision of every run; what a race is resumed from."""
