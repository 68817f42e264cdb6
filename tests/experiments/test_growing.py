"""Section 5 of the BGP paper at a small scale: evolution, validation, comparison, and results from the ledger."""

from dataclasses import replace

import pytest

from semeai.errors import ConfigError
from semeai.evolve.store import OPPONENT, PREVIOUS
from semeai.experiments import growing

SMALL = replace(
    growing.GOOD_9, size=5, simulations=5, steps=1, candidates=2, max_per_candidate=4, opponent="first + AE"
)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(growing, "DATABASE_GAMES", 8)
    monkeypatch.setattr(growing, "TOLD_EVERY", 0.0)
    return SMALL


@pytest.mark.slow
def test_a_section_is_grown_and_read_again(small, tmp_path):
    options = dict(games=4, proposer="random", workers=1, ledger=str(tmp_path / "l.sqlite"))
    told: list[str] = []
    tables = small.run(**options, progress=told.append)
    assert any("learning a database" in text for text in told)
    [against] = [row for row in tables[0].rows if row[1] == "first + AE"][:1]
    assert against[0] == "first"
    assert against[5] == 4
    assert tables[1].rows[0][:2] == ("random", 2)
    assert any("step 1 of 1" in text and "games" in text for text in told)
    told.clear()
    assert small.run(**options, progress=told.append) == tables
    assert not any("learning a database" in text for text in told)


def test_the_papers_figures_stand_where_they_belong():
    paper = growing.WITHOUT_DATABASE_19.paper
    assert paper[3, PREVIOUS] == "56.7 ± 1.50%"
    assert paper[10, "against-first"] == "63.0 ± 0.48%"
    assert paper[0, OPPONENT] == "26.6 ± 0.20%"
    assert paper[10, OPPONENT] == "34.5 ± 0.48%"


@pytest.mark.parametrize(
    "section", [growing.GOOD_9, growing.BAD_9, growing.WITH_DATABASE_19, growing.WITHOUT_DATABASE_19]
)
def test_every_section_is_an_evolution(section):
    config = section._config({"player": growing.BARE, "simulations": 5}, None, None, "guided", {})
    assert config.candidates == (10 if section is growing.GOOD_9 else 1)
    assert config.proposers[0].shapes == section.shapes


@pytest.mark.slow
def test_a_program_with_a_database_is_read_again(small, tmp_path):
    """A ledger knows a database by its digest, and not where it lies."""
    section = replace(small, database=True, opponent="GNU Go level 1")
    options = dict(games=2, proposer="random", workers=1, ledger=str(tmp_path / "l.sqlite"))
    assert section.run(**options) == section.run(**options)


@pytest.mark.slow
def test_an_unknown_proposer_is_refused(small, tmp_path):
    with pytest.raises(ConfigError, match="wild"):
        small.run(games=4, proposer="wild", workers=1, ledger=str(tmp_path / "l.sqlite"))
