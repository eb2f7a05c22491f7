"""Measuring everything that can be measured on a table, from one grouping of it."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from incrowd.api._assess_column import Meter, assess_column
from incrowd.api._assessment import Assessment
from incrowd.api._census import Reading, open_with
from incrowd.api._exposed import ClassSizes, Exposed
from incrowd.api._fits import census_within
from incrowd.core import Census, CensusRequest, Classes, ParameterError, Schema, compatible_sizes
from incrowd.hierarchies import auto
from incrowd.models import KAnonymity

Matching = Literal["exact", "compatible"]


def assess(table: Any, schema: Schema, *, matching: Matching = "exact", **reading: Unpack[Reading]) -> Assessment:
    """Measure how well a table hides its people: everything that the models know, no promise asked.

    Parameters
    ----------
    table
        Raw data or anybody's released file: a pandas, Polars or PyArrow table, a DuckDB relation, a Spark DataFrame, a
        list of dicts, or a path to a CSV or Parquet file. Labels are grouped as they stand; a suppressed cell is a
        label like any other.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part.
    matching
        ``"compatible"`` measures ``compatible_k`` too: a suppressed cell then matches anything, and ``476**`` every
        text of that form. Such a table is not k-anonymous for that; do not claim it.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    The table is read and grouped once. What a model refuses to measure on this table (entropy where people have several
    rows with different values, weights where the categories lack a value) is ``None``, and ``not_measured`` says why.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s", "disease": "flu"}, {"age": "30s", "disease": "hiv"}, {"age": "40s", "disease": "flu"}]
    >>> assessment = ic.assess(table, ic.Schema(quasi=["age"], sensitive=["disease"]))
    >>> assessment
    Assessment(3 records, 2 classes, k=1, 1 sensitive column)
    >>> assessment.one_of_a_kind.people, assessment.average_chance, assessment.columns["disease"].t["equal"]
    (1, Fraction(2, 3), Fraction(1, 3))
    """
    if matching not in ("exact", "compatible"):
        msg = f"matching must be 'exact' or 'compatible', got {matching!r}."
        raise ParameterError(msg)
    engine = open_with(table, schema, **reading)
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
    census = census_within(engine, request, reading.get("memory"))
    return assessment_of(census, schema, matching=matching)


def assessment_of(census: Census, schema: Schema, *, matching: Matching = "exact") -> Assessment:
    """Measure everything on a table that has been counted already."""
    classes = census.classes()
    smallest = Meter(schema, census, classes).worst("k", KAnonymity(1))
    return Assessment(
        records=census.records,
        persons=census.persons,
        dropped=census.dropped,
        classes=len(classes),
        k=None if smallest is None else int(smallest[0]),
        compatible_k=_compatible_k(census, classes) if matching == "compatible" and len(classes) else None,
        class_sizes=ClassSizes.of(classes),
        one_of_a_kind=Exposed.of(classes, classes.size == 1),
        columns={name: assess_column(name, schema, census, classes) for name in schema.sensitive_names},
        notes=_notes(schema, census),
        _schema=schema,
        _census=census,
        _grouped=classes,
    )


def _notes(schema: Schema, census: Census) -> tuple[str, ...]:
    """Say what a careful reader should know; meanings that do not fit are said where they are measured."""
    plain = Schema(dict(schema.quasi), sensitive=schema.sensitive_names)
    return plain.bind(census.domains, default=auto(), strict=False).notes


def _compatible_k(census: Census, classes: Classes) -> int:
    labels = [census.labels(name) for name in census.quasi]
    return int(compatible_sizes(classes.codes, labels, classes.size).min())
