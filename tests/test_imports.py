"""The modules that ``import semeai`` loads, and the names that it exports."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import semeai
from tests.report.ledgers import recorded_race


def loaded_by(code: str) -> set[str]:
    """Return the top-level packages that a new process has after running ``code``."""
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_semeai_loads_nothing_heavy():
    heavy = {"numba", "numpy", "pydantic", "rich", "sqlalchemy", "typer"}
    assert loaded_by("import semeai") & heavy == set()


def test_a_race_needs_neither_kernels_nor_a_ledger():
    assert loaded_by("import semeai; semeai.run_race") & {"numba", "sqlalchemy"} == set()


def test_the_verdicts_in_a_ledger_are_shown_without_numpy(tmp_path):
    """NumPy takes as long to load as thousands of candidates."""
    recorded_race(tmp_path / "runs.sqlite", 12)
    look = f"app(['export', 'race', '--summary', '--ledger', {str(tmp_path / 'runs.sqlite')!r}], standalone_mode=False)"
    loaded = loaded_by(f"from semeai.cli.app import app; {look}")
    assert loaded & {"numpy", "sqlalchemy"} == {"sqlalchemy"}
    assert '"verdict":' in loaded


def test_each_public_name_is_listed_where_it_is_needed():
    """The names stand in ``__all__``, in the table of modules, and among the imports that type checkers read."""
    found = {name: module for module, names in semeai._MODULES.items() for name in names}
    imports = [
        (alias.name, node.module.removeprefix("semeai."))
        for node in ast.walk(ast.parse(Path(semeai.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("semeai.")
        for alias in node.names
    ]
    assert dict(imports) == found
    assert sorted(found) == sorted(semeai.__all__)


def test_names_are_found_and_listed():
    for name in semeai.__all__:
        assert getattr(semeai, name).__module__.startswith("semeai.")
    assert set(semeai.__all__) <= set(dir(semeai))
    with pytest.raises(AttributeError, match="has no attribute 'run_rase'"):
        _ = semeai.run_rase
