"""``Tables``: which tables hang together how, and what is said of links that lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest

import incrowd as ic

PLAIN: dict[str, Any] = {"patients": [], "visits": [], "diagnoses": []}
KEYS = {"patients": "person_id", "visits": "visit_id"}
OF = {"visits": {"person_id": "patients"}, "diagnoses": {"visit_id": "visits"}}


def test_every_table_leads_to_the_people() -> None:
    tables = ic.Tables(PLAIN, keys=KEYS, of=OF)
    assert (tables.people, tables.person) == ("patients", "person_id")
    assert tables.way("diagnoses") == ["patients", "visits", "diagnoses"]
    assert tables.key_columns("visits") == {"visit_id": "visits", "person_id": "patients"}
    assert tables.referred == {"patients", "visits"}
    assert repr(tables) == "Tables(patients, visits of patients, diagnoses of visits)"


def test_joined_columns_are_called_after_their_table_where_several_have_them() -> None:
    columns = {"patients": ["person_id", "sex"], "visits": ["visit_id", "person_id", "date"]}
    columns |= {"diagnoses": ["visit_id", "date", "disease"]}
    tables = ic.Tables(PLAIN, keys=KEYS, of=OF)
    names = [one.name for one in tables.joined_columns(columns)]
    assert names == ["person_id", "sex", "visits.date", "diagnoses.date", "disease"]
    some = tables.about(["disease", "has visits", "visits.date"]).joined_columns(columns)
    assert [(one.name, one.table, one.column) for one in some] == [
        ("person_id", "patients", "person_id"),
        ("has visits", "visits", None),
        ("visits.date", "visits", "date"),
        ("disease", "diagnoses", "disease"),
    ]


def test_two_joined_columns_of_one_name_are_refused() -> None:
    columns = {"patients": ["person_id", "visits.date", "date"], "visits": ["visit_id", "person_id", "date"]}
    columns |= {"diagnoses": ["visit_id"]}
    with pytest.raises(ic.ParameterError, match=r"would have two columns 'visits\.date'\. Hint: rename one"):
        ic.Tables(PLAIN, keys=KEYS, of=OF).joined_columns(columns)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tables": [1]}, "tables must say it per table, got list"),
        ({"tables": {}, "keys": {}, "of": {}}, "There is no table"),
        ({"tables": {**PLAIN, "a/b": []}}, "A table cannot be called 'a/b': files are named after it"),
        ({"tables": {**PLAIN, "_x": []}}, "A table cannot be called '_x'"),
        ({"tables": {7: []}}, "A table cannot be called int"),
        ({"tables": {**PLAIN, "Visits": []}}, "Two tables have the same name, whatever the case"),
        ({"keys": {**KEYS, "visit": "visit_id"}}, "keys speaks of a table 'visit', and there is none"),
        ({"of": {**OF, "labs": {"visit_id": "visits"}}}, "of speaks of a table 'labs', and there is none"),
        ({"of": {**OF, "diagnoses": {"visit_id": "visit"}}}, "refers to a table 'visit', and there is none"),
        ({"of": {**OF, "diagnoses": {"x": "diagnoses"}}}, "refers to table 'diagnoses', of which no key is named"),
        ({"of": {**OF, "visits": {7: "patients"}}}, "must say by which column it refers to which table"),
        ({"of": {**OF, "visits": {"visit_id": "patients"}}}, "is the key of table 'visits', and refers to table"),
        ({"of": {"visits": {"person_id": "patients"}}}, "2 tables refer to no other: 'patients', 'diagnoses'"),
        ({"keys": {"visits": "visit_id"}, "of": {"diagnoses": {"visit_id": "visits"}}}, "2 tables refer to no other"),
        (
            {"of": {**OF, "patients": {"visit": "visits"}}},
            "Tables refer to each other in a circle: patients → visits → patients",
        ),
        ({"tables": {"patients": []}, "keys": {}, "of": {}}, "The table of the people, 'patients', has no key"),
        ({"reading": {"labs": {}}}, "reading speaks of a table 'labs'"),
    ],
)
def test_links_that_lead_nowhere_are_refused(changed: dict[str, Any], message: str) -> None:
    said: dict[str, Any] = {"tables": PLAIN, "keys": KEYS, "of": OF, **changed}
    with pytest.raises(ic.ParameterError, match=message):
        ic.Tables(said.pop("tables"), **said)


@pytest.mark.parametrize("table", ["visits", "diagnoses"])
def test_rows_cannot_be_joined_in_a_way_that_no_promise_is_about(table: str) -> None:
    of = {**OF, "diagnoses": {"person_id": "patients", "visit_id": table}}
    keys = {**KEYS, "diagnoses": "diagnosis_id"}
    with pytest.raises(ic.ParameterError, match=rf"column 'visit_id' refers to '{table}', to which they do not belong"):
        ic.Tables(PLAIN, keys=keys, of=of)
    shortcut = ic.Tables(PLAIN, keys=KEYS, of={**OF, "diagnoses": {"visit_id": "visits", "person_id": "patients"}})
    assert shortcut.way("diagnoses") == ["patients", "visits", "diagnoses"]
