"""Files and folders written whole or not at all, beside their target; locks of files and folders."""

from __future__ import annotations

import ctypes
import errno
import glob
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from incrowd.core._errors import FORCE, DataError, Hint, name_list


@contextmanager
def atomic_path(target: str | os.PathLike[str], *, force: bool = False, reads: Iterable[object] = ()) -> Iterator[Path]:
    """Give a path to write to, in a private folder beside the target; it becomes the target when the block ends well.

    A symbolic link is followed: the file that it names is replaced, the link stays. A folder never is, nor are the
    paths that it ``reads``, nor what lies in such a folder; another file only by ``force``. The path is called like
    the target, so that a writer that looks at its endings knows what to write. If the block fails, the target is as it
    was.
    """

    def refuse(there: Path) -> None:
        _refuse_file(there, _shown(target), reads, force=force)

    with _draft(target, "file", refuse) as new:
        yield new


def check_target(target: str | os.PathLike[str], *, force: bool = False, reads: Iterable[object] = ()) -> None:
    """Refuse what ``atomic_path`` would refuse, before the work whose result is to be written there."""

    def refuse(there: Path) -> None:
        _refuse_file(there, _shown(target), reads, force=force)

    final = Path(os.path.realpath(target))
    place, descriptor = _begin(final, target, "file", refuse)
    _remove_draft(place, final)
    _close(descriptor)


def _is_among(final: Path, reads: Iterable[object]) -> bool:
    """Say whether a file is one of those that are read: by its name, a pattern, or the folder that it lies in."""
    paths = [os.fspath(one) for one in reads if isinstance(one, (str, os.PathLike))]
    files = [file for path in paths for file in (path, *glob.glob(path, recursive=True))]  # noqa: PTH207 - any pattern
    found = [Path(os.path.realpath(file)) for file in files]
    return any(final == one or one in final.parents for one in found)


def _shown(target: str | os.PathLike[str]) -> str:
    return Path(target).name or os.fspath(target)


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


# Write a folder whole or not at all.

OF_THE_SYSTEM = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""What a system puts into a folder that somebody looks at: nobody's work."""


@contextmanager
def atomic_folder(target: str | os.PathLike[str], *, holds: Collection[str], force: bool = False) -> Iterator[Path]:
    """Give a folder to write into, in a private one beside the target; it becomes the target when the block ends well.

    Only an empty folder is replaced, or by ``force`` one that holds nothing but the files that it ``holds``: paths
    inside it, with ``*`` for any part of a name, of which the first is in every such folder.

    Everything is flushed to the disk before the folder gets its name. To replace a folder, the two exchange their
    names in one step where the system can: whoever is killed leaves the old one whole or the new one, and a hidden
    folder that the next one removes. Elsewhere the old one steps aside first: killed exactly then, nothing has the
    name, and the next one puts the old one back.
    """

    def refuse(there: Path) -> None:
        _refuse_folder(there, _shown(target), holds, force=force)

    with _draft(target, "folder", refuse) as new:
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
    for place, folders, files in os.walk(folder, onerror=_raise):
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in (*files, *links):
            if name not in OF_THE_SYSTEM:
                yield Path(place, name).relative_to(folder).as_posix()


def _is_match(path: str, pattern: str) -> bool:
    parts, patterns = PurePosixPath(path).parts, PurePosixPath(pattern).parts
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def _raise(error: OSError) -> NoReturn:
    raise error


# What is written lies in a private folder beside its target, under the same name, until it is whole.

DAY = 86_400.0
"""Seconds after which a draft is left over, where nobody can tell whether somebody writes it."""
TOKEN = 8
"""How many random bytes tell one who writes from another."""
ASIDE = ".old"
"""What is replaced steps aside into the draft with this behind its name, where names cannot be exchanged."""
OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Troubles that no other place and no other rights would mend."""
UNKNOWN = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})
"""What a system says that cannot do something at all, or not on this disk."""


@contextmanager
def _draft(target: str | os.PathLike[str], kind: str, refuse: Callable[[Path], None]) -> Iterator[Path]:
    """Give the path to write to; errors of the system then name what was to be written."""
    final = Path(os.path.realpath(target))
    place, descriptor = _begin(final, target, kind, refuse)
    new = place / final.name
    try:
        yield new
        _flush(new)
        refuse(final)  # somebody else may have written meanwhile
        _put_in_place(new, final, refuse)
    except OSError as error:
        _name_target(error, new, target)
        raise
    finally:
        _remove_draft(place, final)
        _close(descriptor)


def _begin(
    final: Path, target: str | os.PathLike[str], kind: str, refuse: Callable[[Path], None]
) -> tuple[Path, int | None]:
    """Find out, before any work is done, whether it can be written there. A full disk is the machine's fault."""
    try:
        _clear_away(final)
        refuse(final)
        return _new_place(final)
    except OSError as error:
        if error.errno in OF_THE_MACHINE:
            vars(error)[_WRITTEN] = error.filename = os.fspath(target)
            raise
        reason = error.strerror
    msg = f"Cannot write the {kind} {_shown(target)!r} there: {reason}."
    raise DataError(msg, hint="choose another place, or check your rights.")


def _new_place(final: Path) -> tuple[Path, int | None]:
    """Make a folder for us alone and hold its lock: what nobody holds is left over from somebody who was killed."""
    place = final.with_name(f".{final.name}-{secrets.token_hex(TOKEN)}.part")
    place.mkdir(mode=0o700)
    try:
        with suppress(FileNotFoundError):
            descriptor, free = _lock(place)
            if free and place.is_dir():
                return place, descriptor
            _close(descriptor)
    except OSError:
        with suppress(OSError):
            place.rmdir()
        raise
    return _new_place(final)  # somebody took it for left over before it was held


_WRITTEN = "incrowd_writes"


def unwritten_by(error: BaseException) -> str | None:
    """Name what was not written, if that is what an error of the system says; whatever else it names is not told."""
    found: str | None = vars(error).get(_WRITTEN)
    return found


def _name_target(error: OSError, draft: Path, target: str | os.PathLike[str]) -> None:
    """Let an error name what was to be written, if it names nothing, or the draft that nobody knows of."""
    place, named, told = draft.parent, error.filename, Path(target)
    if isinstance(error, (ConnectionError, TimeoutError)) or not (named is None or isinstance(named, str)):
        return
    if named is not None and Path(named).is_relative_to(draft) and error.filename2 is None:
        told /= Path(named).relative_to(draft)
    elif named is not None and Path(named) not in {place.parent / draft.name, place.parent, place, draft}:
        return  # something else that was read or written
    vars(error)[_WRITTEN] = error.filename = os.fspath(told)
    if error.filename2 is not None:
        del error.filename2


def _put_in_place(new: Path, final: Path, refuse: Callable[[Path], None]) -> None:
    """Give what was written its name; whatever fails, what had the name keeps it."""
    aside, written, replaces = new.with_name(new.name + ASIDE), new.lstat(), _is_there(final)
    try:
        if replaces and _exchange(new, final):
            refuse(new)  # somebody else may have written until this moment
        elif replaces and new.is_dir():
            final.rename(aside)
            refuse(aside)
            new.rename(final)
        else:
            new.replace(final)
        _flush_to_disk(final.parent)
    except BaseException:
        with suppress(OSError):
            if os.path.samestat(final.lstat(), written):
                if _is_there(new):
                    _exchange(new, final)
                elif _is_there(aside) or not replaces:
                    final.rename(new)
        raise  # what is aside is put back when the draft is removed


def _exchange(one: Path, other: Path) -> bool:
    """Let two files or folders exchange their names in one step; ``False`` where that cannot be done."""
    names = os.fsencode(one), os.fsencode(other)
    library: Any = None if os.name == "nt" else ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(-100, names[0], -100, names[1], 2)  # both as seen from here; RENAME_EXCHANGE
    elif hasattr(library, "renamex_np"):  # macOS
        failed = library.renamex_np(*names, 2)  # RENAME_SWAP
    else:
        return False
    if failed and (code := ctypes.get_errno()) not in {*UNKNOWN, errno.EPERM}:  # which guards say of calls they ignore
        raise OSError(code, os.strerror(code), os.fspath(other))
    return not failed


def _clear_away(final: Path) -> None:
    """Remove what somebody left who was killed, and put back what had stepped aside."""
    for place in final.parent.glob(f".{glob.escape(final.name)}-{'[0-9a-f]' * 2 * TOKEN}.part"):  # of no longer name
        with suppress(OSError):
            descriptor, free = _lock(place)
            try:
                if free:
                    _put_back(place, final)
                    known = has_locks() and descriptor is not None
                    if known or time.time() - place.stat().st_mtime > DAY:
                        _remove_draft(place, final)
            finally:
                _close(descriptor)


def _put_back(place: Path, final: Path) -> None:
    """Give what had stepped aside its name again, unless what was written has it."""
    aside = place / f"{final.name}{ASIDE}"
    if _is_there(aside) and _is_there(place / final.name):
        with suppress(OSError):
            final.rmdir()  # if it is empty
        if not _is_there(final):
            aside.rename(final)


def _remove_draft(place: Path, final: Path) -> None:
    """Remove a draft; what had stepped aside last, so that nobody takes a part of it for the whole."""
    with suppress(OSError):  # in doubt it stays, and the next one tries again
        _put_back(place, final)
        shutil.rmtree(place / final.name, ignore_errors=True)
        shutil.rmtree(place, ignore_errors=True)


def _is_there(path: Path) -> bool:
    """Say whether there is such a name, or raise what keeps us from knowing."""
    with suppress(FileNotFoundError):
        return path.lstat() is not None
    return False


def remove_path(path: Path) -> None:
    """Remove a file, or a folder that stands for one: Spark writes a table as a folder of files."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Make sure that all of a file or folder is on the disk before anybody relies on it."""
    for place, _, files in os.walk(path, onerror=_raise) if path.is_dir() else ():
        for name in files:
            _flush_to_disk(Path(place) / name)
        _flush_to_disk(Path(place))
    if not path.is_dir():
        _flush_to_disk(path)


def _flush_to_disk(path: Path) -> None:
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


def _lock(folder: Path) -> tuple[int | None, bool]:
    """Lock a folder; say too whether it is free, as far as this system and this disk can tell."""
    try:
        descriptor = lock_folder(folder)
    except OSError as error:
        if error.errno not in UNKNOWN:
            raise
        return None, True
    return descriptor, descriptor is not None or not has_locks()


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        with suppress(OSError):
            os.close(descriptor)
