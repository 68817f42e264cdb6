"""The Go Text Protocol (GTP): an engine that answers commands line by line."""
