"""A layer imports only from layers below it."""

import ast
from pathlib import Path

import pytest

import semeai

BASE = [
    "printable",
    "errors",
    "files",
    "fingerprint",
    "mirror",
    "archives",
    "registry",
    "models",
    "rng",
    "table",
    "kills",
    "processes",
    "streams",
    "jit",
    "rng_kernels",
]
RACING = ["stats", "race", "work", "store", "runs", "compare"]
PLAYING = ["patterns", "games", "search", "parallel", "players", "gtp"]
BRIDGE = ["match", "suites", "learn", "evolve", "experiments"]
LAYERS = [*BASE, *RACING, *PLAYING, *BRIDGE, "optuna", "prompts", "report", "ui", "cli"]
PACKAGE = Path(semeai.__file__).parent
DOORS = {PACKAGE / "__init__.py", PACKAGE / "__main__.py"}  # they gather what users see
FILES = sorted(p for p in PACKAGE.rglob("*.py") if p not in DOORS and "templates" not in p.parts)


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_layers(path: Path) -> set[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names += [f"{node.module}.{alias.name}" if node.module == "semeai" else node.module for alias in node.names]
    return {name.split(".")[1] for name in names if name and name.startswith("semeai.")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_only_from_lower_layers(path):
    own = LAYERS.index(layer_of(path))
    assert {name for name in imported_layers(path) if LAYERS.index(name) > own} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_wings_do_not_know_each_other(path):
    """Racing imports no game, no player and no compiled code; playing imports nothing of racing but formulas."""
    imported, layer = imported_layers(path), layer_of(path)
    if layer in RACING:
        assert imported & {*PLAYING, *BRIDGE, "jit", "rng_kernels"} == set()
        assert "numba" not in path.read_text()
    elif layer in PLAYING:
        assert imported & {*RACING, *BRIDGE} <= {"stats"}


def test_every_folder_is_a_layer():
    assert {layer_of(path) for path in FILES} == set(LAYERS)


@pytest.mark.parametrize("name", ["race", "stats"])
def test_deciding_is_pure(name):
    forbidden = {"time", "os", "socket", "subprocess", "concurrent", "multiprocessing", "sqlalchemy", "random"}
    for path in (PACKAGE / name).glob("*.py"):
        tree = ast.parse(path.read_text())
        imports = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        imports |= {n.module.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        assert imports & forbidden == set(), path


def test_public_names_are_pinned():
    assert semeai.__all__ == [
        "Batch", "Bounds", "Candidate", "Decision", "Ledger", "MatchResult", "MixtureBetting", "Observer", "Player",
        "Race", "RaceResult", "RaceSettings", "RewardCounts", "SemeaiError", "Verdict", "bernstein_deviation",
        "compute_bounds", "hoeffding_deviation", "information_bound", "make_player", "new_position", "play_match",
        "register_game", "run_race", "run_race_file", "search_position", "wilson_interval",
    ]  # fmt: skip
    for name in semeai.__all__:
        assert getattr(semeai, name) is not None
