"""Several tables as one release: one promise about the joined rows, kept by what is published, measured by hand."""

from __future__ import annotations

import csv
import datetime as dt
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from release.slow_tables import Rows, fewest_people, fewest_values, joined, view
from release.verified import run_script, script

pytestmark = pytest.mark.filterwarnings(
    "ignore:Keys are published as pseudonyms", "ignore:Column 'person_id' is published as a pseudonym"
)
KEYS = {"patients": "person_id", "visits": "visit_id"}
OF = {"visits": {"person_id": "patients"}, "diagnoses": {"visit_id": "visits"}}
LINKS = {"visits": ("person_id", "patients"), "diagnoses": ("visit_id", "visits")}
SCHEMA = ic.Schema(
    quasi={"age": ic.intervals(10, 40), "ward": ic.flat(), "day": ic.dates("month", "year")},
    sensitive=["disease"],
    identifiers=["name"],
    insensitive=["note"],
)
COLUMNS = [("patients", "age"), ("visits", None), ("visits", "ward"), ("visits", "day"), ("diagnoses", None)]
COLUMNS += [("diagnoses", "day")]


def hospital(people: int = 24) -> dict[str, Rows]:
    """Make up a few patients, each with one to three visits."""
    patients, visits, diagnoses = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    for n in range(people):
        patients.append({"person_id": 100 + n, "name": f"Canary{n}", "age": 20 + n % 4 * 10 + n % 3})
        for place in range(1 + n % 3):
            visit = 1000 + len(visits)
            day = dt.date(2024, 1 + (n + place) % 3, 1 + n % 5)
            visits.append(
                {"visit_id": visit, "person_id": 100 + n, "ward": "ab"[(n + place) % 2], "day": day, "note": "x"}
            )
            diagnoses += [
                {"visit_id": visit, "disease": name, "day": day} for name in ("flu", "hiv", "asthma")[: 1 + n % 2]
            ]
    return {"patients": patients, "visits": visits, "diagnoses": diagnoses}


def linked(tables: Any, **more: Any) -> ic.Tables:
    return ic.Tables(tables, keys=KEYS, of=OF, **more)


def plain_rows(table: Any) -> Rows:
    """Give any published table as dicts of texts."""
    if isinstance(table, Path):
        with table.open(newline="") as file:
            rows: Rows = [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(file)]
            return rows
    if isinstance(table, pd.DataFrame):
        found: list[Any] = table.to_dict("records")
    elif isinstance(table, pa.Table):
        found = table.to_pylist()
    else:
        found = table if isinstance(table, list) else table.to_dicts()
    return [{name: None if cell is None or cell != cell else str(cell) for name, cell in row.items()} for row in found]  # noqa: PLR0124


def expect_promise(tables: dict[str, Rows], k: int, m: int = 1, least: int = 0) -> None:
    """Measure published tables by hand: their keys, and what is promised of their joined rows."""
    persons = [row["person_id"] for row in tables["patients"]]
    visits = [row["visit_id"] for row in tables["visits"]]
    assert len({*persons}) == len(persons)
    assert len({*visits}) == len(visits)
    assert {row["person_id"] for row in tables["visits"]} <= {*persons}
    assert {row["visit_id"] for row in tables["diagnoses"]} <= {*visits}
    rows = joined(tables, KEYS, LINKS)
    labels = view(rows, COLUMNS)
    people = [row["patients"]["person_id"] for row in rows]
    assert fewest_people(labels, people, m) >= k
    if least:
        values = [None if row["diagnoses"] is None else row["diagnoses"]["disease"] for row in rows]
        assert fewest_values(labels, values, lambda label: bool(label[4])) >= least


@pytest.mark.parametrize(
    ("promise", "expected"),
    [("k>=3", (3,)), ("k>=2[any 2 rows]", (2, 2)), ("k>=2, l>=2[disease]", (2, 1, 2))],
)
def test_published_tables_keep_their_promise_measured_by_hand(promise: str, expected: tuple[int, ...]) -> None:
    release = ic.anonymize(linked(hospital()), SCHEMA, model=promise, max_suppressed=0.7)
    assert isinstance(release.table, ic.Tables)
    tables = {name: plain_rows(release.table[name]) for name in release.table}
    expect_promise(tables, *expected)
    assert release.verdict.holds
    assert not any(column in row for rows in tables.values() for row in rows for column in ("name",))
    assert {len(row["person_id"]) for row in tables["patients"]} == {32}


def test_a_column_that_several_tables_have_is_at_one_level_in_all() -> None:
    tables = hospital()
    for row in tables["diagnoses"]:
        row["day"] = row["day"].replace(day=1)  # months alone are enough here, but not for visits
    release = ic.anonymize(linked(tables), SCHEMA, model="k>=3", max_suppressed=0.5)
    levels = release.recipe.levels
    assert levels is not None
    assert levels["visits.day"] == levels["diagnoses.day"]
    shown = {name: {row["day"] for row in plain_rows(release.table[name])} for name in ("visits", "diagnoses")}
    assert shown["diagnoses"] <= shown["visits"]


def test_who_is_left_out_is_left_out_everywhere() -> None:
    tables = hospital()
    tables["patients"].append({"person_id": 999, "name": "Alone", "age": 95})
    tables["visits"].append({"visit_id": 9999, "person_id": 999, "ward": "z", "day": dt.date(1999, 9, 9), "note": "y"})
    tables["diagnoses"].append({"visit_id": 9999, "disease": "plague", "day": dt.date(1999, 9, 9)})
    release = ic.anonymize(linked(tables), SCHEMA, model="k>=2", max_suppressed=0.2, at_most={"ward": 0, "age": 1})
    published = {name: plain_rows(release.table[name]) for name in release.table}
    gone = len(tables["patients"]) - len(published["patients"])
    assert gone >= 1
    assert "z" not in {row["ward"] for row in published["visits"]}
    assert "plague" not in {row["disease"] for row in published["diagnoses"]}
    expect_promise(published, 2)


def test_a_person_without_a_row_is_published_without_one() -> None:
    tables = hospital()
    tables["patients"] += [{"person_id": 500 + n, "name": "None", "age": 20 + n % 4 * 10} for n in range(8)]
    release = ic.anonymize(linked(tables), SCHEMA, model="k>=2", max_suppressed=0.5)
    published = {name: plain_rows(release.table[name]) for name in release.table}
    with_visits = {row["person_id"] for row in published["visits"]}
    assert 0 < len({row["person_id"] for row in published["patients"]} - with_visits) <= 8
    expect_promise(published, 2)


def with_absent_people() -> dict[str, Rows]:
    """Add people without a visit, and visits without a diagnosis."""
    tables = hospital()
    for n in range(8):
        tables["patients"] += [{"person_id": 500 + n, "name": "None", "age": 20 + n % 2 * 10}]
        if n > 3:
            row = {"visit_id": 7000 + n, "person_id": 500 + n, "ward": "a", "day": dt.date(2024, 1, 1), "note": "x"}
            tables["visits"].append(row)
    return tables


@pytest.mark.parametrize("promise", ["k>=2, l>=2[disease]", "k>=2, p>=2[disease]"])
def test_who_has_no_row_is_not_asked_for_values_that_nobody_without_one_has(promise: str, tmp_path: Path) -> None:
    tables = linked(with_absent_people())
    how: dict[str, Any] = {"max_suppressed": 0.1, "output": tmp_path / "out", "format": "csv"}
    release = ic.anonymize(tables, SCHEMA, model=promise, **how)
    published = {name: plain_rows(release.table[name]) for name in release.table}
    assert len(published["patients"]) > 24
    expect_promise(published, 2, 1, 2)
    assert dict(release.schema.presence) == {"disease": "has diagnoses"}
    checked = ic.verify(tmp_path / "out", original=tables)
    assert not checked.differences
    code, said = script(tmp_path / "out")
    assert code == 0, said


def test_sensitive_columns_of_a_table_without_more_are_missing_for_who_has_no_row_above() -> None:
    schema = ic.Schema(
        {"age": ic.intervals(10, 40), "ward": ic.flat(), "day": ic.dates("year")},
        ["disease"],
        identifiers=["name"],
        insensitive=["note"],
    )
    tables = with_absent_people()
    for row in tables["diagnoses"]:
        del row["day"]
    release = ic.anonymize(linked(tables), schema, model="k>=2, l>=2", max_suppressed=0.3)
    assert dict(release.schema.presence) == {"disease": "has visits"}
    assert not set(release.recipe.levels or {}) & {"has diagnoses"}


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_come_back_as_the_frames_that_they_were(kind: str) -> None:
    make: Any = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind]
    frames = {name: make(rows) for name, rows in hospital().items()}
    release = ic.anonymize(linked(frames), SCHEMA, model="k>=2", max_suppressed=0.5)
    assert all(type(release.table[name]) is type(frames[name]) for name in frames)
    expect_promise({name: plain_rows(release.table[name]) for name in frames}, 2)


def files(folder: Path, tables: dict[str, Rows], ending: str) -> dict[str, Path]:
    for name, rows in tables.items():
        frame = pd.DataFrame(rows)
        frame.to_csv(folder / f"{name}.csv", index=False) if ending == "csv" else frame.to_parquet(
            folder / f"{name}.parquet"
        )
    return {name: folder / f"{name}.{ending}" for name in tables}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("written", ["csv", "parquet"])
def test_a_folder_of_tables_holds_for_everybody(tmp_path: Path, ending: str, written: Any) -> None:
    tables = linked(files(tmp_path, hospital(), ending))
    release = ic.anonymize(
        tables, SCHEMA, model="k>=2[any 2 rows], l>=2", max_suppressed=0.8, output=tmp_path / "out", format=written
    )
    assert release.table["visits"] == tmp_path / "out" / "public" / "tables" / f"visits.{written}"
    assert script(tmp_path / "out")[0] == 0, script(tmp_path / "out")[1]
    assert ic.verify(tmp_path / "out").outcome == "holds"
    checked = ic.verify(tmp_path / "out", original=tables)
    assert checked.outcome == "holds", checked.differences
    certificate = json.loads((tmp_path / "out" / "public" / "release.json").read_text())
    assert [one["file"] for one in certificate["data"]["tables"]] == [f"{name}.{written}" for name in tables]
    if written == "csv":
        expect_promise({name: plain_rows(release.table[name]) for name in tables}, 2, 2, 2)


def test_a_release_in_memory_is_saved_as_one_that_is_written_at_once(tmp_path: Path) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(bytes(range(32)))
    tables = linked(hospital())
    how: dict[str, Any] = {"pseudonyms": {"person_id": key}, "max_suppressed": 0.5}
    ic.anonymize(tables, SCHEMA, model="k>=2", **how).save(tmp_path / "one", format="csv")
    ic.anonymize(tables, SCHEMA, model="k>=2", output=tmp_path / "two", format="csv", **how)
    for name in tables:
        one, two = ((tmp_path / which / "public" / "tables" / f"{name}.csv").read_bytes() for which in ("one", "two"))
        assert one == two
    assert script(tmp_path / "one")[0] == 0
    assert ic.verify(tmp_path / "one", original=tables).outcome == "holds"


def test_one_key_gives_one_pseudonym_in_all_tables_and_editions(tmp_path: Path) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(bytes(range(40)))
    found = []
    for people in (24, 30):
        release = ic.anonymize(
            linked(hospital(people)), SCHEMA, model="k>=2", max_suppressed=0.8, pseudonyms={"person_id": key}
        )
        found.append({name: plain_rows(release.table[name]) for name in release.table})
    for name, column in (("patients", "person_id"), ("visits", "visit_id")):
        one, two = ({row[column] for row in tables[name]} for tables in found)
        assert len(one & two) > 0.5 * min(len(one), len(two))
    alone = ic.anonymize(
        [{"person_id": 100, "age": 20}, {"person_id": 101, "age": 21}],
        ic.Schema({"age": ic.flat()}, entity="person_id"),
        model="k>=2",
        pseudonyms={"person_id": key},
    )
    assert {row["person_id"] for row in alone.table} & {row["person_id"] for row in found[1]["patients"]}


def test_without_a_key_no_two_releases_share_a_pseudonym() -> None:
    one, two = (ic.anonymize(linked(hospital()), SCHEMA, model="k>=2", max_suppressed=0.5) for _ in range(2))
    assert not {row["person_id"] for row in one.table["patients"]} & {row["person_id"] for row in two.table["patients"]}
    assert any("was drawn for this release" in note for note in one.recipe.notes)


def test_dates_of_a_person_move_alike_in_all_tables(tmp_path: Path) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(bytes(range(32)))
    schema = ic.Schema(
        quasi={"age": ic.intervals(10, 40), "ward": ic.flat()},
        sensitive=["disease"],
        identifiers=["name"],
        insensitive=["note"],
        shifted=ic.ShiftedDates(["day"], within=100),
    )
    tables = hospital()
    with pytest.warns(ic.PrivacyWarning):
        release = ic.anonymize(
            linked(tables), schema, model="k>=2", max_suppressed=0.5, shift_key=key, pseudonyms={"person_id": key}
        )
    days = {row["visit_id"]: row["day"] for row in release.table["visits"]}
    assert days
    assert all(row["day"] == days[row["visit_id"]] for row in release.table["diagnoses"])
    assert {*days.values()} - {row["day"] for row in tables["visits"]}
    assert set(release.recipe.shifted["columns"]) == {"visits.day", "diagnoses.day"}
    with pytest.warns(ic.PrivacyWarning):
        ic.anonymize(
            linked(tables),
            schema,
            model="k>=2",
            max_suppressed=0.5,
            shift_key=key,
            output=tmp_path / "out",
            format="csv",
        )
    checked = ic.verify(tmp_path / "out", original=linked(tables), shift_key=key)
    assert checked.outcome == "holds", checked.differences
    assert any("every shifted date" in what for what in checked.checked)
    assert script(tmp_path / "out")[0] == 0


PEOPLE = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.sampled_from("xyz"), max_size=2)), max_size=3),
    ),
    min_size=4,
    max_size=14,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PEOPLE, st.sampled_from(["k>=2", "k>=2[any 2 rows]", "k>=3", "k>=2, l>=2"]))
def test_whatever_the_tables_are_a_release_keeps_its_promise(people: Any, promise: str) -> None:
    tables: dict[str, Rows] = {"patients": [], "visits": [], "diagnoses": []}
    for n, (age, visits) in enumerate(people):
        tables["patients"].append({"person_id": n, "age": age})
        for ward, diseases in visits:
            visit = len(tables["visits"])
            tables["visits"].append({"visit_id": visit, "person_id": n, "ward": ward})
            tables["diagnoses"] += [{"visit_id": visit, "disease": disease} for disease in diseases]
    if not (tables["visits"] and tables["diagnoses"]):
        return
    schema = ic.Schema({"age": ic.intervals(2, 4), "ward": ic.flat()}, ["disease"])
    try:
        release = ic.anonymize(linked(tables), schema, model=promise, max_suppressed=0.9)
    except ic.NoSafeRelease:
        return
    published = {name: plain_rows(release.table[name]) for name in release.table}
    rows = joined(published, KEYS, LINKS)
    labels = view(rows, [("patients", "age"), ("visits", None), ("visits", "ward")])
    persons = [row["patients"]["person_id"] for row in rows]
    assert fewest_people(labels, persons, 2 if "any" in promise else 1) >= int(promise[3])
    if "l>=2" in promise:
        values = [None if row["diagnoses"] is None else row["diagnoses"]["disease"] for row in rows]
        assert fewest_values(labels, values, lambda label: bool(label[1])) >= 2


def test_no_value_of_any_table_is_said_when_something_goes_wrong(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    tables = hospital()
    tables["visits"][0]["person_id"] = 424242
    for schema in (SCHEMA, ic.Schema(quasi={"age": ic.flat()}, sensitive=["disease"])):
        with pytest.raises(ic.IncrowdError) as caught:
            ic.anonymize(linked(files(tmp_path, tables, "csv")), schema, model="k>=2", output=tmp_path / "out")
        assert not any(canary in str(caught.value) for canary in ("Canary", "424242"))
    assert not (tmp_path / "out").exists()
    assert not any("Canary" in str(one.message) for one in recwarn)


def test_nothing_of_the_originals_stands_in_the_public_folder(tmp_path: Path) -> None:
    ic.anonymize(linked(hospital()), SCHEMA, model="k>=2", max_suppressed=0.5, output=tmp_path / "out", format="csv")
    public = "".join(
        path.read_text() for path in (tmp_path / "out" / "public").rglob("*") if path.suffix in {".csv", ".json"}
    )
    assert "Canary" not in public
    assert not any(f"{number}," in public for number in range(1000, 1030))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"algorithm": ic.Mondrian()},
            "Mondrian gives one value several labels, and in several tables it must have one",
        ),
        ({"suppression": "drop"}, "a person is left out everywhere or nowhere"),
        ({"order": "keep"}, "Rows of several tables are sorted"),
        ({"sample": 10}, "A sample cannot be taken of several tables"),
        ({"at_most": {"agee": 1}}, "has no column 'agee'"),
        ({"output": "x", "format": "xlsx"}, "Several tables are written as parquet, csv, csv.gz, not as 'xlsx'"),
        ({"others": "keep"}, "others must be 'refuse' or 'drop'"),
    ],
)
def test_what_several_tables_cannot_have_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ic.IncrowdError, match=message):
        ic.anonymize(linked(hospital()), SCHEMA, model="k>=2", **options)


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from incrowd.release import _folder
import incrowd as ic
from release.test_several_tables import SCHEMA, hospital, linked
def killed(*args, **more):
    os.kill(os.getpid(), signal.SIGKILL)
_folder.write_recoding = killed
ic.anonymize(linked(hospital()), SCHEMA, model="k>=2", max_suppressed=0.5, output={out!r}, format="csv")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_who_is_killed_while_writing_leaves_no_folder(tmp_path: Path) -> None:
    code = KILLED.format(tests=str(Path(__file__).parents[1]), out=str(tmp_path / "out"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=False, env=os.environ, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (tmp_path / "out").exists()
    ic.anonymize(linked(hospital()), SCHEMA, model="k>=2", max_suppressed=0.5, output=tmp_path / "out", format="csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_folder_is_replaced_only_if_that_is_allowed(tmp_path: Path) -> None:
    how: dict[str, Any] = {"model": "k>=2", "max_suppressed": 0.5, "output": tmp_path / "out"}
    ic.anonymize(linked(hospital()), SCHEMA, **how)
    with pytest.raises(ic.DataError, match="exists already"):
        ic.anonymize(linked(hospital()), SCHEMA, **how)
    ic.anonymize(linked(hospital()), SCHEMA, **how, force=True)
    assert pq.read_table(tmp_path / "out" / "public" / "tables" / "visits.parquet").num_rows


def test_attacks_and_usefulness_are_about_the_joined_rows(tmp_path: Path) -> None:
    tables = linked(hospital())
    release = ic.anonymize(tables, SCHEMA, model="k>=2, l>=2", max_suppressed=0.6, output=tmp_path / "out")
    for asked in (release, tmp_path / "out"):
        found = ic.attack(asked, original=tables)
        assert found.persons == release.verdict.persons
    assert ic.utility(release, tables).records == release.recipe.published
    written = release.report(tmp_path / "report.json")
    assert "visits.day" in written.read_text()


def test_tables_are_written_as_the_files_that_were_read_and_a_star_may_be_nothing(tmp_path: Path) -> None:
    paths = {}
    for name, rows in hospital(40).items():
        paths[name] = tmp_path / f"{name}.csv"
        lines = [";".join([*rows[0], "cost"])]
        for number, row in enumerate(rows):
            days = {column: f"{day:%d.%m.%Y}" for column, day in row.items() if isinstance(day, dt.date)}
            lines.append(";".join([*map(str, (row | days).values()), f"{number % 3},5"]))
        paths[name].write_text("\n".join(lines) + "\n", encoding="cp1252")
    schema = ic.Schema(dict(SCHEMA.quasi), ["disease"], identifiers=["name"], insensitive=["note", "cost"])
    how: dict[str, Any] = {"separator": ";", "encoding": "cp1252", "decimal": ",", "dates": "%d.%m.%Y"}
    written: dict[str, Any] = {"output": tmp_path / "out", "format": "csv", "stars": "null"}
    release = ic.anonymize(linked(paths), schema, model="k>=8", max_suppressed=0.5, **written, **how)
    assert release.recipe.levels is not None
    assert release.recipe.levels["age"] == 3
    header, line = (tmp_path / "out" / "public" / "tables" / "patients.csv").read_text("cp1252").splitlines()[:2]
    assert header == "person_id;age;cost"
    assert line.split(";")[1] == ""
    assert line.endswith(",5")
    assert ic.verify(tmp_path / "out").outcome == "holds"
    assert ic.verify(tmp_path / "out", original=linked(paths), **how).outcome == "holds"
    assert script(tmp_path / "out")[0] == 0


ALIKE: dict[str, list[dict[str, Any]]] = {
    "people": [{"id": one, "sex": "fm"[one % 2]} for one in range(12)],
    "visits": [{"id": one, "of": one % 9, "ward": "ab"[one % 2]} for one in range(24)],
    "codes": [{"visit": one, "code": "xyz"[one % 3]} for one in range(24)],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"counted": "records"}, "people are counted by their key"),
        ({"has visits": {"role": "insensitive", "level": None}}, "whether somebody has rows of a table"),
        ({"has visits": {"level": 1}}, "whether somebody has rows of a table"),
    ],
)
def test_people_and_who_has_rows_are_what_certificates_speak_of(
    change: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links: dict[str, Any] = {"keys": {"people": "id", "visits": "id"}}
    tables = ic.Tables(ALIKE, **links, of={"visits": {"of": "people"}, "codes": {"visit": "visits"}})
    schema = ic.Schema({"sex": ic.flat(), "ward": ic.flat()}, ["code"])
    ic.anonymize(tables, schema, model="k>=2", max_suppressed=0.9).save(tmp_path / "out", format="csv")
    assert ic.verify(tmp_path / "out").holds  # keys that are called alike are no trouble
    assert run_script(tmp_path / "out", capsys)[0] == 0
    path = tmp_path / "out/public/release.json"
    certificate = json.loads(path.read_text())
    for column in certificate["columns"]:
        column.update(change.get(column["name"], {}))
    certificate |= {name: value for name, value in change.items() if name in certificate}
    path.write_text(json.dumps(certificate))
    found = ic.verify(tmp_path / "out")
    assert not found.holds
    assert said in found.differences
    assert run_script(tmp_path / "out", capsys)[0] == 1
