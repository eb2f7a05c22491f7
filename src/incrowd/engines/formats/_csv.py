"""How a text file is laid out: separator, header, quoting, encoding, compression; and its rows for DuckDB."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import re
import secrets
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from incrowd.core import DataError, Hint
from incrowd.engines._duckdb import Workshop, exact_path, inner_names
from incrowd.engines.formats._charset import begins_with_mark, wrong_encoding
from incrowd.engines.formats._records import LONGEST, TAIL, RecordCount, check_end, check_tail

SEPARATORS = (",", ";", "\t", "|")
_LOOK = 1 << 16  # so many characters after the first line are looked at, to see whether they are of the encoding
_UTF8 = {"utf-8", "utf-8-sig", "ascii"}  # encodings that DuckDB reads as they are, by Python's names
_LINES, _HALF = 200, 0.5  # so many lines tell the separator, if at least this share of them agree
_COMMA = re.compile(r"\s*[-+]?[0-9][0-9.' ]*,[0-9]+\s*|\s*[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?\s*")
"""A number with a comma before its decimals or between thousands."""

_NO_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_BLOCK = 1 << 20
_PACKED_ROW = 40  # bytes of a row in a compressed file

NOT_COMPRESSED = "a file that is not compressed must not end in .gz."
BROKEN = "look whether the ending of its name is the right one, or copy it again from where it came."

_COPY = ".utf8-copy"  # how the name of a copy ends
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Header:
    """How a text file begins: what stands between its values, how its columns are named, and whether it has a mark."""

    separator: str
    columns: tuple[str, ...]
    mark: bool = field(default=False, compare=False)


def header_of(path: Path, encoding: str, separator: str | None, *, named: bool = True) -> Header:
    """Read the beginning of a file and find out how it is laid out."""
    check_encoding(encoding)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        msg = f"The separator must be one character and no quote or line break, got {separator!r}."
        raise DataError(msg, hint=Hint("for example {separator}. Without one it is found out.", separator=";"))
    line, more = _use_file(path, with_mark(path, encoding), lambda file: (file.readline(), file.read(_LOOK)))
    if "\0" in line:
        raise wrong_encoding(path, f"The file {path.name!r} is not valid {encoding}: it has zeros between its letters.")
    if not line.strip():
        problem = f"The first line of the file {path.name!r} is empty."
        msg = problem if more.strip() else f"The file {path.name!r} is empty."
        raise DataError(msg, hint="the first line must name the columns." if named else "the first line is a record.")
    usual = "\t" if ".tsv" in path.name.lower() else ","
    found = separator or _best_separator(line, more, usual)
    sure = (
        separator is not None
        or _share_of_equal_width(_cut_rows(line + more, found), whole=len(line + more) <= _LOOK) == 1
    )
    _refuse_title(path, line + more, (found,) if sure else SEPARATORS)
    separator, header = found, _column_names(path, line, found)
    if named:
        for number, name in enumerate(header, start=1):
            if not name.strip():
                msg = f"Column {number} of the file {path.name!r} has no name."
                last = ", and not end with a separator" if number == len(header) > 1 else ""
                raise DataError(msg, hint=f"the first line must name every column{last}.")
    else:
        header = [f"column{number}" for number in range(1, len(header) + 1)]
    return Header(separator, tuple(header), begins_with_mark(path))


@dataclass(frozen=True, slots=True)
class TextFiles:
    """The text files of a table, and how each begins; all are cut as the first one is."""

    files: Sequence[Path]
    headers: Sequence[Header]
    encoding: str
    named: bool

    @classmethod
    def of(cls, files: Sequence[Path], encoding: str, separator: str | None, *, named: bool) -> TextFiles:
        first = header_of(files[0], encoding, separator, named=named)
        others = (header_of(file, encoding, first.separator, named=named) for file in files[1:])
        return cls(files, [first, *others], encoding, named)

    @property
    def header(self) -> Header:
        return self.headers[0]

    def rows_about(self) -> int | None:
        """Guess how many rows there are from the length of the first lines; ``None`` for compressed files."""
        if self.files[0].suffix.lower() == ".gz":
            return None
        with self.files[0].open("rb") as file:
            seen = file.read(_LOOK)
        return round(sum(path.stat().st_size for path in self.files) * seen.count(b"\n") / max(len(seen), 1)) or None

    def rows_at_least(self) -> int:
        """Guess how many rows there are also of compressed files, of which a row hardly takes more than some bytes."""
        known = self.rows_about()
        return sum(path.stat().st_size for path in self.files) // _PACKED_ROW if known is None else known

    def relation(self, workshop: Workshop, *, quoted_nulls: bool) -> tuple[duckdb.DuckDBPyRelation, RecordCount]:
        """Let DuckDB scan the files, told all about how they are laid out; give what counts their records beside it."""
        files = self.files
        if codecs.lookup(self.encoding).name not in _UTF8:
            files = [copy_as_utf8(file, self.encoding, workshop) for file in files]
        for file in files:
            check_whole(file)
        names = [*map(name_of, files)]
        every: Any = [*map(exact_path, files)]  # DuckDB takes a list, and does not say so
        relation = workshop.connection.read_csv(
            every,
            header=self.named,
            sep=self.header.separator,
            quotechar='"',
            escapechar='"',
            columns=dict.fromkeys(inner_names(len(self.header.columns)), "VARCHAR"),
            auto_detect=False,
            allow_quoted_nulls=quoted_nulls,
            hive_partitioning=False,
            buffer_size=4 * LONGEST,  # a quarter of the usual: as fast, and every thread holds several
            compression="gzip" if files[0].suffix.lower() == ".gz" else "none",
        )
        return relation, RecordCount(files, names, self.header.separator, len(self.header.columns), self.named)


def copy_as_utf8(path: Path, encoding: str, workshop: Workshop) -> Path:
    """Copy a file for DuckDB; the copy is there as long as the workshop, and has no name on the disk."""
    start = path.name.encode("utf-8", "ignore")[:150].decode("utf-8", "ignore")  # names have so many bytes, not letters
    copy = workshop.copy(f"{start}.{secrets.token_hex(8)}{_COPY}")
    text = io.TextIOWrapper(copy.file, encoding="utf-8", newline="")
    try:
        _use_file(path, with_mark(path, encoding), lambda source: shutil.copyfileobj(source, text))
        text.detach().flush()
    except BaseException:
        copy.close()
        raise
    return copy.path


def check_whole(path: Path) -> None:
    """Refuse a file that does not end as text does, and a compressed one that is damaged or cut off.

    DuckDB does not look at the checksum of what it unpacks.
    """
    if path.suffix.lower() != ".gz":
        check_end(path, name_of(path))
        return
    tail = b""
    with suppress(*_NO_GZIP), gzip.open(path) as file:
        while block := file.read(_BLOCK):
            tail = (tail + block)[-TAIL:]
        check_tail(tail, path, path.name)
        return
    raise _cut_off(path)


def name_of(path: Path) -> str:
    """Give the name of a text file; of a copy, that of the file which was copied."""
    return path.name.removesuffix(_COPY).rpartition(".")[0] if path.name.endswith(_COPY) else path.name


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that Python does not know, or that is none of text."""
    with suppress(LookupError, ValueError):
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        return
    msg = f"There is no encoding {encoding!r}."
    raise DataError(msg, hint="common ones are 'utf-8', 'latin-1', 'cp1252' and 'utf-16'.")


def _use_file(path: Path, encoding: str, use: Callable[[io.TextIOBase], T]) -> T:
    """Open a file and use it; errors that quote its bytes end here, and so does their context."""
    try:
        with _open_text(path, encoding) as file:
            return use(file)
    except UnicodeError:
        trouble = wrong_encoding(path, f"The file {path.name!r} is not valid {encoding.removesuffix('-sig')}.")
    except _NO_GZIP:
        trouble = _cut_off(path)
    raise trouble


def _cut_off(path: Path) -> DataError:
    return DataError(f"The file {path.name!r} is not a gzip file, or is cut off.", hint=NOT_COMPRESSED)


def _open_text(path: Path, encoding: str) -> io.TextIOBase:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def with_mark(path: Path, encoding: str) -> str:
    """Let a file begin with a byte order mark, which is no part of the first name."""
    name = codecs.lookup(encoding).name
    if name == "utf-8":
        return "utf-8-sig"
    return "utf-16" if name in {"utf-16-le", "utf-16-be"} and begins_with_mark(path) else encoding


def _best_separator(line: str, more: str, usual: str) -> str:
    """Choose the separator that cuts most lines into as many columns as the first one; then the one that cuts most.

    Where most lines differ from the first by every separator, the first line alone decides. A comma gives way to
    another sign that fits as well if all that it cuts then are numbers: it stands before their decimals.
    """
    signs = [*dict.fromkeys((usual, *SEPARATORS))]
    cut = {sign: _cut_rows(line + more, sign) for sign in signs}
    fitting = {sign: _share_of_equal_width(rows, whole=len(line + more) <= _LOOK) for sign, rows in cut.items()}
    alike = {sign: share if share >= _HALF else 0.0 for sign, share in fitting.items()}
    decimals = {sign for sign in signs if sign != "," and alike[sign] and _have_decimals(cut[sign][1:])}
    if not any(alike.values()) and _number_of_values(line, ",") == 1 and _have_decimals(cut[";"][1:]):
        return ";"  # one column
    return max(signs, key=lambda sign: (alike[sign], sign in decimals, _number_of_values(line, sign)))


def _cut_rows(text: str, sign: str) -> list[list[str]]:
    try:
        return [row for row in itertools.islice(csv.reader(io.StringIO(text), delimiter=sign), _LINES) if row]
    except csv.Error:
        return []


def _share_of_equal_width(rows: list[list[str]], *, whole: bool) -> float:
    """Give the share of the first lines that have as many values as the first one, if that is more than one."""
    widths = [*map(len, rows)]
    others = widths[1:] if whole or len(widths) <= 2 else widths[1:-1]
    return sum(width == widths[0] for width in others) / len(others) if others and widths[0] > 1 else 0.0


def _have_decimals(rows: list[list[str]]) -> bool:
    """Say whether there are commas in values, all of them in numbers."""
    marked = [cell for row in rows for cell in row if "," in cell]
    return bool(marked) and all(map(_COMMA.fullmatch, marked))


def _refuse_title(path: Path, text: str, signs: Sequence[str]) -> None:
    """Refuse a first line that has at most half of the values that most lines after it have: a title, or a note."""
    filled, usual, number = max((_title_width(text, sign) for sign in signs), key=lambda title: title[1])
    if usual:
        has = "1 value" if filled == 1 else f"{filled} values"
        msg = f"The first line of the file {path.name!r} has {has}, and most lines after it have {usual}."
        hint = f"is it a title? The first line of the table seems to be line {number}: delete what is before it."
        raise DataError(msg, hint=hint)


def _title_width(text: str, sign: str) -> tuple[int, int, int]:
    """Give how many values a first line has that is a title, how many most others have, and where these begin."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    try:
        filled = sum(map(bool, next(rows)))
        others = dict((rows.line_num, row) for row in itertools.islice(rows, _LINES) if any(row))  # noqa: C402 - it moves on
    except csv.Error:
        return 0, 0, 0
    widths = {line: len(row) for line, row in others.items()}
    usual, count = Counter(widths.values()).most_common(1)[0] if widths else (0, 0)
    one_column = sign == "," and all(_COMMA.fullmatch(",".join(row)) for row in others.values())
    is_title = 2 * filled <= usual and usual > 1 and 1 < count >= _HALF * len(widths) and not one_column
    return (filled, usual, min(line for line in widths if widths[line] == usual)) if is_title else (0, 0, 0)


def _number_of_values(line: str, sign: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=sign)))
    except csv.Error:  # nothing was cut, and what is left is too long for a name
        return 0


def _column_names(path: Path, line: str, separator: str) -> list[str]:
    """Cut the first line into names. No message shows any: without a header they are the first record."""
    try:
        names = next(csv.reader([line], delimiter=separator, strict=True))
        if max(map(len, names)) <= _LONGEST_NAME:
            return names
        problem = _TOO_LONG
    except csv.Error as error:
        known = (text for sign, text in _BROKEN.items() if sign in str(error))
        problem = next(known, "has text after a closing quote")
    msg = f"The first line of the file {path.name!r} {problem}."
    raise DataError(msg, hint="it must name the columns; a name has no line break, and a quote in it is written twice.")


_LONGEST_NAME = 131_072  # where the csv module stops by itself, unless somebody in this process told it otherwise
_TOO_LONG = f"has a name of more than {_LONGEST_NAME:,} characters"
_BROKEN = {"unexpected end of data": "has a quote that is never closed", "field larger than field limit": _TOO_LONG}


def first_rows(path: Path, header: Header, encoding: str, *, named: bool = True) -> list[list[str]]:
    """Give the first records of a file as texts, to see how it writes numbers and dates."""
    text = _use_file(path, with_mark(path, encoding), lambda file: file.read(_LOOK))
    try:
        rows = [*csv.reader(io.StringIO(text, newline=""), delimiter=header.separator)]
    except csv.Error:
        return []
    rows = rows[:-1] if len(text) == _LOOK else rows
    return [row for row in rows[int(named) :] if len(row) == len(header.columns)]
