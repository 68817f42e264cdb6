"""Faults on purpose lose nothing; a longer run: ``python benchmarks/run.py faults``."""

import pytest
from benchmarks.faults import kills, places
from benchmarks.faults.trials import Row

SEED = 2  # other moments than those of the longer run


@pytest.mark.slow
@pytest.mark.parametrize("kind", kills.KINDS)
def test_kills(kind):
    row = kills.trials("race of a callable", kind, 1, SEED)
    assert row.examples == []
    assert row.tried == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", [places.second_writers, places.lost_leases, places.full_disks])
def test_places(fault):
    row: Row = fault(2, SEED, places.reference())
    assert row.examples == []
    assert row.tried == 2
