"""Checking whether a table keeps a promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from incrowd.api._census import Reading, open_with
from incrowd.core import Census, CensusRequest, Classes, Finding, Schema, Verdict
from incrowd.models import Judge, Judgement, Model, promise


def check(table: Any, schema: Schema, model: Model | str, **reading: Unpack[Reading]) -> Verdict:
    """Say whether a table keeps a promise, and if not, how far it is from it.

    Parameters
    ----------
    table
        Raw data or anybody's released file: a pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a
        path to a CSV or Parquet file. Labels are grouped as they stand; a suppressed cell is a label like any other.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part.
    model
        The promise, as a model or as its text: ``"k>=5, l>=3[disease]"``.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    The verdict is about this table alone. It cannot know whether the quasi-identifiers are all that an outsider knows,
    nor what else was published about the same people. Distances to the whole table are distances to this table.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s", "disease": "flu"}, {"age": "30s", "disease": "hiv"}, {"age": "40s", "disease": "flu"}]
    >>> verdict = ic.check(table, ic.Schema(quasi=["age"], sensitive=["disease"]), "k>=2")
    >>> verdict.holds, verdict.findings[0].measured, verdict.findings[0].failing_records
    (False, (Fraction(1, 1),), 1)
    """
    model = promise(model) if isinstance(model, str) else model
    engine = open_with(table, schema, **reading)
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
    census = engine.census(request)
    classes = census.classes()
    judges = model.bind(schema, census.domains)
    judgements = [judge.judge(classes) for judge in judges]
    failing = ~np.logical_and.reduce([judgement.ok for judgement in judgements])
    return Verdict(
        findings=tuple(_finding(*pair, classes, census) for pair in zip(judges, judgements, strict=True)),
        classes=len(classes),
        records=census.records,
        persons=census.persons,
        failing=_labels(census, classes, failing),
    )


def _finding(judge: Judge, judgement: Judgement, classes: Classes, census: Census) -> Finding:
    bad = ~judgement.ok
    requirements = judge.model.requirements
    pairs = zip(requirements, judgement.measured, strict=True)
    worst = [
        (np.argmin if bound.sense == ">=" else np.argmax)(values.floats) for bound, values in pairs if len(classes)
    ]
    return Finding(
        promise=str(judge.model),
        columns=judge.columns,
        required=tuple((bound.name, bound.sense, bound.bound) for bound in requirements),
        measured=tuple(values.at(int(index)) for values, index in zip(judgement.measured, worst, strict=False)),
        failing_classes=int(bad.sum()),
        failing_records=int(classes.records[bad].sum()),
        failing_persons=None if census.person is None else int(classes.size[bad].sum()),
    )


def _labels(census: Census, classes: Classes, failing: Sequence[bool] | Any) -> dict[str, Any]:
    columns = zip(census.quasi, classes.codes, strict=True)
    labels = {name: census.labels(name)[codes[failing]] for name, codes in columns}
    return {**labels, "records": classes.records[failing]}
