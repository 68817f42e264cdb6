"""A GTP engine as a function from lines to answers: no clock on the wall, no files, no threads of its own.

What it plays with is made when a command first needs it, so that a program which asks for a name and a list of
commands is not kept waiting.
"""

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping

from semeai.errors import SemeaiError
from semeai.gtp.protocol import SYNTAX_ERROR, UNKNOWN_COMMAND, CommandFailed, Request, Response, Stream, parse_request
from semeai.gtp.session import Command, Session

PROTOCOL_VERSION = 2
ADMINISTRATIVE = {
    "protocol_version": "The version of the protocol: 2.",
    "name": "The engine's name.",
    "version": "The engine's version.",
    "known_command": "`true` if the engine knows the command, else `false`.",
    "list_commands": "All commands, one a line.",
    "quit": "End the session.",
}


class GtpEngine:
    """Answers lines. ``tables`` hold the commands beyond the administrative ones."""

    def __init__(
        self, make_session: Callable[[], Session], tables: Iterable[Mapping[str, Command]], name: str, version: str
    ) -> None:
        self.finished = False
        """After ``quit``."""
        self._make_session = make_session
        self._session: Session | None = None
        self._commands: dict[str, Command] = {}
        for table in tables:
            self._commands.update(table)
        self._name, self._version = name, version

    @property
    def session(self) -> Session:
        """Made when it is first needed."""
        if self._session is None:
            self._session = self._make_session()
        return self._session

    @property
    def commands(self) -> list[str]:
        return sorted({*ADMINISTRATIVE, *self._commands})

    def command(self, name: str) -> Command | None:
        """What is known about a command that is not administrative."""
        return self._commands.get(name)

    def answer(self, line: str) -> Response | None:
        """The answer to a line, None where none is due; an engine that has quit answers nothing."""
        request = parse_request(line)
        if request is None or self.finished:
            return None
        try:
            return self._answer(request)
        except CommandFailed as failure:
            return Response(request.id, False, str(failure))
        except SemeaiError as error:
            return Response(request.id, False, str(error))
        except Exception:  # a game is not lost by a mistake in one command
            traceback.print_exc(file=sys.stderr)
            return Response(request.id, False, f"internal error in {request.command}")

    def step(self, stream: Stream) -> str | None:
        """The next piece of an answer; it ends where something goes wrong."""
        try:
            return stream.step()
        except Exception:
            stream.finished = True
            traceback.print_exc(file=sys.stderr)
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
        """Give back what the player holds."""
        if self._session is not None:
            self._session.player.close()
