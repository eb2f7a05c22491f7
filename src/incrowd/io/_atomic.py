"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.core import DataError


@contextmanager
def atomic_path(target: str | os.PathLike[str], *, force: bool = False, reads: Iterable[object] = ()) -> Iterator[Path]:
    """Give a path to write to, beside the target; it becomes the target when the block ends well.

    Parameters
    ----------
    target
        Where the file is to appear. A symbolic link is followed: the file that it names is replaced, the link stays.
    force
        Whether an existing file may be replaced. A folder never is.
    reads
        What it is made of: paths are never replaced, nor what lies in such a folder.

    Notes
    -----
    The path has the target's endings, so that a writer that looks at them knows what to write. If the block fails,
    what was written is removed and the target is as it was.
    """
    final = Path(os.path.realpath(target))
    shown = Path(target).name or os.fspath(target)
    name, dot, endings = final.name.partition(".")
    # A name of our own, not a file made beforehand: whoever writes it gives it the usual rights.
    part = final.parent / f".{name}-{secrets.token_hex(8)}.part{dot}{endings}"
    _try_out(final, part, shown, reads, force=force)
    try:
        yield part
        _flush(part)
        _refuse(final, shown, reads, force=force)  # somebody else may have written meanwhile
        part.replace(final)
        _flush(final.parent)
    finally:
        remove(part)


def _is_among(final: Path, reads: Iterable[object]) -> bool:
    """Say whether a file is one of those that are read: by its name, a pattern, or the folder that it lies in."""
    paths = [os.fspath(one) for one in reads if isinstance(one, (str, os.PathLike))]
    files = [file for path in paths for file in (path, *glob.glob(path, recursive=True))]  # noqa: PTH207 - any pattern
    found = [Path(os.path.realpath(file)) for file in files]
    return any(final == one or one in final.parents for one in found)


def remove(path: Path) -> None:
    """Remove a file, or a folder that stands for one: Spark writes a table as a folder of files."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _refuse(final: Path, shown: str, reads: Iterable[object], *, force: bool) -> None:
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
        raise DataError(
            msg, hint="choose another name, or allow to replace it: force=True, --force on the command line."
        )


def _try_out(final: Path, part: Path, shown: str, reads: Iterable[object], *, force: bool) -> None:
    """Refuse a place where no file can be made, before any work is done. A full disk is the machine's fault."""
    try:
        _refuse(final, shown, reads, force=force)
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


def _flush(path: Path) -> None:
    """Make sure that it is on the disk before anybody relies on it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
