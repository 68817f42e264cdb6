"""The papers' results beside ours."""

import pytest

from semeai.experiments.growing import GOOD_9
from semeai.experiments.scaling import GO
from semeai.experiments.side_by_side import in_agreement, sections
from semeai.experiments.summaries import add_summary
from semeai.table import ResultTable

COLUMNS = ("N", "win rate of 2N, 95% Wilson", "MoGo (paper)", "games")
TITLE = "Table 1, 9x9 Go: 2N simulations per move against N"


@pytest.mark.parametrize(
    ("paper", "ours", "words"),
    [
        ("71.1 ± 0.1%", "65% [55.3, 73.6]", "no difference shown"),
        ("71.1 ± 0.1%", "65% [60, 70.8]", "below the paper's"),
        ("71.1 ± 0.1%", "75% [71.4, 78]", "above the paper's"),
        ("71.1 ± 3%", "80% [77, 83]", "no difference shown"),
        ("2 s: 50.1 ± 1.1%", "60% [55, 65]", "above the paper's"),
        ("0 of 62", "1 of 2", ""),
        ("32%", "83.3% [55.2, 95.3]", "above the paper's"),
        ("", "65% [55.3, 73.6]", ""),
    ],
)
def test_intervals_are_compared(paper, ours, words):
    assert in_agreement(paper, ours) == words


def test_the_result_of_most_games_stands_beside_the_papers(tmp_path):
    for games, rate in ((100, "65% [55.3, 73.6]"), (400, "69% [64.3, 73.3]")):
        table = ResultTable(TITLE, COLUMNS, ((1_000, rate, "71.1 ± 0.1%", games),))
        add_summary(tmp_path, "scaling-go", f"semeai reproduce scaling-go --games {games}", [table])
    first = sections(tmp_path)[0]
    line = next(line for line in first.lines if line.what == "1,000")
    assert (line.paper, line.ours, line.games) == ("71.1 ± 0.1%", "69% [64.3, 73.3]", 400)
    assert [run.command for run in first.made_by] == ["semeai reproduce scaling-go --games 400"]


def test_every_result_of_the_papers_has_ours_or_a_reason(tmp_path):
    found = sections(tmp_path)  # an empty folder: nothing was measured
    lines = [line for section in found for line in section.lines]
    assert len(lines) > 80
    assert all(line.paper and line.words and not line.ours for line in lines)
    missing = next(line for line in found[0].lines if line.what == "256,000")
    assert missing.paper == GO.kinds[0].paper_cell(9, 256_000)
    assert missing.words.startswith("not played: about ")
    titles = [section.title for section in found]
    for name in (
        "Table 1",
        "Table 2",
        "Table 3",
        "Table 4",
        "Table 5",
        "Slow tree",
        *(f"Section 5.{i}" for i in range(1, 5)),
    ):
        assert any(title.startswith(name) for title in titles)


def test_what_the_strong_player_has_grown_stands_in_a_section_of_its_own(tmp_path):
    columns = ("tested", "opponent", "budget per move", "success rate, 95% Wilson", "paper", "games")
    of_proposers = ("proposer", "candidates", "acceptances", "games", "games per acceptance")
    for start, rate, tried in (("bare", "66% [59.2, 72.2]", 20), ("strong", "56% [52.9, 59.1]", 7)):
        row = ("first + P1", "first", "100 simulations", rate, "50.78 ± 0.10%", 200)
        tables = [
            ResultTable(GOOD_9.title(start), columns, (row,)),
            ResultTable("By proposer", of_proposers, (("fitted", tried, 1, 300, 300),)),
        ]
        add_summary(tmp_path, GOOD_9.name, f"semeai reproduce bgp-9x9-good --start {start}", tables)
    bare, strong = (section for section in sections(tmp_path) if section.title.startswith("Section 5.1"))
    assert strong.title == "Section 5.1, good shapes, from the strong player, 9x9 Go"
    for section, accepted, rate in ((bare, "1 of 20", "66% [59.2, 72.2]"), (strong, "1 of 7", "56% [52.9, 59.1]")):
        assert [line.ours for line in section.lines[:2]] == [accepted, rate]
        assert len(section.made_by) == 1


def test_an_evolution_that_accepted_nothing_was_run(tmp_path):
    of_proposers = ("proposer", "candidates", "acceptances", "games", "games per acceptance")
    programs = ("tested", "opponent", "budget per move", "success rate, 95% Wilson", "paper", "games")
    tables = [
        ResultTable(GOOD_9.title("strong"), programs, ()),
        ResultTable("By proposer", of_proposers, (("random", 20, 0, 900, None),)),
    ]
    add_summary(tmp_path, GOOD_9.name, "semeai reproduce bgp-9x9-good --start strong", tables)
    [strong] = [section for section in sections(tmp_path) if "from the strong player" in section.title]
    assert strong.lines[0].ours == "0 of 20"
