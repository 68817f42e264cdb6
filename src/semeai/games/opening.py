"""Openings: how a game may begin."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Opening:
    """A starting position and moves from there."""

    start: str = ""
    """The position in the notation of its game; empty: the usual one."""
    moves: tuple[str, ...] = ()
