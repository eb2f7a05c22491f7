"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HOST, PORT = "127.0.0.1", 8117
LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""What this computer calls itself."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with.

    Parameters
    ----------
    folder
        The folder that it works in. Nothing outside of it is read or written.
    host, port
        Where it listens.
    max_upload
        The most bytes that a file may have.
    max_body
        The most bytes that any other request may have.
    separate
        Whether tables are worked on in processes of their own. Only tests say no.
    """

    folder: Path
    host: str = HOST
    port: int = PORT
    max_upload: int = 2**30
    max_body: int = 2**20
    separate: bool = field(default=True, repr=False)

    @property
    def hosts(self) -> frozenset[str]:
        """The names that a request may be addressed to: ours, and no other that leads here."""
        named = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset(f"{name}:{self.port}" for name in (*LOCAL, named))

    @property
    def origins(self) -> frozenset[str]:
        """Where a change may come from."""
        return frozenset(f"http://{host}" for host in self.hosts)
