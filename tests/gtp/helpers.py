"""A GTP engine for the tests, and a strict parser of its answers."""

import re

from semeai.cli.gtp import SessionStart, make_engine

ANSWER = re.compile(r"([=?])(\d*)(?: ([^\n]+))?\n((?:[^\n]+\n)*)\n")
PRINTABLE = re.compile(r"[ -~\n]*")


class Talk:
    """Says a line, and reads the answer as the protocol has it."""

    def __init__(self, simulations=50, seed=1, **options):
        changes = {"simulations": simulations, "memory_mb": 4, **options.pop("changes", {})}
        self.engine = make_engine(SessionStart(changes=changes, seed=seed, **options))

    def raw(self, line):
        response = self.engine.answer(line)
        return None if response is None else response.format()

    def ask(self, line):
        """(ok, id, text) of an answer that must be there and well formed."""
        return parse(self.raw(line))

    def ok(self, line):
        good, _, text = self.ask(line)
        assert good, (line, text)
        return text

    def fails(self, line):
        good, _, text = self.ask(line)
        assert not good, (line, text)
        return text

    @property
    def session(self):
        return self.engine.session

    @property
    def board(self):
        return self.session.position

    def stream(self, line, steps=1000):
        """The pieces of an answer that comes in pieces."""
        response = self.engine.answer(line)
        assert response.ok, response.text
        pieces = []
        while not (response.stream.finished or response.stream.resting) and len(pieces) < steps:
            piece = response.stream.step()
            if piece is not None:
                assert piece.strip()
                assert "\n" not in piece
                pieces.append(piece)
        return pieces


def parse(answer):
    match = ANSWER.fullmatch(answer)
    assert match, repr(answer)
    assert PRINTABLE.fullmatch(answer), repr(answer)
    mark, number, first, others = match.groups()
    return mark == "=", number, "\n".join([first or "", *others.splitlines()]).strip("\n")


def visible(position):
    """What can be seen of a board: stones, turn, ko."""
    return position.colors.tolist(), position.to_move, int(position.states[0]["ko"])
