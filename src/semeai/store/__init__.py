"""The ledger: a record of every batch and every decision of every run, from which runs are resumed."""
