"""Propose changes of a player at random, from accepted ones or guided by searches, and let races decide on them."""
