"""What other libraries raise becomes one of our errors here, because their messages quote the data."""

from __future__ import annotations

import errno
import functools
import os
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import duckdb

from incrowd.core import DataError, EngineError, IncrowdError
from incrowd.engines._backend import DuckBackend
from incrowd.engines._duckdb import duckdb_finding, is_out_of_memory
from incrowd.engines._files import FOREIGN
from incrowd.engines.formats._charset import wrong_encoding
from incrowd.engines.formats._csv import BROKEN, NOT_COMPRESSED, name_of
from incrowd.engines.formats._records import TOO_LONG
from incrowd.engines.spark._session import error_chain, trouble_with_spark

HERE = Path(__file__)
ELSEWHERE = "make room, or spill elsewhere: temp= in Python, the variable TMPDIR on the command line."
P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Turn any foreign error into one of ours that holds no value of the table.

    The new error is raised outside of the ``except`` block, so that not even its context leads to the foreign one.
    """

    @functools.wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (IncrowdError, KeyboardInterrupt):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its message may quote the data
            home = _home_of(*args)
            failed = _failed_work(function.__name__, home, args)
            trouble: BaseException = KeyboardInterrupt() if _is_stopped(error) else _own_error(error, home, failed)
        try:
            raise trouble
        finally:
            del trouble  # else it and this frame keep each other, and a private folder with them

    return inside


def _is_stopped(error: Exception) -> bool:
    """Say whether the user stopped it while DuckDB or Spark was at work, which then calls it an error."""
    behind = any(isinstance(one, KeyboardInterrupt) for one in error_chain(error))
    return behind or isinstance(error, duckdb.InterruptException) or _STOPPED.search(str(error)) is not None


def _home_of(engine: object = None, *_: object) -> DuckBackend | None:
    """Give what a method's engine reads, if DuckDB reads it."""
    home = getattr(engine, "_home", None)
    return home if isinstance(home, DuckBackend) else None


def _failed_work(name: str, home: DuckBackend | None, args: tuple[object, ...]) -> str:
    """Say which file could not be written or read, if it was one."""
    files = [one for one in args if isinstance(one, Path)]
    if files:
        return f": {name_of(files[0])!r} could not be {'written' if 'write' in name else 'read'}"
    return f": {name_of(home.files[0])!r} could not be read" if home and len(home.files) == 1 else ""


def _own_error(error: Exception, home: DuckBackend | None, failed: str) -> IncrowdError:
    message = str(error)
    if line := re.search(r"CSV Error on Line: (\d+)", message):
        return _csv_error(message, int(line[1]))
    text = f"{_file_in_words(message)} cannot be read as a table of text."
    closed = f"{_file_named(error, failed)} may not be read or written."
    known = (
        (
            isinstance(error, duckdb.InvalidInputException) and "CSV" in message,
            DataError(text, hint="all its lines must end in the same way."),
        ),
        (isinstance(error, FileNotFoundError), DataError(f"{_file_named(error)} does not exist.")),
        (isinstance(error, PermissionError), DataError(closed, hint="check your rights.")),
        (isinstance(error, duckdb.IOException) and _NO_GZIP.search(message), _cut_off(home)),
        (_NO_PARQUET.search(message), DataError("The file is not a Parquet file, or is cut off.", hint=BROKEN)),
        (_NO_SPACE.search(message), EngineError(f"The disk is full{failed}.", hint=ELSEWHERE)),
        (is_out_of_memory(error), EngineError(f"Memory ran out{failed}.", hint="raise the memory limit.")),
        (_of_system(error), EngineError(f"{_of_system(error)}{failed}.", hint="check the disk and your rights.")),
    )
    known_here = next((trouble for applies, trouble in known if applies), None)
    told = trouble_with_spark(error) or duckdb_finding(message) or known_here
    return (
        told or (home.damage() if home and isinstance(error, FOREIGN) else None) or _unknown_engine_error(error, failed)
    )


_STOPPED = re.compile("^Query interrupted|\\nKeyboardInterrupt\\n$")
_NO_SPACE = re.compile("No space left on device|max_temp_directory_size")
_NO_GZIP = re.compile("GZIP (stream|archive)")
_NO_PARQUET = re.compile("[Mm]agic bytes|to be a Parquet file|Parquet file size")
_SYSTEM = re.compile(
    "|".join(
        re.escape(os.strerror(one))
        for one in (errno.EIO, errno.EACCES, errno.EROFS, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EFBIG)
    )
)


def _of_system(error: Exception) -> str | None:
    """Give what the system says, in its own words: those of a library around it may quote the data."""
    found = _SYSTEM.search(str(error)) if isinstance(error, (OSError, duckdb.IOException)) else None
    return None if found is None else found[0]


def _cut_off(home: DuckBackend | None) -> DataError:
    files = () if home is None else home.files
    name = f"The file {name_of(files[0])!r}" if len(files) == 1 else "A file"
    return DataError(f"{name} is not a gzip file, or is cut off.", hint=NOT_COMPRESSED)


def _file_named(error: Exception, failed: str = "") -> str:
    """Name the file that the system complains about, if it says which, or else the one that was at work."""
    name = getattr(error, "filename", None)
    worked = _QUOTED.match(failed)
    return f"The file {name_of(Path(name))!r}" if isinstance(name, str) else f"The file{worked[1] if worked else ''}"


_QUOTED = re.compile(":( '.*') could not be ")


def _unknown_engine_error(error: Exception, failed: str) -> EngineError:
    kind = f"{type(error).__module__.split('.')[0]}.{type(error).__name__}"
    place = next((f"{Path(at.filename).name}:{at.lineno}" for at in _own_frames(error)), "unknown place")
    withheld = "its message is withheld because it may quote the data"
    return EngineError(f"The engine could not do it ({kind} at {place}){failed}; {withheld}.")


def _own_frames(error: Exception) -> list[traceback.FrameSummary]:
    """Give the stack inside this room, innermost first: places, no values."""
    frames = [(frame, Path(frame.filename)) for frame in traceback.extract_tb(error.__traceback__)]
    return [frame for frame, path in reversed(frames) if path.parent == HERE.parent and path != HERE]


def _csv_error(message: str, line: int) -> DataError:
    where = f"Line {line} of t{_file_in_words(message)[1:]}"
    expected = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if expected:
        return DataError(
            f"{where} has {expected[2]} value{'' if expected[2] == '1' else 's'}, expected {expected[1]}.",
            hint="a separator inside a value needs quotes around the value.",
        )
    if "maximum line size" in message.lower():
        return DataError(f"{where} is too long.", hint=TOO_LONG)
    if "unicode" in message.lower() or "utf-8" in message.lower():
        return wrong_encoding(_path_in_message(message), f"{where} is not valid UTF-8.")
    if "quote" in message.lower():
        hint = "close it; a quote inside a quoted value is written twice."
        return DataError(f"{where} has a quote that is never closed.", hint=hint)
    return DataError(f"{where} cannot be read.")


def _file_in_words(message: str) -> str:
    """Name the file that DuckDB complains about. It quotes the line first and says then where that stands."""
    path = _path_in_message(message)
    return "The file" if path is None else f"The file {name_of(path)!r}"


def _path_in_message(message: str) -> Path | None:
    said = re.findall(r"^  file = (.+)$", message, re.MULTILINE)
    return Path(said[-1]) if said and Path(said[-1]).is_file() else None
