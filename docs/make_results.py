"""Write docs/results.md and its figures from the tables of docs/benchmarks: ``python docs/make_results.py``.

Every number of the page is copied from a table that a command has made; the page of that table names the command.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from semeai.table import Chart, Curve

DOCS = Path(__file__).parent
PAGE = DOCS / "results.md"
IMAGES = DOCS / "images"
Table = tuple[list[str], list[list[str]]]

INTRO = """# Results

What was measured, with the papers' numbers beside ours. Every table comes from a page of the benchmarks. That page
names the command that made it, and says what differs from the paper. This page is made from them by `python
docs/make_results.py`. Empty cells: the paper has no such result.
"""


def table_of(page: str, title: str) -> Table:
    """Return columns and rows of the first table below the heading that begins with ``title``."""
    text = (DOCS / "benchmarks" / f"{page}.md").read_text(encoding="utf-8")
    found = re.search(rf"^#+ {re.escape(title)}.*?\n\n(\|.*?)\n(?:\n|\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"docs/benchmarks/{page}.md has no table below a heading that begins with {title!r}")
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in found[1].split("\n")]
    return rows[0], [row for row in rows[2:] if len(row) == len(rows[0])]


def chosen(table: Table, columns: Sequence[str], rows: Sequence[str] = ()) -> Table:
    """Return some columns, and the rows that name one of ``rows`` in any cell; all rows without any."""
    places = [table[0].index(name) for name in columns]
    kept = [row for row in table[1] if not rows or any(word in row for word in rows)]
    return list(columns), [[row[i] for i in places] for row in kept]


def markdown(table: Table) -> str:
    head = ["| " + " | ".join(table[0]) + " |", "|" + "---|" * len(table[0])]
    return "\n".join([*head, *("| " + " | ".join(row) + " |" for row in table[1])])


def numbers(cell: str) -> list[float]:
    return [float(word.replace(",", "")) for word in re.findall(r"\d[\d,]*(?:\.\d+)?", cell)]


def curve(label: str, table: Table, x: str, y: str, measured: bool = True) -> Curve:
    """Return the rates of a column such as ``71% [60, 80]``, or ``71.1 ± 0.1%``, as a curve."""
    points = []
    for x_cell, y_cell in chosen(table, (x, y))[1]:
        found = numbers(y_cell)
        if not found:
            continue
        middle = found[0]
        if "±" in y_cell:
            low, high = middle - found[1], middle + found[1]
        else:
            low, high = found[1:3] if len(found) > 2 else (middle, middle)
        points.append((numbers(x_cell)[-1], middle, low, high))
    return Curve(label, tuple(points), measured)


def charts() -> dict[str, list[Chart]]:
    """Return the figures of the page by file name."""
    go = table_of("scaling-go", "Table 1, 9x9")
    havannah = table_of("scaling-havannah", "Table 2, base 5")
    ranks = table_of("parallel", "Table 4, 9x9")
    win, ours = "win rate of 2N in %", "win rate of 2N, 95% Wilson"
    costs = table_of("guarantee", "One candidate")
    return {
        "cost.svg": [Chart(
            "Games until the verdict on one candidate", "true win rate", "games",
            tuple(
                Curve(label, tuple((float(row[0]), *3 * (games,)) for row, games in cost_rows(costs, method)))
                for label, method in (("papers, variant 2", "variant 2"), ("semeai", "betting"))
            ),
            even=None, log_y=True, log_x=False,
        )],
        "scaling.svg": [
            Chart("Go, 9x9", "simulations N", win, (
                curve("semeai", go, "N", ours), curve("MoGo (paper)", go, "N", "MoGo (paper)", False),
            )),
            Chart("Havannah, base 5", "simulations N", win, (
                curve("fast", havannah, "N", f"fast {ours}"),
                curve("slow", havannah, "N", f"slow {ours}"),
                curve("fast (paper)", havannah, "N", "fast (paper)", False),
                curve("slow (paper)", havannah, "N", "slow (paper)", False),
            )),
        ],
        "speed-up.svg": [Chart(
            "32 ranks against fewer, 9x9 Go", "ranks of the other side", "win rate of 32 ranks in %", (
                curve("semeai", ranks, "ranks", "win rate, 95% Wilson"),
                curve("MoGo (paper)", ranks, "ranks", "paper (Go)", False),
            ),
        )],
    }  # fmt: skip


def cost_rows(costs: Table, method: str) -> Iterator[tuple[list[str], float]]:
    for row in chosen(costs, ("efficiency", "method", "games"))[1]:
        if row[1] == method:
            yield row, numbers(row[2])[0]


def page() -> str:
    """Return the text of the page."""
    costs = table_of("guarantee", "One candidate")
    cost = chosen(costs, ("efficiency", "method", "games", "games / variant 2"), ("variant 2", "betting"))
    rate, bgp = "win rate, 95% Wilson", "success rate, 95% Wilson"
    by_player = ("simulations per move", "player", rate, "games")
    parts = [
        INTRO.strip(),
        "## The cost of a verdict",
        "Expected games until the verdict on one candidate, with the papers' thresholds and the same guarantee. "
        "`variant 2` is the papers' race, `betting` semeai's default. More methods, and the error rates: [cost and "
        "error rates](benchmarks/guarantee.md).",
        "![Games until the verdict, by the true win rate](images/cost.svg)",
        markdown(cost),
        "## What twice the simulations are worth",
        "Tables 1 and 2 of the MCTS paper, where the gain falls with the number of simulations. The pages say where it "
        "does here, and where not: [Go](benchmarks/scaling-go.md), [Havannah](benchmarks/scaling-havannah.md).",
        "![Win rate of 2N simulations against N](images/scaling.svg)",
        markdown(table_of("scaling-go", "Table 1, 9x9")),
        markdown(table_of("scaling-havannah", "Table 2, base 5")),
        "## What more ranks are worth",
        "Tables 4 and 5 of the MCTS paper: a cluster of 32 ranks against smaller ones, and sharing against voting. "
        "[Parallel search](benchmarks/parallel.md) has all boards and schemes.",
        "![Win rate of 32 ranks against fewer](images/speed-up.svg)",
        markdown(chosen(table_of("parallel", "Table 4, 9x9"), ("ranks", rate, "paper (Go)", "games"))),
        markdown(chosen(table_of("parallel", "Table 5, 9x9"), ("schemes", rate, "paper (Go)", "games"))),
        "## A player that grows",
        "Section 5.1 of the BGP paper: good shapes grown for 9x9 Go. The first program is weaker than the paper's, so "
        "it gains more; see [the page](benchmarks/bgp.md).",
        markdown(chosen(table_of("bgp", "Section 5.1, good"), ("tested", "opponent", bgp, "paper", "games"))),
        "## How strong the players are",
        "Against GNU Go at level 10, on 9x9, by the default player before its [move model]"
        "(explanation/go.md#the-move-model), or before its database; the papers have no such table. "
        "[Go](benchmarks/strength-go.md), "
        "[Havannah](benchmarks/strength-havannah.md).",
        markdown(chosen(table_of("strength-go", "9x9 Go against GNU Go"), by_player)),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    from semeai.experiments.figure import draw

    for name, panels in charts().items():
        draw(panels, IMAGES / name)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
