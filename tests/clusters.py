"""Real dask clusters of several processes on this machine, for tests."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

QUICK = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20s",  # a silent worker is given up after this
    "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES": "[]",
    "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": "[]",
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """A scheduler and workers, each in a process group of its own."""

    def __init__(self, folder, n_workers=2, certificate=None, **environment):
        self.folder = folder
        self.certificate = certificate
        if certificate is not None:
            environment |= _tls(*certificate)
        path = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
        self.environment = {**os.environ, **QUICK, **environment, "PYTHONPATH": path}
        self.port = free_port()
        self.processes = []
        self.scheduler = None
        self.start_scheduler()
        for _ in range(n_workers):
            self.start_worker()

    @property
    def address(self):
        return f"{'dask' if self.certificate is None else 'tls'}://127.0.0.1:{self.port}"

    def start_scheduler(self):
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show"]
        options += [] if self.certificate is None else ["--protocol", "tls"]
        self.scheduler = self._start("scheduler", *options)
        until(self._is_listening)

    def _is_listening(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def start_worker(self, *options, nanny=True, path=None, folder=None):
        """Start a worker; ``path`` replaces the place where it finds semeai."""
        environment = {**self.environment, **({"PYTHONPATH": str(path)} if path else {})}
        return self._start(
            "worker", self.address.replace("dask", "tcp"), "--nthreads", "1", "--no-dashboard", "--local-directory",
            str(self.folder), *([] if nanny else ["--no-nanny"]), *options, environment=environment, folder=folder,
        )  # fmt: skip

    def _start(self, *words, environment=None, folder=None):
        log = open(self.folder / f"{words[0]}-{len(self.processes)}.log", "wb")  # noqa: SIM115
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], env=environment or self.environment, stdout=log, stderr=log,
            start_new_session=True, cwd=folder or self.folder,
        )  # fmt: skip
        log.close()
        self.processes.append(process)
        return process

    def kill(self, process, number=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        if number == signal.SIGKILL:
            process.wait()

    def pool(self, **more):
        """Return a pool of this cluster's workers."""
        from semeai.work.cluster.connect import connect
        from semeai.work.cluster.pool import ClusterPool
        from semeai.work.cluster.settings import ExecutorTable

        names = ("tls_ca", "tls_cert", "tls_key")
        files = {} if self.certificate is None else dict(zip(names, map(str, self.certificate), strict=True))
        return ClusterPool(connect(ExecutorTable(name=self.address, **files)), **more)

    def ask(self, function):
        """Call a function with a client of the scheduler."""
        from distributed import Client

        with Client(self.address.replace("dask", "tcp"), set_as_default=False) as client:
            return function(client)

    def n_tasks(self):
        """Return the number of tasks that the scheduler knows."""
        return self.ask(lambda client: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))

    def logs(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def close(self):
        for process in self.processes:
            self.kill(process)


def _tls(ca, cert, key):
    """Return the variables that give dask's processes their certificate."""
    prefix = "DASK_DISTRIBUTED__COMM__"
    found = {f"{prefix}TLS__CA_FILE": str(ca), f"{prefix}REQUIRE_ENCRYPTION": "True"}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        found |= {f"{prefix}TLS__{role}__CERT": str(cert), f"{prefix}TLS__{role}__KEY": str(key)}
    return found


def self_signed(folder):
    """Make a certificate that is its own authority. Returns the files of authority, certificate and key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=semeai"]
    subprocess.run(["openssl", *words, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, cert, key


@contextlib.contextmanager
def cluster(folder, n_workers=2, **environment):
    """Yield a cluster; all its processes end with it."""
    pytest.importorskip("distributed")
    folder.mkdir(exist_ok=True)
    found = Cluster(folder, n_workers, **environment)
    try:
        yield found
    finally:
        found.close()


def until(condition, seconds=60):
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
