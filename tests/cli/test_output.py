"""Names, messages and programs' output cannot steer a terminal, through whatever channel they are shown."""

import ast
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import semeai.cli
from semeai.cli.app import app
from semeai.cli.console import Console
from semeai.cli.output import note, print_json, say, warn
from semeai.gtp.io import serve
from semeai.gtp.protocol import Response
from semeai.patterns.file import parse_patterns
from semeai.patterns.svg import svg_of
from semeai.printable import printable
from semeai.table import ResultTable
from tests.gtp.helpers import Talk

HOSTILE = "\x1b[31mred\x1b]0;title\x07\x9b2J\x7f\u202eabc\u2028x\r\x00"
SEQUENCES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
"""What rich itself writes: colours, and where to draw."""


def is_safe(text):
    return printable(text) == text


def shown_on_terminal(*parts, live=False):
    """What a terminal of 60 columns gets, without rich's own sequences, and the visible lines."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=60)
    if live:
        with Live(console=console, auto_refresh=False) as view:
            view.update(*parts, refresh=True)
    else:
        console.print(*parts)
    return console.file.getvalue()


def table():
    found = Table(title=HOSTILE, caption=HOSTILE)
    found.add_column(HOSTILE)
    found.add_column(Text(HOSTILE), no_wrap=True)
    found.add_row(HOSTILE, Text(HOSTILE, style="red"))
    return found


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("make", [
    lambda: HOSTILE, lambda: Text(HOSTILE, style="bold red"), lambda: Text("a", "bold").append(HOSTILE, "not bold"),
    table, lambda: Panel(Text(HOSTILE), title=HOSTILE), lambda: Text.assemble((HOSTILE, "red"), ("b", "green")),
])  # fmt: skip
def test_a_console_passes_on_no_control_characters(make, live):
    output = shown_on_terminal(make(), live=live)
    rest = SEQUENCES.sub("", output.replace("\r", "") if live else output)
    assert is_safe(rest)
    assert r"\x1b" in rest
    assert "\x1b]0" not in output  # the title of the window


def test_a_console_keeps_its_colours_at_their_letters():
    text = Text("a\x1bb", style="dim")
    text.stylize("red", 2, 3)
    assert shown_on_terminal(text) == "\x1b[2ma\\x1b\x1b[0m\x1b[2;31mb\x1b[0m\n"


def test_names_are_no_markup():
    name = "[/red] [bold]x[/] :smile:"
    assert SEQUENCES.sub("", shown_on_terminal(name)) == f"{name}\n"


def test_texts_and_notes(capsys):
    for show in (say, note, warn):
        show(HOSTILE + "\n\tb")
    out, err = capsys.readouterr()
    assert is_safe(out)
    assert is_safe(SEQUENCES.sub("", err))
    assert out.endswith("\n\tb\n")


def test_json_is_printable_ascii_and_keeps_the_text(capsys):
    print_json({"name": HOSTILE, "é": 1.5})
    out = capsys.readouterr().out
    assert out.isascii()
    assert is_safe(out)
    assert json.loads(out) == {"name": HOSTILE, "é": 1.5}


RACE = """
name = "run \\u001b[31m"
[race]
mode = "plain"
max_per_candidate = 2
batch = 1
[evaluator]
command = ["python3", "-c", '''
import sys
print(chr(27) + "[31mred" + chr(0x202e), file=sys.stderr)
sys.exit({code})
''']
[[candidates]]
name = "\\u001b]0;title\\u0007"
code = 1
"""


def test_a_race_whose_names_and_output_are_hostile(tmp_path):
    def run(*words):
        command = [sys.executable, "-m", "semeai", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300)
        assert is_safe(done.stdout + done.stderr)
        return done

    (tmp_path / "race.toml").write_text(RACE)
    assert run("race", "race.toml", "--workers", "1").returncode == 3
    for words in (["status", "run \x1b[31m"], ["status", "run \x1b[31m", "--json"]):
        done = run(*words)
        assert done.returncode == 0
        assert "title" in done.stdout
        assert "red" in done.stdout
    assert "no run" in run("status", "no\x1b[31m").stderr


def test_a_pattern_file_with_a_hostile_comment(tmp_path, capsys):
    path = tmp_path / "p.txt"
    path.write_text(f"semeai patterns 1\ngeometry square\n\n# a{HOSTILE[:-6]}\npattern +1\n. * .\n", encoding="utf-8")
    app(["pattern", "show", str(path)])
    out = capsys.readouterr().out
    assert is_safe(out)
    assert r"\x1b[31mred" in out
    xml.etree.ElementTree.fromstring(svg_of(parse_patterns(path.read_text())))


def test_markdown():
    text = ResultTable(HOSTILE, ("a|b", HOSTILE), ((HOSTILE, "x\n| forged | row |"),), HOSTILE).to_markdown()
    assert is_safe(text)
    assert "\n| forged" not in text
    assert r"a\|b" in text


def test_gtp_answers_and_log():
    assert Response("1", True, f"{HOSTILE}\tb\nc").format() == ("=1 [31mred]0;title\\x9b2J\\u202eabc\\u2028x b\nc\n\n")
    talk, out, log = Talk(), io.BytesIO(), io.StringIO()
    serve(talk.engine, io.BytesIO(f"known_command {HOSTILE}\nquit\n".encode()), out, log)
    assert out.getvalue() == b"= false\n\n=\n\n"
    assert is_safe(log.getvalue())
    assert r"\x1b[31m" in log.getvalue()


OWN = {"output.py", "console.py"}


@pytest.mark.parametrize("path", sorted(Path(semeai.cli.__file__).parent.glob("*.py")), ids=lambda path: path.name)
def test_commands_print_only_through_the_safe_functions(path):
    """``semeai.cli.output`` and ``semeai.cli.console`` are the only ways out."""
    if path.name in OWN:
        return
    text = path.read_text()
    assert not re.search(r"typer\.s?echo|sys\.stdout\.write|rich\.print", text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == "rich.console":
            assert "Console" not in [alias.name for alias in node.names]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            assert path.name == "main.py"  # messages of errors, which are safe by themselves
