"""Learn a database of patterns from games."""
