"""Write docs/reference/cli.md from the command line itself: ``python docs/make_reference.py``.

It reads the functions that are registered with the app, so the page says what the program does, and the same program
always gives the same page.
"""

import enum
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer
from typer.models import ArgumentInfo, OptionInfo

from semeai.cli.main import app

PAGE = Path(__file__).parent / "reference" / "cli.md"
HEAD = """# Command line

`semeai` is one program with one command for each thing it does. `python -m semeai` is the same program.

An error is one sentence on standard error and an exit code that tells its kind: see [Errors](errors.md).
"""


class Parameter(typing.NamedTuple):
    name: str
    kind: str  # argument or option
    value: str  # what stands after the option; empty for a switch
    required: bool
    default: str
    help: str


def parameters_of(function: Callable[..., Any], command: Any) -> Iterator[Parameter]:
    flags = {parameter.name: parameter.opts[0] for parameter in command.params}
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = split_annotation(hints[name])
        default = parameter.default
        if isinstance(default, OptionInfo | ArgumentInfo):
            info, default = default, default.default
        required = default in (inspect.Parameter.empty, ...)
        is_argument = isinstance(info, ArgumentInfo)
        yield Parameter(
            (info.metavar or name).upper() if is_argument else flags[name],
            "argument" if is_argument else "option",
            "" if kind is bool else value_name(kind, info),
            required,
            "" if required or default is None or kind is bool else str(getattr(default, "value", default)),
            help_text(info),
        )


def split_annotation(annotation: Any) -> tuple[Any, Any]:
    """The bare type and typer's description of it, if it has one."""
    info = None
    if typing.get_origin(annotation) is typing.Annotated:
        annotation, info, *_ = typing.get_args(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = next(part for part in typing.get_args(annotation) if part is not type(None))
    return annotation, info


def value_name(kind: Any, info: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return " or ".join(f"`{member.value}`" for member in kind)
    text = {int: "integer", float: "number", str: "text", Path: "path"}.get(kind, "value")
    low, high = getattr(info, "min", None), getattr(info, "max", None)
    if low is not None and high is not None:
        return f"{text}, {low} to {high}"
    return text if low is None else f"{text}, at least {low}"


def help_text(info: Any) -> str:
    text = (getattr(info, "help", None) or "").strip()
    envvar = getattr(info, "envvar", None)
    return " ".join(part for part in (text, f"Or set `{envvar}`." if envvar else "") if part)


def section(name: str, function: Callable[..., Any], command: Any) -> str:
    found = list(parameters_of(function, command))
    usage = " ".join(
        ["semeai", name, *(p.name if p.required else f"[{p.name}]" for p in found if p.kind == "argument")]
        + [f"{p.name} {p.value.split(',')[0].upper()}" for p in found if p.kind == "option" and p.required]
        + (["[OPTIONS]"] if any(p.kind == "option" and not p.required for p in found) else [])
    )
    parts = [f"## semeai {name}", inspect.cleandoc(function.__doc__ or ""), f"```text\n{usage}\n```"]
    if found:
        parts.append(table(found))
    if command.epilog:
        parts.append(examples(command.epilog))
    return "\n\n".join(parts) + "\n"


def table(found: list[Parameter]) -> str:
    rows = ["| | value | default | |", "|---|---|---|---|"]
    for p in found:
        default = "required" if p.required else f"`{p.default}`" if p.default else ""
        rows.append(f"| `{p.name}` | {p.value or 'switch'} | {default} | {p.help} |")
    return "\n".join(rows)


def examples(epilog: str) -> str:
    lines = [line.strip() for line in epilog.removeprefix("Example: ").splitlines()]
    commands = [re.sub(r" {2,}", "  # ", line, count=1) for line in lines if line and line != "Examples:"]
    return "```sh\n" + "\n".join(commands) + "\n```"


def page() -> str:
    whole: Any = typer.main.get_command(app)
    parts = [HEAD]
    if app.registered_callback is not None and app.registered_callback.callback is not None:
        parts.append("## semeai\n\n" + table(list(parameters_of(app.registered_callback.callback, whole))) + "\n")
    for registered in app.registered_commands:
        function = registered.callback
        assert function is not None
        name = registered.name or function.__name__
        parts.append(section(name, function, whole.commands[name]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
