import json

import pytest

from tests.golden.update import FOLDER, GOLDEN


@pytest.mark.parametrize("name", GOLDEN)
def test_seeded_playouts_and_trees_are_what_they_were(name):
    """If this is meant to change: ``python -m tests.golden.update``."""
    assert GOLDEN[name]() == json.loads((FOLDER / name).read_text())
