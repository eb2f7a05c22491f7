"""The chosen folder: what is in it, and nothing outside of it."""

from __future__ import annotations

import datetime as dt
import functools
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from incrowd.engines import digest_of_files, ending_of
from incrowd.web._refusal import Refusal, refusal

OURS = ".incrowd"
"""Where we keep what belongs to the page: earlier plans and runs."""
PLAN, PROPOSALS = "plan.toml", "proposals.json"
TABLE = "the table"
"""What the plan uses the file for that is open."""
SHOWN = 500
"""So many files are listed."""
TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".xlsx", ".xls", ".ods")


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
            raise refusal(415, "wrong-kind", kinds_said(), "save the table as one of these.")
        return found

    def listed(self, uses: Mapping[str, str], uploaded: Collection[str]) -> dict[str, Any]:
        """List the tables of the folder, the newest first.

        Parameters
        ----------
        uses
            What the plan uses files for, by their names in the folder.
        uploaded
            The files that can be deleted, because they came in by the page.
        """
        entries = [entry for entry in self.home.iterdir() if self._is_table(entry)]
        entries.sort(key=lambda entry: -entry.stat().st_mtime)
        files = [_described(entry, uses.get(entry.name), entry.name in uploaded) for entry in entries[:SHOWN]]
        return {"files": files, "more": max(len(entries) - SHOWN, 0)}

    def _is_table(self, entry: Path) -> bool:
        if entry.name.startswith(".") or ending_of(entry) not in TABLES or not entry.is_file():
            return False
        return self.holds(entry)


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


def _described(entry: Path, use: str | None, uploaded: bool) -> dict[str, Any]:  # noqa: FBT001 - told beside the name
    found = entry.stat()
    changed = dt.datetime.fromtimestamp(found.st_mtime, dt.UTC).isoformat(timespec="seconds")
    kind = "hierarchy-or-table" if ending_of(entry).startswith((".csv", ".txt")) else "table"
    told = {"name": entry.name, "size": found.st_size, "modified": changed, "kind": kind}
    return {**told, "used": use == TABLE, "use": use, "uploaded": uploaded}


def kinds_said(endings: tuple[str, ...] = TABLES) -> str:
    """Say how the name of a file must end."""
    return f"The name must end in one of {', '.join(endings)}."
