"""Write the pages, and parts of pages, that the program itself knows best: ``python docs/make_reference.py``.

docs/reference/cli.md comes from the functions of the commands, as ``--help`` does; the tables of
docs/reference/player.md from the player's configuration; those of docs/reference/gtp.md from the engine's commands;
the map of files in docs/explanation/architecture.md from their docstrings. So they say what the program does, and the
same program always gives the same pages.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

import semeai
from semeai.cli.app import app
from semeai.cli.commands import COMMANDS, GROUPS, load
from semeai.cli.help import Parameter, help_of, parameters_of
from semeai.games.catalog import GAMES, game_named
from semeai.games.go.database import OWN_DATABASE
from semeai.games.go.model import OWN_MODEL
from semeai.games.learnt import OWN
from semeai.gtp import analysis, playing, records
from semeai.gtp.dialects import DIALECTS
from semeai.gtp.engine import ADMINISTRATIVE
from semeai.gtp.session import Command
from semeai.parallel.config import ParallelConfig
from semeai.players.config import PlayerConfig
from semeai.search.config import SearchConfig

CLI_PAGE = Path(__file__).parent / "reference" / "cli.md"
PLAYER_PAGE = Path(__file__).parent / "reference" / "player.md"
GTP_PAGE = Path(__file__).parent / "reference" / "gtp.md"
ARCHITECTURE_PAGE = Path(__file__).parent / "explanation" / "architecture.md"
PACKAGE = Path(semeai.__file__).parent
WINGS = {
    "": (
        "printable",
        "errors",
        "files",
        "fingerprint",
        "mirror",
        "archives",
        "registry",
        "models",
        "rng",
        "table",
        "kills",
        "processes",
        "streams",
        "jit",
        "rng_kernels",
    ),
    "racing: any program; no game, no numba": ("stats", "race", "work", "store", "runs", "compare"),
    "playing: no race": ("patterns", "games", "search", "parallel", "players", "gtp"),
    "bridge: players are raced": ("match", "suites", "learn", "evolve", "experiments"),
    "doors: nothing imports them": ("optuna", "prompts", "report", "ui", "cli"),
}
"""The layers in their order: one imports only from those above it, see tests/test_layers.py."""
SUMMARY = 110  # characters of a file's line
CLI_HEAD = """# Command line

`semeai` is one program with one command for each thing it does. `python -m semeai` is the same program.

An error is one sentence on standard error and an exit code that tells its kind: see [Errors](errors.md).
Ctrl-C and SIGTERM end every command: see [Stop](../howto/resume-and-inspect.md#stop)."""


def cli_page() -> str:
    callback = app.registered_callback
    assert callback is not None
    assert callback.callback is not None
    parts = [CLI_HEAD, "## semeai", parameter_table(parameters_of(callback.callback))]
    for title, group in GROUPS.items():
        parts.append(f"## {title}")
        for name in group:
            parts += command_sections(name)
    return "\n\n".join(parts) + "\n"


def command_sections(name: str) -> Iterator[str]:
    """Yield the section of a command, or those of a command that has commands of its own."""
    found = load(name)
    if not isinstance(found, typer.Typer):
        yield command_section("###", name, found)
        return
    yield f"### semeai {name}\n\n{COMMANDS[name].summary}"
    for registered in found.registered_commands:
        assert registered.callback is not None
        yield command_section("####", f"{name} {registered.callback.__name__}", registered.callback)


def command_section(level: str, name: str, function: Callable[..., Any]) -> str:
    page = help_of(function)
    parts = [f"{level} semeai {name}", page.summary, *page.details]
    parts.append(f"```text\nsemeai {name} {page.usage}".rstrip() + "\n```")
    if page.parameters:
        parts.append(parameter_table(page.parameters))
    commands = [re.sub(r" {2,}", "  # ", line, count=1) for line in page.examples]
    return "\n\n".join([*parts, "```sh\n" + "\n".join(commands) + "\n```"])


def parameter_table(parameters: Sequence[Parameter]) -> str:
    rows = ["| | value | default | |", "|---|---|---|---|"]
    for p in parameters:
        name = ", ".join(f"`{word}`" for word in p.names)
        default = "required" if p.required else f"`{p.default}`" if p.default else ""
        meaning = f"{p.help} Or set `{p.envvar}`." if p.envvar else p.help
        rows.append(f"| {name} | {value_of(p)} | {default} | {meaning.replace('|', '&#124;')} |")
    return "\n".join(rows)


def value_of(parameter: Parameter) -> str:
    if parameter.kind is bool:
        return "switch"
    kind = " or ".join(f"`{word}`" for word in parameter.choices) or parameter.value.lower()
    return ", ".join(filter(None, [kind, parameter.limits, "may be repeated" * parameter.repeated]))


MEANINGS = {  # of settings that have no docstring; a docstring goes first
    "policy.playout": "Uniformly random moves, or the rules below; `light` ignores them.",
    "policy.self_atari_stones": "The smallest chain that counts for `policy.refuse_self_atari`.",
    "policy.prior_capture": "Won visits of a move that captures, or that catches a chain in a ladder.",
    "policy.prior_capture_stone": "And for each stone of that chain, up to ten.",
    "policy.prior_save": "Won visits of a move that saves a chain from atari, if no ladder catches it.",
    "policy.prior_save_stone": "And for each stone of that chain, up to ten.",
    "policy.prior_atari": "Won visits of a move that gives atari; 0 also leaves out ladders that it would begin.",
    "policy.prior_shape": "Won visits of a move that makes a 3x3 shape of the table.",
    "policy.prior_near_1": "Won visits at distance 1 of the last move, where a chain counts as one point.",
    "policy.prior_near_2": "At distance 2.",
    "policy.prior_near_3": "At distance 3.",
    "policy.prior_self_atari": "Lost visits of a move that puts its own chain in atari; nothing good counts then.",
    "policy.prior_edge": "Lost visits of a move on the first line, far from all stones.",
    "policy.prior_second_line": "Lost visits of a move on the second line, far from all stones.",
    "policy.prior_third_line": "Won visits of a move on the third line, far from all stones.",
    "policy.prior_fourth_line": "Won visits of a move on the fourth line, far from all stones.",
    "policy.prior_corner": "Won visits of a move on the third or fourth line of both sides of a corner, far from all "
    "stones, on boards of 12 lines and more.",
    "policy.prior_centre": "Lost visits of a move on the fifth line or farther in, far from all stones, on these.",
    "policy.prior_pass": "Lost visits of a pass.",
    "policy.prior_near_own_2": "At distance 2.",
    "policy.prior_near_own_3": "At distance 3.",
    "policy.pass_in_tree": "Consider a pass at every node; `false`: only where no point is playable.",
}


def player_page() -> str:
    """Return the page with new tables."""
    text = PLAYER_PAGE.read_text(encoding="utf-8")
    return replace_block(replace_block(text, "settings", settings_tables()), "presets", presets_tables())


def gtp_page() -> str:
    """Return the page with new tables of commands."""
    text = GTP_PAGE.read_text(encoding="utf-8")
    admin = {name: Command(playing.showboard, "COMMAND" * (name == "known_command"), said)
             for name, said in ADMINISTRATIVE.items()}  # fmt: skip
    text = replace_block(
        text, "any game", commands_table(admin | playing.COMMANDS | records.COMMANDS | analysis.COMMANDS)
    )
    for game in GAMES:
        text = replace_block(text, game, commands_table(DIALECTS[game].commands))
    return text


def commands_table(commands: Mapping[str, Command]) -> str:
    rows = ["| command | arguments | |", "|---|---|---|"]
    for name, command in sorted(commands.items()):
        arguments = command.arguments.replace("|", "\\|")
        rows.append(f"| `{name}` | {f'`{arguments}`' if arguments else ''} | {command.summary} |")
    return "\n".join(rows)


def replace_block(text: str, name: str, inside: str) -> str:
    begin, end = f"<!-- {name}: made by make_reference.py -->\n", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise ValueError(f"the page has no block {name!r}")
    return f"{before}{begin}\n{inside}\n\n{end}{after}"


def settings_tables() -> str:
    """Tables for the player itself, the search and its ranks, and the policy of each game."""
    parts = ["### The player", settings_table(PlayerConfig, "")]
    groups = [("`search.`", "search.", SearchConfig), ("`parallel.`", "parallel.", ParallelConfig)]
    groups += [(f"`policy.` of {game.capitalize()}", "policy.", game_named(game).policy) for game in GAMES]
    for title, prefix, model in groups:
        parts += [f"### {title}", inspect.cleandoc(model.__doc__ or ""), settings_table(model, prefix)]
    return "\n\n".join(parts)


def settings_table(model: type[BaseModel], prefix: str) -> str:
    rows = ["| setting | value | default | meaning |", "|---|---|---|---|"]
    schema, said = model.model_json_schema()["properties"], field_docstrings(model)
    for name, field in model.model_fields.items():
        if name in ("search", "policy", "parallel"):
            continue
        meaning = said.get(name) or MEANINGS.get(prefix + name)
        if not meaning:
            raise LookupError(f"{model.__name__}.{name} has no docstring: say there what it means")
        rows.append(f"| `{prefix}{name}` | {values(schema[name])} | `{shown(field.default)}` | {meaning} |")
    return "\n".join(rows)


def field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The text that stands below each field."""
    found: dict[str, str] = {}
    for base in model.__mro__[1:]:
        if issubclass(base, BaseModel) and base is not BaseModel:
            found |= field_docstrings(base)
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0].body  # type: ignore[attr-defined]
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            words = " ".join(ast.literal_eval(text.value).split())
            found[field.target.id] = words.replace("``", "`").replace("|", "\\|")
    return found


def values(schema: dict[str, Any]) -> str:
    """What a setting may be, from its JSON schema."""
    if "anyOf" in schema:
        schema = next(choice for choice in schema["anyOf"] if choice.get("type") != "null")
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")]))
    if schema["type"] == "boolean":
        return "`true`, `false`"
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['type']}, {round_number(schema['minimum'])} to {round_number(schema['maximum'])}"
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
    limits = [f"{word} {round_number(schema[key])}" for key, word in words.items() if key in schema]
    return ", ".join([schema["type"], *limits])


def round_number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else str(value)


def shown(value: Any) -> str:
    if value is None or value in ((), ""):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if value in (OWN_DATABASE, OWN_MODEL):
        return OWN
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def presets_tables() -> str:
    parts = []
    for game in GAMES:
        rows = [f"| preset of {game.capitalize()} | what it changes |", "|---|---|"]
        for name, changes in game_named(game).presets.items():
            listed = ", ".join(f"`{key}={shown(value)}`" for key, value in changes.items())
            rows.append(f"| `{name}` | {listed or 'nothing'} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def architecture_page() -> str:
    return replace_block(ARCHITECTURE_PAGE.read_text(encoding="utf-8"), "files", file_map())


def file_map() -> str:
    """Return the tree of the package: one line per file, from its docstring, in the order of the layers."""
    lines = ["```text", "src/semeai/"]
    for heading, layers in WINGS.items():
        lines += ["", heading] if heading else []
        for layer in layers:
            path = PACKAGE / layer
            lines += _tree(path) if path.is_dir() else [_line(path.with_suffix(".py"), 0)]
    return "\n".join([*lines, "```"])


def _tree(folder: Path) -> list[str]:
    depth = len(folder.relative_to(PACKAGE).parts) - 1
    name = "  " * (depth + 1) + folder.name + "/"
    lines = [f"{name:<28}{_summary(folder / '__init__.py')}"]
    for path in sorted(folder.iterdir(), key=lambda p: (p.is_dir(), p.name)):
        if path.is_dir() and (path / "__init__.py").exists():
            lines += _tree(path)
        elif path.suffix == ".py" and path.name != "__init__.py":
            lines.append(_line(path, depth + 1))
    return lines


def _line(path: Path, depth: int) -> str:
    return f"{'  ' * (depth + 1) + path.name:<28}{_summary(path)}"


def _summary(path: Path) -> str:
    """Return the first sentence of a module's docstring, as far as one line holds it."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0].split())
    text = text.rstrip(".:").replace("``", "")
    short = text if len(text) <= SUMMARY else re.split(r"(?<=[a-z0-9)])[.:;](?= )", text)[0]
    return textwrap.shorten(short, SUMMARY, placeholder=" …")


def pages() -> dict[Path, str]:
    return {
        CLI_PAGE: cli_page(),
        PLAYER_PAGE: player_page(),
        GTP_PAGE: gtp_page(),
        ARCHITECTURE_PAGE: architecture_page(),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
