"""Natural supersets of classes, the coarser regions that contain them: what (n, t)-closeness looks around in."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core._classes import Classes
from incrowd.core._errors import Hint, ParameterError, Setting
from incrowd.core._grouping import Ints, group
from incrowd.core._ladder import TOP

SupersetMode = Literal["lattice", "path", "drop", "table"]
MOST = 100_000
"""So many sets of regions are looked at, at most."""


class Regions(NamedTuple):
    """One way to put all classes together into regions."""

    name: str  # the level of every column, the columns that are kept, a depth, or ``table``
    ids: Ints  # the region of every class
    number: int  # how many there are

    @classmethod
    def by_codes(cls, name: str, codes: Ints) -> Regions:
        grouping = group([codes], [int(codes.max()) + 1])
        return cls(name, grouping.ids, len(grouping))


@dataclass(frozen=True)
class Partition:
    """How a table was cut into its classes: for every class the way to it from the whole table.

    Parameters
    ----------
    paths
        Per class the names of the parts that it was cut out of, the largest first. A class is named by its published
        texts in the order of the schema's quasi-identifiers, ``None`` for a missing value. Parts are told apart by the
        whole way to them, so ``left`` may stand in several places.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.Partition({("20-29",): ("all", "young"), ("30-39",): ("all", "young"), ("40-99",): ("all", "old")})
    Partition(3 classes)
    """

    paths: Mapping[tuple[str | None, ...], Sequence[str]]

    def __post_init__(self) -> None:
        for labels, path in self.paths.items():
            if not isinstance(labels, tuple) or isinstance(path, str) or not len(path):
                msg = "paths must give for every class, a tuple of texts, the list of the parts on the way to it."
                raise ParameterError(msg, hint='write paths={("20-29", "476**"): ("all", "young")}.')

    def __repr__(self) -> str:
        return f"Partition({len(self.paths)} classes)"

    def attach(self, classes: Classes) -> Classes:
        """Tell classes the way to each of them."""
        names = zip(*(classes.texts(column).tolist() for column in range(len(classes.codes))), strict=True)
        paths = [self.paths.get(name) for name in names]
        lacking = sum(path is None for path in paths)
        if lacking:
            msg = f"The partition does not say how {lacking} of {len(classes)} classes were cut out."
            raise ParameterError(msg, hint="name each class by its texts, in the order of the schema's columns.")
        return dataclasses.replace(classes, paths=_path_numbers([path for path in paths if path is not None]))


def supersets(classes: Classes, mode: SupersetMode, columns: Sequence[str]) -> Iterator[Regions]:
    """Go through the regions that count as natural supersets of the classes, fine ones first, the whole table last.

    ``"lattice"`` are the classes of every coarser node; a column without a ladder is kept or dropped. ``"path"`` are
    the parts on the way to each class, ``"drop"`` the classes on fewer columns, ``"table"`` the whole table only.
    Whoever asks for what drops columns must know that their labels do not overlap.
    """
    if not len(classes):
        return
    if mode == "path":
        yield from _path_regions(classes)
    elif mode != "table":
        kept = [_distinct_steps([Regions.by_codes("", codes), _top_regions(classes)]) for codes in classes.codes]
        yield from _node_regions(_region_ladders(classes) if mode == "lattice" else kept, columns, mode)
    yield Regions("table", np.zeros(len(classes), dtype=np.uint8), 1)


def _region_ladders(classes: Classes) -> list[list[Regions]]:
    """Climb every column from where the classes stand to one label; levels that merge nothing are left out."""
    if classes.standing is None:
        msg = "These classes do not know the hierarchies above them, so they have no supersets of the kind 'lattice'."
        raise ParameterError(msg, hint="take them from a census with hierarchies, or use 'drop', 'path' or 'table'.")
    columns = []
    for codes, low, ladder in zip(classes.codes, classes.standing.levels, classes.standing.ladders, strict=True):
        steps = [Regions.by_codes(str(low), codes)]
        if ladder is not None:
            levels = range(low + 1, ladder.height + 1)
            steps += [Regions.by_codes(str(level), ladder.parent_groups(low, level)[codes]) for level in levels]
        columns.append(_distinct_steps([*steps, _top_regions(classes)]))
    return columns


def _top_regions(classes: Classes) -> Regions:
    return Regions(TOP, np.zeros(len(classes), dtype=np.uint8), 1)


def _distinct_steps(steps: list[Regions]) -> list[Regions]:
    """Leave out steps with as many labels as the one before: steps are nested, so these are the same groups."""
    return steps[:1] + [step for low, step in itertools.pairwise(steps) if step.number < low.number]


def _node_regions(columns: list[list[Regions]], names: Sequence[str], mode: SupersetMode) -> Iterator[Regions]:
    nodes = math.prod(map(len, columns))
    if nodes > MOST:
        msg = f"The classes have {nodes} kinds of supersets of the kind {mode!r}, more than {MOST}."
        raise ParameterError(msg, hint="use the supersets 'path' or 'table', or fewer quasi-identifiers.")
    for node in itertools.islice(
        itertools.product(*columns), 1, max(nodes - 1, 1)
    ):  # without the classes and the table
        grouping = group([step.ids for step in node], [step.number for step in node])
        yield Regions(_superset_name(node, names, mode), grouping.ids, len(grouping))


def _superset_name(node: Sequence[Regions], names: Sequence[str], mode: SupersetMode) -> str:
    if mode == "lattice":
        return ", ".join(f"{name}={step.name}" for name, step in zip(names, node, strict=True))
    return ", ".join(name for name, step in zip(names, node, strict=True) if step.name != TOP)


def _path_regions(classes: Classes) -> Iterator[Regions]:
    """Go from the smallest parts to the largest; a class with a short way stays in its last part."""
    if classes.paths is None:
        msg = "Nobody said how these classes were cut out, so they have no supersets of the kind 'path'."
        partition = Setting("partition", ("drop", "table"), "give the partition, or use 'drop' or 'table'")
        raise ParameterError(msg, hint=Hint("{}.", partition))
    parts = list(classes.paths.T)
    for depth in range(1, len(parts)):
        parts[depth] = np.where(parts[depth] < 0, parts[depth - 1], parts[depth])
    for depth in range(len(parts) - 1, -1, -1):
        regions = Regions.by_codes(f"depth {depth}", parts[depth])
        if regions.number > 1:
            yield regions


def _path_numbers(paths: Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
    numbers: dict[tuple[str, ...], int] = {}
    matrix = np.full((len(paths), max(map(len, paths), default=0)), -1, dtype=np.int64)
    for row, path in enumerate(paths):
        for depth in range(len(path)):
            matrix[row, depth] = numbers.setdefault(tuple(path[: depth + 1]), len(numbers))
    return matrix
