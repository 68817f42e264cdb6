"""Evolutions in the ledger: proposals are rows, races and matches are runs named below the evolution."""

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Column, Integer, String, Text

from semeai.errors import RunNotFound
from semeai.evolve.proposal import Proposal
from semeai.patterns.geometry import Geometry
from semeai.store import schema
from semeai.store.kinds import RunKind
from semeai.store.ledger import Ledger
from semeai.store.writer import RunWriter

KIND = "evolution"
SCREEN, PREVIOUS, FIRST, DEEP, OPPONENT = "screen", "against-previous", "against-first", "deep", "opponent"
"""Names of the runs below a step."""

proposals = schema.run_table(
    "proposals",
    Column("step", Integer, primary_key=True),  # from 1
    Column("number", Integer, primary_key=True),  # from 1
    Column("change", Text, nullable=False),  # JSON, see evolve.change
    Column("recorded_at", String(32), nullable=False),
)

EVOLUTION = RunKind((proposals,))


def opponent_part(number: int) -> str:
    """Return the part of a validation against a foreign engine; engines count from 1."""
    return OPPONENT if number == 1 else f"{OPPONENT}-{number}"


def is_opponent(part: str) -> bool:
    return part == OPPONENT or part.startswith(f"{OPPONENT}-")


def step_run(name: str, step: int, part: str = "") -> str:
    """Return the name of a run of a step; step 0 stands for the first program."""
    return f"{name}/step-{step}" + (f"/{part}" if part else "")


def record_proposals(writer: RunWriter, step: int, found: Iterable[Proposal]) -> None:
    """Write the proposals of a step."""
    for proposal in found:
        writer.note(proposals, proposal.row(step))
    writer.flush()


def recorded_proposals(ledger: Ledger, name: str, geometry: Geometry) -> dict[int, list[Proposal]]:
    """Return the recorded proposals, by step."""
    found: dict[int, list[Proposal]] = defaultdict(list)
    for row in ledger.rows(proposals, ledger.run(name).id):
        found[row["step"]].append(Proposal.from_row(row, geometry))
    return dict(found)


def proposals_by_name(ledger: Ledger, name: str, step: int, geometry: Geometry) -> list[Proposal]:
    """Return the proposals of a step from the names in its races, for ledgers of semeai 0.1; empty without a race."""
    for part in (SCREEN, ""):
        try:
            run = ledger.run(step_run(name, step, part))
        except RunNotFound:
            continue
        return [Proposal.from_name(row["name"], geometry) for row in run.config["candidates"]["list"]]
    return []
