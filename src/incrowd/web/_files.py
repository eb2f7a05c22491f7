"""The chosen folder: its tables, uploads and deletions, and nothing outside of it."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import os
import re
import secrets
import threading
import unicodedata
from collections.abc import AsyncIterator, Collection, Mapping
from pathlib import Path
from typing import Any

from incrowd.core import atomic_path, check_path, remove_path
from incrowd.engines import digest_of_files, ending_of
from incrowd.web._error_texts import retry_offer
from incrowd.web._history import read_json, write_json
from incrowd.web._refusal import Plain, Refusal, refusal

OURS = ".incrowd"  # where we keep what belongs to the page: earlier plans and runs
KEY_BYTES = 32
PLAN, ALTERNATIVES = "plan.toml", "alternatives.json"
TABLE = "the table"  # what the plan uses the file for that is open
SHOWN = 500  # so many files are listed
TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".xlsx", ".xls", ".ods")


_DRAFT = re.compile(r"\.?(upload|draft)-[0-9a-f]{8,}")


class Folder:
    def __init__(self, home: Path) -> None:
        self.home = home.resolve()

    def ours(self, *names: str) -> Path:
        """Give a place for what belongs to the page; nobody else may look into it."""
        place = self.home / OURS
        if place.is_symlink():
            raise _outside_refusal()
        place.mkdir(mode=0o700, exist_ok=True)
        if place.stat().st_mode & 0o077:  # somebody else made it, or opened it
            place.chmod(0o700)
        return place.joinpath(*names)

    def clear_drafts(self) -> None:
        """Remove what a server left that was killed: uploads and plans that were not finished hold values of tables."""
        for left in self.ours("lock").parent.iterdir():
            if _DRAFT.match(left.name):
                remove_path(left)

    def holds(self, path: Path) -> bool:
        """Say whether a file really lies in the folder, wherever links on the way lead."""
        return Path(os.path.realpath(path)).is_relative_to(self.home)

    @property
    def plan(self) -> Path:
        return self.inside(PLAN)

    def inside(self, name: str) -> Path:
        """Give a file of the folder by its name; refuse whatever leads out of it, links included."""
        if not name or "\0" in name or os.path.isabs(name):  # noqa: PTH117 - of a text, on any system
            raise _outside_refusal()
        found = self._place(name)
        if found == self.home or not found.is_relative_to(self.home):
            raise _outside_refusal()
        return found

    def make_key(self, name: str) -> None:
        """Make the key by which dates are shifted, unless the file is there; nobody else may read it."""
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with contextlib.suppress(FileExistsError), os.fdopen(os.open(self.inside(name), how, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))

    def _place(self, name: str) -> Path:
        """Say which file a name means; there is none of a name that no file can have."""
        with contextlib.suppress(OSError):
            check_path(self.home / name)
            return Path(os.path.realpath(self.home / name))
        raise refusal(404, "not-found", "There is no such file in the folder.", "choose one from the list.")

    def table(self, name: str) -> Path:
        found = self.inside(name)
        if found.is_relative_to(self.home / OURS) or not found.is_file():
            raise refusal(404, "not-found", "There is no such file in the folder.", "choose one from the list.")
        if ending_of(found) not in TABLES:
            raise refusal(415, "wrong-kind", endings_words(), "save the table as one of these.")
        return found

    def table_list(self, uses: Mapping[str, str], uploaded: Collection[str]) -> dict[str, Any]:
        """List the tables of the folder, the newest first, with what the plan uses them for."""
        entries = [entry for entry in self.home.iterdir() if self._is_table(entry)]
        entries.sort(key=lambda entry: -entry.stat().st_mtime)
        files = [_file_entry(entry, uses.get(entry.name), uploaded=entry.name in uploaded) for entry in entries[:SHOWN]]
        return {"files": files, "more": max(len(entries) - SHOWN, 0)}

    def _is_table(self, entry: Path) -> bool:
        if entry.name.startswith(".") or ending_of(entry) not in TABLES or not entry.is_file():
            return False
        return self.holds(entry)


def digest_now(path: Path) -> str | None:
    """Give the hash of a file with what stands in it now; nothing if it is not there."""
    try:
        found = path.stat()
        return _digest_of_file(str(path), found.st_size, found.st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=32)
def _digest_of_file(path: str, size: int, changed: int) -> str:
    del size, changed
    return digest_of_files(path)


def _outside_refusal() -> Refusal:
    return refusal(403, "forbidden", "This leads out of the folder that you work in.", "use what is inside it.")


def _file_entry(entry: Path, use: str | None, *, uploaded: bool) -> dict[str, Any]:
    found = entry.stat()
    changed = dt.datetime.fromtimestamp(found.st_mtime, dt.UTC).isoformat(timespec="seconds")
    kind = "hierarchy-or-table" if ending_of(entry).startswith((".csv", ".txt")) else "table"
    told = {"name": entry.name, "size": found.st_size, "modified": changed, "kind": kind}
    return {**told, "used": use == TABLE, "use": use, "uploaded": uploaded}


def endings_words(endings: tuple[str, ...] = TABLES) -> str:
    return f"The name must end in one of {', '.join(endings)}."


# Files that came in by the page: each keeps its name as far as that is safe, and can be deleted again.

BEGINNINGS = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), b""),
    **dict.fromkeys((".csv.gz", ".tsv.gz", ".txt.gz"), b"\x1f\x8b"),
    ".parquet": b"PAR1",
    ".xlsx": b"PK\x03\x04",
}
"""What can be uploaded, and how such a file begins."""
LONGEST = 120  # a name has at most so many bytes before its ending
NAMELESS = "upload"  # what a file is called if nothing of its name is safe

_SIGNS = str.maketrans({**dict.fromkeys('<>:"|', "_"), "*": "_", "?": "_", "[": "(", "]": ")", "{": "(", "}": ")"})
"""What some system forbids in names, and what would make a pattern of one."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
"""Names that mean a device on Windows, whatever follows after a point."""


def safe_name(name: str) -> str:
    """Keep of a file's name what is safe on every system: no folder, no hidden file, no device, no pattern."""
    last = unicodedata.normalize("NFC", name.replace("\\", "/").rsplit("/", 1)[-1])
    seen = "".join(" " if sign.isspace() else sign for sign in last if sign.isspace() or _is_visible(sign))
    ending = ending_of(seen)
    stem = re.sub(r" {2,}", " ", seen[: len(seen) - len(ending)].translate(_SIGNS))
    stem = stem.lstrip(" .-~").encode("utf-8")[:LONGEST].decode("utf-8", "ignore").rstrip(" .") or NAMELESS
    return f"{'_' if _RESERVED.fullmatch(stem) else ''}{stem}{ending}"


def _is_visible(sign: str) -> bool:
    """Say whether a sign can be seen; others hide what a name is, or turn it around."""
    return unicodedata.category(sign)[0] != "C"


def in_use_refusal(use: str) -> Refusal:
    """Refuse to delete a file that the plan uses, until somebody says that they know."""
    hint = "without it nothing can be made by this plan, and no version can be made again."
    told = refusal(409, "in-use", f"The plan uses this file for {use}.", hint)
    told.plain["repairs"] = [retry_offer("Delete it all the same", {"anyway": True})]
    return told


class Uploads:
    """The files of a folder that came in by the page."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    async def take(self, name: str, chunks: AsyncIterator[bytes], most: int) -> Plain:
        """Write an uploaded file; one that is there already is never replaced, the new one gets a number."""
        name = safe_name(name)
        ending = ending_of(name)
        if ending not in BEGINNINGS:
            raise refusal(415, "wrong-kind", endings_words(tuple(BEGINNINGS)), "save the table as one of these.")
        draft = self._folder.ours(f"upload-{secrets.token_hex(8)}{ending}")
        try:
            with atomic_path(draft) as part:
                size = await _write_upload(part, ending, chunks, most)
            return {"name": self.settle(draft, name), "size": size}
        finally:
            draft.unlink(missing_ok=True)

    def settle(self, draft: Path, name: str) -> str:
        """Move a finished file into the folder under a name that is free there, and give that."""
        with self._lock:
            target = self._reserved_path(name)
            draft.replace(target)
            write_json(self._file, {**self._known_uploads(), target.name: _fingerprint(target)})
        return target.name

    def delete(self, name: str) -> None:
        """Delete a file that came in by the page and is as it was then; no other file can be deleted."""
        with self._lock:
            kept = self._known_uploads()
            path = self._folder.home / name
            if not _is_entry_name(name) or not (path.is_symlink() or path.is_file()):
                raise refusal(404, "not-found", "This file is gone already.", "nothing is left to be deleted.")
            if kept.get(name) != _fingerprint(path):
                told = "was changed since it was uploaded" if name in kept else "was not uploaded on this page"
                raise refusal(403, "forbidden", f"The file {told}, so it is not deleted.", "delete it yourself.")
            path.unlink()
            write_json(self._file, {one: print_ for one, print_ in kept.items() if one != name})

    def names(self) -> frozenset[str]:
        return frozenset(
            name for name, known in self._known_uploads().items() if known == _fingerprint(self._folder.home / name)
        )

    @property
    def _file(self) -> Path:
        return self._folder.ours("uploads.json")

    def _known_uploads(self) -> Plain:
        found: Plain = read_json(self._file, {})
        return found

    def _reserved_path(self, name: str) -> Path:
        """Make an empty file under a name that nobody has, not even in other letters; numbers follow from 2 on."""
        taken = {unicodedata.normalize("NFC", entry.name).casefold() for entry in self._folder.home.iterdir()}
        ending = name[len(name) - len(ending_of(name)) :]
        number = 1
        while True:
            wanted = name if number == 1 else f"{name[: len(name) - len(ending)]} ({number}){ending}"
            number += 1
            if wanted.casefold() in taken:
                continue
            target = self._folder.home / wanted
            try:
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:  # somebody else was quicker
                continue
            return target


async def _write_upload(part: Path, ending: str, chunks: AsyncIterator[bytes], most: int) -> int:
    size, begin, expected = 0, b"", BEGINNINGS[ending]
    wrong = refusal(415, "wrong-kind", f"The file is not a {ending[1:]} file.", "check its ending.")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # for us alone
        async for chunk in chunks:
            begin = (begin + chunk)[: len(expected)]
            if not expected.startswith(begin):
                raise wrong
            size += len(chunk)
            if size > most:
                message = f"The file is larger than {most / 2**20:,.0f} MB."
                raise refusal(413, "too-large", message, "put it into the folder yourself, and choose it.")
            file.write(chunk)
    if size == 0:
        raise refusal(422, "wrong-kind", "The file is empty.", "choose another one.")
    if begin != expected:
        raise wrong
    return size


def _is_entry_name(name: str) -> bool:
    """Say whether a name is that of an entry of the folder itself, which not every text can be."""
    try:
        check_path(name)
    except OSError:
        return False
    return name not in {"", ".", ".."} and not {"/", "\\", "\0"} & set(name)


def _fingerprint(path: Path) -> list[int] | None:
    """Tell a file from another one that has its name: by its place on the disk, its size and its time."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns]
