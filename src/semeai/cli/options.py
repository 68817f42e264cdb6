"""Options that several commands share."""

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
LedgerOption = Annotated[str, typer.Option(envvar="SEMEAI_LEDGER", help="Ledger: a file or a database URL.")]
FileNameOption = Annotated[
    str | None, typer.Option("--name", help="Name of the run (default: `name` in the file, or the file's name).")
]
FileLedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        envvar="SEMEAI_LEDGER",
        help="Ledger: a file or a database URL (default: semeai.sqlite beside the file).",
    ),
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Worker processes (default: one per core, or all of a cluster).")
]
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        envvar="SEMEAI_EXECUTOR",
        help="Where to work: local, dask://HOST:PORT, tls://HOST:PORT, slurm or oar (default: local).",
    ),
]
RiskOption = Annotated[
    float, typer.Option(help="Largest probability of any wrong acceptance, over all candidates and looks (delta0).")
]
AcceptAboveOption = Annotated[float, typer.Option(help="A candidate is accepted if its win rate is proven above this.")]
DiscardBelowOption = Annotated[
    float, typer.Option(help="A candidate is discarded if its win rate is proven below this.")
]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting of the player.")
]
