"""python-chess, which is an optional dependency: the extra ``chess``."""

from semeai.errors import ConfigError

try:
    import chess
    import chess.pgn
except ImportError:
    raise ConfigError("chess needs the package python-chess: pip install 'semeai[chess]'") from None

__all__ = ["chess"]
