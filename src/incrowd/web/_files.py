"""The chosen folder: what is in it, and nothing outside of it."""

from __future__ import annotations

import datetime as dt
import functools
import os
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from incrowd.engines import digest_of_files, ending_of
from incrowd.io import atomic_path
from incrowd.web._refusal import Refusal, refusal

OURS = ".incrowd"
"""Where we keep what belongs to the page: earlier plans and runs."""
PLAN, PROPOSALS = "plan.toml", "proposals.json"
SHOWN = 500
"""So many files are listed."""
TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".xlsx", ".xls", ".ods")
UPLOADS = {".csv": b"", ".tsv": b"", ".txt": b"", ".parquet": b"PAR1", ".xlsx": b"PK\x03\x04"}
"""What can be uploaded, and how such a file begins."""


class Folder:
    """The chosen folder.

    Parameters
    ----------
    home
        Where it is.
    """

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()

    def ours(self, *names: str) -> Path:
        """Give a place for what belongs to the page; nobody else may look into it."""
        place = self.home / OURS
        if place.is_symlink():
            raise _outside()
        place.mkdir(mode=0o700, exist_ok=True)
        if place.stat().st_mode & 0o077:  # somebody else made it, or opened it
            place.chmod(0o700)
        return place.joinpath(*names)

    def holds(self, path: Path) -> bool:
        """Say whether a file really lies in the folder, wherever links on the way lead."""
        return Path(os.path.realpath(path)).is_relative_to(self.home)

    @property
    def plan(self) -> Path:
        """The plan's file, which must lie in the folder itself."""
        return self.inside(PLAN)

    def inside(self, name: str) -> Path:
        """Give a file of the folder by its name; refuse whatever leads out of it, links included."""
        if not name or "\0" in name or os.path.isabs(name):  # noqa: PTH117 - of a text, on any system
            raise _outside()
        found = Path(os.path.realpath(self.home / name))
        if found == self.home or not found.is_relative_to(self.home):
            raise _outside()
        return found

    def table(self, name: str) -> Path:
        """Give a table of the folder."""
        found = self.inside(name)
        if found.is_relative_to(self.home / OURS) or not found.is_file():
            raise refusal(404, "not-found", "There is no such file in the folder.", "choose one from the list.")
        if ending_of(found) not in TABLES:
            raise refusal(415, "wrong-kind", _kinds(), "save the table as one of these.")
        return found

    def listed(self, used: str | None) -> dict[str, Any]:
        """List the tables of the folder, the newest first."""
        entries = [entry for entry in self.home.iterdir() if self._is_table(entry)]
        entries.sort(key=lambda entry: -entry.stat().st_mtime)
        files = [_described(entry, used) for entry in entries[:SHOWN]]
        return {"files": files, "more": max(len(entries) - SHOWN, 0)}

    def _is_table(self, entry: Path) -> bool:
        if entry.name.startswith(".") or ending_of(entry) not in TABLES or not entry.is_file():
            return False
        return self.holds(entry)

    async def take(self, name: str, chunks: AsyncIterator[bytes], most: int) -> dict[str, Any]:
        """Write an uploaded file under a name of our own.

        Parameters
        ----------
        name
            What it is called elsewhere; only its ending counts.
        chunks
            The file.
        most
            The most bytes that it may have.
        """
        ending = ending_of(name.replace("\\", "/").rsplit("/", 1)[-1])
        if ending not in UPLOADS:
            raise refusal(415, "wrong-kind", _kinds(tuple(UPLOADS)), "save the table as one of these.")
        target = self.home / f"upload-{_now()}-{secrets.token_hex(2)}{ending}"
        size = 0
        with atomic_path(target) as part:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # for us alone
                async for chunk in chunks:
                    if size == 0 and chunk and not chunk.startswith(UPLOADS[ending]):
                        raise refusal(415, "wrong-kind", f"The file is not a {ending[1:]} file.", "check its ending.")
                    size += len(chunk)
                    if size > most:
                        message = f"The file is larger than {most / 2**20:,.0f} MB."
                        raise refusal(413, "too-large", message, "put it into the folder yourself, and choose it.")
                    file.write(chunk)
            if size == 0:
                raise refusal(422, "wrong-kind", "The file is empty.", "choose another one.")
        return {"name": target.name, "size": size}


def digest_now(path: Path) -> str | None:
    """Give the hash of a file with what stands in it now; nothing if it is not there."""
    try:
        found = path.stat()
        return _digest(str(path), found.st_size, found.st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=32)
def _digest(path: str, size: int, changed: int) -> str:
    del size, changed
    return digest_of_files(path)


def _outside() -> Refusal:
    return refusal(403, "forbidden", "This leads out of the folder that you work in.", "use what is inside it.")


def _described(entry: Path, used: str | None) -> dict[str, Any]:
    found = entry.stat()
    changed = dt.datetime.fromtimestamp(found.st_mtime, dt.UTC).isoformat(timespec="seconds")
    kind = "hierarchy-or-table" if ending_of(entry).startswith((".csv", ".txt")) else "table"
    return {"name": entry.name, "size": found.st_size, "modified": changed, "kind": kind, "used": entry.name == used}


def _kinds(endings: tuple[str, ...] = TABLES) -> str:
    return f"The name must end in one of {', '.join(endings)}."


def _now() -> str:
    return f"{dt.datetime.now(dt.UTC):%Y%m%d}"
