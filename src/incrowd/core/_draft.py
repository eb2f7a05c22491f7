"""What is being written: private, locked, beside its target, and then exchanged with it; locks of files and folders."""

from __future__ import annotations

import ctypes
import errno
import glob
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from incrowd.core._errors import DataError

DAY = 86_400.0
"""Seconds after which a draft is left over, where nobody can tell whether somebody writes it."""
TOKEN = 8
"""How many random bytes tell one who writes from another."""
TRIES, PAUSE = 10, 0.05
"""How often a draft is removed that does not go, and the seconds in between."""
ASIDE = ".old"
"""What is replaced steps aside into the draft with this behind its name, where names cannot be exchanged."""
OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Troubles that no other place and no other rights would mend."""
UNKNOWN = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})
"""What a system says that cannot do something at all, or not on this disk."""


def shown_name(target: str | os.PathLike[str]) -> str:
    """Give the name of a target for a message; ``.`` and ``/`` have none of their own."""
    return Path(target).name or os.fspath(target)


class Draft:
    """A file or folder that is being written in a private folder beside its target, under the same name."""

    def __init__(self, target: str | os.PathLike[str], kind: str, refuse: Callable[[Path], None]) -> None:
        self._target, self._kind, self._refuse = target, kind, refuse
        self._final = Path(os.path.realpath(target))

    new: Path
    """Where to write."""
    _place: Path | None = None
    _lock: int | None = None
    _written: os.stat_result
    _replaces: bool

    def begin(self) -> Path:
        """Find out, before any work is done, whether it can be written there. A full disk is the machine's fault."""
        try:
            _clear_away(self._final)
            self._refuse(self._final)
            self._make_place()
        except OSError as error:
            if error.errno in OF_THE_MACHINE:
                vars(error)[_WRITTEN] = error.filename = os.fspath(self._target)
                raise
            reason = error.strerror
        else:
            return self.new
        msg = f"Cannot write the {self._kind} {shown_name(self._target)!r}: {reason}."
        raise DataError(msg, hint="choose another place, or check your rights.")

    def _make_place(self) -> None:
        """Make a folder for us alone and hold its lock: what nobody holds is left over from somebody who was killed.

        It is known before it is there, so that whoever stops us at any moment finds it removed.
        """
        while True:
            place = self._place = self._final.with_name(f".{self._final.name}-{secrets.token_hex(TOKEN)}.part")
            self.new = place / self._final.name
            place.mkdir(mode=0o700)
            try:
                with suppress(FileNotFoundError):
                    self._lock, free = _lock(place)
                    if free and place.is_dir():
                        return
                    _close(self._lock)
            except OSError:
                with suppress(OSError):
                    place.rmdir()
                raise
            self._lock = None  # somebody took it for left over before it was held

    def flush(self) -> None:
        """Make sure that all of it is on the disk, and that its target may still be replaced."""
        _flush(self.new)
        self._refuse(self._final)  # somebody else may have written meanwhile
        self._written, self._replaces = self.new.lstat(), _is_there(self._final)

    def put_in_place(self) -> None:
        """Give it its name; what had the name is then in the draft."""
        if self._replaces and _exchange(self.new, self._final):
            self._refuse(self.new)  # somebody else may have written until this moment
        elif self._replaces and self.new.is_dir():
            self._final.rename(self._aside)
            self._refuse(self._aside)
            self.new.rename(self._final)
        else:
            self.new.replace(self._final)
        _flush_to_disk(self._final.parent)

    def take_back(self) -> None:
        """Let what had the name have it again, wherever this was interrupted; who is aside gets it on removal."""
        with suppress(OSError):
            if os.path.samestat(self._final.lstat(), self._written):
                if _is_there(self.new):
                    _exchange(self.new, self._final)
                elif _is_there(self._aside) or not self._replaces:
                    self._final.rename(self.new)

    def remove(self) -> None:
        """Remove what is left, and let go of the lock; who was stopped may still have a thread that writes there."""
        if self._place is None:
            return
        for _ in range(TRIES):
            _remove_draft(self._place, self._final)
            if not os.path.lexists(self._place):
                break
            time.sleep(PAUSE)
        _close(self._lock)

    @property
    def _aside(self) -> Path:
        return self.new.with_name(self.new.name + ASIDE)

    def is_named_by(self, error: OSError) -> bool:
        """Say whether an error of the system is about this, or names nothing."""
        if isinstance(error, (ConnectionError, TimeoutError)):
            return False
        named = error.filename
        ours = {self._final, self._final.parent, self._place}
        return named is None or (isinstance(named, str) and (Path(named) in ours or self.holds(named)))

    def holds(self, path: str) -> bool:
        """Say whether a path is that of the draft, or in it."""
        return Path(path).is_relative_to(self.new)

    def name_target(self, error: OSError) -> None:
        """Let an error name what was to be written in place of the draft, which nobody knows of."""
        named, told = error.filename, Path(self._target)
        if isinstance(named, str) and self.holds(named) and error.filename2 is None:
            told /= Path(named).relative_to(self.new)
        vars(error)[_WRITTEN] = error.filename = os.fspath(told)
        if error.filename2 is not None:
            del error.filename2


@contextmanager
def _naming(draft: Draft) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        draft.name_target(error)
        raise


@contextmanager
def drafts(*wanted: Draft) -> Iterator[list[Path]]:
    """Give the paths to write to; all get their names, in this order, when the block ends well, or none."""
    begun: list[Draft] = []
    try:
        for draft in wanted:
            draft.begin()
            begun.append(draft)
        yield [draft.new for draft in begun]
        for draft in begun:
            with _naming(draft):
                draft.flush()
        with ExitStack() as back:
            for draft in begun:
                back.callback(draft.take_back)
                with _naming(draft):
                    draft.put_in_place()
            back.pop_all()
    except OSError as error:
        about = next((draft for draft in begun if draft.is_named_by(error)), None)
        if about is not None and (unwritten_by(error) is None or about.holds(error.filename)):
            about.name_target(error)
        raise
    finally:
        for draft in wanted:  # also the one that was stopped while it began
            draft.remove()


_WRITTEN = "incrowd_writes"


def unwritten_by(error: BaseException) -> str | None:
    """Name what was not written, if that is what an error of the system says; whatever else it names is not told."""
    found: str | None = vars(error).get(_WRITTEN)
    return found


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


def raise_error(error: OSError) -> NoReturn:
    """Let no part of a folder be passed over because it cannot be looked at."""
    raise error


def _flush(path: Path) -> None:
    """Make sure that all of a file or folder is on the disk before anybody relies on it."""
    for place, _, files in os.walk(path, onerror=raise_error) if path.is_dir() else ():
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
