"""Learning a database of patterns from games."""
