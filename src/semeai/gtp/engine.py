"""A GTP engine as a function from lines to answers. It has no streams and no threads of its own.

The player is made when a command first needs it. So a program that asks only for the name or the list of commands does
not have to wait.
"""

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping

from semeai.errors import RankFailed, SemeaiError
from semeai.gtp.protocol import SYNTAX_ERROR, UNKNOWN_COMMAND, CommandFailed, Request, Response, Stream, parse_request
from semeai.gtp.session import Command, Session
from semeai.printable import printable

PROTOCOL_VERSION = 2
ADMINISTRATIVE = {
    "protocol_version": "Return the version of the protocol: 2.",
    "name": "Return the engine's name.",
    "version": "Return the engine's version.",
    "known_command": "Return `true` if the engine knows the command, else `false`.",
    "list_commands": "List all commands, one per line.",
    "quit": "End the session.",
}


class GtpEngine:
    """Answers lines. ``tables`` hold all commands except the administrative ones."""

    def __init__(
        self, make_session: Callable[[], Session], tables: Iterable[Mapping[str, Command]], name: str, version: str
    ) -> None:
        self.finished = False
        """Whether ``quit`` was received."""
        self._make_session = make_session
        self._session: Session | None = None
        self._commands: dict[str, Command] = {}
        for table in tables:
            self._commands.update(table)
        self._name, self._version = name, version

    @property
    def session(self) -> Session:
        """The session, which is made on first use."""
        if self._session is None:
            self._session = self._make_session()
        return self._session

    @property
    def commands(self) -> list[str]:
        return sorted({*ADMINISTRATIVE, *self._commands})

    def command(self, name: str) -> Command | None:
        """Return a command; None if it is unknown or administrative."""
        return self._commands.get(name)

    def answer(self, line: str) -> Response | None:
        """Return the answer to a line; None if the line is empty or the engine has quit."""
        request = parse_request(line)
        if request is None or self.finished:
            return None
        try:
            return self._answer(request)
        except CommandFailed as failure:
            return Response(request.id, False, str(failure))
        except RankFailed:  # the next command would wait for the same rank
            raise
        except SemeaiError as error:
            return Response(request.id, False, str(error))
        except Exception:  # an error in one command must not end the game
            _print_traceback()
            return Response(request.id, False, f"internal error in {request.command}")

    def step(self, stream: Stream) -> str | None:
        """Return the next line of an answer; None if there is none now. An error ends the answer."""
        try:
            return stream.step()
        except RankFailed:
            raise
        except Exception:
            stream.finished = True
            _print_traceback()
            return None

    def _answer(self, request: Request) -> Response:
        if request.command in ADMINISTRATIVE:
            return Response(request.id, True, self._administrate(request))
        command = self._commands.get(request.command)
        if command is None:
            return Response(request.id, False, UNKNOWN_COMMAND)
        if request.words and not command.arguments:  # `undo 3` must not take back one
            return Response(request.id, False, SYNTAX_ERROR)
        answer = command.run(self.session, request.words)
        if isinstance(answer, str):
            return Response(request.id, True, answer)
        return Response(request.id, True, stream=answer)

    def _administrate(self, request: Request) -> str:
        if request.command == "known_command":
            return "true" if request.words and request.words[0] in self.commands else "false"
        if request.command == "quit":
            self.finished = True
            return ""
        return {
            "protocol_version": str(PROTOCOL_VERSION),
            "name": self._name,
            "version": self._version,
            "list_commands": "\n".join(self.commands),
        }[request.command]

    def close(self) -> None:
        """Close the player."""
        if self._session is not None:
            self._session.player.close()


def _print_traceback() -> None:
    """Print the error of a command, which is a mistake in the program, on standard error."""
    print(printable(traceback.format_exc()), file=sys.stderr, flush=True)
