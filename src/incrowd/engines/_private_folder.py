"""Private folders for what must not stay on the disk: copies of tables, and what does not fit into memory."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile, gettempdir, mkdtemp
from typing import IO, Self

from incrowd.core import ParameterError, has_locks, lock_folder

PREFIX = "incrowd_"
_MARK = ".incrowd-private"  # a file in every such folder: others may be called as ours are
_YOUNG = 60.0  # seconds that a folder is left alone for, so that whoever makes it can lock it
_cleared: set[Path] = set()
_ours: set[Path] = set()  # folders that this very process made: a copy of it must not remove them


def make_private(parent: str | Path | None = None) -> tuple[Path, int | None]:
    """Make a folder that only this user can read, and hold its lock; clear away what others left there."""
    place = Path(gettempdir() if parent is None else parent)
    if place not in _cleared and has_locks():
        _cleared.add(place)
        _remove_leftovers(place)
    folder = Path(mkdtemp(prefix=PREFIX, dir=place))
    _ours.add(folder)
    lock = _lock_of(folder)
    (folder / _MARK).touch(0o600)
    _watch(folder)
    return folder, lock


def remove_private(folder: Path, lock: int | None) -> None:
    """Remove such a folder with all that is in it, unless it is that of the process which this one is a copy of."""
    if folder in _ours:
        _ours.discard(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def is_private(folder: Path) -> bool:
    """Say whether a folder is one of these."""
    return (folder / _MARK).exists()


def _lock_of(folder: Path) -> int | None:
    """Lock a folder; ``None`` if that cannot be."""
    try:
        return lock_folder(folder)
    except OSError:
        return None


def _remove_leftovers(place: Path) -> None:
    """Remove what was left by processes of this user that are gone."""
    for folder in place.glob(f"{PREFIX}*"):
        if _is_old(folder) and (lock := _lock_of(folder)) is not None:
            _ours.add(folder)
            remove_private(folder, lock)


def _is_old(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and is_private(folder)
    return ours and time.time() - found.st_mtime > _YOUNG


# What does not fit into memory lies there under a name: a shell removes it if this process is killed.

_SHELL = Path("/bin/sh")
_WATCHING = f"""
while IFS= read -r folder; do set -- "$@" "$folder"; done
for folder; do test -e "$folder/{_MARK}" && rm -rf -- "$folder"; done
"""
_watchers: list[int] = []  # where the shell hears of folders, and of our end: then nobody holds its pipe any more


def _watch(folder: Path) -> None:
    """Let a folder go with this process, however that ends; where there is no shell, a later run removes it."""
    if "\n" in str(folder) or not _SHELL.exists():
        return
    try:
        if not _watchers:
            _watchers.append(_started_watcher())
        os.write(_watchers[0], os.fsencode(folder) + b"\n")
    except (OSError, NotImplementedError):  # it cannot be started, or somebody ended it
        while _watchers:
            os.close(_watchers.pop())


def _started_watcher() -> int:
    """Start a shell that outlives us, holds nothing of ours open, and hears no Ctrl-C; give the end of its pipe."""
    heard, told = os.pipe()
    try:
        nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
        actions = [(os.POSIX_SPAWN_DUP2, heard, 0), *nowhere]
        surroundings = {"PATH": os.defpath}
        os.posix_spawn(_SHELL, [str(_SHELL), "-c", _WATCHING], surroundings, file_actions=actions, setsid=True)
    except BaseException:
        os.close(told)
        raise
    finally:
        os.close(heard)
    return told


# A private folder in the place that a user names for what does not fit into memory.

_TRIES = 3
_made: set[Path] = set()  # folders that were not there before this process wanted to spill to them


def make_room(temp: str | Path | None) -> tuple[Path, int | None]:
    """Make a private folder, and the one that it is to be in."""
    if temp is None:
        return make_private()
    trouble: OSError | None = None
    for _ in range(_TRIES):  # whoever is through with the same place may take it away at this moment
        try:
            place = Path(temp).absolute()
            new = [folder for folder in (place, *place.parents) if not folder.exists()]
            place.mkdir(parents=True, exist_ok=True)
            _made.update(new)
            return make_private(place)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            trouble = error
        if not isinstance(trouble, FileNotFoundError):
            break
    msg = f"temp is no folder that can be written to: {str(temp)!r}."
    raise ParameterError(msg, hint="name a folder of yours, on a disk with room.")


def clear_room(folder: Path, lock: int | None) -> None:
    """Remove a private folder, and those around it that were made for it if nothing else is in them."""
    remove_private(folder, lock)
    for place in folder.parents:
        if place not in _made:
            break
        try:
            place.rmdir()
            _made.discard(place)
        except OSError:  # something is in there
            if not any(is_private(one) for one in place.glob("*")):
                _made.difference_update(folder.parents)  # of somebody else, whose place it is now
            break


@contextmanager
def private_folder(temp: str | Path | None = None) -> Iterator[Path]:
    """Give a private folder that is gone when the block ends."""
    folder, lock = make_room(temp)
    try:
        yield folder
    finally:
        clear_room(folder, lock)


def _own_nothing() -> None:
    """Let a process that was copied from another one know that no folder is its own."""
    _ours.clear()
    _made.clear()
    while _watchers:
        os.close(_watchers.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_own_nothing)


# A copy of a table in a private folder: a file without a name, so that nothing of it is left, however a process ends.

_OPEN_FILES = Path("/proc/self/fd")


class NamelessFile:
    """A file that is gone as soon as it is closed, or its process ends; ``path`` leads to it until then.

    Where a system has no paths to open files, it has a name, and is gone with its folder.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path, self._process = folder / name, os.getpid()
        self.file: IO[bytes]
        if _OPEN_FILES.is_dir():
            self.file = TemporaryFile(dir=folder)  # noqa: SIM115 - it is closed when this is
            self.path.symlink_to(_OPEN_FILES / str(self.file.fileno()))
        else:
            self.file = self.path.open("x+b")

    def close(self) -> None:
        if self._process == os.getpid():
            self.path.unlink(missing_ok=True)  # first: another file may get the number
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
