"""docs/reference/gtp.md says what the engine says."""

import re
from pathlib import Path

from semeai.gtp.engine import ADMINISTRATIVE
from tests.gtp.helpers import Talk

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "gtp.md"


def test_every_command_is_documented_with_its_arguments():
    engine = Talk().engine
    rows = re.findall(r"^\| `([\w-]+)` \| (?:`(.*?)`)? ?\| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    documented = {name: (arguments.replace("\\|", "|"), text) for name, arguments, text in rows}
    known = {name: ("COMMAND" if name == "known_command" else "", text) for name, text in ADMINISTRATIVE.items()}
    known |= {name: (engine.command(name).arguments, engine.command(name).summary)
              for name in engine.commands if name not in ADMINISTRATIVE}  # fmt: skip
    assert documented == known


def test_the_errors_of_the_page_are_those_of_the_code():
    source = "".join(path.read_text() for path in (PAGE.parents[2] / "src" / "semeai" / "gtp").glob("*.py"))
    errors = re.findall(r"^\| `\? (.*?)` \|", PAGE.read_text(), re.MULTILINE)
    assert len(errors) == 10
    assert [error for error in errors if f'"{error}"' not in source] == []
    raised = set(re.findall(r'CommandFailed\("(.*?)"\)', source)) - {"no legal move was found"}
    assert raised <= set(errors)
