"""A recoding as a header, which is JSON, and plain arrays; where they are written is for others to decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core._domain import Domain
from incrowd.core._errors import DataError
from incrowd.core._grouping import group
from incrowd.core._labelling import numbered
from incrowd.core._ladder import Ladder
from incrowd.core._packing import smallest_unsigned
from incrowd.core._recoding import FullDomainRecoding, LocalRecoding, Recoding
from incrowd.core._value_texts import exact_number

FORMAT = "incrowd recoding 1"

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
Header = dict[str, Any]


def put_recoding(recoding: Recoding) -> tuple[Header, Arrays]:
    """Take a recoding apart: what JSON can hold, and arrays of whole numbers, floats or texts by name."""
    arrays: Arrays = {}
    header: Header = {
        "format": FORMAT,
        "quasi": list(recoding.quasi),
        "domains": [_put_domain(arrays, f"domain {name}", domain) for name, domain in recoding.domains.items()],
        "heights": {name: ladder.height for name, ladder in recoding.ladders.items()},
    }
    for name, ladder in recoding.ladders.items():
        _put_ladder(arrays, f"ladder {name}", ladder)
    if isinstance(recoding, FullDomainRecoding):
        header |= {"kind": "full domain", "levels": dict(recoding.levels)}
        arrays |= {f"suppressed {number}": codes for number, codes in enumerate(recoding.suppressed)}
        return header | {"suppressed": len(recoding.suppressed), "masked": recoding.masked}, arrays
    return header | {"kind": "local", "floor": dict(recoding.floor)}, arrays | put_cells(recoding)


def put_cells(recoding: LocalRecoding) -> Arrays:
    """Take out of a local recoding what it says of its cells; the rest is the same for all parts of a table."""
    return {
        **{f"cell {number}": codes for number, codes in enumerate(recoding.codes)},
        **{f"label {number}": texts for number, texts in enumerate(recoding.labels)},
        "classes": recoding.classes,
        "counts": recoding.counts,
    }


def join_cells(parts: Sequence[Mapping[str, Array]]) -> Arrays:
    """Put what recodings of parts say of their cells one after the other; classes that are called the same are one."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    labels = [name for name in joined if name.startswith("label ")]
    starts = np.cumsum([0, *(len(part[labels[0]]) for part in parts)])
    classes = [part["classes"] for part in parts]
    own = [np.where(one < 0, -1, one + start) for one, start in zip(classes, starts, strict=False)]
    found = [numbered(joined[name]) for name in labels]
    alike = group([numbers for _, numbers in found], [max(len(texts), 1) for texts, _ in found])
    joined["classes"] = np.append(alike.ids.astype(np.int64), -1)[np.concatenate(own)]
    return joined | {name: joined[name][alike.first] for name in labels}


def get_recoding(header: Header, arrays: Mapping[str, Array]) -> Recoding:
    """Put a recoding together again."""
    if header.get("format") != FORMAT:
        msg = "This is not a recoding of this version."
        raise DataError(msg, hint="save it again with this version of incrowd.")
    found = [_get_domain(arrays, entry) for entry in header["domains"]]
    domains = {domain.column: domain for domain in found}
    ladders = {name: _get_ladder(arrays, name, height) for name, height in header.get("heights", {}).items()}
    if header["kind"] == "full domain":
        return FullDomainRecoding(
            domains=domains,
            ladders=ladders,
            levels={name: header["levels"][name] for name in header["quasi"]},
            suppressed=tuple(arrays[f"suppressed {number}"] for number in range(header["suppressed"])),
            masked=header.get("masked", False),
        )
    return LocalRecoding(
        quasi=tuple(header["quasi"]),
        domains=domains,
        codes=tuple(arrays[f"cell {number}"] for number in range(len(domains))),
        classes=arrays["classes"],
        counts=arrays["counts"],
        labels=tuple(arrays[f"label {number}"] for number in range(len(header["quasi"]))),
        ladders=ladders,
        floor=header.get("floor", {}),
    )


def _put_ladder(arrays: Arrays, key: str, ladder: Ladder) -> None:
    for level, (groups, labels, leaves) in enumerate(zip(ladder.groups, ladder.labels, ladder.leaves, strict=True)):
        arrays[f"{key} groups {level}"] = groups
        arrays[f"{key} labels {level}"] = labels
        arrays[f"{key} leaves {level}"] = leaves


def _get_ladder(arrays: Mapping[str, Array], column: str, height: int) -> Ladder:
    groups, labels, leaves = (
        [arrays[f"ladder {column} {part} {level}"] for level in range(height + 1)]
        for part in ("groups", "labels", "leaves")
    )
    compact = [codes.astype(smallest_unsigned(len(texts))) for codes, texts in zip(groups, labels, strict=True)]
    return Ladder(column, tuple(compact), tuple(labels), tuple(leaves))


def _put_domain(arrays: Arrays, key: str, domain: Domain) -> Header:
    """Store values as whole numbers, floats or texts; the header says what they were."""
    values = domain.values
    kinds = sorted({type(value).__name__ for value in values.tolist()}) if values.dtype == object else []
    if values.dtype == object:
        arrays[f"{key} values"] = _objects(str(value) for value in values.tolist())
    else:
        arrays[f"{key} values"] = values if values.dtype.kind == "f" else values.astype(np.int64)
    arrays[f"{key} counts"] = domain.counts
    if domain.spelling is not None:
        arrays[f"{key} spelling"] = domain.spelling
    return {"column": domain.column, "kind": domain.kind, "type": str(values.dtype), "objects": kinds}


def _get_domain(arrays: Mapping[str, Array], entry: Header) -> Domain:
    key = f"domain {entry['column']}"
    values = arrays[f"{key} values"]
    if entry["type"] == "object":
        number = entry["kind"] == "number"
        values = _objects(exact_number(Decimal(text)) if number else text for text in values.tolist())
    else:
        values = values.astype(entry["type"])
    return Domain(entry["column"], entry["kind"], values, arrays[f"{key} counts"], arrays.get(f"{key} spelling"))


def _objects(values: Iterable[object]) -> npt.NDArray[np.object_]:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array
