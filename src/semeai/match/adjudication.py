"""Adjudication: end a game by the scores that both players report, as chess testers do to save time."""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from semeai.models import Model

Score = Annotated[int, Field(ge=0, le=100_000)]
Moves = Annotated[int, Field(ge=1, le=1000)]


class Adjudication(Model):
    """Rules by which a game ends early. Scores are in hundredths of a pawn; both players must agree on them."""

    draw_score: Score | None = None
    """A game is a draw if no score of the last ``draw_moves`` moves of each player was further from 0 than this."""
    draw_moves: Moves = 8
    draw_from: Annotated[int, Field(ge=0, le=1000)] = 40
    """The first move at which a game may be called a draw, counted as chess players do: one of each side."""
    win_score: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """A player wins if all scores of the last ``win_moves`` moves of each player were at least this good for it."""
    win_moves: Moves = 4

    @model_validator(mode="after")
    def _some_rule(self) -> Self:
        if self.draw_score is None and self.win_score is None:
            raise ValueError("give draw_score or win_score")
        return self

    def reward(self, scores: Sequence[int | None], n_moves: int) -> float | None:
        """Return player 0's reward if the game ends here; None if it goes on.

        ``scores`` has one score per move, from the view of player 0, None if a player gave none. ``n_moves`` counts
        the moves of the opening too.
        """
        if self.win_score is not None and (last := _last(scores, 2 * self.win_moves)):
            if min(last) >= self.win_score:
                return 1.0
            if max(last) <= -self.win_score:
                return 0.0
        if self.draw_score is not None and n_moves >= 2 * self.draw_from:
            last = _last(scores, 2 * self.draw_moves)
            return 0.5 if last and max(map(abs, last)) <= self.draw_score else None
        return None


def _last(scores: Sequence[int | None], n: int) -> list[int]:
    """Return the last ``n`` scores; empty if there are not so many, or one is unknown."""
    last = [score for score in scores[-n:] if score is not None]
    return last if len(last) == n else []
