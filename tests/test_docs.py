"""The documentation agrees with the program."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from benchmarks.copied_figures import copy_figures

from semeai.evolve.config import ConfirmConfig, EvolutionConfig, ScreenConfig, ValidationConfig, load_evolution
from semeai.evolve.proposers import PROPOSERS
from semeai.experiments.summaries import read_summaries
from semeai.games.catalog import GAMES, game_named
from semeai.players.catalog import parse_spec
from semeai.players.config import setting_names
from semeai.race.settings import RaceSettings
from semeai.runs.race_file import RaceFile, load_race_file
from semeai.table import ResultTable
from tests.test_layers import LAYERS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_pages_that_are_made_are_up_to_date():
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.pages().items():
        assert text == path.read_text(encoding="utf-8"), "run `make docs`"
    known = {name for game in GAMES for name in setting_names(game)}
    assert set(module.MEANINGS) <= known, "there is no such setting any more"


def test_the_page_of_results_agrees_with_the_summaries():
    spec = importlib.util.spec_from_file_location("make_results", ROOT / "docs" / "make_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == module.PAGE.read_text(encoding="utf-8"), "run `make docs`"
    for panels in module.charts().values():
        assert all(curve.points for chart in panels for curve in chart.curves)


def test_the_rows_of_every_summary_are_on_a_page_of_the_benchmarks():
    lines = {line for page in (ROOT / "docs" / "benchmarks").glob("*.md") for line in page.read_text().splitlines()}
    for file in (ROOT / "docs" / "summaries").glob("*.json"):
        for run in read_summaries(file):
            for table in run.tables:
                made = ResultTable(table["title"], tuple(table["columns"]), tuple(map(tuple, table["rows"])))
                missing = [line for line in made.to_markdown().splitlines()[2:] if line not in lines]
                assert missing == [], f"{file.name}, {run.command}"


def test_every_setting_and_preset_of_a_player_is_documented():
    text = (ROOT / "docs" / "reference" / "player.md").read_text()
    for game in GAMES:
        names = [*setting_names(game), *game_named(game).presets]
        assert [name for name in names if f"| `{name}` |" not in text] == []


def test_every_key_of_a_race_file_is_documented():
    text = (ROOT / "docs" / "reference" / "config.md").read_text()
    missing = [name for name in RaceSettings.model_fields if f"`{name}`" not in text]
    missing += [name for name in RaceFile.model_fields if name not in text]
    assert missing == []


def test_every_key_of_an_evolution_file_is_documented():
    text = (ROOT / "docs" / "reference" / "evolution.md").read_text()
    models = (EvolutionConfig, ConfirmConfig, ScreenConfig, ValidationConfig, *PROPOSERS.values())
    assert [name for model in models for name in model.model_fields if f"`{name}`" not in text] == []


def test_evolutions_in_the_docs_are_evolutions(tmp_path):
    page = (ROOT / "docs" / "howto" / "grow-a-player.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    template = ROOT / "src" / "semeai" / "cli" / "templates" / "evolve.toml"
    for block in (*blocks, template.read_text()):
        (tmp_path / "evolve.toml").write_text(block)
        load_evolution(tmp_path / "evolve.toml")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_pictures_are_there(page):
    for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_toml_in_the_docs_is_toml(page):
    for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
        tomllib.loads(block)


@pytest.mark.parametrize(("name", "least"), [("race-a-player.md", 2), ("play-a-match.md", 2), ("play-havannah.md", 1)])
def test_races_of_players_in_the_docs_are_races(name, least, tmp_path):
    page = (ROOT / "docs" / "howto" / name).read_text()
    blocks = [b for b in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[evaluator]" in b]
    assert len(blocks) >= least
    for block in blocks:
        file = tmp_path / "race.toml"
        file.write_text(block)
        config = load_race_file(file)
        if "player" in config.baseline:  # an engine may not be installed here
            assert list(config.plan(tmp_path).candidates)


@pytest.mark.parametrize("name", ["reference/player.md", "howto/play-a-match.md"])
def test_tables_of_players_in_the_docs_are_players(name):
    blocks = re.findall(r"```toml\n(player = .*?)```", (ROOT / "docs" / name).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        assert parse_spec(tomllib.loads(block)).kind == "mcts"


@pytest.mark.parametrize("page", ["README.md", "docs/explanation/architecture.md"])
def test_layers_are_listed_in_their_order(page):
    tree = (ROOT / page).read_text().partition("src/semeai/\n")[2].partition("```")[0]
    assert re.findall(r"^  (\w+)(?:\.py|/) ", tree, re.MULTILINE) == LAYERS


def test_the_files_of_the_journeys_exist():
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text().partition("## Three journeys")[2]
    named = re.findall(r"`(\w+(?:/\w+)*(?:\.py|/))`", text.partition("## How data")[0])
    assert len(named) > 30
    assert [name for name in named if not (ROOT / "src" / "semeai" / name).exists()] == []


def test_the_copied_figures_are_those_of_the_benchmark(tmp_path, monkeypatch):
    """`python benchmarks/run.py guarantee` copies figures of its page; whoever changes the page must copy again."""
    names = ["README.md", "docs/benchmarks/guarantee.md", "docs/explanation/guarantee.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    copy_figures()
    for name in names:
        assert (tmp_path / name).read_text() == (ROOT / name).read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("use-from-python.md", 10), ("extend-semeai.md", 5)])
def test_programs_in_the_docs_print_what_the_docs_say(name, least, tmp_path):
    """Run a page's Python blocks in order, in one folder; a first line such as ``# coin.py`` names a block's file."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "docs" / "howto" / name).read_text(), re.DOTALL)
    n_compared = 0
    for i, (language, text) in enumerate(blocks):
        title = re.match(r"# ([\w-]+\.\w+)\n", text)
        if language not in ("python", "toml") or not (title or language == "python"):
            continue
        program = tmp_path / (title[1] if title else f"block_{i}.py")
        program.write_text(text)
        if language == "python":
            done = subprocess.run(
                [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=250, check=False
            )
            assert done.returncode == 0, done.stderr
            assert blocks[i + 1] == ("text", done.stdout)
            n_compared += 1
    assert n_compared >= least


@pytest.mark.slow
def test_the_game_of_the_add_a_game_page_works(tmp_path):
    page = (ROOT / "docs" / "howto" / "add-a-game.md").read_text()
    program = tmp_path / "tictactoe.py"
    program.write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0])
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=250, check=True)
    assert done.stdout.startswith("cell 2: ")


@pytest.mark.slow
def test_the_built_pages_load_nothing_from_other_hosts(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", page.read_text())
        assert not [place for place in loaded if place.startswith(("http:", "https:", "//"))], page
