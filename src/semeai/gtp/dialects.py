"""The GTP dialects by game. None of them imports the compiler before a command needs it."""

from semeai.games.position import Position
from semeai.gtp.protocol import CommandFailed
from semeai.gtp.session import CommandTable, Dialect
from semeai.registry import Registry


class PlainDialect(Dialect):
    """The dialect of a game without commands of its own. Only the player to move can be asked for a move."""

    commands = CommandTable()

    def to_think_about(self, position: Position, player: int) -> Position:
        if position.is_over:
            raise CommandFailed("game is over")
        if position.to_move != player:
            raise CommandFailed("illegal move")
        return position.copy()


class Dialects(Registry[type[Dialect]]):
    """Dialects by game. A game without a dialect of its own has a plain one."""

    def __getitem__(self, game: str) -> type[Dialect]:
        if game in self:
            return super().__getitem__(game)
        return type("PlainDialect", (PlainDialect,), {"name": game})


DIALECTS = Dialects("GTP dialect", "semeai.gtp")
DIALECTS.add_lazily("go", "semeai.gtp.go:GoDialect")
DIALECTS.add_lazily("havannah", "semeai.gtp.havannah:HavannahDialect")
