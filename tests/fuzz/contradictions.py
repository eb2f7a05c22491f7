"""What a certificate and its file say of each other, by definition: every contradiction that anybody could find."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from fuzz.definitions import NEAR, STAR, Promise, Row, World, classes_of, findings
from fuzz.tables import Case

Plain = dict[str, Any]
ON_TRUST = {"date", "versions", "limits", "dropped", "suppressed", "masked", "search", "owner_only", "escaped"}
"""Keys of which no file shows whether they are right."""
MEANINGS = {"order", "taxonomy", "categories", "level", "role", "name"}
COMPARED = {"t", "beta", "enhanced-beta", "delta"}


@dataclass
class Release:
    """A release on disk, what it was made of, and the promises whose texts could stand in its certificate."""

    folder: Path
    case: Case
    known: dict[str, Promise]
    about: str

    def __post_init__(self) -> None:
        self.path, self.data = self.folder / "public/release.json", self.folder / "public/data.csv"
        self.text, self.raw = self.path.read_text(encoding="utf-8"), self.data.read_bytes()

    @cached_property
    def certificate(self) -> Plain:
        """What was written."""
        return dict(json.loads(self.text))

    def write(self, certificate: Plain) -> None:
        """Put another certificate in its place."""
        self.path.write_text(json.dumps(certificate, ensure_ascii=False), encoding="utf-8")

    def restore(self) -> None:
        """Put back what was published."""
        self.path.write_text(self.text, encoding="utf-8")
        self.data.write_bytes(self.raw)

    def counted(self, certificate: Plain, rows: Sequence[Sequence[str]]) -> Plain:
        """Count again what a certificate says of its rows."""
        names = [column["name"] for column in certificate["columns"]]
        found = [dict(zip(names, row, strict=True)) for row in rows]
        return {**_counts(certificate, found), "measures": {**certificate["measures"], **_measures(certificate, found)}}


def contradictions(certificate: Any, made: Release) -> list[str]:
    """Name everything that is not as the file shows it."""
    shape = list(_misshapen(certificate, made.certificate))
    if shape:
        return shape
    raw = made.data.read_bytes()
    try:
        header, *lines = list(csv.reader(io.StringIO(raw.decode(), newline="")))
        rows = [dict(zip(header, line, strict=True)) for line in lines]
    except (ValueError, csv.Error):
        return ["the file is no table"]
    try:
        if header != [column["name"] for column in certificate["columns"]]:
            return ["the columns"]
        return [*_wrong_counts(certificate, rows, raw), *_wrong_promises(certificate, rows, made)]
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        return [f"nothing can be counted by it ({type(error).__name__})"]


def _misshapen(found: Any, like: Any, where: tuple[str, ...] = ()) -> Iterator[str]:
    """Name what has another kind than it had, where a file could not have it so, and keys that there are not."""
    if {*where} & {"versions", "search", "limits"}:
        return
    if isinstance(like, dict) and isinstance(found, dict):
        for key in found.keys() ^ like.keys():
            if key not in {"search", "order", "taxonomy", "categories"}:
                yield f"key {key!r} at {where}"
        for key in found.keys() & like.keys():
            yield from _misshapen(found[key], like[key], (*where, key))
    elif isinstance(like, list) and isinstance(found, list):
        if where[-1] in {"columns", "promises", "required"} and len(found) != len(like):
            yield f"the number of {where[-1]}"
        for one, other in zip(found, like, strict=False):
            yield from _misshapen(one, other, (*where, ""))
    elif type(found) is not type(like) and not {*where} & {"owner_only", "escaped", *MEANINGS}:
        yield f"the kind of {where}"


def _quasi(certificate: Plain) -> list[str]:
    return [column["name"] for column in certificate["columns"] if column["role"] == "quasi-identifier"]


def _weight(certificate: Plain, row: Row) -> int:
    counted = [column["name"] for column in certificate["columns"] if column["role"] == "count"]
    return int(row[counted[0]]) if counted else 1


def _sizes(certificate: Plain, rows: Sequence[Row]) -> list[int]:
    groups = classes_of(rows, _quasi(certificate))
    return [sum(_weight(certificate, row) for row in group) for group in groups]


def _counts(certificate: Plain, rows: Sequence[Row]) -> Plain:
    sizes = _sizes(certificate, rows)
    return {"records": sum(sizes), "classes": len(sizes)}


def _measures(certificate: Plain, rows: Sequence[Row]) -> Plain:
    sizes, gone = _sizes(certificate, rows), certificate["suppressed"]
    whole = sum(sizes) + gone
    squares = sum(size * size for size in sizes) + gone * whole
    return {"discernibility": squares, "aecs": whole / max(len(sizes) + (gone > 0), 1)}


def _wrong_counts(certificate: Plain, rows: Sequence[Row], raw: bytes) -> Iterator[str]:
    """Name the numbers that are not those of the file."""
    data = certificate["data"]
    known = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw), "rows": len(rows), "name": "data.csv"}
    yield from (name for name, value in known.items() if data[name] != value)
    counted, measured = _counts(certificate, rows), _measures(certificate, rows)
    yield from (name for name, value in counted.items() if certificate[name] != value)
    for name, value in measured.items():
        if abs(certificate["measures"][name] - value) > NEAR * max(1, value):
            yield name
    for column in certificate["columns"]:
        stars = sum(_weight(certificate, row) for row in rows if row[column["name"]] == STAR)
        if "starred" in column and column["starred"] != stars:
            yield f"stars of {column['name']}"
    yield from _other_claims(certificate)


def _other_claims(certificate: Plain) -> Iterator[str]:
    """Name what every certificate of such a table says, or says of itself."""
    texts = [entry["promise"] for entry in certificate["promises"]]
    levels = [column["level"] for column in certificate["columns"] if column["role"] == "quasi-identifier"]
    sound = {
        "schema": certificate["schema"] == 1,
        "the text of all promises": certificate["promise"] == ", ".join(texts),
        "counted": certificate["counted"] == "records",
        "persons": certificate["persons"] is None,
        "height": None in levels or certificate["measures"].get("height") == sum(levels),
        "pseudonymised": certificate["pseudonymised"] == [],
    }
    yield from (name for name, fine in sound.items() if not fine)


def _wrong_promises(certificate: Plain, rows: Sequence[Row], made: Release) -> Iterator[str]:
    """Name the promises that the file, or the table that it was made of, does not keep."""
    count = made.case.world.count
    table = [row if count is None else {**row, count: int(row[count])} for row in rows]
    untouched = made.data.read_bytes() == made.raw
    for number, entry in enumerate(certificate["promises"]):
        promise = made.known.get(entry["promise"])
        if promise is None:
            yield f"promise {number} has a text that nobody wrote"
            continue
        yield from _wrong_entry(entry, promise, number)
        reference = made.case.rows if untouched else table
        for what, compared in (("made of", reference), ("itself", table)):
            world = World(compared, tuple(_quasi(certificate)), made.case.world.meanings, count)
            compares = promise.kind in COMPARED
            try:
                found = findings(promise, classes_of(table, world.quasi), world)
            except KeyError:
                continue  # a value that the other table does not have
            if any(one.holds is False for one in found) and (what == "made of" or not compares):
                yield f"promise {number} is broken, compared with the table {what}"
            if what == "itself":
                yield from _wrong_measure(entry, promise, number, [one.measured for one in found])


def _wrong_entry(entry: Plain, promise: Promise, number: int) -> Iterator[str]:
    """Name the fields of a promise that do not say what its text says."""
    required = [Fraction(need["bound"]) for need in entry["required"] if _is_fraction(need["bound"])]
    bounds = [*promise.bounds]
    if promise.kind == "delta":
        bounds = [Fraction(0), *bounds]
    if promise.kind == "enhanced-beta":
        bounds = [*bounds, Fraction(1)]
    if promise.kind != entry["kind"] or required != bounds or list(promise.columns) != entry["columns"]:
        yield f"promise {number} has other fields than its text"
    if entry["holds"] is not True:
        yield f"promise {number} is said not to hold"


def _is_fraction(text: str) -> bool:
    try:
        return bool(Fraction(text) + 1)
    except (ValueError, ZeroDivisionError):
        return text == "-1"


def _wrong_measure(entry: Plain, promise: Promise, number: int, measured: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Name what is said to be measured, and is not."""
    senses = [need["sense"] for need in entry["required"]]
    if len(entry["measured"]) != len(senses) or any(len(one) != len(senses) for one in measured):
        yield f"promise {number} has other numbers than bounds"
        return
    for place, (sense, said) in enumerate(zip(senses, entry["measured"], strict=True)):
        worst = (min if sense == ">=" else max)(one[place] for one in measured)
        try:
            close = abs(float(Fraction(said)) - float(worst)) <= NEAR * max(1.0, abs(float(worst)))
            same = close if isinstance(worst, float) else Fraction(said) == worst
        except (ValueError, ZeroDivisionError):
            same = said == "inf" == str(worst)
        if not same:
            yield f"promise {number} measured {said}, by definition {worst} ({promise.kind})"
