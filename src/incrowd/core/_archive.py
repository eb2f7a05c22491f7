"""Domains and ladders as plain arrays and a JSON header, in one NumPy file: nothing runs when it is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from incrowd.core._domain import Domain
from incrowd.core._grouping import smallest_unsigned
from incrowd.core._ladder import Ladder
from incrowd.core._texts import exact_number
from incrowd.core._whole_files import atomic_path, check_file

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
Header = dict[str, Any]
"""What JSON can hold of something that was taken apart into arrays."""


def write_archive(path: Path, header: Header, arrays: Mapping[str, Array]) -> None:
    """Write arrays to an uncompressed NumPy archive, whole or not at all; those of texts as bytes and lengths."""
    stored: Arrays = {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}
    for name, array in arrays.items():
        stored |= _text_bytes(name, array) if array.dtype == object else {name: array}
    with atomic_path(path, force=True) as part, part.open("wb") as file:
        np.savez(file, allow_pickle=False, **cast("Any", stored))


def read_archive(path: Path) -> tuple[Header, Archive]:
    """Read what ``write_archive`` wrote; a foreign or broken file can fail in any way, and quote what it holds."""
    check_file(path)
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        stored: Arrays = {name: archive[name] for name in archive.files}
    texts = [name.removesuffix(" lengths") for name in stored if name.endswith(" lengths")]
    texts_by_name = {name: _texts_of_bytes(stored, name) for name in texts}
    return json.loads(stored["header"].tobytes()), Archive(stored | texts_by_name)


def _text_bytes(name: str, texts: Iterable[str | None]) -> Arrays:
    """Give texts as UTF-8 bytes and their lengths; a missing one has the length -1."""
    encoded = [None if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([-1 if text is None else len(text) for text in encoded], dtype=np.int64)
    blob = np.frombuffer(b"".join(text or b"" for text in encoded), dtype=np.uint8)
    return {f"{name} bytes": blob, f"{name} lengths": lengths}


def _texts_of_bytes(arrays: Arrays, name: str) -> npt.NDArray[np.object_]:
    blob, lengths = arrays[f"{name} bytes"].tobytes(), arrays[f"{name} lengths"]
    ends = np.cumsum(np.maximum(lengths, 0))
    return _object_array(
        None if length < 0 else blob[end - length : end].decode("utf-8", "surrogatepass")
        for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)
    )


def _object_array(values: Iterable[object]) -> npt.NDArray[np.object_]:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


class Archive(dict[str, Array]):
    """Arrays by name: domains and ladders are put into it, and taken out again."""

    def add_ladder(self, key: str, ladder: Ladder) -> None:
        """Add the arrays of a ladder."""
        for level, (groups, labels, leaves) in enumerate(zip(ladder.groups, ladder.labels, ladder.leaves, strict=True)):
            parts = {"groups": groups, "labels": labels, "leaves": leaves}
            self.update({f"{key} {name} {level}": array for name, array in parts.items()})
        if ladder.separator is not None:
            self[f"{key} separator"] = _object_array([ladder.separator])

    def ladder(self, key: str, column: str, height: int) -> Ladder:
        """Put a ladder together again."""
        groups, labels, leaves = (
            [self[f"{key} {part} {level}"] for level in range(height + 1)] for part in ("groups", "labels", "leaves")
        )
        compact = [codes.astype(smallest_unsigned(len(texts))) for codes, texts in zip(groups, labels, strict=True)]
        separator = self[f"{key} separator"].tolist()[0] if f"{key} separator" in self else None
        return Ladder(column, tuple(compact), tuple(labels), tuple(leaves), separator)

    def add_domain(self, key: str, domain: Domain) -> Header:
        """Add the arrays of a domain: values as whole numbers, floats or texts; the header says what they were."""
        values = domain.values
        kinds = sorted({type(value).__name__ for value in values.tolist()}) if values.dtype == object else []
        if values.dtype == object:
            self[f"{key} values"] = _object_array(str(value) for value in values.tolist())
        else:
            self[f"{key} values"] = values if values.dtype.kind == "f" else values.astype(np.int64)
        self[f"{key} counts"] = domain.counts
        if domain.spelling is not None:
            self[f"{key} spelling"] = domain.spelling
        return {"column": domain.column, "kind": domain.kind, "type": str(values.dtype), "objects": kinds}

    def domain(self, key: str, entry: Header) -> Domain:
        """Put a domain together again."""
        values = self[f"{key} values"]
        if entry["type"] == "object":
            number = entry["kind"] == "number"
            values = _object_array(exact_number(Decimal(text)) if number else text for text in values.tolist())
        else:
            values = values.astype(entry["type"])
        return Domain(entry["column"], entry["kind"], values, self[f"{key} counts"], self.get(f"{key} spelling"))
