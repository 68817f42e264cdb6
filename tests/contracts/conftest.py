"""A cluster that the tests of this folder share: starting one takes seconds."""

import pytest

from tests.clusters import cluster


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("dask")) as found:
        yield found
