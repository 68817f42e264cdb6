"""Compiled Havannah: boards, playouts, priors, threats and proofs."""
