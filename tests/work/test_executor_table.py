"""The table [executor], and what options of a command make of it."""

import importlib.util

import pytest

from semeai.errors import ConfigError
from semeai.work.cluster.connect import connect
from semeai.work.cluster.settings import ExecutorTable


def test_another_executor_has_no_settings_of_the_table_except_certificates():
    table = ExecutorTable(name="tls://a:1", tls_ca="ca.pem", tls_cert="me.pem", tls_key="me.key", workers=3)
    other = table.replaced("tls://b:2")
    assert (other.name, other.tls_ca, other.tls_cert, other.tls_key) == ("tls://b:2", "ca.pem", "me.pem", "me.key")
    assert table.replaced("dask://b:2", 5) == ExecutorTable(name="dask://b:2", workers=5)
    assert table.replaced(None, 5) == table.model_copy(update={"workers": 5})
    assert ExecutorTable(name="slurm", queue="main").replaced("tls://b:2") == ExecutorTable(name="tls://b:2")


@pytest.mark.skipif(importlib.util.find_spec("dask_jobqueue") is None, reason="needs dask-jobqueue")
@pytest.mark.parametrize(("name", "program"), [("slurm", "sbatch"), ("oar", "oarsub")])
def test_a_batch_system_that_is_not_there_is_one_sentence(monkeypatch, tmp_path, name, program):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=f"executor {name}: this machine has no program '{program}'"):
        connect(ExecutorTable(name=name))
