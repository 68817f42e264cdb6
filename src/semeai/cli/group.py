"""Commands and groups of commands: their plain help pages, and one way to report a user's mistakes."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from semeai.cli.help import Parameter, help_of, parameters_of
from semeai.cli.output import say
from semeai.cli.usage import UsageError, as_config_error, blamed_on
from semeai.errors import ConfigError, did_you_mean

PAGE = {"max_content_width": 110}
HELP_OPTION = ("--help", "Show this page.")


class Command(TyperCommand):
    """A command. Its help page is made from its function."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with blamed_on(ctx):
            return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        assert self.callback is not None
        page = help_of(inspect.unwrap(self.callback))
        formatter.write(f"Usage: {ctx.command_path} {page.usage}".rstrip() + "\n")
        _write_text(formatter, page.summary, *page.details)
        _write_table(formatter, "Arguments", [_row(p) for p in page.parameters if p.is_argument])
        _write_table(formatter, "Options", [*(_row(p) for p in page.parameters if not p.is_argument), HELP_OPTION])
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in page.examples))


class Group(TyperGroup):
    """A command that has commands of its own."""

    def sections(self) -> Mapping[str, Mapping[str, str]]:
        """Return the summary of each command, by section title and command name."""
        functions = {name: command.callback for name, command in self.commands.items() if command.callback}
        return {"Commands": {name: help_of(inspect.unwrap(function)).summary for name, function in functions.items()}}

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for section in self.sections().values() for name in section]

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known:
            ctx.fail(f"no command {args[0]!r}: {did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            say(ctx.get_help())
            ctx.exit(2)
        with blamed_on(ctx):
            return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(f"Usage: {ctx.command_path} COMMAND [OPTIONS]\n")
        _write_text(formatter, self.help or "")
        width = max(map(len, self.list_commands(ctx)))
        for title, summaries in self.sections().items():
            _write_table(formatter, title, [(name.ljust(width), text) for name, text in summaries.items()])
        options = parameters_of(inspect.unwrap(self.callback)) if self.callback else ()
        _write_table(formatter, "Options", [*map(_row, options), HELP_OPTION])
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(self.epilog)

    def main(self, args: Sequence[str] | None = None, *unused: Any, **also_unused: Any) -> None:
        """Run a command line. Raises ConfigError for a user's mistake, like for any other wrong setting."""
        words = list(sys.argv[1:] if args is None else args)
        if wrong := [word for word in words if "\0" in word]:  # only a Python program can give such a word
            raise ConfigError(f"argument {wrong[0]!r}: must not have NUL characters")
        try:
            with self.make_context("semeai", words) as ctx:
                self.invoke(ctx)
        except typer.Exit as leaving:
            sys.exit(leaving.exit_code)
        except UsageError as error:
            raise as_config_error(error) from None


def new_app(cls: type[Group], help: str, epilog: str | None = None) -> typer.Typer:
    """Return an app that does not import rich, which takes as long as all the rest of a help page."""
    return typer.Typer(
        cls=cls, help=help, epilog=epilog, context_settings=PAGE, add_completion=False, rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )  # fmt: skip


def new_command(name: str, function: Callable[..., Any]) -> Any:
    """Return the command that calls ``function``."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=Command, context_settings=PAGE)(function)
    return typer.main.get_command(app)


def _write_text(formatter: Any, *paragraphs: str) -> None:
    with formatter.indentation():
        for paragraph in paragraphs:
            formatter.write_paragraph()
            formatter.write_text(paragraph)


def _write_table(formatter: Any, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def _row(parameter: Parameter) -> tuple[str, str]:
    notes = [
        "required" * (parameter.required and not parameter.is_argument),
        f"default: {parameter.default}" * bool(parameter.default),
        parameter.limits,
        f"or set {parameter.envvar}" * bool(parameter.envvar),
        "may be repeated" * (parameter.repeated and not parameter.is_argument),
    ]
    shown = "; ".join(note for note in notes if note)
    value = "" if parameter.is_argument else f" {parameter.value}"
    return ", ".join(parameter.names) + value.rstrip(), f"{parameter.help}  [{shown}]" if shown else parameter.help
