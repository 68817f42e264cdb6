"""The application: ``semeai --help``, ``semeai --version``, and the commands, which are imported on first use."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from semeai.cli.commands import COMMANDS, GROUPS, load
from semeai.cli.group import Group, new_app, new_command


class LazyGroup(Group):
    """The group of all commands. A command is imported when it is used."""

    def sections(self) -> Mapping[str, Mapping[str, str]]:
        return {title: {name: entry.summary for name, entry in group.items()} for title, group in GROUPS.items()}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self.commands:
            found = load(cmd_name)
            is_group = isinstance(found, typer.Typer)
            self.commands[cmd_name] = typer.main.get_command(found) if is_group else new_command(cmd_name, found)
        return self.commands[cmd_name]


app = new_app(
    LazyGroup,
    help="Race changes of a stochastic program against a baseline, with a proven bound on the risk.",
    epilog="First time? `semeai init first-race` writes a small example; `semeai race first-race/race.toml` runs it.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from semeai.cli.output import installed_version, say

        say(f"semeai {installed_version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
