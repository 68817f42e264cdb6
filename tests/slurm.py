"""A real SLURM on this machine: munged, slurmctld and slurmd, as root, with everything in one folder."""

import contextlib
import os
import shutil
import socket
import subprocess
import time

import pytest

PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={daemon}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _leave_out(reason):
    """Skip the test, or let it fail where SLURM must be there."""
    (pytest.fail if os.environ.get("SEMEAI_TEST_SLURM") == "required" else pytest.skip)(reason)


@contextlib.contextmanager
def slurm(folder):
    """Yield the environment with which SLURM's commands reach this SLURM. Skips the test where it cannot run."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        _leave_out(f"SLURM is not installed: there is no {absent[0]} (Debian: slurmctld slurmd slurm-client munge)")
    if os.geteuid() != 0:
        _leave_out("slurmd needs root to start jobs")
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    host = socket.gethostname().partition(".")[0]
    config = CONFIG.format(
        host=host, folder=folder, control=free_port(), daemon=free_port(), cores=max(2, os.cpu_count() or 2)
    )
    (folder / "slurm.conf").write_text(config)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    processes = []

    def start(*command):
        log = open(folder / f"{command[0]}.out", "wb")  # noqa: SIM115
        processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        log.close()

    subprocess.run(["mungekey", "--create", f"--keyfile={folder}/munge.key"], check=True)
    try:
        start(
            "munged", "--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
            f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed",
        )  # fmt: skip
        _until(lambda: (folder / "munge.socket").exists(), folder)
        start("slurmctld", "-D", "-f", str(folder / "slurm.conf"))
        start("slurmd", "-D", "-f", str(folder / "slurm.conf"))
        _until(lambda: "idle" in _output(["sinfo", "-h", "-o", "%t"], environment), folder)
        yield environment
    finally:
        with contextlib.suppress(Exception):
            subprocess.run(["scancel", "--user", "root"], env=environment, timeout=10, check=False)
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:  # slurmd waits for jobs that are about to end
                process.kill()
                process.wait()


def _output(command, environment):
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout


def jobs(environment):
    """Return the numbers of the running jobs."""
    return _output(["squeue", "-h", "-t", "R", "-o", "%i"], environment).split()


def _until(condition, folder, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            logs = "".join(
                path.read_text(errors="replace")[-1500:] for path in sorted(folder.glob("*.*")) if "log" in path.name
            )
            _leave_out(f"SLURM does not start on this machine: {logs[-3000:]}")
        time.sleep(0.2)
