"""(n, t)-closeness: a class looks like some large natural superset of itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, ParameterError, Schema, SupersetMode, supersets
from incrowd.hierarchies import disjoint
from incrowd.models._distances import (
    RegionPairs,
    equal_region_distance,
    hierarchical_region_distance,
    ordered_region_distance,
    region_kullback_leibler,
)
from incrowd.models._form import DISTANCES, OF, SUPERSETS, Form, Key, bracket
from incrowd.models._judge import Bools, Floats, Judge, Measured, Ratios, Requirement, Roots
from incrowd.models._model import ColumnModel, Of, read_of
from incrowd.models._t_closeness import Distance, distance_ground, read_distance
from incrowd.models._thresholds import Number, number_text, threshold, whole_number

MOST_COLUMNS = 8
"""Of a file with so many quasi-identifiers the classes on fewer columns are looked at: 256 ways to group it."""

# The nearest of many supersets, class by class, found without rounding.

_FLOAT = 1e-12
"""Two distances this near (relatively) are compared as fractions."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """Distances of some classes: as floats, and as reduced fractions where they are rational."""

    floats: Floats
    numerators: Any = None
    denominators: Any = None

    @classmethod
    def of(cls, numerators: Any, denominators: Any) -> Offer:
        common = np.gcd(numerators, denominators)
        top, bottom = numerators // common, denominators // common
        return cls((top / bottom).astype(np.float64), top, bottom)


class Nearest:
    """The least distance of every class to a superset of at least ``n``, so far."""

    def __init__(self, size: npt.NDArray[np.int64], n: int, *, rational: bool) -> None:
        self._n = n
        self._small = size < n
        self._floats = np.where(self._small, math.inf, 0.0)
        self._numerators: Any = self._small.astype(np.int64) if rational else None
        self._denominators: Any = (~self._small).astype(np.int64) if rational else None
        self.which = np.where(self._small, -1, -2)  # the superset; -1 is none yet, -2 the class itself

    @property
    def measured(self) -> Measured:
        """The distances; infinity where there is no superset yet."""
        if self._numerators is None:
            return Roots(self._floats)
        return Ratios(self._numerators, self._denominators)

    def pending(self, regions: npt.NDArray[np.int64], until: Fraction | None) -> Bools:
        """Say which small classes have a region here that is large enough, and still need one."""
        wanted = self._small & (regions >= self._n)
        return wanted if until is None else wanted & ~self.measured.meets("<=", until)

    def take(self, chosen: Any, mask: Bools, offer: Offer, number: int) -> None:
        """Keep what is nearer than before; of equals the first."""
        rows = np.flatnonzero(mask)
        rows = rows[self._nearer(chosen[rows], rows, offer)]
        classes = chosen[rows]
        self._floats[classes] = offer.floats[rows]
        self.which[classes] = number
        if self._numerators is not None:
            self._widen(offer.numerators.dtype)
            self._numerators[classes] = offer.numerators[rows]
            self._denominators[classes] = offer.denominators[rows]

    def _nearer(self, classes: Any, rows: Any, offer: Offer) -> Bools:
        old, new = self._floats[classes], offer.floats[rows]
        nearer = np.asarray(new < old, dtype=bool)
        if self._numerators is None:
            return nearer
        same = (self._numerators[classes] == offer.numerators[rows]) & (
            self._denominators[classes] == offer.denominators[rows]
        )
        nearer &= ~same
        known = np.where(np.isfinite(old), old, -1.0)
        tied = ~same & (np.abs(new - known) <= _FLOAT * new)
        for place in np.flatnonzero(tied).tolist():
            row, index = rows[place], classes[place]
            before = Fraction(int(self._numerators[index]), int(self._denominators[index]))
            nearer[place] = Fraction(int(offer.numerators[row]), int(offer.denominators[row])) < before
        return nearer

    def _widen(self, dtype: Any) -> None:
        """Change to Python's integers where 64 bits are too few for what comes."""
        if dtype.kind == "O" and self._numerators.dtype.kind != "O":
            self._numerators, self._denominators = self._numerators.astype(object), self._denominators.astype(object)

    def farthest(self) -> Fraction | float:
        """Give the largest of the least distances, exactly."""
        if not len(self._floats):
            return Fraction(0)
        most = self._floats.max()
        near = np.flatnonzero(self._floats >= most * (1 - _FLOAT))
        if self._numerators is None or math.isinf(most):
            return float(most)
        pairs = zip(self._numerators[near].tolist(), self._denominators[near].tolist(), strict=True)
        return max(Fraction(int(top), int(bottom)) for top, bottom in set(pairs))


@dataclass(frozen=True, slots=True, eq=False)
class Certificates:
    """Which superset shows for each class that the promise holds.

    Attributes
    ----------
    supersets
        Per class the name of the nearest superset that is large enough: levels, kept columns, a depth or ``table``;
        ``itself`` for a large class, and ``None`` where no superset is near enough.
    distances
        Per class the distance to the nearest superset that is large enough, infinity if there is none.
    """

    supersets: npt.NDArray[np.object_]
    distances: Measured


class NTJudge(Judge):
    """(n, t)-closeness that has met the columns of a table."""

    def __init__(
        self, model: NTCloseness, columns: tuple[str, ...], schema: Schema, domains: Mapping[str, Domain]
    ) -> None:
        super().__init__(model, columns, schema, domains)
        self._n, self._mode, self._distance = model.n, model.supersets, model.distance
        self._quasi = schema.quasi_names
        self._asked: tuple[Classes, bool] | None = None
        self._ground = distance_ground(columns[0], model.distance, schema, domains[columns[0]])

    @property
    def reference_table(self) -> str:
        """Supersets are made of the judged classes, always."""
        return "table"

    def supersets(self, classes: Classes) -> SupersetMode:
        """Say which supersets count for these classes: the whole table only, where labels of a column overlap."""
        mode, standing = self._mode, classes.standing
        if mode == "lattice" and standing is not None and all(ladder is None for ladder in standing.ladders):
            mode = "drop"  # nothing to climb
        if mode not in {"drop", "lattice"}:
            return mode
        if self._asked is None or self._asked[0] is not classes:  # comparing many labels takes its time
            self._asked = classes, _may_drop(classes, climbs=mode == "lattice")
        return mode if self._asked[1] else "table"

    def notes(self, classes: Classes) -> tuple[str, ...]:
        """Say where other supersets count than the promise asks for."""
        counted = self.supersets(classes)
        if counted == self._mode:
            return ()
        why = "the labels of some column overlap" if counted == "table" else "no column has a hierarchy"
        return (f"{self.model} looked at supersets of the kind {counted!r} instead of {self._mode!r}: {why}.",)

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        """Measure the distance to the nearest superset that is large enough."""
        (nearest,), _ = self._search(classes, [self._n])
        return (nearest.measured,)

    def keeps(self, classes: Classes) -> Bools:
        """Say which classes keep the promise; each is looked at until one superset certifies it."""
        (nearest,), _ = self._search(classes, [self._n], until=self.model.requirements[0].bound)
        return nearest.measured.meets("<=", self.model.requirements[0].bound)

    def is_near(self, pairs: RegionPairs) -> Bools:
        """Say which classes are near enough to the region beside them; for searches, which know both."""
        offer = self._distances(pairs)
        measured = Roots(offer.floats) if offer.numerators is None else Ratios(offer.numerators, offer.denominators)
        return measured.meets("<=", self.model.requirements[0].bound)

    def check_persons(self, classes: Classes) -> None:
        """Refuse a table in which some people have several values: a region may hold them all."""
        self.histogram(classes.as_one(), distribution=True)

    def certificates(self, classes: Classes) -> Certificates:
        """Say which superset certifies each class."""
        (nearest,), names = self._search(classes, [self._n])
        held = nearest.measured.meets("<=", self.model.requirements[0].bound)
        called = np.array([*names, "itself", None], dtype=object)  # -2 is the class itself, -1 nothing
        return Certificates(called[np.where(held, nearest.which, -1)], nearest.measured)

    def _search(
        self, classes: Classes, sizes: Sequence[int], *, until: Fraction | None = None
    ) -> tuple[list[Nearest], list[str]]:
        """Find the nearest superset of every class, once per least size; stop where ``until`` is met."""
        self.histogram(classes, distribution=True)
        found = [Nearest(classes.size, n, rational=self._distance != "kl") for n in sizes]
        names = []
        for number, (name, ids, count) in enumerate(supersets(classes, self.supersets(classes), self._quasi)):
            if until is not None and found[0].measured.meets("<=", until).all():
                break
            names.append(name)
            regions = classes.merge(ids, count)
            wanted = [nearest.pending(regions.size[ids], until) for nearest in found]
            chosen = np.flatnonzero(np.logical_or.reduce(wanted))
            if len(chosen):
                self.histogram(regions, distribution=True)
                offer = self._distances(RegionPairs.of(classes, chosen, regions, ids[chosen], self.columns[0]))
                for nearest, mask in zip(found, wanted, strict=True):
                    nearest.take(chosen, mask[chosen], offer, number)
        return found, names

    def _distances(self, pairs: RegionPairs) -> Offer:
        if self._distance == "kl":
            return Offer(region_kullback_leibler(pairs))
        if self._distance == "equal":
            return Offer.of(*equal_region_distance(pairs))
        measure = ordered_region_distance if self._distance == "ordered" else hierarchical_region_distance
        return Offer.of(*measure(pairs, self._ground))


@dataclass(frozen=True)
class NTCloseness(ColumnModel):
    """The sensitive values of each class are distributed as in a region of ``n`` or more around it, up to ``t``.

    Parameters
    ----------
    n
        The least size of the region. A class of this size needs no other.
    t
        The largest distance: 0 to 1, or any number from 0 for ``"kl"``.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    distance
        As in ``TCloseness``.
    supersets
        Which regions count. ``"lattice"``: those of coarser levels of the hierarchies, a column without one being kept
        or dropped. ``"path"``: the parts that the class was cut out of. ``"drop"``: those on fewer columns.
        ``"table"``: the whole table, which counts in every case. Where no column has a hierarchy, ``"drop"`` takes the
        place of ``"lattice"``; where labels of a column that may be dropped overlap, ``"table"`` takes the place of
        both. The verdict says which kind was looked at.

    Notes
    -----
    Weaker than t-closeness, and kinder to the data: what holds for a large group around a person is not taken for a
    secret of that person. What the group as a whole has in common is not protected: choose ``n`` so large that it may
    be known. Coarser classes may break a promise that finer ones kept, because regions are classes of coarser nodes
    and not arbitrary unions: no search may prune with it. Regions are made of the classes that are judged.

    Numbers, ranges, masks, bounds and periods are compared to find out whether labels overlap. Words are not: whoever
    publishes ``Europe`` beside ``France`` must know that these overlap, and ask for ``"path"`` or ``"table"``.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian. *Closeness: a new privacy measure for data publishing.* IEEE TKDE 22(7), 2010.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.NTCloseness(1000, 0.1, of="disease"))
    'nt(n=1000, t=0.1)[disease]'
    """

    n: int
    t: Number
    of: Of = None
    distance: Distance = "equal"
    supersets: SupersetMode = "lattice"

    upward_closed = False
    union_closed = False
    judged_apart = False
    refers = True
    judge = NTJudge
    means = "The values in a group are distributed nearly as in a large region around it."
    limit = "What a large group around a person has in common is not protected."
    forms = (
        Form(
            "nt",
            None,
            "nt(n=1000, t=0.1)[disease]",
            lambda clause: NTCloseness(of=clause.of, **clause.arguments, **clause.distance_and_supersets),
            rank=31,
            words=(*DISTANCES, *SUPERSETS),
        ).offer(
            "Groups look like a large region around them ((n, t)-closeness)",
            "nt(n=1000, t=0.1)[COLUMN]",
            "Learning more about a small group than is known about the large one around it.",
            "What the large group as a whole has in common.",
            Key("n", "whole number", "the fewest people in the region", "1000"),
            Key("t", "number from 0 to 1", "the largest distance to the region", "0.1"),
            OF,
            Key("supersets", "lattice, path, drop or table", "which regions count", "lattice"),
        ),
    )

    def __post_init__(self) -> None:
        if self.supersets not in SUPERSETS:
            msg = f"supersets must be one of {', '.join(map(repr, SUPERSETS))}, got {self.supersets!r}."
            raise ParameterError(msg)
        self._normalize(n=whole_number(self.n, name="n", at_least=1), distance=read_distance(self.distance))
        self._normalize(t=threshold(self.t, name="t", high=None if self.distance == "kl" else 1))
        self._normalize(of=read_of(self.of))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("t", "<=", Fraction(self.t)),)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": "nt", "n": self.n, "distance": self.distance}

    def in_file(self, columns: int) -> NTCloseness:
        """Give it with the natural supersets that a released file shows.

        Classes on fewer columns are classes of the lattice too, so a distance to the nearest of them is at least the
        promised one. With many columns there are too many of them, and the whole table, which is always one of them,
        takes their place. The parts that a class was cut out of are not in the file.
        """
        shown: dict[str, SupersetMode] = {"lattice": "drop" if columns <= MOST_COLUMNS else "table", "path": "table"}
        return replace(self, supersets=shown.get(self.supersets, self.supersets))

    @property
    def promises_nothing(self) -> bool:
        return self.n == 1 or (self.t == 1 and self.distance != "kl")

    def _condition(self) -> str:
        return super()._condition() or (f" of {self.n} or more" if self.n > 1 else "")

    def __str__(self) -> str:
        how = [] if self.distance == "equal" else [self.distance]
        where = [] if self.supersets == "lattice" else [self.supersets]
        numbers = f"n={self.n}, t={number_text(self.t)}"
        return f"nt({numbers}){bracket(self.of, *how, *where)}"


def nt_curve(classes: Classes, judge: NTJudge, sizes: Sequence[int]) -> list[Fraction | float]:
    """Give for every n the smallest t with which (n, t)-closeness holds, in one walk over the supersets.

    The n and t of the judge itself play no part.
    """
    found, _ = judge._search(classes, sizes)  # noqa: SLF001 - same module
    return [nearest.farthest() for nearest in found]


def _may_drop(classes: Classes, *, climbs: bool) -> bool:
    """Say whether each column's labels are pairwise disjoint; those of one level of a ladder are, if one is climbed."""
    standing, columns = classes.standing, range(len(classes.codes))
    if standing is None:
        trusted = [climbs] * len(columns)  # without ladders there is nothing to climb, and that is refused elsewhere
    else:
        trusted = [standing.levels[at] > 0 or (climbs and standing.ladders[at] is not None) for at in columns]
    return all(trusted[column] or disjoint(classes.texts(column).tolist()) for column in columns)
