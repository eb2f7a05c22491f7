"""The made-up hospital as several tables with the names of the OMOP common data model. It describes nobody."""

from __future__ import annotations

from typing import Any

import numpy as np

from incrowd.core import Schema
from incrowd.datasets._hospital import Stream, hospital_columns
from incrowd.engines import Tables, table_of_columns
from incrowd.hierarchies import dates, flat, intervals, mask

VISITS = (5, 3, 1)
"""How often people have one, two or three visits."""
KINDS = ("Outpatient", "Outpatient", "Inpatient", "Emergency")
APART = 400
"""So many days later at most is the next visit."""
TESTS = {"Body temperature": (36.0, 3.5), "Heart rate": (55.0, 60.0)}
"""What is measured at a visit: from where on, and how much more at most."""
FIRST_ID = {"person_id": 1_001, "visit_occurrence_id": 20_001, "condition_occurrence_id": 1, "measurement_id": 1}


def hospital_tables(people: int = 300, seed: int = 2026) -> Tables:
    """Make up the patients of a hospital with their visits, diagnoses and measurements, as linked tables.

    Parameters
    ----------
    people
        How many patients, 0 or more.
    seed
        Which hospital. The same people and seed give the same tables everywhere.

    Returns
    -------
    Tables
        Named as in the OMOP common data model, with some of its columns, each a ``pyarrow.Table``: ``person``,
        ``visit_occurrence``, ``condition_occurrence`` and ``measurement``, linked by their keys.

    See Also
    --------
    hospital_tables_schema : the roles and hierarchies that belong to these tables.

    Examples
    --------
    >>> import incrowd as ic
    >>> tables = ic.hospital_tables()
    >>> list(tables)
    ['person', 'visit_occurrence', 'condition_occurrence', 'measurement']
    >>> tables["person"].num_rows
    300
    """
    known, stream = hospital_columns(people, seed), Stream(3 * people, seed + 1)
    person = np.arange(people) + FIRST_ID["person_id"]
    kept = _visits_of(stream, people)
    whose = np.repeat(np.arange(people), 3)[kept]
    visit = np.arange(len(whose)) + FIRST_ID["visit_occurrence_id"]
    later = (stream.shares() * APART).astype(np.int64) * np.tile(np.arange(3), people)
    day = np.array(known["admission_date"], dtype="datetime64[D]")[whose] + later[kept]
    kind = np.array(KINDS, dtype=object)[(stream.shares() * len(KINDS)).astype(np.int64)][kept]
    other = (stream.shares() * people).astype(np.int64)[kept]  # somebody else's diagnosis beside one's own
    has_other = (stream.shares() < 0.3)[kept]
    diagnosis = np.array(known["diagnosis"], dtype=object)
    of_visit = np.concatenate([np.arange(len(visit)), np.flatnonzero(has_other)])
    order = np.argsort(of_visit, kind="stable")
    conditions = np.concatenate([diagnosis[whose], diagnosis[other[has_other]]])[order]
    of_visit = of_visit[order]
    tables = {
        "person": {
            "person_id": person.tolist(),
            "person_source_value": known["name"],
            "year_of_birth": [one.year for one in known["birth_date"]],
            "gender_source_value": known["sex"],
            "zip": known["zip"],
        },
        "visit_occurrence": {
            "visit_occurrence_id": visit.tolist(),
            "person_id": person[whose].tolist(),
            "visit_start_date": day.tolist(),
            "visit_source_value": kind.tolist(),
        },
        "condition_occurrence": {
            "condition_occurrence_id": (np.arange(len(conditions)) + FIRST_ID["condition_occurrence_id"]).tolist(),
            "person_id": person[whose][of_visit].tolist(),
            "visit_occurrence_id": visit[of_visit].tolist(),
            "condition_start_date": day[of_visit].tolist(),
            "condition_source_value": conditions.tolist(),
        },
        "measurement": _measurements(stream, kept, person[whose], visit),
    }
    return Tables(
        {name: table_of_columns(columns) for name, columns in tables.items()},
        keys={"person": "person_id", "visit_occurrence": "visit_occurrence_id"},
        of={
            "visit_occurrence": {"person_id": "person"},
            "condition_occurrence": {"visit_occurrence_id": "visit_occurrence", "person_id": "person"},
            "measurement": {"visit_occurrence_id": "visit_occurrence", "person_id": "person"},
        },
    )


def hospital_tables_schema() -> Schema:
    """Give the roles and hierarchies of the made-up hospital's tables.

    Returns
    -------
    Schema
        What a neighbour may know of a patient and of a visit are quasi-identifiers; the diagnosis is sensitive. Names,
        numbers of rows, and days that repeat that of the visit are left out; what was measured is published as it is.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.hospital_tables_schema().sensitive_names
    ('condition_source_value',)
    """
    return Schema(
        quasi={
            "year_of_birth": intervals(5, 10, 20),
            "gender_source_value": flat(),
            "zip": mask(),
            "visit_start_date": dates("month", "quarter", "year"),
            "visit_source_value": flat(),
        },
        sensitive=["condition_source_value"],
        identifiers=["person_source_value", "condition_occurrence_id", "condition_start_date", "measurement_id"],
        insensitive=["measurement_source_value", "value_as_number"],
    )


def _visits_of(stream: Stream, people: int) -> Any:
    """Say which of three possible visits everybody has: the first always."""
    share = stream.shares().reshape(people, 3)[:, :1] * sum(VISITS)
    number = 1 + (share >= VISITS[0]).astype(np.int64) + (share >= VISITS[0] + VISITS[1])
    return (np.arange(3) < number).ravel()


def _measurements(stream: Stream, kept: Any, person: Any, visit: Any) -> dict[str, list[Any]]:
    """Measure everything at every visit."""
    values = [np.round(low + (stream.shares() * more)[kept], 1) for low, more in TESTS.values()]
    number = len(visit) * len(TESTS)
    return {
        "measurement_id": (np.arange(number) + FIRST_ID["measurement_id"]).tolist(),
        "person_id": np.tile(person, len(TESTS)).tolist(),
        "visit_occurrence_id": np.tile(visit, len(TESTS)).tolist(),
        "measurement_source_value": [name for name in TESTS for _ in range(len(visit))],
        "value_as_number": np.concatenate(values).tolist(),
    }
