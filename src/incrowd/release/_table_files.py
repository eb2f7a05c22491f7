"""The files of several published tables: one per table in a folder, described in the certificate, opened, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.core import DataError, ParameterError, UnknownColumnError
from incrowd.engines import Engine, Stamp, Tables, Wording, digest_of_files, files_of, is_written_by, join_tables
from incrowd.release._release_file import open_released, reading_of_released, wording_of
from incrowd.release._table_keys import TableKeys
from incrowd.release._verify_script import names_of

Plain = dict[str, Any]
Remark = tuple[bool | None, str]
WHICH = "which tables there are"
FOLDER = "tables"
"""What the folder of the files is called, inside of ``public``."""
_SHOWN = {"quasi-identifier", "sensitive", "shifted"}
TABLE_FORMATS = ("parquet", "csv", "csv.gz")


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table that was written: its name and file, how it is written, and its columns with their roles."""

    name: str
    file: str
    wording: Wording
    columns: Mapping[str, str]

    def plain(self, folder: Path, rows: int, published: Tables) -> Plain:
        """Describe it for the certificate."""
        path, wording = folder / self.file, self.wording
        of = [{"column": column, "table": table} for column, table in published.of.get(self.name, {}).items()]
        return {
            "name": self.name,
            "file": self.file,
            "sha256": digest_of_files(path),
            "bytes": path.stat().st_size,
            "rows": rows,
            "columns": [{"name": name, "role": role} for name, role in self.columns.items()],
            **({"key": published.keys[self.name]} if self.name in published.keys else {}),
            **({"of": of} if of else {}),
            **({} if wording.plain is None else {"dialect": wording.plain}),
            **({"stars": list(wording.stars)} if wording.stars else {}),
        }


def published_tables(tables: Tables, published: Mapping[str, Any], keys: TableKeys) -> Tables:
    """Link published tables as the original ones are, by the keys that are published."""
    kept = {name: column for name, column in tables.keys.items() if name in keys.secret}
    return Tables(dict(published), keys=kept, of=tables.of, columns=tables.columns)


def linked_files(files: Sequence[TableFile], folder: Path, published: Tables) -> Tables:
    """Give the written tables, linked, each read as it was written."""
    paths = {one.name: folder / one.file for one in files}
    return published.with_tables(paths, {one.name: reading_of_released(paths[one.name], one.wording) for one in files})


def certified_tables(certificate: Plain, public: Path) -> Tables:
    """Give the tables that a certificate speaks of; their files lie beside it."""
    described = certificate["data"]["tables"]
    paths = {one["name"]: public / FOLDER / Path(one["file"]).name for one in described}
    for path in paths.values():
        if not path.is_file():
            msg = f"The data file {path.name!r} is not beside the certificate."
            raise DataError(msg, hint="the folder public of a release has all of them.")
    reading = {one["name"]: reading_of_released(paths[one["name"]], wording_of(one)) for one in described}
    return _linked(certificate, paths, reading)


def _linked(certificate: Plain, tables: Mapping[str, Any], reading: Mapping[str, Any]) -> Tables:
    described, people = certificate["data"]["tables"], names_of("entity", certificate["columns"])
    for one in described:
        if len({to["column"] for to in one.get("of", [])}) < len(one.get("of", [])):
            msg = f"Table {one['name']!r} refers twice by one column."
            raise ParameterError(msg)
    return Tables(
        tables,
        keys={one["name"]: one["key"] for one in described if "key" in one},
        of={one["name"]: {to["column"]: to["table"] for to in one["of"]} for one in described if "of" in one},
        reading=reading,
        columns=tuple(column["name"] for column in certificate["columns"] if column["name"] not in people),
    )


def open_certified(
    certificate: Plain, public: Path, *, fills: Mapping[str, str | None] | None = None, **budget: Any
) -> Engine:
    """Open what a certificate is about: its file, or the joined rows of its tables."""
    if "tables" in certificate["data"]:
        return join_tables(certified_tables(certificate, public), missing_values=(), **budget).joined(fills)
    data = public / Path(certificate["data"]["name"]).name
    if not data.exists():
        msg = f"The data file {data.name!r} is not beside the certificate."
        raise DataError(msg)
    return open_released(data, wording_of(certificate["data"]), **budget)


def table_remarks(certificate: Plain, public: Path, memory: str | None) -> Iterator[Remark]:
    """Compare the files of several tables, and how they hang together."""
    described, data = certificate["data"]["tables"], public / FOLDER
    found = {file.name for file in data.iterdir()} if data.is_dir() else set()
    if certificate["data"]["name"] != FOLDER:
        yield False, "name of the folder"
    yield found == {Path(one["file"]).name for one in described} and len(found) == len(described), WHICH
    try:
        wrong = [*_link_problems(certificate)]
        tables = certified_tables(certificate, public)
    except ParameterError:
        yield False, "how the tables are linked"
        return
    yield from ((False, what) for what in wrong)
    paths = tables.tables.values()
    stamps = [Stamp.of(files_of(path)) for path in paths]
    whole = digest_of_files(data), sum(path.stat().st_size for path in paths)
    yield whole == (certificate["data"]["sha256"], certificate["data"]["bytes"]), "hash of the data files"
    for one in described:
        yield from _file_remarks(one, tables[one["name"]])
    yield from _row_remarks(described, tables, memory)
    for stamp in stamps:
        stamp.check()


def _link_problems(certificate: Plain) -> Iterator[str]:
    """Name what the descriptions of the tables do not agree about with the columns of the joined rows."""
    described = certificate["data"]["tables"]
    links = _linked(certificate, {one["name"]: None for one in described}, {})
    shown = links.joined_columns({one["name"]: [column["name"] for column in one["columns"]] for one in described})
    named = {column["name"]: column for column in certificate["columns"]}
    if len(links) < len(described) or [one.name for one in shown] != list(named):
        yield "names of the columns"
        return
    for one in described:
        own = {column["name"]: column["role"] for column in one["columns"]}
        keys = links.key_columns(one["name"])
        meant = {column: "entity" if table == links.people else "identifier" for column, table in keys.items()}
        joined = {str(at.column): at.name for at in shown if at.table == one["name"] and at.column is not None}
        meant |= {column: named[name]["role"] for column, name in joined.items() if column not in keys}
        seen = all(role not in _SHOWN or column in meant for column, role in own.items())
        if not seen or any(own.get(column) != role for column, role in meant.items()):
            yield f"{one['name']}: roles of the columns"
    if named[links.person]["role"] != "entity" or certificate["counted"] != "persons":
        yield "people are counted by their key"
    rows = {
        links.presence(one["name"]): ("quasi-identifier", 0)
        for one in described
        if one["name"] != links.people and any(column["role"] == "quasi-identifier" for column in one["columns"])
    }
    told = {name: (one["role"], one["level"]) for name, one in named.items() if name in map(links.presence, links)}
    if told != rows:
        yield "whether somebody has rows of a table"
    tells = links.presence_of(shown)
    for name, column in named.items():
        without = [one for one, there in tells.items() if there == name and named[one]["role"] == "sensitive"]
        if sorted(column.get("without", [])) != sorted(without):
            yield f"{name}: what those do not have who have no row there"
    for column in {at.column for at in shown if at.column is not None}:
        if len({named[at.name]["level"] for at in shown if at.column == column}) > 1:
            yield f"one level of {column!r} in all tables"


def _row_remarks(described: Sequence[Plain], tables: Tables, memory: str | None) -> Iterator[Remark]:
    """Compare keys, numbers of rows and columns with what is in the files."""
    try:
        joined = join_tables(tables, missing_values=(), memory=memory, check=False)
    except (DataError, UnknownColumnError) as error:
        yield False, f"the tables cannot be read: {error.message}"
        return
    problems = joined.problems()
    yield not problems, " ".join(problems) or "keys: each is there once, and nothing refers to one that is not"
    for one in described:
        rows, columns = joined.rows(one["name"]), [column["name"] for column in one["columns"]]
        said = f"{rows:,}" if rows == one["rows"] else f"certified {one['rows']}, found {rows}"
        yield rows == one["rows"], f"{one['name']}: rows: {said}"
        if columns != joined.columns[one["name"]]:
            yield False, f"{one['name']}: names of the columns"


def _file_remarks(one: Plain, path: Path) -> Iterator[Remark]:
    same = digest_of_files(path) == one["sha256"] and path.stat().st_size == one["bytes"]
    yield same, f"{one['name']}: hash of the data file"
    wording = wording_of(one)
    if wording.plain is not None and not is_written_by(path, wording):
        yield False, f"{one['name']}: how numbers, days and characters are written"
