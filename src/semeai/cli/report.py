"""``semeai report``: write the results of runs as one page, as text or as a figure."""

import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semeai.cli.options import LedgerOption
from semeai.cli.output import check_writable, installed_version, say
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.store.places import DEFAULT_LEDGER

if TYPE_CHECKING:
    from semeai.report.reader import LedgerReader


def report(
    run: Annotated[
        list[str] | None, typer.Argument(metavar="RUN...", help="Names of runs (default: the one started last).")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the page.")] = Path("report.html"),
    markdown: Annotated[Path | None, typer.Option(help="Also write the results as Markdown to this file.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Also draw the first run to this file, for a paper: .svg, .pdf or .png.")
    ] = None,
    tables: Annotated[
        list[Path] | None,
        typer.Option("--tables", help="Tables to add: a file with the output of `semeai reproduce NAME --json`."),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Write the results of runs as one page that opens anywhere.

    The page is one file with interactive figures, tables, settings, versions and seeds, and with games to replay. It
    loads nothing from anywhere. Every row of the runs is verified first.

    Examples:
        semeai report race --ledger first-race/semeai.sqlite
        semeai report evolve another-run -o results.html --markdown results.md
        semeai report race --figure funnel.pdf
    """
    from semeai.report.contents import read_tables, report_data
    from semeai.report.figure import check_figure, draw_run
    from semeai.report.markdown import markdown_report
    from semeai.report.page import report_page
    from semeai.report.reader import LedgerReader

    for option, path in (("--output", output), ("--markdown", markdown), ("--figure", figure)):
        check_writable(option, path)
    if figure is not None:
        check_figure(figure)
    found = [table for path in tables or () for table in read_tables(path)]
    reader = LedgerReader(ledger)
    names = list(dict.fromkeys(run or [])) or [latest_name(reader, bool(found))]
    about = {
        "command of this report": shlex.join(["semeai", *sys.argv[1:]]),
        "semeai": installed_version(),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    data = report_data(reader, [name for name in names if name], found, **about)
    title = " · ".join(["semeai", *(page["name"] for page in data["runs"])])
    write_text(output, report_page(data, title), "--output")
    if markdown is not None:
        write_text(markdown, markdown_report(data), "--markdown")
    if figure is not None:
        if not data["runs"]:
            raise ConfigError(f"--figure {figure}: name a run to draw")
        draw_run(data["runs"][0], figure)
    say(f"wrote {output}: open it in a browser")


def latest_name(reader: "LedgerReader", optional: bool) -> str:
    """Return the name of the run that was started last, without parts of evolutions; empty if ``optional``."""
    whole = [run["name"] for run in reader.runs() if "/" not in run["name"]]
    if not whole and not optional:
        raise ConfigError(f"{reader.location} holds no runs")
    return whole[0] if whole and not optional else ""
