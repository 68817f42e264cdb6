"""The tables of the ledger. Times are for readers only; no decision depends on them.

Every row of a run carries a checksum over its other columns, and ``heads`` keeps the number of rows and the running sum
of their checksums per table, for its own rows too. So a row that was damaged, lost or added by somebody else is found
(``store.checks``).
"""

from sqlalchemy import JSON, BigInteger, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

SCHEMA_VERSION = 3

metadata = MetaData()


def run_table(name: str, *columns: Column[object], identity: tuple[str, ...] = ()) -> Table:
    """Return a table with rows of runs; its ``run_id`` and ``checksum`` are added.

    ``identity`` are the columns that count for the digest of a run: its contents, without times and durations.
    """
    owner: Column[object] = Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    checksum: Column[object] = Column("checksum", String(32), nullable=False)
    return Table(name, metadata, owner, *columns, checksum, info={"identity": identity})


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
    Column("checksum", String(32), nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("epoch", Integer, nullable=False),  # number of writers that the run has had
    Column("token", String(32), nullable=False),  # of the present writer; empty if there is none
    Column("owner", Text, nullable=False),  # JSON: host, boot, namespace, process, started
    Column("heartbeat", Float, nullable=False),  # last sign of life, in seconds since 1970 by the database's clock
)

heads = run_table(
    "heads",
    Column("table_name", String(40), primary_key=True),  # "heads" stands for the other rows of this table
    Column("n_rows", BigInteger, nullable=False),
    Column("checksums", String(32), nullable=False),  # sum of the rows' checksums
    Column("digests", String(32), nullable=False),  # sum over the columns that count for the digest
    Column("updated_at", String(32), nullable=False),  # latest time of a row; empty for rows without times
)

candidates = run_table(
    "candidates",
    Column("number", Integer, primary_key=True),  # from 1
    Column("name", Text, nullable=False),
    Column("params", Text, nullable=False),
    Column("digest", String(16), nullable=False),
    identity=("number", "name", "params"),
)

batches = run_table(
    "batches",
    Column("number", Integer, primary_key=True),  # from 0, in dispatch order
    Column("candidate", Integer, nullable=False),
    Column("start", BigInteger, nullable=False),
    Column("size", Integer, nullable=False),
    Column("counts", Text, nullable=True),  # reward in thousandths -> how often; NULL if the program failed
    Column("seconds", Float, nullable=False),  # worker time
    Column("recorded_at", String(32), nullable=False),
    identity=("number", "candidate", "start", "size", "counts"),
)

decisions = run_table(
    "decisions",
    Column("number", Integer, primary_key=True),  # from 0
    Column("candidate", Integer, nullable=False),
    Column("verdict", String(20), nullable=False),  # "reopened" takes the failure before it back
    Column("after_batch", Integer, nullable=False),
    Column("n_evaluations", BigInteger, nullable=False),
    Column("total_reward", Float, nullable=False),
    Column("n_tests", Integer, nullable=False),
    Column("merit", Float, nullable=True),
    Column("doubt", Float, nullable=True),
    Column("lower", Float, nullable=True),
    Column("upper", Float, nullable=True),
    Column("recorded_at", String(32), nullable=False),
    # The evidence does not count: its last digits may depend on the mathematical library of the machine.
    identity=("candidate", "verdict", "after_batch", "n_evaluations", "total_reward", "n_tests"),
)

failures = run_table(
    "failures",
    Column("number", Integer, primary_key=True),  # from 0
    Column("batch", Integer, nullable=False),
    Column("candidate", Integer, nullable=False),
    Column("evaluation", BigInteger, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("message", Text, nullable=False),
    Column("stderr", Text, nullable=False),
    Column("recorded_at", String(32), nullable=False),
)

measurements = run_table(
    "measurements",  # numbers that a race has compared, with the batch that they belong to; made by the first such race
    Column("number", Integer, primary_key=True),  # of the batch
    Column("candidate", Integer, nullable=False),
    Column("start", BigInteger, nullable=False),
    Column("ours", Text, nullable=False),  # JSON: the candidate's numbers, a list per evaluation
    Column("theirs", Text, nullable=False),  # JSON: the baseline's on the same seeds
)

totals = run_table(
    "totals",  # the state of each candidate after the last batch, see checkpoints
    Column("candidate", Integer, primary_key=True),
    Column("counts", Text, nullable=False),
    Column("n_evaluations", BigInteger, nullable=False),
    Column("total_reward", Float, nullable=False),
    Column("n_dispatched", BigInteger, nullable=False),
    Column("n_tests", Integer, nullable=False),
    Column("merit", Float, nullable=True),
    Column("doubt", Float, nullable=True),
    Column("progress", Float, nullable=True),
    Column("upper", Float, nullable=True),
)

checkpoints = run_table(
    "checkpoints",  # with totals: the state of a race, so that reading it does not replay every batch
    Column("n_batches", BigInteger, nullable=False),
    Column("pending", Text, nullable=False),  # JSON: the batches under way
    Column("semeai", String(40), nullable=False),  # another version replays the batches instead
)

RACE_TABLES = (candidates, batches, decisions, failures)
"""Tables with rows of races. Other kinds of runs have additional tables, see ``store.kinds``."""
CORE_TABLES = (about, runs, leases, heads, *RACE_TABLES, totals, checkpoints)
