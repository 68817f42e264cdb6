"""docs/reference/gtp.md agrees with the engine; docs/make_reference.py makes its tables."""

import re
from pathlib import Path

import pytest

from semeai.games.catalog import GAMES
from semeai.gtp.dialects import DIALECTS
from tests.gtp.helpers import Talk

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "gtp.md"


@pytest.mark.parametrize("game", GAMES)
def test_every_command_is_documented(game):
    """Those of other games stand in other tables."""
    text = PAGE.read_text()
    others = [name for other in GAMES if other != game for name in DIALECTS[other].commands]
    documented = set(re.findall(r"^\| `([\w-]+)` \| (?:`.*?`)? ?\| .* \|$", text, re.MULTILINE))
    commands = set(Talk(game=game).engine.commands)
    assert commands <= documented
    assert documented - commands <= set(others)


def test_the_errors_of_the_page_are_those_of_the_code():
    source = "".join(path.read_text() for path in (PAGE.parents[2] / "src" / "semeai" / "gtp").glob("*.py"))
    errors = re.findall(r"^\| `\? (.*?)` \|", PAGE.read_text(), re.MULTILINE)
    assert len(errors) == 11
    assert [error for error in errors if f'"{error}"' not in source] == []
    raised = set(re.findall(r'CommandFailed\("(.*?)"\)', source)) - {"no legal move was found"}
    assert raised <= set(errors)
