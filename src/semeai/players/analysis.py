"""Analysis of a single position by a player, without a game."""

from collections.abc import Mapping
from typing import Any

from semeai.errors import ConfigError
from semeai.games.position import Position
from semeai.players.catalog import parse_spec
from semeai.players.specs import MctsSpec, PlayerSpec
from semeai.search.report import MoveReport


def search_position(
    position: Position,
    player: str | Mapping[str, Any] | PlayerSpec = "mcts",
    *,
    simulations: int | None = None,
    seed: int = 1,
) -> list[MoveReport]:
    """Search a position with an MCTS player, by default with its own budget.

    Returns a report for each move, the most visited move first; empty if the game is over. The same seed gives the
    same reports.
    """
    from semeai.players.mcts import MctsPlayer

    spec = parse_spec(player, game=position.game)
    if not isinstance(spec, MctsSpec):
        raise ConfigError(f"only mcts players search, not {spec.label!r}")
    config = spec.config if simulations is None else spec.config.with_changes({"simulations": simulations})
    searching = MctsPlayer(config, spec.label)
    try:
        searching.start(position, seed)
        if not position.is_over:
            searching.choose()
        return searching.report()
    finally:
        searching.close()
