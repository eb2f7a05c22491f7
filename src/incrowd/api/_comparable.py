"""Whether a release can be compared with its table, or at least be measured, within the memory that may be used."""

from __future__ import annotations

from incrowd.api._fits import cells_within, fits
from incrowd.core import CensusRequest, Schema
from incrowd.engines import Engine


def comparable(original: Engine, schema: Schema, memory: str | None) -> bool:
    """Say whether the census of the whole table fits, with all of its sensitive columns.

    Parameters
    ----------
    original, schema
        The table, and the roles of its columns.
    memory
        What may be used.
    """
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
    return fits(original, request, cells_within(request, memory))


def reportable(original: Engine, released: Engine, schema: Schema, memory: str | None) -> bool:
    """Say whether a report can be written: nothing is compared in it where the original does not fit.

    Whose row it is only the original tells, so where people have several rows nothing is measured without it.
    """
    if comparable(original, schema, memory):
        return True
    request = CensusRequest(schema.quasi_names, schema.sensitive_names)
    return schema.entity is None and fits(released, request, cells_within(request, memory))
