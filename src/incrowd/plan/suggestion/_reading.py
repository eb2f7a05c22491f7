"""How a stranger's file is read: encoding, header, numbers and dates found out, told, and asked about.

Only a suggestion finds out. A release is made from what stands in the plan.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.core import DataError, Domain
from incrowd.engines import (
    Charset,
    Engine,
    Notation,
    can_decode,
    files_of,
    first_rows,
    header_of,
    is_text,
    open_table,
    plain_number,
)
from incrowd.evidence import Profile, profile_of
from incrowd.plan.suggestion._days import questions_of_days
from incrowd.plan.suggestion._item_lists import open_with_lists
from incrowd.plan.suggestion._missing import Gap, Gaps, gaps_in, in_names
from incrowd.plan.suggestion._notation import (
    DAY_FIRST,
    MONTH_FIRST,
    Texts,
    day_forms_by_column,
    forms_of,
    group_mark,
    notation_in,
    questions_about,
)
from incrowd.release import unused_notation_notes

WORDS = {"%d": "dd", "%m": "mm", "%b": "mon", "%Y": "yyyy"}  # how people write the parts of a day
_DAYS_OF_A_MONTH = 12  # a day up to this could be a month
_PARTED = re.compile(r"\S[ :~^#!]+\S")  # a name that perhaps is several, with another sign between them than usual
_NAMED = 3  # so many other encodings are named
_FILES = 20  # the encodings of so many files of a folder are looked at


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A table as it was read."""

    engine: Engine  # the table, and its columns in numbers
    profile: Profile
    # The values of its columns; texts of a frame that are numbers or days as a text file's would be read
    domains: Mapping[str, Domain]
    reading: Mapping[str, Any]  # how it was read: what was given, and what was found out
    found: tuple[str, ...]  # the names of what was found out
    asked: tuple[str, ...]  # what to ask about it
    gaps: Gaps  # what perhaps stands for missing values

    @classmethod
    def of(
        cls,
        table: Any,
        missing: Sequence[str],
        given: Mapping[str, Any],
        check: Callable[[Engine], None] = lambda _: None,
    ) -> Read:
        """Open a table and look at all of it; find out how it is written where nothing is said."""
        given = {name: value for name, value in given.items() if value is not None}
        sketch = Sketch.of(table, given)
        found = {} if sketch is None else sketch.found
        engine, lists = open_with_lists(table, missing, {**given, **found})
        check(engine)
        profile = profile_of(engine)
        if sketch is not None and (more := _later_findings(sketch, engine, profile)):
            found |= more
            engine = open_table(table, missing_values=missing, **given, **found, lists=lists)
            profile = profile_of(engine)
        domains = {name: _texts_as_typed(domain) for name, domain in profile.domains.items()}
        marked = {} if sketch is not None else _marked_numbers(domains)
        domains |= marked
        typed = {name for name, domain in profile.domains.items() if domain.kind != "text"}
        gaps = gaps_in(domains, are_typed)
        marks = {name: frozenset(gap.mark for gap in gaps if name in gap.columns) for name in domains}
        gaps = [replace(_gap_as_written(gap, sketch, engine), number=not typed.isdisjoint(gap.columns)) for gap in gaps]
        said = [f"{note}. Is it right?" for note in unused_notation_notes(engine) if note.split()[0] in given]
        asked = [*said, *_reading_questions(sketch, engine, profile), *_ask_repeats(profile), *_ask_texts([*marked])]
        asked += questions_of_days(domains)
        seen = Gaps(tuple(gaps), marks, tuple(missing), from_texts=sketch is not None)
        return cls(engine, profile, domains, {**given, **found}, tuple(found), tuple(asked), seen)


@dataclass(frozen=True, slots=True)
class Sketch:
    """What the beginning of a text file tells."""

    given: Mapping[str, Any]  # what was said about the file, and what was found out
    found: dict[str, Any]
    columns: Mapping[str, Texts]  # the texts of the first records, by column
    asked: tuple[str, ...]  # what to ask

    @classmethod
    def of(cls, table: Any, given: Mapping[str, Any]) -> Sketch | None:
        """Look at a file; ``None`` for any other table."""
        if not isinstance(table, (str, os.PathLike)):
            return None
        files = files_of(Path(table)).files
        if not is_text(files[0]):
            return None
        found: dict[str, Any] = {}
        asked = [*_find_encoding(files, found)] if "encoding" not in given else []
        encoding, named = {**given, **found}.get("encoding", "utf-8"), given.get("header", True)
        header = header_of(files[0], encoding, given.get("separator"), named=named)
        if "separator" not in given and header.separator != ",":
            found["separator"] = header.separator
        rows = first_rows(files[0], header, encoding, named=named)
        if len(header.columns) == 1 and "separator" not in given and _PARTED.search(header.columns[0]):
            asked.append("the file is read as one column: if a sign stands between values, say separator")
        if not named and rows and _has_text_above_numbers(rows):
            asked.append("the first line looks like names of columns: then leave header = false out")
        columns = {
            name: Counter(text for text in column if text)
            for name, column in zip(header.columns, zip(*rows, strict=True), strict=bool(rows))
        }
        sketch = cls(given, found, columns, tuple(asked))
        found |= sketch.notation(columns)
        return sketch

    @property
    def said(self) -> dict[str, Any]:
        return {**self.given, **self.found}

    @property
    def european(self) -> bool:
        """Whether values are separated as where decimals have a comma."""
        return self.said.get("separator") == ";" or self.said.get("decimal") == ","

    def notation(self, columns: Mapping[str, Texts], *, points: bool = False) -> dict[str, Any]:
        """Find out how numbers and days are written in columns, as far as nobody said."""
        found = notation_in(columns, day_first=self.european, points=points)
        known = {"dates"} & {*self.given}
        known |= set() if {"decimal", "thousands"}.isdisjoint(self.given) else {"decimal", "thousands"}
        return {name: value for name, value in found.items() if name not in known}


def layout_in_words(reading: Mapping[str, Any]) -> list[str]:
    """Say how a table was read, where it is not a plain one."""
    said = reading.get
    marks = {".": "a point", ",": "a comma", " ": "a blank", "'": "an apostrophe"}
    mark = marks.get(said("thousands", ""), f"a {said('thousands')}")
    words = {
        f"separator {'tab' if said('separator') == chr(9) else repr(said('separator'))}": "separator" in reading,
        f"encoding {said('encoding')}": said("encoding", "utf-8") != "utf-8",
        "decimal comma": said("decimal") == ",",
        f"{mark} between thousands": "thousands" in reading,
        f"dates as {form_in_words(said('dates', ''))}": "dates" in reading,
        "no header": said("header") is False,
    }
    return [text for text, holds in words.items() if holds]


def form_in_words(form: str) -> str:
    return re.sub("%.", lambda part: WORDS.get(part[0], part[0]), form)


def _find_encoding(files: Sequence[Path], found: dict[str, Any]) -> Iterator[str]:
    """Find out the encoding of files; what no encoding reads is refused when it is opened."""
    charsets = {file: one for file in files[:_FILES] if (one := Charset.of(file)) is not None}
    others = [one for one in charsets.values() if one.encoding != "utf-8"]
    if not others:
        return
    different = {one.encoding for file, one in charsets.items() if not can_decode(file, "ascii")}
    if len(different) > 1:
        msg = f"The files are written in different encodings: {', '.join(sorted(different))}."
        raise DataError(msg, hint="save all of them in one encoding, best UTF-8.")
    found["encoding"] = others[0].encoding
    if not all(one.sure for one in others):
        also = [*dict.fromkeys(name for one in others for name in one.others)]
        fit = f"{', '.join(also[:_NAMED])} fit{'s' if len(also) == 1 else ''} too" if also else "others may fit too"
        yield f"special characters are read as {others[0].encoding}; {fit}. Do names look right? Else say encoding"


def _has_text_above_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first record has texts where all others have numbers."""
    number = re.compile(Notation().number)
    columns = [*zip(*rows, strict=True)]
    return any(
        len(rest) > 1 and first and not number.fullmatch(first) and all(map(number.fullmatch, filter(None, rest)))
        for first, *rest in columns
    )


def _later_findings(sketch: Sketch, engine: Engine, profile: Profile) -> dict[str, Any]:
    """Find out from all values what the first ones did not tell."""
    done = set(getattr(engine, "rewritten", {}).values())
    texts = {name: _texts_of_domain(domain) for name, domain in profile.domains.items() if domain.kind == "text"}
    points = any(domain.kind == "number" and domain.values.dtype.kind == "f" for domain in profile.domains.values())
    found = sketch.notation(texts, points=points)
    known = ({"decimal", "thousands"} if "number" in done else set()) | ({"dates"} if "date" in done else set())
    return {name: value for name, value in found.items() if name not in known and sketch.found.get(name) != value}


def _reading_questions(sketch: Sketch | None, engine: Engine, profile: Profile) -> Iterator[str]:
    if sketch is None:
        return
    yield from sketch.asked
    rewritten = getattr(engine, "rewritten", {})
    days = {
        name: profile.domains[name] for name, kind in rewritten.items() if kind == "date" and name in profile.domains
    }
    texts = {name: _texts_of_domain(one) for name, one in profile.domains.items() if one.kind == "text"}
    form, others = sketch.said.get("dates"), day_forms_by_column(texts)
    if form is not None:
        yield from _ask_other_forms(form, [*days], others)
    orders = {*DAY_FIRST.values(), *MONTH_FIRST.values()}
    if "dates" in sketch.found and form in orders:
        told = {name for name, domain in days.items() if _tells_order(domain)}
        unsure = [name for name in days if name not in told]
        if unsure and (not told or any(orders & {*forms} for forms in others.values())):
            names = ", ".join(map(repr, unsure))
            yield f"no day of {names} tells day from month: they are read as {form_in_words(form)}. Is that right?"
    for name, column in sketch.columns.items():
        domain, mark = profile.domains.get(name), group_mark(column)
        if domain is not None and domain.kind == "number" and mark is not None:
            yield from _ask_groups(name, mark, sketch)
    yield from questions_about(texts)
    for name, domain in profile.domains.items():
        if domain.kind == "number" and domain.values.dtype.kind == "i" and _are_days(domain):
            yield f'{name!r} is read as a number and looks like days written as yyyymmdd: dates = "%Y%m%d" reads them'


def _ask_repeats(profile: Profile) -> Iterator[str]:
    """Name columns of texts that write one number in two ways."""
    for name, domain in profile.domains.items():
        if times := domain.repeats:
            one = "1 text writes a number or a date" if times == 1 else f"{times:,} texts write numbers or dates"
            yield f"in {name!r} {one} that another one writes too, as 1.0 beside 1, and it stays text: write each alike"


def _ask_other_forms(form: str, days: Sequence[str], others: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Name the columns of days that are written otherwise than those that are read."""
    for name, forms in others.items():
        own = " or ".join(map(form_in_words, forms))
        read = f"{', '.join(map(repr, days))} as {form_in_words(form)}" if days else f"dates are {form_in_words(form)}"
        yield (
            f"{name!r} has days as {own}, and stays text, because a file has one form of days ({read}): write them "
            f"alike, or give {name!r} a ladder of dates with its own format"
        )


def _ask_groups(name: str, mark: str, sketch: Sketch) -> Iterator[str]:
    """Ask about a mark before three digits that could stand between thousands as well as before decimals."""
    sign, other = ("point", ",") if mark == "." else ("comma", ".")
    if sketch.found.get("thousands") == mark:
        yield (
            f"the {sign} in {name!r} is read as a mark between thousands, so that 1{mark}234 is more than a thousand. "
            f'Is that right? If decimals follow it, say decimal = "{mark}"'
        )
    elif "thousands" not in sketch.given and sketch.given.get("decimal") != mark and sketch.european:
        yield (
            f"the {sign} in {name!r} is read as a decimal {sign}, so that 1{mark}234 is a little more than one. "
            f'Is that right? If it stands between thousands, say thousands = "{mark}" and decimal = "{other}"'
        )


def _texts_as_typed(domain: Domain) -> Domain:
    """Read a column of texts as a text file's would be: a frame may hold numbers and days as texts."""
    if domain.kind != "text":
        return domain
    known = len(domain.values)
    return Domain.of_texts(
        domain.column, domain.values.tolist(), domain.counts[:known], int(domain.counts[known:].sum())
    )


def _marked_numbers(domains: Mapping[str, Domain]) -> dict[str, Domain]:
    """Read texts of a frame that are numbers with a decimal comma or marks between thousands, as in a file."""
    texts = {name: _texts_of_domain(domain) for name, domain in domains.items() if domain.kind == "text"}
    found = notation_in(texts, day_first=True, points=False)
    if "decimal" not in found and "thousands" not in found:
        return {}
    notation = Notation(found.get("decimal", "."), found.get("thousands"))
    numbers = {name: [plain_number(notation, text) for text in domains[name].values.tolist()] for name in texts}
    rewritten = {}
    for name, some in numbers.items():
        if some and all(some):
            domain, known = domains[name], len(some)
            values, nulls = np.array(some, dtype=object), int(domain.counts[known:].sum())
            rewritten[name] = _texts_as_typed(Domain.build(name, "text", values, domain.counts[:known], nulls))
    return rewritten


def _ask_texts(names: Sequence[str]) -> Iterator[str]:
    """Ask to make numbers of texts: what stays text can become no range, and nothing near it can be told."""
    if names:
        holds, stays = ("holds", "stays") if len(names) == 1 else ("hold", "stay")
        yield (
            f"{in_names(names)} {holds} numbers as texts, with decimal commas or marks between thousands, and {stays} "
            f"text: make numbers of them, or suggest from the file"
        )


def _gap_as_written(gap: Gap, sketch: Sketch | None, engine: Engine) -> Gap:
    form = None if sketch is None else sketch.said.get("dates")
    rewritten = getattr(engine, "rewritten", {})
    if sketch is None or form is None or not all(rewritten.get(name) == "date" for name in gap.columns):
        return gap
    day = dt.date.fromisoformat(gap.mark[:10])
    short = form.replace("%d", str(day.day)).replace("%m", str(day.month)).replace("%Y", f"{day.year:04d}")
    is_short = any(short in sketch.columns.get(name, {}) for name in gap.columns)
    return replace(gap, mark=short if is_short else day.strftime(form))


def are_typed(texts: list[str]) -> bool:
    """Say whether texts are numbers or days, in one of the forms that are found out."""
    if not texts:
        return False
    kind = Domain.of_texts("", texts, np.ones(len(texts), dtype=np.int64)).kind
    return kind != "text" or bool(notation_in({"": dict.fromkeys(texts, 1)}, day_first=True, points=False))


def _texts_of_domain(domain: Domain) -> Texts:
    return dict(zip(domain.values.tolist(), domain.counts.tolist(), strict=False))


def _tells_order(domain: Domain) -> bool:
    """Whether some day is no month too."""
    days = domain.values.astype("datetime64[D]")
    return bool(((days - days.astype("datetime64[M]")).astype(np.int64) >= _DAYS_OF_A_MONTH).any())


def _are_days(domain: Domain) -> bool:
    low, high = 18_500_101, 21_501_231
    values = domain.values
    return len(values) > 1 and values[0] >= low and values[-1] <= high and "%Y%m%d" in forms_of([*map(str, values)])
