import ast
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from semeai import jit

PACKAGE = Path(jit.__file__).parent

PROBE = """
import semeai.jit, semeai.rng_kernels as k, numpy as np, numba
state = np.empty(4, np.uint64)
k.seed_state(state, np.uint64(1))
print(semeai.jit.cache_directory())
print(repr(numba.config.CACHE_DIR))
print(sum(k.seed_state.stats.cache_hits.values()))
"""


def probe(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_kernels_are_kept_under_their_own_key_and_found_again(tmp_path):
    first, second = (probe(SEMEAI_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first[0] == second[0] == str(tmp_path / "kernels" / jit.kernel_key())
    assert first[1] == second[1] == "''"  # the caller's own numba functions are left alone
    assert (first[2], second[2]) == ("0", "1")


def test_flags_and_sources_change_the_key(tmp_path, monkeypatch):
    key = jit.kernel_key()
    monkeypatch.setattr(jit, "BOUNDSCHECK", not jit.BOUNDSCHECK)
    assert jit.kernel_key() != key
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "some.py").write_text("@kernel\ndef f(): pass\n")
    before = jit.kernel_key()
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    assert jit.kernel_key() == before
    (tmp_path / "some.py").write_text("@kernel\ndef f(): pass\n\n")
    assert jit.kernel_key() != before


@pytest.mark.parametrize(
    ("file", "counts"),
    [("games/go/sgf.py", False), ("games/go/position.py", False), ("games/catalog.py", False),
     ("search/search.py", False), ("stats/betting.py", False), ("games/go/kernels/tables.py", True),
     ("games/protocol.py", True), ("games/patterns/masks.py", True), ("rng_kernels.py", True)],
)  # fmt: skip
def test_only_edits_of_kernel_sources_change_the_key(tmp_path, monkeypatch, file, counts):
    copy = tmp_path / "semeai"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.npz"))
    monkeypatch.setattr(jit, "_PACKAGE", copy)
    before = jit.kernel_key()
    (copy / file).write_text((copy / file).read_text() + "\nCONSTANT = 1\n")
    assert (jit.kernel_key() != before) == counts


DECORATORS = {"kernel", "inlined", "implements"}
PINNED = {"semeai.rng", "semeai.patterns.geometry"}
"""Not kernel sources, though tables of games/go/kernels/neighbourhoods.py are made with them: it pins their digest."""


class Source:
    """Which names a module's top-level names are made of; annotations are not compiled."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text())
        self.kernels: list[str] = []
        self.uses: defaultdict[str, set[str]] = defaultdict(set)
        self.imports: dict[str, tuple[str, str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "semeai":
                self.imports |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.Import):
                assert not any(alias.name.startswith("semeai") for alias in node.names), path
        for node in tree.body:
            self._add(node)

    def _add(self, node: ast.stmt) -> None:
        used = {name.id for part in parts_that_run(node) for name in ast.walk(part) if isinstance(name, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.uses[node.name] |= used
            if any(called(decorator) in DECORATORS for decorator in node.decorator_list):
                self.kernels.append(node.name)
        else:
            for name in used:  # assigned, or changed by the statement
                self.uses[name] |= used if stores(node, name) else set()


def parts_that_run(node: ast.stmt) -> list[ast.AST]:
    if isinstance(node, ast.FunctionDef):
        return [*node.body, *node.decorator_list, *node.args.defaults]
    return [node.value] if isinstance(node, ast.AnnAssign) and node.value else [node]


def called(decorator: ast.expr) -> str:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def stores(node: ast.stmt, name: str) -> bool:
    targets = [t for t in ast.walk(node) if isinstance(getattr(t, "ctx", None), ast.Store)]
    return any(isinstance(part, ast.Name) and part.id == name for target in targets for part in ast.walk(target))


def module_name(file: str) -> str:
    return ".".join(["semeai", *Path(file).with_suffix("").parts]).removesuffix(".__init__")


def compiled_modules(sources: dict[str, Source]) -> dict[str, str]:
    """Return each module that some kernel is made of, with a path of names that leads there."""
    found: dict[str, str] = {}
    paths = {(module, name): f"{module}.{name}" for module, source in sources.items() for name in source.kernels}
    waiting = list(paths)
    while waiting:
        module, name = place = waiting.pop()
        found.setdefault(module, paths[place])
        if module not in sources:
            continue
        source = sources[module]
        following = {source.imports[name]} if name in source.imports else {(module, u) for u in source.uses[name]}
        for target, what in following:
            whole = f"{target}.{what}"
            names = [(whole, each) for each in sources[whole].uses] if whole in sources else [(target, what)]
            for new in names:
                if new not in paths:
                    paths[new] = f"{paths[place]} -> {'.'.join(new)}"
                    waiting.append(new)
    return found


def test_kernels_are_made_of_kernel_sources_alone():
    """Else a cached kernel would go on using an old constant."""
    sources = {module_name(name): Source(PACKAGE / name) for name, _ in jit.kernel_sources()}
    reached = compiled_modules(sources)
    assert {module: path for module, path in reached.items() if module not in sources and module not in PINNED} == {}
    assert set(reached) >= {*PINNED, "semeai.games.go.kernels.tables", "semeai.search.kernels.tree"}


def test_every_file_with_kernels_is_a_kernel_source():
    known = {name for name, _ in jit.kernel_sources()}
    for path in PACKAGE.rglob("*.py"):
        functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
        if any(called(decorator) in DECORATORS for function in functions for decorator in function.decorator_list):
            assert path.relative_to(PACKAGE).as_posix() in known


GAME = """
import numpy as np
from semeai.games import protocol
from semeai.jit import implements
from semeai.search.kernels.playouts import run_playouts
from rules import REWARD

COIN = np.dtype([("turn", np.int64)])

@implements(protocol.copy_state, COIN)
def copy_state(target, source):
    target.turn = source.turn

@implements(protocol.reward, COIN)
def reward(state):
    return REWARD

@implements(protocol.playout, COIN)
def playout(state, policy, scratch):
    state.turn += 1

if __name__ == "__main__":
    nothing = np.zeros(1, np.dtype([("n_played", np.int64)]))
    total = run_playouts(np.zeros(2, COIN), np.zeros(1), nothing, 4, np.zeros(2, np.int64))
    print(total, sum(run_playouts.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_kernels_for_a_game_outside_follow_its_folder(tmp_path):
    program, rules = tmp_path / "coin.py", tmp_path / "rules.py"
    program.write_text(GAME)
    shown = []
    for reward in (0.25, 0.25, 0.5):
        rules.write_text(f"REWARD = {reward}\n")
        environment = {**os.environ, "SEMEAI_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, program], env=environment, capture_output=True, text=True, check=True, timeout=300
        )
        shown.append(done.stdout.split())
    assert shown == [["1.0", "0"], ["1.0", "1"], ["2.0", "0"]]


@pytest.mark.slow
def test_without_a_writable_place_kernels_still_work():
    nowhere = "import semeai.jit; semeai.jit._is_writable = lambda directory: False" + PROBE
    done = subprocess.run([sys.executable, "-c", nowhere], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["None", "''", "0"]


@pytest.mark.slow
def test_a_place_that_is_a_file_is_passed_over(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    home = tmp_path / "home"
    assert probe(SEMEAI_CACHE_DIR=str(blocked), XDG_CACHE_HOME=str(home))[0].startswith(str(home))


@pytest.mark.skipif(not jit.BOUNDSCHECK, reason="kernels were imported without bounds checks")
def test_the_tests_run_with_bounds_checks():
    import numpy as np

    @jit.kernel
    def beyond(values):
        return values[len(values)]

    with pytest.raises(IndexError):
        beyond(np.zeros(3))


def test_compiling_tells_once(tmp_path, monkeypatch):
    called = []
    monkeypatch.setattr(jit, "_warm_ups", {"family": lambda: called.append(1)})
    monkeypatch.setattr(jit, "cache_directory", lambda: tmp_path)
    lines = []
    jit.compile_kernels(lines.append)
    jit.compile_kernels(lines.append)
    assert len(called) == 2
    assert len(lines) == 1
    assert "family" in lines[0]
