"""A recoding saved and loaded again, complete: labels of every value, roles of columns, the promise."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from incrowd.core import (
    DataError,
    Hierarchy,
    IncrowdError,
    LocalRecoding,
    Recoding,
    Schema,
    atomic_paths,
    join_cells,
    json_in,
    recoding_from_arrays,
)
from incrowd.engines import digest_of_files, read_arrays, write_arrays
from incrowd.hierarchies import hierarchies_from_plain, plain_schema, schema_from_plain
from incrowd.models import Model, promise

if TYPE_CHECKING:
    from incrowd.release._release import Release

HEADER, MAP = "recoding.json", "recoding.parquet"


@dataclass(frozen=True, slots=True, eq=False)
class SavedRecoding:
    """A recoding with all that is needed to use it on another table. As confidential as the original table.

    Attributes
    ----------
    recoding
        What every value is published as.
    schema
        The roles of the columns. Its hierarchies know the values of the original table and no others.
    model
        The promise.
    hierarchies
        Hierarchies of quasi-identifiers as they were given, by name: of values that the original table did not have
        they know more. Those that were made from the table, and those of other libraries, are missing.
    whole_people
        Whether people are left out with all rows.
    """

    recoding: Recoding = field(repr=False)
    schema: Schema = field(repr=False)
    model: Model
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    whole_people: bool = False

    @classmethod
    def of(cls, release: Release) -> SavedRecoding:
        """Take what is needed out of a release."""
        whole = release.recipe.suppression == "entity"
        return cls(release.recoding, release.schema, release.model, whole_people=whole)


def save_recoding(source: Release | SavedRecoding, folder: str | os.PathLike[str]) -> None:
    """Write a recoding into a folder that exists: a header in JSON, and its arrays in Parquet; all of it or nothing.

    Nobody else can read the files: they are as confidential as the original table.

    Parameters
    ----------
    source
        The release, or a recoding that was loaded.
    folder
        Where to write ``recoding.json`` and ``recoding.parquet``; files of these names are replaced. A recoding that
        was found part by part has ``recoding-1.parquet`` and so on beside them.
    """
    places = [Path(folder) / name for name in (*(file.name for file in _parts_for(source, Path(folder))), MAP, HEADER)]
    with atomic_paths(places, force=True) as drafts:
        write_recoding(source, Path(folder), dict(zip(places, drafts, strict=True)))
        for draft in drafts:
            draft.chmod(0o600)


def write_recoding(
    source: Release | SavedRecoding, folder: Path, drafts: Mapping[Path, Path] = MappingProxyType({})
) -> None:
    """Write a recoding into a folder that nobody reads yet, or each of its files to where its draft is."""
    header, arrays = source.recoding.header_and_arrays()
    known = source.hierarchies if isinstance(source, SavedRecoding) else None
    roles, trees = plain_schema(source.schema, known)
    header |= {**roles, "promise": str(source.model)}
    saved = source if isinstance(source, SavedRecoding) else SavedRecoding.of(source)
    header |= {"whole_people": True} if saved.whole_people else {}
    names = [MAP]
    if isinstance(source.recoding, StoredRecoding):
        header["parts"] = len(source.recoding.files)
        names += [file.name for file in source.recoding.files]
    for file in _parts_for(source, folder):
        shutil.copyfile(file, drafts.get(folder / file.name, folder / file.name))
    write_arrays(arrays | trees, drafts.get(folder / MAP, folder / MAP))
    written = {name: drafts.get(folder / name, folder / name) for name in names}
    drafts.get(folder / HEADER, folder / HEADER).write_text(readable(_sealed(header, written)), encoding="utf-8")


def _parts_for(source: Release | SavedRecoding, folder: Path) -> list[Path]:
    """List the files of a recoding that was found part by part, unless they are in the folder already."""
    recoding = source.recoding
    if not isinstance(recoding, StoredRecoding):
        return []
    recoding.check_files()
    places = [(file, folder / file.name) for file in recoding.files]
    return [file for file, place in places if not (place.exists() and place.samefile(file))]


def load_recoding(folder: str | os.PathLike[str]) -> SavedRecoding:
    """Read a recoding that was saved, from its folder or from the folder ``owner`` of a saved release.

    Parameters
    ----------
    folder
        Where ``recoding.json`` and ``recoding.parquet`` lie.

    Examples
    --------
    >>> import incrowd as ic, tempfile
    >>> table = [{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 20)})
    >>> release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Optimal())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.save(f"{folder}/out")
    ...     ic.load_recoding(f"{folder}/out/owner").recoding.levels
    {'age': 1}
    """
    header = _unsealed(_read_header(Path(folder) / HEADER), Path(folder))
    arrays = read_arrays(Path(folder) / MAP)
    try:
        if "parts" in header:
            files = (PART.format(number + 1) for number in range(header["parts"]))
            arrays |= join_cells([read_arrays(Path(folder) / file) for file in files])
        recoding = recoding_from_arrays(header, arrays)
        hierarchies = hierarchies_from_plain(header.get("hierarchies", {}), arrays)
        schema, whole = schema_from_plain(header["schema"], recoding), header.get("whole_people", False)
        return SavedRecoding(recoding, schema, promise(header["promise"]), hierarchies, whole)
    except IncrowdError:
        raise
    except Exception as error:  # noqa: BLE001 - a broken file can fail in any way, and quote what it holds
        trouble = f"The recoding in {Path(folder).name!r} cannot be read ({type(error).__name__})."
    raise DataError(trouble, hint="header and arrays must be those that were saved together.")


def _read_header(path: Path) -> dict[str, Any]:
    found = json_at(path)
    if not isinstance(found, dict):
        msg = f"There is no recoding in {path.parent.name!r}: {path.name!r} is missing or cannot be read."
        raise DataError(msg, hint="name the folder in which it was saved, such as out/owner.")
    return found


# A bit that changes on a disk can be one of a label: what is read is what was written, or it is refused.

SEALED, UNSEALED = "incrowd recoding 2", "incrowd recoding 1"
"""What a header calls itself where it has hashes, and what the first ones called themselves."""


def _sealed(header: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Add hashes of the files beside a header, and of itself."""
    named = {**header, "format": SEALED, "sha256": {name: digest_of_files(path) for name, path in files.items()}}
    return {**named, "seal": _hash_of(named)}


def _unsealed(header: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Refuse a header or a file that is not as it was written; those without hashes are read as they are."""
    if header.get("format") == UNSEALED and "seal" not in header:
        return header
    named = {name: value for name, value in header.items() if name != "seal"}
    seal = _hash_of(named)
    wrong = [HEADER] if header.get("format") != SEALED or seal is None or header.get("seal") != seal else []
    wrong = wrong or [name for name, known in header["sha256"].items() if _hash_in(folder / name) != known]
    if wrong:
        msg = f"The recoding in {folder.name!r} was edited or damaged: {wrong[0]!r} is not the file that was saved."
        raise DataError(msg, hint="header and arrays must be those that were saved together.")
    return {name: value for name, value in named.items() if name != "sha256"} | {"format": UNSEALED}


def _hash_of(header: Mapping[str, Any]) -> str | None:
    """Hash what a header says; nothing for one that cannot have been written."""
    try:
        return hashlib.sha256(readable(json.loads(readable(header))).encode()).hexdigest()
    except ValueError:
        return None


def _hash_in(path: Path) -> str | None:
    return digest_of_files(path) if path.is_file() else None


def json_at(path: Path) -> Any:
    """Read a file of JSON; nothing if it is missing or is none."""
    try:
        return json_in(path)
    except (OSError, ValueError):
        return None


def readable(plain: Mapping[str, Any]) -> str:
    """Write plain data as JSON to look at, the same every time."""
    return json.dumps(plain, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


# A recoding that was found part by part, and is held nowhere as a whole.

PART = "recoding-{}.parquet"
_OF_CELLS = {"codes", "classes", "counts", "labels"}


class StoredRecoding(LocalRecoding):
    """A local recoding that lies in files, part by part: what it says of its cells is read when somebody asks."""

    def __init__(self, outline: LocalRecoding, folder: Path, parts: int) -> None:
        files = tuple(folder / PART.format(number + 1) for number in range(parts))
        known = {name: getattr(outline, name) for name in ("quasi", "domains", "ladders", "floor", "partial")}
        vars(self).update(known, outline=outline, files=files, _states=[_file_state(file) for file in files])

    outline: LocalRecoding
    files: tuple[Path, ...]
    unchanged: frozenset[str] = frozenset()
    """Its parts were published one by one, each with labels."""
    _states: list[tuple[int, int] | None]

    def header_and_arrays(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take its outline apart: what it says of its cells lies in the files."""
        return self.outline.header_and_arrays()

    def check_files(self) -> None:
        """Refuse files that are not those that were written: another release may have taken their place."""
        if [_file_state(file) for file in self.files] != self._states or None in self._states:
            msg = "The recoding of this release lies in files that are gone or were replaced."
            raise DataError(msg, hint="make the release again, or load the recoding that is there now.")

    @cached_property
    def _cells(self) -> LocalRecoding:
        self.check_files()
        header, arrays = self.header_and_arrays()
        found = recoding_from_arrays(header, arrays | join_cells([read_arrays(file) for file in self.files]))
        assert isinstance(found, LocalRecoding)  # noqa: S101 - as its outline is
        return found

    def __getattr__(self, name: str) -> Any:
        """Read what it says of its cells: codes, classes, counts and labels."""
        if name not in _OF_CELLS:
            raise AttributeError(name)
        return getattr(self._cells, name)


def _file_state(file: Path) -> tuple[int, int] | None:
    """Say what shows that a file was replaced: its bytes, and when it was written."""
    if not file.is_file():
        return None
    found = file.stat()
    return found.st_size, found.st_mtime_ns
