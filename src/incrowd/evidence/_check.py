"""Checking whether a table keeps a promise."""

from __future__ import annotations

from typing import Any, Unpack

from incrowd.core import Partition, Schema, Verdict, warn
from incrowd.evidence._subject import subject_of
from incrowd.models import Model, promise, trivial_notes
from incrowd.release import Reading, climbs, ladders_of, notes_on_look_alikes, verdict_of


def check(
    table: Any, schema: Schema, model: Model | str, *, partition: Partition | None = None, **reading: Unpack[Reading]
) -> Verdict:
    """Say whether a table keeps a promise, and if not, how far it is from it.

    Parameters
    ----------
    table
        Raw data or anybody's released file: a pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a
        path to a CSV or Parquet file. Labels are grouped as they stand; a suppressed cell is a label like any other.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part, except in (n, t)-closeness with
        supersets of the lattice: there they must cover what the table holds.
    model
        The promise, as a model or as its text: ``"k>=5, l>=3[disease]"``.
    partition
        How the table was cut into its classes, for (n, t)-closeness with supersets of the kind ``path``.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    The verdict is about this table alone. It cannot know whether the quasi-identifiers are all that an outsider knows,
    nor what else was published about the same people. Distances to the whole table are distances to this table.

    What is allowed but dangerous is a ``PrivacyWarning`` and a note of the verdict: a promise that every table keeps, a
    listed value that the table does not have, values of quasi-identifiers or promised columns that look alike in print.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s", "disease": "flu"}, {"age": "30s", "disease": "hiv"}, {"age": "40s", "disease": "flu"}]
    >>> verdict = ic.check(table, ic.Schema(quasi=["age"], sensitive=["disease"]), "k>=2")
    >>> verdict.holds, verdict.findings[0].measured, verdict.findings[0].failing_records
    (False, (Fraction(1, 1),), 1)
    """
    model = promise(model)
    subject = subject_of(table, schema, reading)
    census = subject.count(ladders_of(schema, subject.engine.domains(schema.quasi_names)) if climbs(model) else None)
    classes = census.classes()
    classes = classes if partition is None else partition.attach(classes)
    judges = model.bind(schema, census.domains)
    notes = [*trivial_notes(model), *notes_on_look_alikes(judges, census)]
    for note in notes:
        warn(note)
    return verdict_of(judges, classes, schema.quasi_names, notes=notes)
