"""A PostgreSQL server of our own: on loopback, in a temporary folder, as a user without rights, gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

DEBIAN = Path("/usr/lib/postgresql")


def programs() -> Path | None:
    """Say where the programs of the newest installed server are."""
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@contextmanager
def running(bin_folder: Path) -> Iterator[str]:
    """Start a server, give what connects to it, and stop it by its own id."""
    folder = mkdtemp(prefix="incrowd_postgres_")
    somebody: dict[str, Any] = {"cwd": folder}
    if os.geteuid() == 0:  # the server refuses to be run by root
        shutil.chown(folder, "postgres", "postgres")
        somebody |= {"user": "postgres", "group": "postgres", "extra_groups": []}
    port = _free_port()
    data = f"{folder}/data"
    start = [str(bin_folder / "initdb"), "-D", data, "-U", "incrowd", "-A", "trust", "--no-sync", "--encoding=UTF8"]
    subprocess.run(start, check=True, capture_output=True, **somebody)
    settings = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-k", folder]
    somebody |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([str(bin_folder / "postgres"), "-D", data, "-p", str(port), *settings], **somebody)
    try:
        _wait(bin_folder, port, server)
        yield f"postgresql://incrowd:sesame@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait(bin_folder: Path, port: int, server: subprocess.Popen[bytes]) -> None:
    asked = [str(bin_folder / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
    for _ in range(300):
        if server.poll() is not None:
            break
        if subprocess.run(asked, check=False).returncode == 0:
            return
        time.sleep(0.1)
    msg = "the PostgreSQL server did not start"
    raise RuntimeError(msg)
