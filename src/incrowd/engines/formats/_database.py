"""Tables of databases through ADBC: one query in, one new table out; secrets and their messages stay hidden.

How to connect is read from an environment variable and nowhere else: it may hold a password. No message repeats it, nor
what the database says, which may quote the data.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from incrowd.core import DataError, Hint, ParameterError, import_extra, without_addresses
from incrowd.engines._border import guarded
from incrowd.engines._private_folder import NamelessFile, clear_room, make_room

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Database:
    """A table of a database, or what a query answers.

    Parameters
    ----------
    uri_env
        The environment variable that says how to connect: ``postgresql://user:password@host/name`` or
        ``sqlite:folder/file.db``.
    table
        The name of a table, with its schema in front if it is not in the usual one: ``study.patients``.
    query
        A query, instead of a table: one statement that answers with rows. It stands inside of another one, in a
        transaction that may change nothing.

    Notes
    -----
    The answer of one query is copied to a temporary file first, so that all that is counted and published comes from
    one state of the database. SQLite knows no dates and no booleans: it gives back texts and numbers.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.Database("PATIENTS_URI", table="study.patients")
    Database(uri_env='PATIENTS_URI', table='study.patients', query=None)
    """

    uri_env: str
    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            msg = "A database needs either table or query."
            raise ParameterError(msg, hint="for example Database('PATIENTS_URI', table='patients').")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.uri_env):  # perhaps a password: not to be shown
            msg = "uri_env must be the name of an environment variable, not what it holds."
            raise ParameterError(msg, hint="put how to connect into a variable, such as PATIENTS_URI, and name that.")
        if self.table is not None and not all(self.table.split(".")):
            msg = "The name of a table must not be empty, nor begin or end with a dot."
            raise ParameterError(msg)

    def __repr__(self) -> str:
        return without_addresses(f"Database(uri_env={self.uri_env!r}, table={self.table!r}, query={self.query!r})")


def read_database(source: Database, folder: str | Path | None = None) -> tuple[pa.Table, list[str]]:
    """Copy the answer of one query to a temporary file, and map that into memory.

    Also name the columns for which the database knows no type: all of SQLite, and numbers of any size.
    """
    room, lock = make_room(folder)
    try:
        return _answer(source, room)
    finally:
        clear_room(room, lock)


def _answer(source: Database, folder: Path) -> tuple[pa.Table, list[str]]:
    query = f"SELECT * FROM {_name_sql(str(source.table))}" if source.query is None else _inner_query(source.query)  # noqa: S608 - quoted
    with _connection(source.uri_env, reading=True) as (connection, kind), connection.cursor() as cursor:

        def answer() -> tuple[pa.Table, list[str]]:
            cursor.execute("PRAGMA query_only = ON" if kind == "sqlite" else "SET TRANSACTION READ ONLY")
            if kind == "sqlite":  # which finds out types by looking at the first rows: let these be all
                cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(2**24)})
            cursor.execute(query)
            table, numbers = _mapped_table(cursor.fetch_record_batch(), folder)
            return table, table.column_names if kind == "sqlite" else numbers

        return _answer_of_database("read the table or answer the query", answer)


_APART = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$""", re.DOTALL)
"""What stands in quotes or is a comment: signs in it end no statement."""


def _inner_query(query: str) -> str:
    """Let a query be the inner one of a query: it can only answer with rows. Refuse what would not stay inside."""
    bare = _APART.sub(lambda found: (" " if found[0].startswith(("--", "/*")) else "x") * len(found[0]), query)
    bare = bare.rstrip("; \t\r\n")
    depths = [0, *itertools.accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in bare)]
    if ";" in bare or min(depths) < 0 or depths[-1]:
        msg = "A query must be one statement, with as many closing brackets as there are opening ones."
        raise ParameterError(msg, hint="for example SELECT age, zip FROM patients; make a view of what is more.")
    return f"SELECT * FROM (\n{query[: len(bare)]}\n) AS incrowd_query"  # noqa: S608 - it may only read


def _mapped_table(reader: Any, folder: Path) -> tuple[pa.Table, list[str]]:
    """Write batches to a file, map it, and let its name go; name the columns of numbers that have no type there."""
    schema = pa.schema([pa.field(one.name, _stored_type(one.type)) for one in reader.schema])
    with NamelessFile(folder, "answer.arrow") as copy:
        with pyarrow.ipc.new_file(copy.file, schema) as writer:
            for batch in reader:
                columns = [_plain_types(column) for column in batch.columns]
                writer.write_table(pa.table(columns, schema.names).cast(schema))
        copy.file.flush()
        with pa.memory_map(str(copy.path)) as source:
            table = pyarrow.ipc.open_file(source).read_all()
    numbers = [number for number, one in enumerate(reader.schema) if getattr(one.type, "type_name", None) == "numeric"]
    for number in numbers:
        table = table.set_column(number, table.field(number).name, _exact_numbers(table.column(number)))
    return table, [table.field(number).name for number in numbers]


def _stored_type(type_: pa.DataType) -> pa.DataType:
    """Give the type in which values of a type are kept; those that only databases know are texts."""
    if isinstance(type_, pa.BaseExtensionType):
        return pa.string() if type_.extension_name == "arrow.uuid" else type_.storage_type
    return type_


def _plain_types(column: pa.Array) -> pa.Array:
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    if column.type.extension_name == "arrow.uuid":
        values = column.storage.to_pylist()
        return pa.array([None if value is None else str(UUID(bytes=value)) for value in values], pa.string())
    return column.storage


def _exact_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Read numbers that came as texts; more digits than Arrow can hold stay text."""
    texts = pc.if_else(pc.equal(pc.utf8_lower(texts), "nan"), None, texts)
    digits = pc.max(pc.utf8_length(pc.replace_substring_regex(texts, r"^[^.]*\.?", ""))).as_py() or 0
    try:
        return texts.cast(pa.decimal128(38, digits))
    except pa.ArrowInvalid:
        return texts


@guarded
def write_database(path: Path, target: Database, *, force: bool = False) -> None:
    """Copy an Arrow file to a new table of a database, in one transaction: all of it, or nothing."""
    write_to_one_database([(path, target)], force=force)


@guarded
def write_to_one_database(files: Sequence[tuple[Path, Database]], *, force: bool = False) -> None:
    """Copy Arrow files to new tables of one database, in one transaction: all of them, or nothing."""
    uri_env = _one_address([target for _, target in files])
    with _connection(uri_env, reading=False) as (connection, kind), connection.cursor() as cursor:
        there = [
            target
            for _, target in files
            if _answer_of_database("say whether the table exists", partial(_has_table, cursor, kind, str(target.table)))
        ]
        if there and not force:
            msg = f"The table {there[0].table!r} exists already."
            raise DataError(msg, hint=Hint("choose another name, or allow to replace it: {force}.", force=True))

        def write() -> None:
            for target in there:
                cursor.execute(f"DROP TABLE {_name_sql(str(target.table))}")
            for path, target in files:
                with pa.memory_map(str(path)) as source:
                    _ingest_table(cursor, pyarrow.ipc.open_file(source).read_all(), str(target.table), kind)
            connection.commit()

        _answer_of_database("take the table", write)


def _one_address(targets: Sequence[Database]) -> str:
    """Refuse what is no table, and tables that no transaction has together."""
    if any(target.table is None for target in targets):
        msg = "A table is written to a table, not to a query."
        raise ParameterError(msg, hint="for example Database('RESULTS_URI', table='patients_public').")
    if len({target.uri_env for target in targets}) > 1:
        msg = "Several tables are written in one transaction, and these are in several databases."
        raise ParameterError(msg, hint="name one environment variable for all of them.")
    if len({str(target.table).lower() for target in targets}) < len(targets):
        msg = "Two tables would be written to one table of the database."
        raise ParameterError(msg, hint="name another for each.")
    return targets[0].uri_env


def _ingest_table(cursor: Any, table: pa.Table, name: str, kind: str) -> None:
    if kind == "sqlite":  # which knows whole numbers, floats and texts; the digits of a decimal are kept as text
        types = [pa.string() if pa.types.is_decimal(one.type) else one.type for one in table.schema]
        table = table.cast(pa.schema(zip(table.column_names, types, strict=True)))
    schema, _, last = name.rpartition(".")
    where = {("catalog_name" if kind == "sqlite" else "db_schema_name"): schema} if schema else {}
    cursor.adbc_ingest(last, table, mode="create", **where)


def _has_table(cursor: Any, kind: str, name: str) -> bool:
    if kind == "sqlite":
        schema, _, last = name.rpartition(".")
        listed = f"{_name_sql(schema)}.sqlite_master" if schema else "sqlite_master"
        cursor.execute(f"SELECT count(*) FROM {listed} WHERE lower(name) = lower(?)", (last,))  # noqa: S608 - quoted
    else:
        cursor.execute("SELECT count(to_regclass($1::text))", (_name_sql(name),))
    return bool(cursor.fetchone()[0])


@contextmanager
def _connection(uri_env: str, *, reading: bool) -> Iterator[tuple[Any, str]]:
    """Connect, and undo whatever was not committed."""
    uri = os.environ.get(uri_env)
    if not uri:
        msg = f"The environment variable {uri_env!r} is not set."
        raise DataError(msg, hint="it must say how to connect, such as postgresql://user@host/name or sqlite:file.db.")
    kind = next((kind for start, kind in _KINDS.items() if uri.startswith(start)), None)
    if kind is None:
        msg = f"The environment variable {uri_env!r} does not say how to connect to a database that is known."
        raise DataError(msg, hint="it must begin with postgresql:// or sqlite:.")
    driver = import_extra(f"adbc_driver_{kind}.dbapi", extra="sql", what="A database")
    file = _file_of(uri, uri_env, reading=reading) if kind == "sqlite" else None
    new = file is not None and not file.exists()
    address = _patient(uri) if file is None else _address_of_file(file, reading=reading)
    connection = _connected(driver, address, uri_env)
    try:
        yield connection, kind
        new = False
    finally:
        connection.close()  # what was not committed is undone
        if new and file is not None:
            file.unlink(missing_ok=True)


_KINDS = {"postgresql://": "postgresql", "postgres://": "postgresql", "sqlite:": "sqlite"}


PATIENCE = 15  # seconds that a server may take to answer
_REASONS = {
    "invalid |missing .* in|unexpected character|end of string": "{0} is no address that can be read",
    "could not translate host name|name or service|nodename nor|no address associated": "its host is not known",
    "refused|is the server running|unreachable|no route|no such file": "no server answers at its host and port",
    "timeout|timed out": "its host does not answer",
    "no pg_hba": "the server lets nobody of that name in from here",
    "auth?enti|no password|sasl|scram|(role|rolle|rôle|rol) .*(does not|nicht|pas|no exist)": (
        "it refuses the user name or the password"
    ),
    "(database|datenbank|base de donn|base de dat).*(does not|nicht|pas|no exist)": (
        "the server has no database of that name"
    ),
    "permission denied for database": "the user may not use that database",
    "too many|starting up|shutting down|recovery": "the server takes nobody in at the moment",
    "ssl|tls|certificate": "the server and {0} do not agree on encryption",
    "unable to open": "its file cannot be opened",
}
"""What a driver says, or a server in its language, and what that means. It names host and user: no part is repeated."""


def _connected(driver: Any, address: str, uri_env: str) -> Any:
    """Connect; if that fails, say what of the address is wrong, and repeat no part of it."""
    refusals = import_extra("adbc_driver_manager", extra="sql", what="A database").Error, OSError
    try:
        return driver.connect(address)
    except refusals as error:
        said = re.sub('"[^"]*"|«[^»]*»|»[^«]*«', '""', str(error).lower())  # names that are quoted say nothing
    found = next(
        (reason for pattern, reason in _REASONS.items() if re.search(pattern, said)), "it gives no reason we know"
    )
    what = found.format(f"the environment variable {uri_env!r}")
    msg = f"The database could not be reached: {what}."
    raise DataError(msg, hint=f"{uri_env} must hold how to connect, such as postgresql://user@host/name.")


def _patient(uri: str) -> str:
    """Let the driver not wait for minutes, unless somebody said how long."""
    if "connect_timeout" in uri:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}connect_timeout={PATIENCE}"


def _address_of_file(file: Path, *, reading: bool) -> str:
    """Say where a file of SQLite is; one that is read is opened so that nothing can be written to it."""
    return f"{file.absolute().as_uri()}?mode=ro" if reading else str(file)


def _file_of(uri: str, uri_env: str, *, reading: bool) -> Path:
    path = Path(uri.removeprefix("sqlite:///") if uri.startswith("sqlite:///") else uri.removeprefix("sqlite:"))
    if reading and not path.is_file():
        msg = f"The environment variable {uri_env!r} names a file of SQLite that does not exist."
        raise DataError(msg, hint="write sqlite: and the path.")
    if reading and path.stat().st_size and not _begins_as_sqlite(path):
        msg = f"The environment variable {uri_env!r} names a file that is no database of SQLite, or an encrypted one."
        raise DataError(msg, hint="write sqlite: and the path.")
    return path


def _begins_as_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _answer_of_database(what: str, ask: Callable[[], T]) -> T:
    """Ask a database; if it refuses, say so, and nothing of what it said but the code of the error.

    The new error is raised outside of the ``except`` block, so that not even its context leads to the foreign one.
    """
    refusals = import_extra("adbc_driver_manager", extra="sql", what="A database").Error, OSError, pa.ArrowException
    try:
        return ask()
    except refusals as error:
        if getattr(error, "errno", None) is not None:  # the machine's fault
            raise
        state = getattr(error, "sqlstate", None) or ""
    shown = f" (SQLSTATE {state})" if len(state) == 5 and state.isalnum() else ""
    msg = f"The database could not {what}{shown}; its message is withheld because it may quote the data."
    raise DataError(msg, hint="check the name, the query and your rights.")


def _name_sql(name: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))
