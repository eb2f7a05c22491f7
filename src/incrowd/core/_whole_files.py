"""Files as wholes: read if they are files of a sensible size; files and folders written whole or not at all.

A pipe is waited for without end, a device never stops, and a name can hold what no name of a file has. All of that is
an ``OSError`` here, whose ``strerror`` says what is wrong: whoever reads such a file names it, and says that it cannot
be read.
"""

from __future__ import annotations

import errno
import glob
import json
import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from incrowd.core._draft import Draft, drafts, raise_error, shown_name
from incrowd.core._errors import FORCE, DataError, Hint, name_list

LARGEST = 2**28
"""Bytes of the largest file that is read as a whole: a tree of some million values."""


def bytes_in(path: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """Read a file; refuse what is none, and what is larger than any such file is."""
    check_path(path)
    with open(path, "rb", opener=_open_without_waiting) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most / 2**20:g} MB")
    return content


def text_in(path: str | os.PathLike[str], most: int = LARGEST) -> str:
    """Read a file of UTF-8; what is none is a ``UnicodeDecodeError``."""
    return bytes_in(path, most).decode()


def json_in(path: str | os.PathLike[str], most: int = LARGEST) -> Any:
    """Read a file of JSON; what is none, or nests without end, is a ``ValueError``."""
    try:
        return json.loads(text_in(path, most))
    except RecursionError:
        pass
    msg = "nests too deep"
    raise ValueError(msg)


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse what cannot be the name of a file, whether there is one or not."""
    try:
        os.lstat(path)
    except ValueError:
        raise OSError(errno.EINVAL, "its name holds a character that no file's name has") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise OSError(errno.ENAMETOOLONG, "its name is too long") from None


def check_file(path: str | os.PathLike[str]) -> None:
    """Refuse what is no file; also what cannot be the name of one."""
    check_path(path)
    _check_kind(os.stat(path).st_mode)  # noqa: PTH116 - as it was given


def _open_without_waiting(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        _check_kind(os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no file")


# Write a file, or several, whole or not at all.

Target = str | os.PathLike[str]


@contextmanager
def atomic_path(target: Target, *, force: bool = False, reads: Iterable[object] = ()) -> Iterator[Path]:
    """Give a path to write to, in a private folder beside the target; it becomes the target when the block ends well.

    A symbolic link is followed: the file that it names is replaced, the link stays. A folder never is, nor are the
    paths that it ``reads``, nor what lies in such a folder; another file only by ``force``. The path is called like
    the target, so that a writer that looks at its endings knows what to write. If the block fails, the target is as it
    was.
    """
    with drafts(_file_draft(target, reads, force=force)) as (new,):
        yield new


@contextmanager
def atomic_paths(targets: Sequence[Target], *, force: bool = False) -> Iterator[list[Path]]:
    """Give a path to write to for each of several files: all of them become their targets, in this order, or none."""
    with drafts(*(_file_draft(target, force=force) for target in targets)) as new:
        yield new


def check_target(target: Target, *, force: bool = False, reads: Iterable[object] = ()) -> None:
    """Refuse what ``atomic_path`` would refuse, before the work whose result is to be written there."""
    draft = _file_draft(target, reads, force=force)
    draft.begin()
    draft.remove()


def _file_draft(target: Target, reads: Iterable[object] = (), *, force: bool) -> Draft:
    def refuse(there: Path) -> None:
        _refuse_file(there, shown_name(target), reads, force=force)

    return Draft(target, "file", refuse)


def _is_among(final: Path, reads: Iterable[object]) -> bool:
    """Say whether a file is one of those that are read: by its name, a pattern, or the folder that it lies in."""
    paths = [os.fspath(one) for one in reads if isinstance(one, (str, os.PathLike))]
    files = [file for path in paths for file in (path, *glob.glob(path, recursive=True))]  # noqa: PTH207 - any pattern
    found = [Path(os.path.realpath(file)) for file in files]
    return any(final == one or one in final.parents for one in found)


def _refuse_file(final: Path, shown: str, reads: Iterable[object], *, force: bool) -> None:
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


def remove_path(path: Path) -> None:
    """Remove a file, or a folder that stands for one: Spark writes a table as a folder of files."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# Write a folder whole or not at all.

OF_THE_SYSTEM = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""What a system puts into a folder that somebody looks at: nobody's work."""


@contextmanager
def atomic_folder(target: Target, *, holds: Collection[str], force: bool = False) -> Iterator[Path]:
    """Give a folder to write into, in a private one beside the target; it becomes the target when the block ends well.

    Only an empty folder is replaced, or by ``force`` one that holds nothing but the files that it ``holds``: paths
    inside it, with ``*`` for any part of a name, of which the first is in every such folder.

    Everything is flushed to the disk before the folder gets its name. To replace a folder, the two exchange their
    names in one step where the system can: whoever is killed leaves the old one whole or the new one, and a hidden
    folder that the next one removes. Elsewhere the old one steps aside first: killed exactly then, nothing has the
    name, and the next one puts the old one back.
    """

    def refuse(there: Path) -> None:
        _refuse_folder(there, shown_name(target), holds, force=force)

    with drafts(Draft(target, "folder", refuse)) as (new,):
        new.mkdir()
        yield new


def _refuse_folder(final: Path, shown: str, holds: Collection[str], *, force: bool) -> None:
    if not final.parent.is_dir():
        msg = f"Cannot write the folder {shown!r}: there is no folder {final.parent.name!r}."
        raise DataError(msg, hint="make that folder first.")
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
    for place, folders, files in os.walk(folder, onerror=raise_error):
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in (*files, *links):
            if name not in OF_THE_SYSTEM:
                yield Path(place, name).relative_to(folder).as_posix()


def _is_match(path: str, pattern: str) -> bool:
    parts, patterns = PurePosixPath(path).parts, PurePosixPath(pattern).parts
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
