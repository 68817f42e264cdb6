"""Messages of bytes from one rank of an MPI job to another. Nothing here waits."""

from typing import Any


class Mail:
    """Sends and receives on one MPI communicator. A thread must have its own."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self._sending: list[tuple[Any, bytes]] = []  # requests, and the buffers that MPI may still read

    def send(self, part: bytes, rank: int, tag: int) -> None:
        self._sending = [item for item in self._sending if not item[0].Test()]
        self._sending.append((self._comm.Isend([part, _mpi().BYTE], dest=rank, tag=tag), part))

    def receive(self, source: int, tag: int) -> bytes | None:
        """Return the next message of this rank; None if there is none."""
        found = self._receive(source, tag)
        return None if found is None else found[0]

    def receive_any(self, tag: int) -> tuple[bytes, int] | None:
        """Return the next message of any rank, and that rank; None if there is none."""
        return self._receive(_mpi().ANY_SOURCE, tag)

    def _receive(self, source: int, tag: int) -> tuple[bytes, int] | None:
        message = self._comm.Improbe(source=source, tag=tag, status=(status := _mpi().Status()))
        if message is None:
            return None
        data = bytearray(status.Get_count(_mpi().BYTE))
        message.Recv([data, _mpi().BYTE])
        return bytes(data), status.Get_source()


def _mpi() -> Any:
    from mpi4py import MPI

    return MPI
