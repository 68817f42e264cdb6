"""The Go Text Protocol: an engine that answers lines."""
