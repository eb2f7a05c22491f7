"""A table that remembers domains, censuses and classes, so that several questions read it once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from incrowd.core import Census, CensusRequest, Classes, Domain, Kind, Recoding
from incrowd.engines._files import Stamp
from incrowd.engines._protocol import Engine, Replacements, estimated_size
from incrowd.engines._resources import Resources
from incrowd.engines.formats._statistics import Codebook
from incrowd.engines.formats._wording import Dialect, Wording


@dataclass(eq=False)
class TableMemory:
    """What a table answered, apart from the table: it can be closed, and opened again if it is still the same."""

    most: int | None = None  # what has more cells is given and not kept
    domains: dict[str, Domain] = field(default_factory=dict)
    censuses: list[tuple[CensusRequest, Census]] = field(default_factory=list)
    grouped: list[tuple[Census, Classes]] = field(default_factory=list)
    classes: dict[tuple[Any, ...], tuple[Mapping[str, Domain], Classes]] = field(default_factory=dict)

    def has_room(self, cells: int) -> bool:
        return self.most is None or cells <= self.most

    def know(self, request: CensusRequest, census: Census) -> None:
        """Take over a census of this very table that was counted elsewhere."""
        self.domains |= census.domains
        self.censuses.append((_without_idle_ladders(request), census))


class Remembered:
    """An engine that answers the same question once; its table must not change meanwhile."""

    shows_names: ClassVar[bool] = False

    def __init__(self, engine: Engine, answers: TableMemory | None = None) -> None:
        self._engine = engine
        self._answers = answers or TableMemory()
        self._sized: dict[tuple[str, str], Remembered] = {}

    @property
    def resources(self) -> Resources:
        return self._engine.resources

    @property
    def sized(self) -> str | None:
        return self._engine.sized

    @property
    def stamp(self) -> Stamp | None:
        return self._engine.stamp

    @property
    def dialect(self) -> Dialect | None:
        """How a text file was read; ``None`` for other tables."""
        return getattr(self._engine, "dialect", None)

    @property
    def codebook(self) -> Codebook:
        return getattr(self._engine, "codebook", Codebook())

    def columns(self) -> dict[str, Kind | None]:
        return self._engine.columns()

    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        """Give the distinct values of columns; those that are new are read together."""
        known = self._answers.domains
        new = [name for name in names if name not in known]
        if new:
            known |= self._engine.domains(new)
        return {name: known[name] for name in names}

    def with_sizes(self, name: str, of: str) -> Engine:
        """Give the table with one more column, once: what it answers is remembered too."""
        if (name, of) not in self._sized:
            self._sized[name, of] = Remembered(self._engine.with_sizes(name, of), TableMemory(self._answers.most))
        return self._sized[name, of]

    def census_size(self, request: CensusRequest) -> int:
        return self._engine.census_size(request)

    def census_size_about(self, request: CensusRequest, one_in: int) -> int:
        return estimated_size(self._engine, request, one_in)

    def census(self, request: CensusRequest) -> Census:
        """Count the cells, once; ladders that no column is raised by are put beside what was counted."""
        plain = _without_idle_ladders(request)
        for known, census in self._answers.censuses:
            if known == plain:
                return census if plain is request else _with_ladders(census, request)
        census = self._engine.census(request)
        if self._answers.has_room(len(census)):
            self._answers.censuses.append((plain, census))
        return census

    def grouped(self, census: Census) -> Classes:
        """Give the classes of a census of this table, grouped once where it is kept."""
        for known, classes in self._answers.grouped:
            if known is census:
                return classes
        inner = self._engine
        classes = inner.grouped(census) if isinstance(inner, Remembered) else census.classes()
        if any(kept is census for _, kept in self._answers.censuses):
            self._answers.grouped.append((census, classes))
        return classes

    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> Engine:
        return self._engine.recode(recoding, publish, replace=replace, keep_order=keep_order)

    def classes(
        self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None, count: str | None = None
    ) -> Classes:
        key = (tuple(quasi), tuple((name, id(domain)) for name, domain in sensitive.items()), entity, count)
        if key in self._answers.classes:
            return self._answers.classes[key][1]
        found = self._engine.classes(quasi, sensitive, entity, count)
        if self._answers.has_room(len(found.members)):
            # The domains live on, so that no other has their number.
            self._answers.classes[key] = dict(sensitive), found
        return found

    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        return self._engine.write(path, keep_order=keep_order, wording=wording)

    def materialise(self) -> Any:
        return self._engine.materialise()


def _without_idle_ladders(request: CensusRequest) -> CensusRequest:
    """Leave out ladders where no column is raised: what is counted does not depend on them."""
    raised = any(request.level(name) for name in request.quasi)
    return request if raised or not request.ladders else replace(request, ladders={}, floor={})


def _with_ladders(census: Census, request: CensusRequest) -> Census:
    return replace(census, ladders={name: request.ladders[name] for name in request.quasi if name in request.ladders})
