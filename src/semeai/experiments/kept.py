"""A file that keeps the answers of an experiment, one JSON object per line, so that the same command can resume."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.files import append_to, read_text, replace_file
from semeai.store.identity import hash_config
from semeai.suites.run import Answer, AnswerTask

OPTION = "--answers"
_FIELDS = ("move", "win_rate", "simulations", "cpu_seconds")


@dataclass(frozen=True)
class KeptAnswers:
    """The answers of a file: fields of ``Answer`` by the key of the task."""

    file: Path
    known: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, file: Path) -> "KeptAnswers":
        """Read a file, if it exists. A last line that was not written to its end is removed from it."""
        known = {}
        *lines, torn = read_text(file, OPTION).split("\n") if file.exists() else [""]
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                known[row["key"]] = {name: row[name] for name in _FIELDS}
            except (ValueError, TypeError, KeyError):
                raise ConfigError(f"{OPTION} {file}, line {number}: this is no answer") from None
        if torn:
            replace_file(file, "".join(f"{line}\n" for line in lines).encode(), OPTION)
        return cls(file, known)

    def get(self, task: AnswerTask) -> Answer | None:
        """Return the answer to a task; None if it is not in the file."""
        row = self.known.get(_key(task))
        return None if row is None else Answer(task.position, solved=task.position.wanted.fits(row["move"]), **row)

    def keep(self, task: AnswerTask, answer: Answer) -> None:
        """Write an answer to the end of the file. That of a player that failed is left out: it is asked again."""
        if not answer.failure:
            row = {"key": _key(task), "player": task.player.label, "position": task.position.line.id}
            with append_to(self.file, OPTION) as file:
                file.write(json.dumps(row | {name: getattr(answer, name) for name in _FIELDS}) + "\n")


def _key(task: AnswerTask) -> str:
    """Return what identifies the answer: player, position and seed."""
    position = {"game": task.position.game, "line": task.position.line.model_dump(mode="json")}
    return hash_config({"player": task.player.identity(), "position": position, "seed": task.seed})[:20]
