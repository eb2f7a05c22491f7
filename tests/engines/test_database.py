from __future__ import annotations

import datetime as dt
import sqlite3
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import incrowd as ic
from engines import postgres
from engines.extras import needed, skip
from engines.mutations import mutations
from incrowd.core import CensusRequest, DataError, EngineError, ParameterError, SchemaError
from incrowd.engines import open_table, write_table
from incrowd.engines.formats import _database

URI = "INCROWD_TEST_URI"
TABLE = pa.table({"age": [34, -5, None], "cost": [1.5, 2.25, None], "name": ["=ä", "o'x", None]})
ROWS = sorted(TABLE.to_pylist(), key=lambda row: (row["age"] is None, row["age"]))


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    programs = postgres.programs()
    if programs is None:
        skip("PostgreSQL is not installed: apt-get install --no-install-recommends postgresql")
        return
    with postgres.running(programs) as uri:
        yield uri


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each database in turn, empty; how to connect is in the environment."""
    needed("adbc_driver_manager", "adbc_driver_postgresql", "adbc_driver_sqlite")
    kind: str = request.param
    uri = f"sqlite:{tmp_path}/t.db" if kind == "sqlite" else request.getfixturevalue("server")
    monkeypatch.setenv(URI, uri)
    if kind == "postgresql":
        run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", "DROP SCHEMA IF EXISTS study CASCADE")
    else:
        run("CREATE TABLE other (x)")
    return kind


def run(*statements: str) -> None:
    with _database._connection(URI, reading=False) as (connection, _), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


def read(**what: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = open_table(ic.Database(URI, **what)).materialise().to_pylist()
    return rows


@pytest.mark.usefixtures("database")
def test_a_table_goes_out_and_comes_back() -> None:
    write_table(TABLE, ic.Database(URI, table="patients"))
    found = open_table(ic.Database(URI, table="patients")).materialise()
    assert found.to_pylist() == ROWS
    assert found.schema.types == [pa.int64(), pa.float64(), pa.string()]


@pytest.mark.usefixtures("database")
def test_a_query_is_answered() -> None:
    write_table(TABLE, ic.Database(URI, table="patients"))
    assert read(query="SELECT age AS years FROM patients WHERE age > 0") == [{"years": 34}]


@pytest.mark.usefixtures("database")
def test_the_census_is_that_of_the_frame() -> None:
    write_table(TABLE, ic.Database(URI, table="patients"))
    request = CensusRequest(("age", "name"))
    assert open_table(ic.Database(URI, table="patients")).census(request) == open_table(TABLE).census(request)


@pytest.mark.usefixtures("database")
def test_the_copy_is_made_where_it_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    write_table(TABLE, ic.Database(URI, table="patients"))
    engine = open_table(ic.Database(URI, table="patients"), temp=tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert engine.materialise().num_rows == 3


@pytest.mark.usefixtures("database")
def test_a_name_is_taken_as_it_is() -> None:
    target = ic.Database(URI, table='pat"ients; DROP TABLE x')
    write_table(TABLE, target)
    assert open_table(target).materialise().num_rows == 3


@pytest.mark.usefixtures("database")
def test_an_existing_table_is_replaced_only_by_force() -> None:
    target = ic.Database(URI, table="patients")
    write_table(TABLE, target)
    with pytest.raises(DataError, match="The table 'patients' exists already"):
        write_table(TABLE.slice(0, 1), target)
    assert len(read(table="patients")) == 3
    write_table(TABLE.slice(0, 1), target, force=True)
    assert len(read(table="patients")) == 1


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.usefixtures("database")
def test_a_failure_in_the_middle_leaves_what_was_there(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    target = ic.Database(URI, table="patients")
    if there:
        write_table(TABLE, target)
    ingest = _database._ingest_table

    def fail(*given: Any) -> None:
        ingest(*given)
        msg = "canary"
        raise RuntimeError(msg)

    monkeypatch.setattr(_database, "_ingest_table", fail)
    with pytest.raises(EngineError, match="withheld") as caught:
        write_table(TABLE.slice(0, 1), target, force=True)
    assert "canary" not in str(caught.value)
    if there:
        assert len(read(table="patients")) == 3
    else:
        with pytest.raises(DataError, match="could not read the table"):
            read(table="patients")


@pytest.mark.parametrize("statement", ["DROP TABLE patients", "DELETE FROM patients", "CREATE TABLE more (x int)"])
@pytest.mark.usefixtures("database")
def test_a_query_changes_nothing(statement: str) -> None:
    write_table(TABLE, ic.Database(URI, table="patients"))
    with pytest.raises(DataError, match="could not"):
        open_table(ic.Database(URI, query=statement))
    assert len(read(table="patients")) == 3
    with pytest.raises(DataError, match="could not read the table"):
        read(table="more")


WRITES = {
    "sqlite": [
        "ATTACH '{file}' AS more",
        "VACUUM INTO '{file}'",
        "SELECT 1); ATTACH '{file}' AS more; SELECT * FROM (SELECT 1",
    ],
    "postgresql": [
        "COPY (SELECT 1) TO PROGRAM 'touch {file}'",
        "COPY (SELECT 1) TO '{file}'",
        "SELECT 1) AS a; COPY (SELECT 1) TO PROGRAM 'touch {file}'; SELECT * FROM (SELECT 1",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "WITH gone AS (DELETE FROM patients RETURNING *) SELECT * FROM gone",
    ],
}


@pytest.mark.usefixtures("database")
def test_a_query_writes_no_file_and_runs_no_program(database: str, tmp_path: Path) -> None:
    write_table(TABLE, ic.Database(URI, table="patients"))
    tmp_path.chmod(0o777)  # the server is another user
    for statement in WRITES[database]:
        with pytest.raises((DataError, ParameterError), match=r"could not|must be one statement"):
            open_table(ic.Database(URI, query=statement.format(file=tmp_path / "written")))
    assert not (tmp_path / "written").exists()
    assert len(read(table="patients")) == 3


@pytest.mark.parametrize(
    "query", ["SELECT 1; SELECT 2", "SELECT 1) AS a, (SELECT 2", "SELECT (1", "SELECT ';' AS a; ;x"]
)
def test_a_query_is_one_statement(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URI, "sqlite:nowhere.db")
    with pytest.raises(ParameterError, match="A query must be one statement"):
        open_table(ic.Database(URI, query=query))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 7 AS a;",
        "SELECT 7 AS a -- ;)",
        "SELECT 7 AS a; -- b;c",
        "SELECT /* ;( */ 7 AS a",
        "SELECT 7 AS a\n;;\n",
        "WITH b AS (SELECT 7 AS a) SELECT * FROM b ORDER BY a",
        "SELECT length(';)(--/*') AS a",
    ],
)
@pytest.mark.usefixtures("database")
def test_a_query_may_end_in_a_semicolon_and_have_comments(query: str) -> None:
    assert read(query=query) == [{"a": 7}]


@pytest.mark.usefixtures("database")
def test_no_message_holds_a_value_or_how_to_connect(database: str) -> None:
    write_table(pa.table({"name": ["canary"]}), ic.Database(URI, table="patients"))
    bad = "SELECT json(name) FROM patients" if database == "sqlite" else "SELECT CAST(name AS int) FROM patients"
    with pytest.raises(DataError, match="withheld") as caught:
        open_table(ic.Database(URI, query=bad))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert "canary" not in str(caught.value)
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("database")
def test_types_of_postgresql_survive() -> None:
    run(
        "CREATE SCHEMA study",
        "CREATE TABLE study.p (n numeric(10, 2), d date, t timestamp, b boolean, u uuid, m numeric)",
        "INSERT INTO study.p VALUES (1.50, '2020-01-01', '2020-01-01 03:04:05', true, "
        "'7c9e6679-7425-40de-944b-e07fc1f90ae7', 0.125), (NULL, NULL, NULL, NULL, NULL, 'NaN')",
    )
    first, second = read(table="study.p")
    assert list(first.values())[:2] == [Decimal("1.50"), dt.date(2020, 1, 1)]
    assert first["t"].isoformat() == "2020-01-01T03:04:05"
    assert (first["b"], first["u"], first["m"]) == (True, "7c9e6679-7425-40de-944b-e07fc1f90ae7", Decimal("0.125"))
    assert set(second.values()) == {None}
    write_table(open_table(ic.Database(URI, table="study.p")).materialise(), ic.Database(URI, table="study.q"))
    assert read(table="study.q") == [first, second]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.usefixtures("database")
def test_the_type_of_a_column_of_sqlite_is_found_in_all_of_its_rows(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE late (x)")
        connection.executemany("INSERT INTO late VALUES (?)", [(None,)] * 3000 + [("text",)])
    connection.close()
    domain = open_table(ic.Database(URI, table="late")).domains(["x"])["x"]
    assert (domain.values.tolist(), domain.counts.tolist()) == (["text"], [1, 3000])


def test_a_file_of_sqlite_that_is_not_there_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("adbc_driver_sqlite")
    monkeypatch.setenv(URI, f"sqlite:///{tmp_path}/t.db")
    with pytest.raises(DataError, match="a file of SQLite that does not exist"):
        read(table="patients")
    monkeypatch.setattr(_database, "_ingest_table", lambda *_: 1 / 0)
    with pytest.raises(EngineError, match="withheld"):
        write_table(TABLE, ic.Database(URI, table="patients"))
    assert list(tmp_path.iterdir()) == []


def test_how_to_connect_is_only_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URI, raising=False)
    with pytest.raises(DataError, match="environment variable 'INCROWD_TEST_URI' is not set"):
        read(table="patients")
    with pytest.raises(ParameterError, match="must be the name of an environment variable") as caught:
        ic.Database("postgresql://me:sesame@host/db", table="patients")
    assert "sesame" not in str(caught.value)
    monkeypatch.setenv(URI, "mysql://me:sesame@host/db")
    with pytest.raises(DataError, match="must begin with postgresql:// or sqlite:") as refused:
        read(table="patients")
    assert "sesame" not in str(refused.value)


def test_a_server_that_is_not_there_is_said_without_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    needed("adbc_driver_postgresql")
    monkeypatch.setenv(URI, "postgresql://me:sesame@127.0.0.1:1/db")
    with pytest.raises(DataError, match="could not be reached") as caught:
        read(table="patients")
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("what", [{}, {"table": "a", "query": "b"}, {"table": ""}, {"table": ".a"}])
def test_a_table_or_a_query_is_needed(what: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match=r"either table or query|must not be empty"):
        ic.Database(URI, **what)


def test_nothing_is_written_to_a_query() -> None:
    with pytest.raises(ParameterError, match="not to a query"):
        write_table(TABLE, ic.Database(URI, query="SELECT 1"))


def test_a_missing_extra_is_named_with_the_line_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URI, "postgresql://host/db")
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(EngineError, match=r"pip install 'incrowd\[sql\]'"):
        read(table="patients")


@pytest.mark.usefixtures("database")
def test_a_release_comes_from_a_database_and_goes_to_it(tmp_path: Path) -> None:
    write_table(ic.hospital(300).drop_columns(["name"]), ic.Database(URI, table="patients"))
    schema = ic.Schema(quasi={"zip": ic.mask()}, sensitive=["diagnosis"])
    release = ic.anonymize(ic.Database(URI, table="patients"), schema, model="k>=5", others="drop", max_suppressed=0.1)
    write_table(release.table, ic.Database(URI, table="public_patients"))
    assert ic.check(ic.Database(URI, table="public_patients"), ic.Schema(["zip"], ["diagnosis"]), "k>=5").holds
    release.save(tmp_path / "out")
    assert ic.verify(tmp_path / "out/public/release.json").holds


@pytest.mark.usefixtures("database")
def test_a_plan_reads_a_query(tmp_path: Path) -> None:
    write_table(ic.hospital(300).drop_columns(["name"]), ic.Database(URI, table="patients"))
    plan = ic.Plan.of(
        {
            "version": 1,
            "data": {"query": "SELECT zip, diagnosis FROM patients", "connection_env": URI},
            "columns": {
                "zip": {"role": "quasi", "hierarchy": "mask"},
                "diagnosis": {"role": "sensitive"},
            },
            "privacy": {"promise": "k>=5", "max_suppressed": 0.1},
        },
        folder=tmp_path,
    )
    assert plan.run().verdict.holds


@pytest.fixture
def guarded_user(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the address of somebody who needs a password, with the right one."""
    monkeypatch.setenv(URI, server)
    if read(query="SELECT count(*) AS n FROM pg_roles WHERE rolname = 'guest'") == [{"n": 0}]:
        rules = Path(read(query="SELECT setting FROM pg_settings WHERE name = 'hba_file'")[0]["setting"])
        rules.write_text(f"host all guest 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        run("CREATE ROLE guest LOGIN PASSWORD 'opensesame'", "SELECT pg_reload_conf()")
        time.sleep(0.5)
    return server.replace("incrowd:sesame", "guest:opensesame")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("opensesame", "sesame", "it refuses the user name or the password"),
        (":opensesame", "", "it refuses the user name or the password"),
        ("guest", "nobody", "it refuses the user name or the password"),
        ("/postgres", "/timeout", "the server has no database of that name"),
        ("127.0.0.1", "nowhere.invalid", "its host is not known"),
        (":{port}", ":1", "no server answers at its host and port"),
        (":{port}", ":sesame", f"the environment variable {URI!r} is no address that can be read"),
        ("/postgres", "/postgres?sesame=1", f"the environment variable {URI!r} is no address that can be read"),
    ],
)
def test_what_of_an_address_is_wrong_is_said_and_no_part_of_it(
    guarded_user: str, old: str, new: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = old.format(port=guarded_user.rpartition(":")[2].partition("/")[0])
    assert old in guarded_user
    monkeypatch.setenv(URI, guarded_user)
    assert read(query="SELECT 1 AS a") == [{"a": 1}]
    monkeypatch.setenv(URI, guarded_user.replace(old, new))
    with pytest.raises(DataError, match=f"The database could not be reached: {reason}") as caught:
        read(query="SELECT 1 AS a")
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    for secret in ("sesame", "guest", "nobody", "invalid", "127.0.0.1", "timeout"):
        assert secret not in str(caught.value)


def test_a_file_that_is_no_database_of_sqlite_is_said_to_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("adbc_driver_sqlite")
    monkeypatch.setenv(URI, f"sqlite:{tmp_path}/t.db")
    (tmp_path / "t.db").write_text("canary" * 1_000)
    with pytest.raises(DataError, match="names a file that is no database of SQLite") as caught:
        read(table="patients")
    assert "canary" not in str(caught.value)


def test_a_damaged_database_is_read_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("adbc_driver_sqlite")
    monkeypatch.setenv(URI, f"sqlite:{tmp_path}/t.db")
    write_table(pa.table({"age": [*range(300)], "name": ["canary"] * 300}), ic.Database(URI, table="patients"))
    whole, told = (tmp_path / "t.db").read_bytes(), []
    for content in mutations(whole, 60):
        (tmp_path / "t.db").write_bytes(content)
        try:
            read(table="patients")
        except (DataError, SchemaError) as error:
            told.append(str(error))
    assert told
    assert not [message for message in told if "canary" in message]


ADDRESS = "postgresql://me:sesame@host/db"


def test_an_address_that_stands_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    inside = ic.Database(URI, query=f"SELECT * FROM dblink('{ADDRESS}', 'SELECT 1') AS x (a int)")
    assert "sesame" not in repr(inside)
    told = []
    for table in (ADDRESS, tmp_path / ADDRESS, "mysql://host/db?password=sesame"):
        with pytest.raises(DataError, match="not by how to connect to it") as caught:
            open_table(table)
        told.append(str(caught.value))
    for variable in (ADDRESS, "host=h password=sesame", "me:sesame@host"):
        with pytest.raises(ParameterError, match="must be the name of an environment variable") as refused:
            ic.Database(variable, table="patients")
        told.append(str(refused.value))
    assert not [message for message in told if "sesame" in message]


KEYED: dict[str, pa.Table] = {
    "patients": pa.table({"person_id": [1, 2, 3, 4], "sex": ["f", "f", "m", "m"]}),
    "visits": pa.table(
        {"person_id": [1, 2, 3, 4], "ward": ["a", "a", "b", "b"], "disease": ["flu", "hiv", "flu", "hiv"]}
    ),
}


def linked(tables: Any) -> ic.Tables:
    return ic.Tables(tables, keys={"patients": "person_id"}, of={"visits": {"person_id": "patients"}})


def places(end: str = "") -> dict[str, ic.Database]:
    return {name: ic.Database(URI, table=name + end) for name in KEYED}


@pytest.mark.filterwarnings("ignore:Column 'person_id' is published as a pseudonym")
def test_several_tables_of_a_database_are_released_and_written_back(database: str) -> None:  # noqa: ARG001
    for name, table in KEYED.items():
        write_table(table, ic.Database(URI, table=name))
    schema = ic.Schema({"sex": ic.flat(), "ward": ic.flat()}, ["disease"])
    release = ic.anonymize(linked(places()), schema, model="k>=2, l>=2")
    write_table(release.table, places("_public"))
    found = {name: read(table=f"{name}_public") for name in KEYED}
    assert len(found["patients"]) == 4
    assert {row["person_id"] for row in found["visits"]} == {row["person_id"] for row in found["patients"]}
    assert {len(row["person_id"]) for row in found["patients"]} == {32}


def test_several_tables_are_written_all_or_none(database: str) -> None:  # noqa: ARG001
    write_table(KEYED["visits"], ic.Database(URI, table="visits"))
    with pytest.raises(DataError, match="The table 'visits' exists already"):
        write_table(linked(KEYED), places())
    with pytest.raises(DataError, match="could not read the table"):
        read(table="patients")
    write_table(linked(KEYED), places(), force=True)
    assert len(read(table="patients")) == 4


def test_several_tables_need_one_place_each_in_one_database() -> None:
    tables = linked(KEYED)
    for target in ("x.csv", ic.Database(URI, table="a"), {"patients": ic.Database(URI, table="a")}):
        with pytest.raises(DataError, match="for each one must be named"):
            write_table(tables, target)
    elsewhere = {"patients": ic.Database(URI, table="a"), "visits": ic.Database("OTHER_URI", table="b")}
    with pytest.raises(ParameterError, match="these are in several databases"):
        write_table(tables, elsewhere)
    twice = {name: ic.Database(URI, table="a") for name in KEYED}
    with pytest.raises(ParameterError, match="Two tables would be written to one"):
        write_table(tables, twice)
