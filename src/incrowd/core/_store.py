"""A census as one file: plain arrays and a JSON header, nothing that runs when it is read."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from incrowd.core._census import Census
from incrowd.core._domain import Domain
from incrowd.core._errors import DataError
from incrowd.core._grouping import group, smallest_unsigned
from incrowd.core._labelling import distinct_texts
from incrowd.core._ladder import Ladder
from incrowd.core._recoding import FullDomainRecoding, LocalRecoding, Recoding
from incrowd.core._texts import exact_number

FORMAT = "incrowd census 1"

Array = npt.NDArray[Any]
Arrays = dict[str, Array]


def save_census(census: Census, path: Path) -> None:
    """Write a census to ``path`` as an uncompressed NumPy archive."""
    arrays: Arrays = {f"codes.{number}": codes for number, codes in enumerate(census.codes)}
    arrays["counts"] = census.counts
    if census.person is not None:
        arrays["person"] = census.person
    header = {
        "format": FORMAT,
        "quasi": census.quasi,
        "sensitive": census.sensitive,
        "floor": census.floor,
        "dropped": census.dropped,
        "domains": [_put_domain(arrays, f"domain.{i}", d) for i, d in enumerate(census.domains.values())],
        "ladders": [_put_ladder(arrays, f"ladder.{i}", x) for i, x in enumerate(census.ladders.values())],
    }
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    part = path.with_name(f".{path.name}-{secrets.token_hex(8)}.part")  # nothing is half written: renamed when complete
    try:
        with part.open("wb") as file:
            np.savez(file, allow_pickle=False, **cast("Any", arrays))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def load_census(path: Path) -> Census:
    """Read a census that ``save_census`` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays: Arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays["header"].tobytes())
        if header["format"] == FORMAT:
            return _get_census(arrays, header)
    except Exception as error:  # noqa: BLE001 - a foreign or broken file can fail in any way, and quote what it holds
        trouble = DataError(f"{path.name} cannot be read as a census ({type(error).__name__}).")
    else:
        trouble = DataError(f"{path.name} is not a census of this version.", hint="take the census again.")
    raise trouble  # outside of the except block: the context of an error would keep what the file holds


def _get_census(arrays: Arrays, header: dict[str, Any]) -> Census:
    width = len(header["quasi"]) + len(header["sensitive"])
    domains = [_get_domain(arrays, f"domain.{i}", entry) for i, entry in enumerate(header["domains"])]
    ladders = [_get_ladder(arrays, f"ladder.{i}", entry) for i, entry in enumerate(header["ladders"])]
    return Census(
        quasi=tuple(header["quasi"]),
        sensitive=tuple(header["sensitive"]),
        domains={domain.column: domain for domain in domains},
        ladders={ladder.column: ladder for ladder in ladders},
        floor=tuple(header["floor"]),
        codes=tuple(arrays[f"codes.{number}"] for number in range(width)),
        person=arrays.get("person"),
        counts=arrays["counts"],
        dropped=header["dropped"],
    )


def _put_domain(arrays: Arrays, key: str, domain: Domain) -> dict[str, Any]:
    arrays[f"{key}.counts"] = domain.counts
    kinds = sorted({type(value).__name__ for value in domain.values}) if domain.values.dtype == object else []
    if kinds:
        _put_texts(arrays, f"{key}.values", (str(value) for value in domain.values))
    else:
        arrays[f"{key}.values"] = domain.values if domain.values.dtype != object else domain.values.astype("U1")
    if domain.spelling is not None:
        _put_texts(arrays, f"{key}.spelling", domain.spelling)
    return {"column": domain.column, "kind": domain.kind, "objects": kinds, "spelled": domain.spelling is not None}


def _get_domain(arrays: Arrays, key: str, entry: dict[str, Any]) -> Domain:
    if entry["objects"]:
        read = str if entry["objects"] == ["str"] else _number_of_text
        values = _objects(read(cast("str", text)) for text in _get_texts(arrays, f"{key}.values"))
    else:
        values = arrays[f"{key}.values"]
        values = values.astype(object) if values.dtype.kind == "U" else values
    spelling = _get_texts(arrays, f"{key}.spelling") if entry["spelled"] else None
    return Domain(entry["column"], entry["kind"], values, arrays[f"{key}.counts"], spelling)


def _put_ladder(arrays: Arrays, key: str, ladder: Ladder) -> dict[str, Any]:
    for level, (groups, labels, leaves) in enumerate(zip(ladder.groups, ladder.labels, ladder.leaves, strict=True)):
        arrays[f"{key}.{level}.groups"] = groups
        arrays[f"{key}.{level}.leaves"] = leaves
        _put_texts(arrays, f"{key}.{level}.labels", labels)
    return {"column": ladder.column, "height": ladder.height}


def _get_ladder(arrays: Arrays, key: str, entry: dict[str, Any]) -> Ladder:
    levels = range(entry["height"] + 1)
    return Ladder(
        entry["column"],
        tuple(arrays[f"{key}.{level}.groups"] for level in levels),
        tuple(_get_texts(arrays, f"{key}.{level}.labels") for level in levels),
        tuple(arrays[f"{key}.{level}.leaves"] for level in levels),
    )


def _put_texts(arrays: Arrays, key: str, texts: Iterable[str | None]) -> None:
    """Store texts as UTF-8 bytes and their ends; a missing one has the length -1."""
    encoded = [None if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    arrays[f"{key}.bytes"] = np.frombuffer(b"".join(text or b"" for text in encoded), dtype=np.uint8)
    arrays[f"{key}.lengths"] = np.array([-1 if text is None else len(text) for text in encoded], dtype=np.int64)


def _get_texts(arrays: Arrays, key: str) -> npt.NDArray[np.object_]:
    blob = arrays[f"{key}.bytes"].tobytes()
    lengths = arrays[f"{key}.lengths"]
    ends = np.cumsum(np.maximum(lengths, 0))
    return _objects(
        None if length < 0 else blob[end - length : end].decode("utf-8", "surrogatepass")
        for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)
    )


def _number_of_text(text: str) -> object:
    return exact_number(Decimal(text))


def _objects(values: Iterable[object]) -> npt.NDArray[np.object_]:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


# A recoding as a header, which is JSON, and plain arrays; where they are written is for others to decide.

RECODING_FORMAT = "incrowd recoding 1"

Header = dict[str, Any]


def put_recoding(recoding: Recoding) -> tuple[Header, Arrays]:
    """Take a recoding apart: what JSON can hold, and arrays of whole numbers, floats or texts by name."""
    arrays: Arrays = {}
    header: Header = {
        "format": RECODING_FORMAT,
        "quasi": list(recoding.quasi),
        "domains": [_put_stored_domain(arrays, f"domain {name}", domain) for name, domain in recoding.domains.items()],
        "heights": {name: ladder.height for name, ladder in recoding.ladders.items()},
    }
    for name, ladder in recoding.ladders.items():
        _put_stored_ladder(arrays, f"ladder {name}", ladder)
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
    found = [distinct_texts(joined[name]) for name in labels]
    alike = group([numbers for _, numbers in found], [max(len(texts), 1) for texts, _ in found])
    joined["classes"] = np.append(alike.ids.astype(np.int64), -1)[np.concatenate(own)]
    return joined | {name: joined[name][alike.first] for name in labels}


def get_recoding(header: Header, arrays: Mapping[str, Array]) -> Recoding:
    """Put a recoding together again."""
    if header.get("format") != RECODING_FORMAT:
        msg = "This is not a recoding of this version."
        raise DataError(msg, hint="save it again with this version of incrowd.")
    found = [_get_stored_domain(arrays, entry) for entry in header["domains"]]
    domains = {domain.column: domain for domain in found}
    ladders = {name: _get_stored_ladder(arrays, name, height) for name, height in header.get("heights", {}).items()}
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


def _put_stored_ladder(arrays: Arrays, key: str, ladder: Ladder) -> None:
    for level, (groups, labels, leaves) in enumerate(zip(ladder.groups, ladder.labels, ladder.leaves, strict=True)):
        arrays[f"{key} groups {level}"] = groups
        arrays[f"{key} labels {level}"] = labels
        arrays[f"{key} leaves {level}"] = leaves


def _get_stored_ladder(arrays: Mapping[str, Array], column: str, height: int) -> Ladder:
    groups, labels, leaves = (
        [arrays[f"ladder {column} {part} {level}"] for level in range(height + 1)]
        for part in ("groups", "labels", "leaves")
    )
    compact = [codes.astype(smallest_unsigned(len(texts))) for codes, texts in zip(groups, labels, strict=True)]
    return Ladder(column, tuple(compact), tuple(labels), tuple(leaves))


def _put_stored_domain(arrays: Arrays, key: str, domain: Domain) -> Header:
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


def _get_stored_domain(arrays: Mapping[str, Array], entry: Header) -> Domain:
    key = f"domain {entry['column']}"
    values = arrays[f"{key} values"]
    if entry["type"] == "object":
        number = entry["kind"] == "number"
        values = _objects(exact_number(Decimal(text)) if number else text for text in values.tolist())
    else:
        values = values.astype(entry["type"])
    return Domain(entry["column"], entry["kind"], values, arrays[f"{key} counts"], arrays.get(f"{key} spelling"))
