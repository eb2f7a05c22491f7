"""Several published tables written to the folder of a release: each to its file, one certificate around all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.core import ParameterError, Recoding, Schema
from incrowd.engines import Engine, JoinedTables, Tables, Wording, join_tables
from incrowd.hierarchies import flat
from incrowd.release._about import check_about
from incrowd.release._folder import Folders
from incrowd.release._joined_schema import TABLES, table_recoding
from incrowd.release._output import Output, check_stars, check_wanted_dialect
from incrowd.release._recipe import read_wording
from incrowd.release._table_files import TABLE_FORMATS, TableFile, linked_files

if TYPE_CHECKING:
    from incrowd.release._release import Release


@dataclass(frozen=True, slots=True, eq=False)
class TableWriter:
    """What is known of published tables: their links and columns, and what the joined rows are and became."""

    tables: Tables
    names: Mapping[str, list[str]]
    schema: Schema
    recoding: Recoding

    def roles(self, name: str) -> dict[str, str]:
        """Give the role of every column of a table."""
        keys = {
            column: "entity" if table == self.tables.people else "identifier"
            for column, table in self.tables.key_columns(name).items()
        }
        joined = {
            str(one.column): self.schema.role(one.name)
            for one in self.tables.joined_columns(self.names)
            if one.table == name and one.column not in keys
        }
        return {column: keys.get(column) or joined.get(column) or "insensitive" for column in self.names[name]}

    def parts(self, name: str) -> dict[str, tuple[Any, Any, int]]:
        """Give domain, ladder and level of every quasi-identifier of a table."""
        node, whole = self.recoding.node or {}, self.recoding
        return {
            str(one.column): (whole.domains[one.name], whole.ladders[one.name], node[one.name])
            for one in self.tables.joined_columns(self.names)
            if one.table == name and one.column is not None and one.name in node
        }

    def write(
        self, name: str, engine: Engine, original: Engine, read: Wording | None, folder: Path, output: Output
    ) -> TableFile:
        """Write a table; what it was read from says how, unless that was said otherwise."""
        path, parts, roles = folder / f"{name}.{output.format}", self.parts(name), self.roles(name)
        own = Schema({column: self._hierarchy(name, column) for column in parts} or ["none"])
        wanted = output.wording(original, read, own, {column: part[0] for column, part in parts.items()})
        untrue = tuple(column for column, role in roles.items() if role == "shifted")
        output = output if parts else replace(output, stars="star")
        wording = output.write(engine, path, replace(wanted, untrue=untrue), table_recoding(parts, "constant"))
        return TableFile(name, path.name, wording, roles)

    def _hierarchy(self, name: str, column: str) -> Any:
        given = dict(self.schema.quasi)
        return given.get(column, given.get(f"{name}.{column}")) or flat()

    def finish(
        self,
        folders: Folders,
        release: Release,
        output: Output,
        written: tuple[list[TableFile], JoinedTables],
        date: str | None = None,
    ) -> None:
        """Write all that belongs around the tables."""
        files, joined = written
        described = [one.plain(folders.tables, joined.rows(one.name), joined.tables) for one in files]
        release = replace(release, table=joined.tables)
        known: dict[str, Any] = {"released": joined.joined(), "tables": described, "date": date}
        folders.write_around(release, output, folders.tables, Wording(), **known)


def save_tables(release: Release, folder: Any, *, date: str | None = None, **how: Any) -> Path:
    """Write a release of several tables as ``Release.save`` does."""
    output = Output(Path(folder), **how)
    if output.format not in TABLE_FORMATS:
        msg = f"{TABLES.capitalize()} are written as {', '.join(TABLE_FORMATS)}, not as {output.format!r}."
        raise ParameterError(msg, hint="choose one of these.")
    if output.labels:
        msg = f"What codes mean is not written for {TABLES}."
        raise ParameterError(msg, hint="leave labels out.")
    if output.about is not None:
        check_about(output.about)
    output = replace(output, dialect=check_wanted_dialect(output.dialect), stars=check_stars(output.stars))
    tables: Tables = release.table
    opened = join_tables(tables, missing_values=(), ours=True)
    writer = TableWriter(tables, opened.columns, release.schema, release.recoding)
    known = release.recipe.input["tables"]
    with Folders.new(folder, force=output.force) as folders:
        files = [
            writer.write(name, engine, engine, read_wording(known[name]), folders.tables, output)
            for name, engine in opened.engines.items()
        ]
        joined = join_tables(linked_files(files, folders.tables, tables), missing_values=(), ours=True)
        writer.finish(folders, release, output, (files, joined), date)
    return output.folder
