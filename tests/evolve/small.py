"""A small evolution for tests, and what its ledger holds."""

from semeai.evolve.config import load_evolution
from semeai.evolve.loop import run_evolution
from semeai.runs.run import place_of
from semeai.store.ledger import Ledger

# Base 3 of Havannah: a pair of games takes 7 ms. The first player has a pattern that loses 91% of them, so that a
# smaller weight of it is better.
SMALL = """
seed = 4
steps = 3
candidates = 2
sample = 10

[player]
player = "mcts:fast"
simulations = 8
policy.patterns = ["-1 *_"]

[match]
game = "havannah"
size = 3

[race]
accept_above = 0.5
discard_below = 0.6
max_per_candidate = 40

[screen]
simulations = 4
candidates = 4
max_per_candidate = 8

[validation]
games = 4
deep_games = 2
opponent_games = 2
opponent = "random"

[[proposers]]
kind = "random"
shapes = "both"

[[proposers]]
kind = "mutate"

[[proposers]]
kind = "number"
weight = 2
anywhere = 1.0
settings = {"policy.pattern_visits" = {low = 0, high = 1}}
"""


def small(tmp_path, text=SMALL, **changes):
    file = tmp_path / "small.toml"
    file.write_text(text)
    return load_evolution(file, changes)


def grow(config, tmp_path, name="small", workers=1, observer=None):
    place = place_of(config.executor, str(tmp_path / "semeai.sqlite"), None, workers)
    return run_evolution(config, tmp_path, place, name=name, output=tmp_path / name, observer=observer)


def digests(tmp_path, name):
    """All that was raced and decided, step by step; of matches, all games."""
    ledger = Ledger(tmp_path / "semeai.sqlite")
    rows = {row.name.removeprefix(name): row for row in ledger.runs() if row.name.startswith(f"{name}/")}
    found = {key: (row.config_hash, ledger.digest(row.id)) for key, row in rows.items()}
    ledger.close()
    return found
