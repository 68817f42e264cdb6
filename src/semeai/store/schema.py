"""The tables of the ledger. Times are for readers only; no decision depends on them."""

from sqlalchemy import JSON, BigInteger, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

SCHEMA_VERSION = 1

metadata = MetaData()

about = Table(
    "about",
    metadata,
    Column("key", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, unique=True, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("config", JSON, nullable=False),
    Column("config_hash", String(64), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("versions", JSON, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("state", String(20), nullable=False),  # running, interrupted, finished, error
    Column("updated_at", String(32), nullable=False),
)

candidates = Table(
    "candidates",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1
    Column("name", Text, nullable=False),
    Column("params", Text, nullable=False),
    Column("digest", String(16), nullable=False),
)

batches = Table(
    "batches",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 0, in dispatch order
    Column("candidate", Integer, nullable=False),
    Column("start", BigInteger, nullable=False),
    Column("size", Integer, nullable=False),
    Column("counts", Text, nullable=True),  # reward in thousandths -> how often; NULL if the program failed
    Column("seconds", Float, nullable=False),  # worker time
    Column("recorded_at", String(32), nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("candidate", Integer, primary_key=True),
    Column("verdict", String(20), nullable=False),
    Column("after_batch", Integer, nullable=False),
    Column("n_evaluations", BigInteger, nullable=False),
    Column("total_reward", Float, nullable=False),
    Column("n_tests", Integer, nullable=False),
    Column("merit", Float, nullable=True),
    Column("doubt", Float, nullable=True),
    Column("lower", Float, nullable=True),
    Column("upper", Float, nullable=True),
)

failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("batch", Integer, nullable=False),
    Column("candidate", Integer, nullable=False),
    Column("evaluation", BigInteger, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("message", Text, nullable=False),
    Column("stderr", Text, nullable=False),
    Column("recorded_at", String(32), nullable=False),
)

RACE_TABLES = (candidates, batches, decisions, failures)
"""Tables with rows of races. Other kinds of runs have additional tables, see ``store.kinds``."""
CORE_TABLES = (about, runs, *RACE_TABLES)
