"""Section 5 of the BGP paper at a small scale: evolution, validation, comparison, and results from the ledger."""

from dataclasses import replace

import pytest

from semeai import run_race
from semeai.errors import ConfigError
from semeai.evolve.store import OPPONENT, PREVIOUS
from semeai.experiments import growing
from semeai.games.catalog import game_named
from semeai.learn.games import play_games, self_play
from semeai.runs import driver
from semeai.runs.run import place_named
from tests.programs import coin

SMALL = replace(
    growing.GOOD_9, size=5, simulations=5, steps=1, candidates=2, max_per_candidate=4, opponent="first + AE"
)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(growing, "DATABASE_GAMES", 8)
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
    assert "bgp-9x9-good: step 1 of 1: 2 candidates …" in told
    told.clear()
    assert small.run(**options, progress=told.append) == tables
    assert not any("learning a database" in text for text in told)


def test_a_race_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(growing, "TOLD_EVERY", 0.0)
    monkeypatch.setattr(driver, "FLUSH_SECONDS", 0.0)  # the driver calls after every batch
    told: list[str] = []
    teller = growing._RaceTeller("step 1 of 1", told.append)
    run_race(coin, [{"p": 0.5}, {"p": 0.9}], {"max_per_candidate": 1000}, mode="plain", observer=teller)
    assert told[0] == "step 1 of 1: 2 candidates …"
    assert any(text.endswith(" games") for text in told)
    assert told[-1].startswith("step 1 of 1: candidate ")


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
    for start in growing.STARTS:
        campaign = growing.Campaign(5, None, "guided", start, None)
        player = {"player": growing.STARTS[start].player, "simulations": 5}
        config = section._config(player, None, campaign, {})
        assert (config.confirm is None) == (start == "bare")
        positions = {9: 2000, 19: 448}[section.size] if start == "strong" else 200
        assert config.sample == positions
        assert config.proposers[0].searched == (20 if start == "strong" else 0)
    assert config.candidates == (10 if section is growing.GOOD_9 else 1)
    assert config.proposers[0].shapes == section.shapes


@pytest.mark.slow
def test_a_program_with_a_database_is_read_again(small, tmp_path):
    """A ledger knows a database by its digest, and not where it lies."""
    section = replace(small, database=True, opponent="GNU Go level 1")
    options = dict(games=2, proposer="random", workers=1, ledger=str(tmp_path / "l.sqlite"))
    assert section.run(**options) == section.run(**options)


@pytest.mark.slow
def test_the_database_may_be_learnt_from_records(small, tmp_path):
    place = place_named(str(tmp_path / "games.sqlite"), None, 1)
    _, games = play_games(self_play("mcts:rave,simulations=5", 5, 3), 8, place)
    folder = tmp_path / "records"
    folder.mkdir()
    for i, game in enumerate(games):
        (folder / f"{i}.sgf").write_text(game_named("go").write_record(game))
    section = replace(small, opponent="first + AE")
    told: list[str] = []
    options = dict(games=2, proposer="random", workers=1, ledger=str(tmp_path / "l.sqlite"), records=folder)
    section.run(**options, start="strong", progress=told.append)
    assert any(f"learning a database from the games in {folder}" in text for text in told)
    assert (tmp_path / "database-5-records-1.npz").exists()


def test_several_proposers_of_any_kind_may_be_named():
    campaign = growing.Campaign(5, None, "fitted, features,random", "strong", None)
    player = {"player": growing.STARTS["strong"].player, "simulations": 5}
    fitted, features, drawn = growing.GOOD_9._config(player, None, campaign, {}).proposers
    assert (fitted.kind, fitted.shapes, fitted.shallow, fitted.deep) == ("fitted", "both", 20, 50)
    assert features.kind == "features"
    assert (drawn.kind, drawn.shapes) == ("random", "good")
    assert campaign.label == "5-fitted-features-random-strong"


def test_an_unknown_start_is_refused(small):
    with pytest.raises(ConfigError, match="--start 'strnog': did you mean 'strong'"):
        small.run(start="strnog")


@pytest.mark.slow
def test_an_unknown_proposer_is_refused(small, tmp_path):
    with pytest.raises(ConfigError, match="wild"):
        small.run(games=4, proposer="wild", workers=1, ledger=str(tmp_path / "l.sqlite"))
