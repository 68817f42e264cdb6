"""The ledger: every batch and every decision of every run; what a race is resumed from."""

DEFAULT_LEDGER = "semeai.sqlite"
LONGEST_NAME = 200
"""Maximum length of a run name."""
