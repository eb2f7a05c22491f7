"""Whether a table can keep a promise at all, before anything is searched."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Unpack

from incrowd.api._census import Reading, open_with
from incrowd.api._fits import census_within
from incrowd.core import CensusRequest, Schema
from incrowd.models import Feasibility, Model, promise, suppression_limit
from incrowd.models import feasibility as feasible


def feasibility(
    table: Any,
    schema: Schema,
    model: Model | str,
    max_suppressed: float | Fraction = 0,
    max_suppressed_records: int | None = None,
    **reading: Unpack[Reading],
) -> Feasibility:
    """Say whether any release of a table can keep a promise, and by how many classes at most.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a path to a CSV or Parquet file.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part.
    model
        The promise, as a model or as its text: ``"k>=5, l>=3[disease]"``.
    max_suppressed
        The largest share of the records that a release may leave out, 0 to 1, as the decimal that was written.
    max_suppressed_records
        The largest number of records that a release may leave out, instead of a share.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    An obstacle is proven: no generalization, however coarse, removes it. Without an obstacle a search may still find
    nothing, because hierarchies cannot group the records as the promise needs.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": 31, "disease": "flu"}, {"age": 38, "disease": "flu"}, {"age": 45, "disease": "hiv"}]
    >>> schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    >>> ic.feasibility(table, schema, "k>=2, l>=2").max_classes
    1
    >>> ic.feasibility(table, schema, "l>=3").obstacles[0].nearest
    'l>=2[disease]'
    """
    model = promise(model)
    engine = open_with(table, schema, **reading)
    some = schema.quasi_names[:1]  # the table counts as one class, so the others need not be read
    request = CensusRequest(some, schema.sensitive_names, entity=schema.entity, count=schema.count)
    census = census_within(engine, request, reading.get("memory"))
    limit = suppression_limit(census.records, max_suppressed, max_suppressed_records)
    return feasible(model.bind(schema, census.domains), census.classes(), limit)
