"""The rows of a release, laid out from a census that tells all of them: the table is not read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.core import Census, CensusRequest, FullDomainRecoding
from incrowd.engines._border import guarded
from incrowd.engines._coded import Coded
from incrowd.engines._columns import of_texts
from incrowd.engines._frame import FrameEngine
from incrowd.engines._recode_rows import together


class CountedEngine(FrameEngine):
    """A lazy frame that keeps its last census of rows, because a release may follow from it."""

    _counted: Census | None = None

    @guarded
    def census(self, request: CensusRequest) -> Census:
        census = super().census(request)
        self._counted = census if request.entity is None and request.count is None else None
        return census


def tells_all(census: Census, recoding: FullDomainRecoding, publish: Sequence[str]) -> bool:
    """Say whether a census has all that is published, at or below the levels."""
    levels = zip(census.quasi, census.floor, strict=True)
    return (
        set(publish) == {*census.quasi, *census.sensitive}
        and set(census.quasi) == set(recoding.quasi)
        and all(recoding.domains[name] is census.domains[name] for name in census.quasi)
        and all(recoding.ladders[name] is census.ladders[name] for name in census.quasi)
        and all(recoding.levels[name] >= floor for name, floor in levels)
    )


def published_rows(
    census: Census, recoding: FullDomainRecoding, publish: Sequence[str], keys: Mapping[str, pa.Array]
) -> tuple[dict[str, Coded], Any]:
    """Lay out the cells at the levels of a release: its different rows in order, and how often each occurs.

    Parameters
    ----------
    census
        The census, rolled up to the levels.
    recoding
        What is left out, and what groups are called.
    publish
        The columns.
    keys
        The values of the columns as the engine has them, without null, in the order of their domains.
    """
    codes = dict(zip((*census.quasi, *census.sensitive), census.codes, strict=True))
    counts = census.counts.astype(np.int64)
    if recoding.leaves_out:
        sizes = [len(recoding.ladders[name].labels[level]) for name, level in recoding.levels.items()]
        left_out, cells = together(recoding.suppressed, [codes[name] for name in recoding.quasi], sizes)
        stays = np.isin(cells, left_out, invert=True)
        codes, counts = {name: column[stays] for name, column in codes.items()}, counts[stays]
    columns = {}
    for name in publish:
        columns[name] = Coded.ranked(_published(recoding, name, keys[name], len(census.domains[name])), codes[name])
    order = np.lexsort([column.codes for column in [*columns.values()][::-1]])
    return {name: Coded(column.keys, column.codes[order]) for name, column in columns.items()}, counts[order]


def _published(recoding: FullDomainRecoding, name: str, keys: pa.Array, values: int) -> pa.Array:
    """Give what every code of a column is published as: labels, or values of the column's own type."""
    if level := recoding.levels.get(name, 0):
        return of_texts(recoding.ladders[name].labels[level].tolist()).cast(pa.string())
    return pa.concat_arrays([keys, pa.nulls(values - len(keys), keys.type)])
