"""The docs say what the program does."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from semeai.race.settings import RaceSettings
from semeai.runner.config import RaceConfig

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_command_line_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == module.PAGE.read_text(encoding="utf-8"), "run `make docs`"


def test_every_key_of_a_race_file_is_documented():
    text = (ROOT / "docs" / "reference" / "config.md").read_text()
    missing = [name for name in RaceSettings.model_fields if f"`{name}`" not in text]
    missing += [name for name in RaceConfig.model_fields if name not in text]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_toml_in_the_docs_is_toml(page):
    for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
        tomllib.loads(block)


def test_the_figures_of_the_readme_are_those_of_the_benchmark():
    """The README's table is a part of docs/benchmarks/guarantee.md; whoever makes that anew must copy it again."""
    made = (ROOT / "docs" / "benchmarks" / "guarantee.md").read_text()
    rows = re.findall(r"^\| (0\.\d+) \| ([\d,]+) \| ([\d,]+) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(rows) == 9
    for efficiency, paper, default in rows:
        shown = f"{float(efficiency):.4g}"
        assert f"| {shown} | variant 2 | {paper} |" in made
        assert f"| {shown} | betting | {default} |" in made


def test_the_game_of_the_add_a_game_page_works(tmp_path):
    page = (ROOT / "docs" / "howto" / "add-a-game.md").read_text()
    program = tmp_path / "tictactoe.py"
    program.write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0])
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=250, check=True)
    assert done.stdout.startswith("cell 2: ")
