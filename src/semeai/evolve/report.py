"""Report of an evolution in Markdown: the accepted changes, their worth, and their cost."""

from collections.abc import Iterator

from semeai.evolve.history import History, Validation, program_name
from semeai.evolve.store import DEEP, FIRST, PREVIOUS, is_opponent
from semeai.games.catalog import game_named
from semeai.printable import printable
from semeai.race.candidate import Verdict
from semeai.table import Cell, ResultTable, percent

LEGEND = (
    "`*` is the move, `X` a stone of the player to move, `O` the opponent's, `S` either, `.` an empty point, `_` off "
    "the board, `?` anything."
)
COLUMNS = ("tested", "opponent", "success rate, 95% Wilson", "games")
BEFORE, DEEPER, FOREIGN = "Each program against those before it", "At another budget", "Against a foreign engine"


def report(history: History, notes: list[str]) -> str:
    """Return the whole page."""
    parts = [f"# Evolution {history.name}", summary(history), "## Accepted changes"]
    parts += [*drawings(history), LEGEND] if history.accepting else ["None was accepted."]
    parts += taken_out(history)
    parts.append("## What they are worth")
    if tables := validation_tables(history):
        parts.append(
            "Separate games with new seeds, played after the verdicts. The win rate at which a race accepts is biased "
            "upwards by its stopping; these are not."
        )
        parts += [table.to_markdown() for table in tables]
    parts += notes
    parts += ["## What they cost", proposer_table(history).to_markdown(), step_table(history).to_markdown()]
    return printable("\n\n".join(part.strip() for part in parts) + "\n")


def summary(history: History) -> str:
    c = history.config
    match, race = c["match"], c["race"]
    board = game_named(match["game"]).board_name(match["size"])
    over = "in each step" if c["fresh_risk"] else "over all steps, all candidates and all looks"
    return (
        f"{match['game'].capitalize()}, {board}. {len(history.steps):,} steps of up to {c['candidates']:,} "
        f"candidates, {history.n_games:,} games of races, {len(history.accepting):,} accepted. The risk of accepting "
        f"a change that is not better than {race['accept_above']:g} is at most {100 * race['risk']:g}% {over}."
    )


def drawings(history: History) -> Iterator[str]:
    """Yield the section of each accepted change; a pattern is drawn as a board."""
    for i, (step, change) in enumerate(history.accepted(), 1):
        yield f"### P{i}: step {step.number}, {change.proposer}"
        if not change.patterns:
            yield f"`{change}`"
        if len(change.patterns) > 1:
            yield f"{len(change.patterns)} patterns, whose weights belong together:"
        for pattern in change.patterns:
            kind = "good shape" if pattern.bias > 0 else "bad shape"
            yield f"`{pattern.canonical().text}`, a {kind}.\n\n```text\n{pattern.canonical().draw()}\n```"


def taken_out(history: History) -> Iterator[str]:
    """Yield the section of changes that a race accepted and separate games did not confirm, if there are any."""
    steps = [step for step in history.steps if step.taken_out]
    if not steps:
        return
    yield "## Taken out again"
    yield "A race accepted these changes. Separate games did not confirm them, so they are not part of the player."
    rows: list[tuple[Cell, ...]] = []
    for step in steps:
        assert step.taken_out is not None
        tally = step.matches[PREVIOUS].tally
        rate = percent(tally.win_rate, tally.plain_interval)
        rows.append((step.number, str(step.changes[step.taken_out.name]), rate, tally.n_games))
    yield ResultTable("Not confirmed", ("step", "change", COLUMNS[2], "games"), tuple(rows)).to_markdown()


def validation_tables(history: History) -> list[ResultTable]:
    """Return the table of section 5.2 of the BGP paper, then tables for another budget and foreign engines."""
    programs = list(enumerate([history.matches, *(step.matches for step in history.accepting)]))
    engines = sorted({part for _, matches in programs for part in matches if is_opponent(part)})
    tables = []
    for title, parts in ((BEFORE, (PREVIOUS, FIRST)), (DEEPER, (DEEP,)), *((FOREIGN, (part,)) for part in engines)):
        found = [(n, part, matches[part]) for n, matches in programs for part in parts if part in matches]
        found = [(n, part, played) for n, part, played in found if played.tally.n_games]
        if not found:
            continue
        rows = tuple(
            (
                program_name(n),
                opponent_name(n, part, played),
                percent(played.tally.win_rate, played.tally.plain_interval),
                played.tally.n_games,
            )
            for n, part, played in found
        )
        last = found[-1][2]
        note = f"The engine: `{last.match.b.label}`." if title == FOREIGN else ""
        tables.append(ResultTable(f"{title}, {last.budget} per move", COLUMNS, rows, note))
    return tables


def opponent_name(n: int, part: str, played: Validation) -> str:
    """Return the name of the opponent of program ``n`` in a part of the validation."""
    if is_opponent(part):
        return engine_name(played)
    return program_name(n - 1) if part == PREVIOUS else program_name(0)


def engine_name(played: Validation) -> str:
    """Return the program name of an engine, without its options."""
    return played.match.b.label.split(" ")[0]


def proposer_table(history: History) -> ResultTable:
    rows = [
        (name, p.candidates, p.acceptances, p.games, p.games_per_acceptance)
        for name, p in sorted(history.by_proposer().items())
    ]
    columns = ("proposer", "candidates", "acceptances", "games", "games per acceptance")
    return ResultTable("By proposer", columns, tuple(rows))


def step_table(history: History) -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for step in history.steps:
        verdicts = [standing.verdict for standing in step.candidates.values()]
        counts = [sum(v == verdict for v in verdicts) for verdict in (Verdict.DISCARDED, Verdict.EXHAUSTED)]
        rows.append((step.number, len(verdicts), step.accepted.name if step.accepted else "", *counts, step.n_games))
    return ResultTable("By step", ("step", "candidates", "accepted", "discarded", "at the limit", "games"), tuple(rows))
