"""What a worker has at hand: the table that is looked at, and the last releases. Confidential, and only in memory."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from incrowd.core import DataError, Domain, PrivacyWarning, UnknownColumnError
from incrowd.engines import Notation, Remembered, ending_of, open_table
from incrowd.plan import Plan, Suggestion, suggest
from incrowd.release import Release, first_rows
from incrowd.web._history import read_json
from incrowd.web._plans import read_plan
from incrowd.web._progress import Teller
from incrowd.web._refusal import Plain, refusal

# Spreadsheets are packed: what a small file holds inside is measured before anybody reads it.

PACKED = (".xlsx", ".ods")  # spreadsheets that are archives
MOST_BYTES, MOST_CELLS = 2**31, 50_000_000
"""What a spreadsheet may hold: bytes when it is unpacked, and cells of a sheet from the first to the last."""
_BYTES = f"is larger than {MOST_BYTES / 2**30:g} GB when it is unpacked"
_CELLS = f"has a sheet that spans more than {MOST_CELLS:,} cells"
CHUNK = 2**20
HEADER = 30  # the bytes of a file's header in an archive before its name

_ROW = re.compile(rb"<(?:\w+:)?row\b")
_PLACE = re.compile(rb"<(?:\w+:)?row\b[^>]{0,2000}?\sr\s*=\s*[\"'](\d{1,18})")
_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]{0,2000}?\sr\s*=\s*[\"']([A-Za-z]{1,7})(\d{1,18})[\"']")
_UNPLACED = re.compile(rb"<(?:\w+:)?c(?=[\s/>])(?![^>]{0,2000}?\sr\s*=)")
KEPT = 4096  # bytes of a chunk that are looked at again with the next one: a tag may lie on the border

Key = tuple[str, int, int]
_SMALL: set[Key] = set()  # files that were measured already, by name, size and time


def refuse_huge(path: Path) -> None:
    """Refuse a spreadsheet that would fill the memory, however small its file is."""
    if ending_of(path) not in PACKED or not path.is_file():
        return
    found = path.stat()
    key = str(path), found.st_size, found.st_mtime_ns
    if key in _SMALL:
        return
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            _refuse_huge_parts(archive, file)
    except (BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
        msg = f"The file {path.name!r} is not a spreadsheet, or is broken."
        raise DataError(msg, hint="open it in Excel and save it again.") from error
    _SMALL.clear()
    _SMALL.add(key)


def _refuse_huge_parts(archive: ZipFile, file: IO[bytes]) -> None:
    """Unpack every part of an archive bit by bit, and keep nothing: what its list says may be wrong."""
    left = MOST_BYTES
    if sum(part.file_size for part in archive.infolist()) > left:
        raise _too_large_error(_BYTES)
    for part in archive.infolist():
        extent = _Extent()
        for chunk in _inflated_chunks(file, part):
            left -= len(chunk)
            if left < 0:
                raise _too_large_error(_BYTES)
            extent.look_at(chunk)  # of every part: a sheet may have any name
        if extent.cells > MOST_CELLS:
            raise _too_large_error(_CELLS)


def _inflated_chunks(file: IO[bytes], part: ZipInfo) -> Iterator[bytes]:
    """Unpack a part of an archive, whatever size it claims to have."""
    if part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        msg = "unknown method"
        raise BadZipFile(msg)
    file.seek(part.header_offset)
    header = file.read(HEADER)
    if len(header) < HEADER or header[:4] != b"PK\x03\x04":
        msg = "no header"
        raise BadZipFile(msg)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    inflate = zlib.decompressobj(-15)
    left = part.compress_size
    while left > 0 and (packed := file.read(min(CHUNK // 16, left))):
        left -= len(packed)
        if part.compress_type == ZIP_STORED:
            yield packed
            continue
        while packed and not inflate.eof:
            yield inflate.decompress(packed, CHUNK)
            packed = inflate.unconsumed_tail


@dataclass
class _Extent:
    """How far a sheet reaches: readers keep a place for every cell between the first and the last."""

    rows: int = 0
    columns: int = 0
    rest: bytes = b""

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    def look_at(self, chunk: bytes) -> None:
        """Go on with what was unpacked; what lies on the border is seen again with the next chunk."""
        text = self.rest + chunk
        placed = _CELL.findall(text)
        self.columns = max([self.columns, *map(_column_number_of_letters, {letters for letters, _ in placed})])
        self.rows = max([self.rows, *map(int, {row for _, row in placed}), *map(int, set(_PLACE.findall(text)))])
        if _UNPLACED.search(text):  # such cells stand side by side
            self.columns = max(self.columns, *(len(_UNPLACED.findall(row)) for row in _ROW.split(text)))
        self.rest = text[-KEPT:]


def _column_number_of_letters(letters: bytes) -> int:
    """Give the number of a column that is written as letters: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _too_large_error(what: str) -> DataError:
    msg = f"The spreadsheet {what}: it is not read."
    return DataError(msg, hint="delete what is not part of the table, or save the sheet as CSV.")


RELEASES = 3  # so many releases are kept at hand
LONG = 200  # longer texts are cut
Row = list[str | None]


@dataclass(slots=True)
class WorkerCache:
    tables: dict[tuple[Any, ...], Remembered] = field(default_factory=dict)
    suggestions: dict[tuple[Any, ...], Suggestion] = field(default_factory=dict)
    releases: dict[str, tuple[Plan, Release]] = field(default_factory=dict)


CACHE = WorkerCache()  # the desk of this process


def plan_of(path: str | Path, home: str | Path | None = None) -> Plan:
    """Read a plan whose table is about to be read; one that would fill the memory is refused."""
    plan = read_plan(path, home)
    if plan.data.path is not None:
        refuse_huge(plan.path(str(plan.data.path)))
    return plan


def table_of(plan: Plan) -> Remembered:
    """Open the table of a plan, or give the one that is open; a file that changed is opened again."""
    key = _key_of_plan(plan)
    if key not in CACHE.tables:
        CACHE.tables.clear()  # one table at a time: they are large
        CACHE.suggestions.clear()
        quasi = [name for name, one in plan.columns.items() if one.role == "quasi"]
        drop = quasi if plan.data.missing_policy == "drop" else ()
        engine = open_table(
            plan.path(str(plan.data.path)), missing_values=plan.data.missing, drop_missing=drop, **reading_of(plan)
        )
        CACHE.tables[key] = Remembered(engine)
    return CACHE.tables[key]


def reading_of(plan: Plan) -> Plain:
    sheet = {} if plan.data.sheet is None else {"sheet": plan.data.sheet}
    return {**plan.reading(), **sheet}


def notation_of(plan: Plan) -> Notation:
    return Notation.of(plan.data.decimal, plan.data.thousands, plan.data.dates)


def first_rows_of(plan: Plan, limit: int) -> tuple[list[str], list[Row]]:
    data = plan.data
    how: Plain = {"encoding": data.encoding, "separator": data.separator, "header": data.header, "sheet": data.sheet}
    return first_rows(plan.path(str(data.path)), limit, **how, missing=data.missing)


def short(row: Sequence[str | None]) -> Row:
    return [text if text is None or len(text) <= LONG else f"{text[: LONG - 1]}\N{HORIZONTAL ELLIPSIS}" for text in row]


def share_of(number: Any) -> str | None:
    """Write a share as text; nothing where there is none."""
    return None if number is None else f"{float(number):.6g}"


def suggestion_of(plan: Plan) -> Suggestion:
    key = _key_of_plan(plan)
    table = table_of(plan)
    if key not in CACHE.suggestions:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            CACHE.suggestions[key] = suggest(table)
    return CACHE.suggestions[key]


def domain_of(plan: Plan, column: str) -> Domain:
    table = table_of(plan)
    known = table.columns()
    if column not in known:
        raise UnknownColumnError.of(column, list(known), given_as="column")
    return table.domains([column])[column]


def release_of(folder: str, teller: Teller) -> tuple[Plan, Release]:
    """Give the release of an earlier run; make it again from its plan if it is not at hand."""
    run = read_json(Path(folder) / "run.json", {})
    if folder not in CACHE.releases or not _is_of(run, CACHE.releases[folder][1]):
        plan = plan_of(Path(folder) / "source.toml", Path(folder).parents[2])
        teller.step("making the release again")
        release = plan.run(teller.search)
        if not _is_of(run, release):
            message = "This version cannot be made again: the table has changed, or its search was stopped early."
            raise refusal(409, "another-table", message, "make a new version in step 5.", "run")
        keep(folder, plan, release)
    return CACHE.releases[folder]


def _is_of(run: Plain, release: Release) -> bool:
    """Say whether a release is the one which was made, looked at and attacked as this run."""
    recipe = release.recipe
    levels = None if recipe.levels is None else dict(recipe.levels)
    made = {"levels": levels, "published": recipe.published, "classes": release.verdict.classes}
    same_table = recipe.input.get("sha256") == (run.get("table") or {}).get("sha256")
    return same_table and all(run.get(key) == value for key, value in made.items())


def keep(folder: str, plan: Plan, release: Release) -> None:
    """Keep a release at hand; the oldest makes room."""
    CACHE.releases[folder] = plan, release
    while len(CACHE.releases) > RELEASES:
        del CACHE.releases[next(iter(CACHE.releases))]


def _key_of_plan(plan: Plan) -> tuple[Any, ...]:
    path = plan.path(str(plan.data.path))
    found = path.stat() if path.is_file() else None
    state = None if found is None else (found.st_size, found.st_mtime_ns)
    data = plan.data
    quasi = tuple(name for name, one in plan.columns.items() if one.role == "quasi")
    dropped = quasi if data.missing_policy == "drop" else ()
    return str(path), state, *sorted(reading_of(plan).items()), data.missing, dropped
