"""Help pages, and error messages for mistakes on the command line."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.cli.commands import COMMANDS, GROUPS, load
from semeai.cli.evolve import evolve
from semeai.cli.game_options import KomiOption, SizeOption
from semeai.cli.help import help_of, parameters_of
from semeai.errors import ConfigError
from semeai.evolve.config import checked_evolution
from semeai.games.catalog import GAMES, game_named


def functions():
    for name in COMMANDS:
        found = load(name)
        if isinstance(found, typer.Typer):
            for command in found.registered_commands:
                yield f"{name} {command.callback.__name__}", command.callback
        else:
            yield name, found


FUNCTIONS = dict(functions())


def invoke(*words):
    return CliRunner().invoke(app, [*words])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_docstring_says(name):
    found = load(name)
    summary = found.info.help if isinstance(found, typer.Typer) else help_of(found).summary
    assert COMMANDS[name].summary == summary
    assert len(summary) <= 65, "one line of a terminal with 80 columns"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_command_has_an_example_and_explains_its_options(name):
    page = help_of(FUNCTIONS[name])
    assert any(f"semeai {name}" in line for line in page.examples)
    assert [p.key for p in page.parameters if not p.help.endswith(".")] == []
    done = invoke(*name.split(), "--help")
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    for text in (f"Usage: semeai {name} ", page.summary, *(p.names[0] for p in page.parameters), *page.examples):
        assert " ".join(text.split()) in shown


def test_commands_are_shown_in_groups():
    shown = invoke("--help").stdout
    for title, group in GROUPS.items():
        section = shown.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in section.splitlines()] == list(group)


def test_help_loads_only_what_it_shows():
    code = (
        "import sys; from semeai.cli.main import main; sys.argv = ['semeai', '--help']\n"
        "try: main()\n"
        "except SystemExit: print(*{'numba', 'numpy', 'pydantic', 'rich', 'sqlalchemy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_defaults_that_are_written_in_a_help_text():
    size, komi = (option.__metadata__[0].help for option in (SizeOption, KomiOption))
    for game in GAMES:
        assert f"{game_named(game).default_size} in {game.capitalize()}" in size
    assert f"default {game_named('go').default_komi}" in komi
    config = checked_evolution({})
    values = {key: getattr(config, key) for key in ("candidates", "steps", "seed")} | {"risk": config.race.risk}
    helps = {p.key: p.help for p in parameters_of(evolve)}
    assert [key for key, value in values.items() if f"(default: {value})" not in helps[key]] == []


@pytest.mark.parametrize(
    ("words", "sentence", "help_of"),
    [
        ("rase", "no command 'rase': did you mean 'race'?", ""),
        ("--vers", "no option '--vers': did you mean '--version'?", ""),
        ("pattern sho x", "no command 'sho': did you mean 'show'?", "pattern"),
        ("race x --wrkers 3", "no option '--wrkers': did you mean '--workers'?", "race"),
        ("match a b --games 0", "--games: must be at least 1, not 0", "match"),
        ("match a b --games 2.5", "--games: must be a whole number, not '2.5'", "match"),
        ("match a b --games", "--games: requires an argument", "match"),
        ("match a", "B: missing", "match"),
        ("match a b --scoring aera", "--scoring: 'aera' is unknown; did you mean 'area'?", "match"),
        ("evolve --proposer guidd", "--proposer: 'guidd' is unknown; did you mean 'guided'?", "evolve"),
        ("learn -o x --size 99", "--size: must be at least 2 and at most 25, not 99", "learn"),
        ("plan --efficiency nan", "--efficiency: must be at least 0 and at most 1, not nan", "plan"),
        ("plan --efficiency 1,5", "--efficiency: must be a number, not '1,5'", "plan"),
        ("plan", "--efficiency: missing", "plan"),
        ("race x y z", "unexpected argument: y z", "race"),
        ("race x --json=3", "--json: does not take a value", "race"),
    ],
)
def test_a_mistake_is_one_sentence_and_a_hint(words, sentence, help_of):
    error = invoke(*words.split()).exception
    assert isinstance(error, ConfigError)
    assert str(error).splitlines() == [sentence, " ".join(f"try: semeai {help_of} --help".split())]


def test_a_mistake_on_the_real_command_line():
    command = [sys.executable, "-m", "semeai", "export", "race", "--format", "cvs"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    hint = "try: semeai export --help"
    assert done.stderr == f"semeai: --format: 'cvs' is unknown; did you mean 'csv'?\n{hint}\n"
