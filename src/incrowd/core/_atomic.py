"""Files and folders written whole or not at all, beside their target; locks of files and folders."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from incrowd.core._errors import FORCE, DataError, Hint, name_list


@contextmanager
def atomic_path(target: str | os.PathLike[str], *, force: bool = False, reads: Iterable[object] = ()) -> Iterator[Path]:
    """Give a path to write to, beside the target; it becomes the target when the block ends well.

    A symbolic link is followed: the file that it names is replaced, the link stays. A folder never is, nor are the
    paths that it ``reads``, nor what lies in such a folder; another file only by ``force``. The path has the target's
    endings, so that a writer that looks at them knows what to write. If the block fails, the target is as it was.
    """
    final = Path(os.path.realpath(target))
    shown = Path(target).name or os.fspath(target)
    name, dot, endings = final.name.partition(".")
    # A name of our own, not a file made beforehand: whoever writes it gives it the usual rights.
    part = final.parent / f".{name}-{secrets.token_hex(8)}.part{dot}{endings}"
    _check_place(final, part, shown, reads, force=force)
    try:
        yield part
        _flush_to_disk(part)
        _refuse_target(final, shown, reads, force=force)  # somebody else may have written meanwhile
        part.replace(final)
        _flush_to_disk(final.parent)
    finally:
        remove_path(part)


def _is_among(final: Path, reads: Iterable[object]) -> bool:
    """Say whether a file is one of those that are read: by its name, a pattern, or the folder that it lies in."""
    paths = [os.fspath(one) for one in reads if isinstance(one, (str, os.PathLike))]
    files = [file for path in paths for file in (path, *glob.glob(path, recursive=True))]  # noqa: PTH207 - any pattern
    found = [Path(os.path.realpath(file)) for file in files]
    return any(final == one or one in final.parents for one in found)


def remove_path(path: Path) -> None:
    """Remove a file, or a folder that stands for one: Spark writes a table as a folder of files."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _refuse_target(final: Path, shown: str, reads: Iterable[object], *, force: bool) -> None:
    if final.is_dir():
        msg = f"Cannot write the file {shown!r}: there is a folder of that name."
        raise DataError(msg, hint="name a file.")
    if not final.parent.is_dir():
        msg = f"Cannot write the file {shown!r}: its folder {final.parent.name!r} does not exist."
        raise DataError(msg, hint="make the folder first.")
    if final.is_file() and _is_among(final, reads):
        msg = f"Cannot write to {shown!r}: that file is read for it, and what is read is never changed."
        raise DataError(msg, hint="choose another name.")
    if final.exists() and not force:
        msg = f"The file {shown!r} exists already."
        raise DataError(msg, hint=Hint("choose another name, or allow to replace it: {}.", FORCE))


def _check_place(final: Path, part: Path, shown: str, reads: Iterable[object], *, force: bool) -> None:
    """Refuse a place where no file can be made, before any work is done. A full disk is the machine's fault."""
    try:
        _refuse_target(final, shown, reads, force=force)
        part.touch(exist_ok=False)
        part.unlink()
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
            raise
        reason = error.strerror
    else:
        return
    msg = f"Cannot write the file {shown!r} there: {reason}."
    raise DataError(msg, hint="choose another place, or check your rights.")


def _flush_to_disk(path: Path) -> None:
    """Make sure that it is on the disk before anybody relies on it."""
    if os.name == "nt" and path.is_dir():
        return  # Windows flushes files only, and only those that may be written
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Locks between processes: what nobody holds was left by somebody who is gone.

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def has_locks() -> bool:
    """Say whether this system can lock a file or a folder for as long as a process lives."""
    return fcntl is not None


def lock_file(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed; give whether it was free, or cannot be locked on this system."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_folder(folder: Path) -> int | None:
    """Open and lock a folder; ``None`` if somebody else holds it, or folders cannot be locked on this system."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if lock_file(descriptor):
            return descriptor
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


# Write a folder whole or not at all.

OF_THE_SYSTEM = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""What a system puts into a folder that somebody looks at: nobody's work."""
DAY = 86_400.0
"""Seconds after which a folder is left over, on a system that cannot tell whether somebody writes it."""
TOKEN = 8
"""How many random bytes tell one who writes from another."""


@contextmanager
def atomic_folder(target: str | os.PathLike[str], *, holds: Collection[str], force: bool = False) -> Iterator[Path]:
    """Give a folder to write into, beside the target; it becomes the target when the block ends well.

    Only an empty folder is replaced, or by ``force`` one that holds nothing but the files that it ``holds``: paths
    inside it, with ``*`` for any part of a name, of which the first is in every such folder.

    Everything is flushed to the disk before the folder gets its name. Whoever is killed in the middle leaves a hidden
    folder behind, which the next one removes. To replace a folder, the old one steps aside first: killed exactly then,
    nothing is there, and the next one puts it back.
    """
    final = Path(os.path.realpath(target))
    shown = Path(target).name or os.fspath(target)
    if not final.parent.is_dir():
        msg = f"Cannot write the folder {shown!r}: there is no folder {final.parent.name!r}."
        raise DataError(msg, hint="make that folder first.")
    _clear_away(final)
    _refuse_folder(final, shown, holds, force=force)
    part, descriptor = _new_part(final, shown)
    try:
        yield part
        _flush_folder(part)
        _refuse_folder(final, shown, holds, force=force)  # somebody else may have written meanwhile
        _give_name(part, final)
    finally:
        if descriptor is not None:
            os.close(descriptor)
        shutil.rmtree(part, ignore_errors=True)


def _refuse_folder(final: Path, shown: str, holds: Collection[str], *, force: bool) -> None:
    if not final.exists():
        return
    if not final.is_dir():
        msg = f"Cannot write the folder {shown!r}: there is a file of that name."
        raise DataError(msg, hint="choose another name.")
    inside = sorted(_files_inside(final))
    foreign = [path for path in inside if not any(_is_match(path, pattern) for pattern in holds)]
    if foreign:
        msg = f"The folder {shown!r} holds what incrowd did not write: {name_list(foreign)}."
        raise DataError(msg, hint="move that elsewhere, or choose another folder: nothing of yours is replaced.")
    first = next(iter(holds))
    if inside and first not in inside:
        msg = f"The folder {shown!r} is not what would be replaced: it has files, and no {first!r} among them."
        raise DataError(msg, hint="move them elsewhere, or choose another folder: nothing of yours is replaced.")
    if inside and not force:
        msg = f"The folder {shown!r} exists already."
        raise DataError(msg, hint=Hint("choose another name, or allow to replace it: {}.", FORCE))


def _files_inside(folder: Path) -> Iterator[str]:
    """List the files of a folder, as paths inside it; a link is not followed, whatever it leads to."""
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in (*files, *links):
            if name not in OF_THE_SYSTEM:
                yield Path(place, name).relative_to(folder).as_posix()


def _is_match(path: str, pattern: str) -> bool:
    parts, patterns = PurePosixPath(path).parts, PurePosixPath(pattern).parts
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def _new_part(final: Path, shown: str) -> tuple[Path, int | None]:
    """Make a folder of our own and hold its lock: what nobody holds is left over from somebody who was killed."""
    part = final.with_name(f".{final.name}-{secrets.token_hex(TOKEN)}.part")
    try:
        part.mkdir()
        with suppress(FileNotFoundError):
            descriptor = lock_folder(part)
            if descriptor is not None or not has_locks():
                return part, descriptor
        return _new_part(final, shown)  # somebody took it for left over before it was held
    except OSError as error:
        if error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:  # a full disk is the machine's fault
            raise
        reason = error.strerror
    msg = f"Cannot write the folder {shown!r}: {reason}."
    raise DataError(msg, hint="choose another place, or check your rights.")


def _give_name(part: Path, final: Path) -> None:
    """Give the folder its name; one that is there steps aside first."""
    aside = final.with_name(part.name.removesuffix(".part") + ".old")
    if final.exists():
        final.rename(aside)
    part.rename(final)
    _flush_to_disk(final.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _clear_away(final: Path) -> None:
    """Remove what somebody left who was killed, and put back what had stepped aside."""
    name = glob.escape(final.name)
    ours = f".{name}-{'[0-9a-f]' * 2 * TOKEN}"  # not those of a longer name
    for old in final.parent.glob(f"{ours}.old"):
        if final.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(final)
    for part in final.parent.glob(f"{ours}.part"):
        _remove_unless_held(part)


def _remove_unless_held(part: Path) -> None:
    """Remove a folder that nobody is writing; where a system has no locks, one that is a day old."""
    try:
        descriptor = lock_folder(part)
        if descriptor is None and (has_locks() or time.time() - part.stat().st_mtime < DAY):
            return
    except OSError:
        return
    shutil.rmtree(part, ignore_errors=True)
    if descriptor is not None:
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
    """Make sure that everything is on the disk before anybody relies on it."""
    for path, _, files in os.walk(folder):
        for name in files:
            _flush_to_disk(Path(path) / name)
        _flush_to_disk(Path(path))
