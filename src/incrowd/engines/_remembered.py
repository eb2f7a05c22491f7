"""A table that remembers what it was asked: several questions about one table read it once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from incrowd.core import Census, CensusRequest, Classes, Domain, Kind, Recoding
from incrowd.engines._estimate import one_cell_in
from incrowd.engines._protocol import Engine, Replace


class Remembered:
    """An engine that answers the same question once.

    Parameters
    ----------
    engine
        The table. It must not change while this is in use.
    """

    shows_names: ClassVar[bool] = False

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._domains: dict[str, Domain] = {}
        self._censuses: list[tuple[CensusRequest, Census]] = []
        self._classes: dict[tuple[Any, ...], Classes] = {}

    def columns(self) -> dict[str, Kind | None]:
        """Name the columns."""
        return self._engine.columns()

    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        """Give the distinct values of columns; those that are new are read together."""
        new = [name for name in names if name not in self._domains]
        if new:
            self._domains |= self._engine.domains(new)
        return {name: self._domains[name] for name in names}

    def census_size(self, request: CensusRequest) -> int:
        """Say how many cells a census would have."""
        return self._engine.census_size(request)

    def census_size_about(self, request: CensusRequest, one_in: int) -> int:
        """Say about how many cells a census would have."""
        return one_cell_in(self._engine, request, one_in)

    def census(self, request: CensusRequest) -> Census:
        """Count the cells, once."""
        for known, census in self._censuses:
            if known == request:
                return census
        census = self._engine.census(request)
        self._censuses.append((request, census))
        return census

    def recode(
        self,
        recoding: Recoding,
        publish: Sequence[str],
        *,
        replace: Mapping[str, Replace] | None = None,
        keep_order: bool = False,
    ) -> Engine:
        """Replace quasi-identifiers by what they are published as."""
        return self._engine.recode(recoding, publish, replace=replace, keep_order=keep_order)

    def classes(
        self,
        quasi: Sequence[str],
        sensitive: Mapping[str, Domain],
        entity: str | None = None,
        count: str | None = None,
    ) -> Classes:
        """Group the labels, once."""
        key = (tuple(quasi), tuple((name, id(domain)) for name, domain in sensitive.items()), entity, count)
        if key not in self._classes:
            self._classes[key] = self._engine.classes(quasi, sensitive, entity, count)
        return self._classes[key]

    def write(self, path: Path, *, keep_order: bool = False) -> None:
        """Write the table to a file."""
        self._engine.write(path, keep_order=keep_order)

    def materialise(self) -> Any:
        """Give the table as a frame."""
        return self._engine.materialise()
