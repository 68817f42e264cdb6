"""An evolution whose candidates are sets of patterns."""

from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.evolve.report import report
from semeai.report.evolution import evolution_data
from semeai.store.ledger import Ledger
from tests.evolve.small import SMALL, grow, small

FITTED = """
[[proposers]]
kind = "fitted"
shallow = 8
deep = 100
pool = 50
sizes = [3]
bias = [3.0]
"""


def test_an_accepted_set_of_patterns_is_drawn_and_is_a_part_of_the_player(tmp_path):
    text = SMALL[: SMALL.index("[[proposers]]")].replace("discard_below = 0.6", "discard_below = 0.501") + FITTED
    text = text.replace("steps = 3", "steps = 1").replace("candidates = 4", "candidates = 2")
    text = text.replace("accept_above = 0.5", "accept_above = 0.1")  # so that anything is accepted
    result = grow(small(tmp_path, text, **{"executor.name": "inline"}), tmp_path)
    [(_, change)] = result.history.accepted()
    assert len(change.patterns) == 3
    assert {pattern.canonical().text for pattern in change.patterns} < set(result.player["policy.patterns"])
    page = report(result.history, [])
    assert "3 patterns, whose weights belong together:" in page
    assert all(pattern.canonical().draw() in page for pattern in change.patterns)
    ledger = Ledger(tmp_path / "semeai.sqlite")
    [program] = evolution_data(ledger, ledger.run("small"), "finished")["programs"][1:]
    ledger.close()
    assert program["shapes"] == "3 patterns"
    assert program["picture"].startswith("data:image/svg+xml,")
    shown = CliRunner().invoke(app, ["status", "small", "--ledger", str(tmp_path / "semeai.sqlite")])
    assert "P1, step 1, fitted: 3 patterns: " in shown.output
