"""The made-up hospital as several tables: the same everywhere, its keys in order, and released with its own schema."""

from __future__ import annotations

import hashlib
import json

import pytest

import incrowd as ic
from incrowd.engines import join_tables
from incrowd.release import joined_schema


def test_the_same_people_and_seed_give_the_same_tables() -> None:
    tables = ic.hospital_tables(50)
    assert {name: tables[name].num_rows for name in tables} == {
        "person": 50,
        "visit_occurrence": 74,
        "condition_occurrence": 98,
        "measurement": 148,
    }
    rows = {name: tables[name].to_pylist() for name in tables}
    again = ic.hospital_tables(50)
    assert rows == {name: again[name].to_pylist() for name in again}
    digest = hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()
    assert digest == "5fd3623e73f6f1394d24eef651a8bdcc766dd18c9f191171344bd02f8ef8766a"
    assert rows["person"] != ic.hospital_tables(50, seed=1)["person"].to_pylist()
    assert rows["person"][0]["person_id"] == 1001


def test_their_keys_are_in_order_also_where_nobody_is() -> None:
    for people in (0, 1, 40):
        assert join_tables(ic.hospital_tables(people)).problems() == []


@pytest.mark.filterwarnings("ignore:Keys are published", "ignore:Column 'person_id' is published")
def test_they_are_published_with_their_own_schema() -> None:
    tables, schema = ic.hospital_tables(), ic.hospital_tables_schema()
    release = ic.anonymize(tables, schema, model="k>=5, l>=2", max_suppressed=0.05)
    assert release.verdict.holds
    assert {*release.table["measurement"].column_names} == {
        "person_id", "visit_occurrence_id", "measurement_source_value", "value_as_number",
    }  # fmt: skip
    assert ic.assess(tables, joined_schema(tables, schema)).persons == 300


def test_roles_of_tables_are_not_those_of_their_joined_rows() -> None:
    with pytest.raises(ic.SchemaError, match=r"about their joined rows.*joined_schema"):
        ic.assess(ic.hospital_tables(), ic.hospital_tables_schema())


def test_a_dict_of_tables_and_an_application_to_tables_are_refused() -> None:
    tables, schema = ic.hospital_tables(), ic.hospital_tables_schema()
    with pytest.raises(ic.DataError, match=r"4 tables were given, and nothing says how they are linked.*Tables\("):
        ic.anonymize(dict(tables.tables), schema, model="k>=2")
    single = ic.anonymize(
        ic.hospital(50), ic.hospital_schema(), model="k>=2", algorithm=ic.Optimal(), max_suppressed=0.9
    )
    with pytest.raises(ic.ParameterError, match="Recodings are not applied to several tables"):
        ic.apply(single, tables)
