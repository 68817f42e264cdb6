"""Inventing: candidates that a race then judges, proposed at random, from accepted ones, or by what a search shows."""
