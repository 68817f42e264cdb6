import json

from tests.golden.update import FILE, golden


def test_seeded_playouts_are_what_they_were():
    """If this is meant to change: ``python -m tests.golden.update``."""
    assert golden() == json.loads(FILE.read_text())
