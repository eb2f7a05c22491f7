"""Parquet files, whose rows are published without being read again where their census tells all of them.

Sorting a hundred million rows takes longer than all the rest. A census that is much shorter than the table, and has
every published column, is sorted instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incrowd.core import Census, FullDomainRecoding, Recoding
from incrowd.engines._border import guarded
from incrowd.engines._from_census import CountedEngine, published_rows, tells_all
from incrowd.engines._protocol import Engine, Replace
from incrowd.engines._tallied import TalliedEngine

MUCH_SHORTER = 2
"""So many times fewer cells than rows are worth it."""


class ParquetEngine(CountedEngine):
    """Parquet files: what is published follows from the last census, or is recoded and sorted where the files are."""

    @guarded
    def recode(  # type: ignore[override]
        self,
        recoding: Recoding,
        publish: Sequence[str],
        *,
        replace: Mapping[str, Replace] | None = None,
        keep_order: bool = False,
    ) -> Engine:
        census = self._counted
        if isinstance(recoding, FullDomainRecoding) and census is not None and not (replace or keep_order):
            return self._short(census, recoding, publish)
        return super().recode(recoding, publish, replace=replace, keep_order=keep_order)

    def _short(self, census: Census, recoding: FullDomainRecoding, publish: Sequence[str]) -> Engine:
        if recoding.masks or not _tells_all(census, recoding, publish):
            return super().recode(recoding, publish)
        self._home.check()
        return self._from_census(census.rollup(recoding.levels), recoding, publish)

    def _from_census(self, census: Census, recoding: FullDomainRecoding, publish: Sequence[str]) -> TalliedEngine:
        """Lay out the cells at the levels of the release, each with its count."""
        keys = {name: self._known[name].keys for name in publish}
        return TalliedEngine(*published_rows(census, recoding, publish, keys), self._home.hand_back)


def _tells_all(census: Census, recoding: FullDomainRecoding, publish: Sequence[str]) -> bool:
    """Say whether a census has all that is published, and is much shorter than the table."""
    return tells_all(census, recoding, publish) and len(census) * MUCH_SHORTER <= census.records
