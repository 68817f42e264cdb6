"""Write docs/results.md and its figures: ``python docs/make_results.py``.

The tables of the papers come from docs/summaries, where `semeai reproduce NAME --summaries docs/summaries` keeps them.
The other tables are copied from docs/benchmarks, whose pages name the commands that made them.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from semeai.experiments.side_by_side import Line, Section, numbers, sections
from semeai.experiments.starts import STARTS
from semeai.table import Chart, Curve, show

DOCS = Path(__file__).parent
PAGE = DOCS / "results.md"
IMAGES = DOCS / "images"
SUMMARIES = DOCS / "summaries"
Table = tuple[list[str], list[list[str]]]

INTRO = """# Results

What was measured, with the papers' results beside ours. `python docs/make_results.py` makes this page from the
summaries in `docs/summaries`, and the commands below each table made those. To add a result, run such a command with
`--summaries docs/summaries`, and then `make docs`.

The column `in words` compares our 95% interval with the paper's result and two of its standard errors: `above the
paper's` and `below the paper's` say that they do not overlap, `no difference shown` that they do, which says little if
there are few games. Where a result of the paper has none of ours beside it, the column says why.
"""
ABOUT = {
    "Table 1": "The gain from twice the simulations; it falls with their number. See [Go](benchmarks/scaling-go.md).",
    "Table 2": "The same in Havannah, with fast and slow playouts. See [Havannah](benchmarks/scaling-havannah.md).",
    "Table 3": "How often the player finds a good move in a capturing race. See [the page](benchmarks/semeai.md).",
    "Table 4": "A cluster of 32 ranks against smaller ones. See [parallel search](benchmarks/parallel.md).",
    "Table 5": "Sharing the tree against voting. See [parallel search](benchmarks/parallel.md).",
    "Slow tree": "Whether sharing deeper than the root pays. See [parallel search](benchmarks/parallel.md).",
    "Section 5.1": "The first program here is weaker than the paper's, so it gains more. See [the "
    "page](benchmarks/bgp.md).",
    "Section 5.2": "Patterns that make a move less likely; P1 here stands beside the paper's P3. See [the "
    "page](benchmarks/bgp.md).",
    "Section 5.3": "See [the page](benchmarks/bgp.md).",
    "Section 5.4": "See [the page](benchmarks/evolution-19x19.md).",
}
STRONG = (
    "The first program has all its hand-made knowledge and nothing learnt, as the papers' MoGo on 9x9. See [the "
    "page](benchmarks/bgp.md#from-the-strong-player)."
)
FIGURES = {
    "Table 1: twice the simulations, 9x9 Go": "![Win rate of 2N simulations against N](images/scaling.svg)",
    "Table 4: 32 ranks against fewer, 9x9 Go": "![Win rate of 32 ranks against fewer](images/speed-up.svg)",
}


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


def section_text(section: Section) -> str:
    """Return the part of the page about one table of a paper."""
    about = STRONG if STARTS["strong"].title_words in section.title else next(
        text for title, text in ABOUT.items() if section.title.startswith(title)
    )  # fmt: skip
    rows = [[show(cell) for cell in line] for line in section.lines]
    parts = [f"### {section.title}", about, FIGURES.get(section.title, ""), markdown((list(section.columns), rows))]
    if section.made_by:
        made = [f"`{run.command}`" + (f" ({run.remark})" if run.remark else "") for run in section.made_by]
        parts.append("Made by " + ", ".join(made) + ".")
    return "\n\n".join(part for part in parts if part)


def points_of(lines: Sequence[Line], ours: bool, word: str = "") -> tuple[tuple[float, float, float, float], ...]:
    """Return x, rate, and the ends of its interval: of our results, or of the paper's where there are ours."""
    points = []
    for line in lines:
        cell = line.ours if ours else line.paper
        if not (line.ours and cell) or not line.what.endswith(word):
            continue
        rate, *ends = numbers(cell)
        low, high = ends if ours else (rate - ends[0], rate + ends[0])
        points.append((numbers(line.what)[-1], rate, low, high))
    return tuple(points)


def both(lines: Sequence[Line], word: str = "") -> tuple[Curve, Curve]:
    """Return our curve and the paper's."""
    name = word.strip(", ")
    return (
        Curve(name or "semeai", points_of(lines, True, word)),
        Curve(f"{name or 'MoGo'} (paper)", points_of(lines, False, word), measured=False),
    )


def charts() -> dict[str, list[Chart]]:
    """Return the figures of the page by file name."""
    lines = {section.title: section.lines for section in sections(SUMMARIES)}
    win = "win rate of 2N in %"
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
            Chart("Go, 9x9", "simulations N", win, both(lines["Table 1: twice the simulations, 9x9 Go"])),
            Chart("Havannah, base 5", "simulations N", win, tuple(
                curve for word in (", fast", ", slow")
                for curve in both(lines["Table 2: twice the simulations, Havannah, base 5"], word)
            )),
        ],
        "speed-up.svg": [Chart(
            "32 ranks against fewer, 9x9 Go", "ranks of the other side", "win rate of 32 ranks in %",
            both(lines["Table 4: 32 ranks against fewer, 9x9 Go"]),
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
    found = sections(SUMMARIES)
    bgp = [section_text(section) for section in found if section.title.startswith("Section")]
    mcts = [section_text(section) for section in found if not section.title.startswith("Section")]
    by_player = ("simulations per move", "player", "win rate, 95% Wilson", "games")
    parts = [
        INTRO.strip(),
        "## Bandit-based genetic programming",
        "### The cost of a verdict",
        "Expected games until the verdict on one candidate, with the papers' thresholds and the same guarantee. "
        "`variant 2` is the papers' race, `betting` semeai's default. More methods, and the error rates: [cost and "
        "error rates](benchmarks/guarantee.md).",
        "![Games until the verdict, by the true win rate](images/cost.svg)",
        markdown(cost),
        *bgp,
        "## Scalability and parallelization of Monte-Carlo Tree Search",
        *mcts,
        "## How strong the players are",
        "Against GNU Go at level 10, on 9x9, by the default player, or as it was before its [move model]"
        "(explanation/go.md#the-move-model) or before its database; the papers have no such table. "
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
