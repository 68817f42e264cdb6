"""Pages that a local web server shows: the dashboard, and a board to play on."""
