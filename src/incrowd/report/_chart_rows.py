"""The numbers behind the charts of a release, as plain rows: sizes, guesses, levels, losses, lattice, trees."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Ladder, LocalRecoding, Recoding, add_up
from incrowd.measures import detail_lost
from incrowd.release import Basis
from incrowd.search import Frontier, Problem, all_solutions

Rows = list[dict[str, Any]]
Counts = npt.NDArray[np.int64]

BINS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the bars of class sizes begin."""
STEPS = 200
"""So many steps a sorted curve has, at most."""
NODES = 600
"""A lattice with more nodes is not drawn."""
LEAVES = 40
"""A hierarchy with more values is not drawn."""
SMALL = 12
"""Columns with more groups are not told apart by who was left out."""


def size_rows(both: Mapping[str, Counts]) -> Rows:
    """Say which share of the people is in classes of which size, before where that is known, and after."""
    last = max(int(sizes.max(initial=1)) for sizes in both.values())
    starts = [start for start in BINS if start <= last]
    names = [_range_text(low, high) for low, high in itertools.pairwise([*starts, None])]
    rows = []
    for when, sizes in both.items():
        place = np.searchsorted(starts, sizes, side="right") - 1
        shares = add_up(place, sizes, len(starts)) / max(int(sizes.sum()), 1)
        rows += [{"size": name, "when": when, "share": float(one)} for name, one in zip(names, shares, strict=True)]
    return sorted(rows, key=lambda row: names.index(row["size"]))


def confidence_rows(classes: Classes, column: str) -> Rows:
    """Give the most certain guess of every class, the safest first, over the share of people up to there."""
    histogram = classes.guessable_values(column)
    most = np.maximum.reduceat(histogram.counts, histogram.starts[:-1]) / classes.size
    order = np.argsort(most, kind="stable")
    part = np.cumsum(classes.size[order]) / classes.size.sum()
    starts = np.concatenate(([0.0], part[:-1]))
    pick = np.unique(np.linspace(0, len(order) - 1, STEPS).astype(int))
    last = np.append(pick[1:], len(order)) - 1  # of each step the least safe class, so that none looks safer than it is
    rows = [{"part": float(starts[one]), "share": float(most[order[end]])} for one, end in zip(pick, last, strict=True)]
    return [*rows, {"part": 1.0, "share": float(most[order[-1]])}]


def ladder_rows(basis: Basis) -> Rows:
    """Say for every column which share of the records is published at which level."""
    sizes, census = basis.sizes, basis.problem.census
    rows = []
    for name, labels in zip(census.quasi, basis.labels, strict=True):
        height = census.ladders[name].height
        shares = add_up(labels.climbed, sizes, height + 1) / max(int(sizes.sum()), 1)
        rows += [
            {"column": name, "level": _level_text(level, height), "order": level, "share": float(share)}
            for level, share in enumerate(shares)
            if share
        ]
    return rows


def loss_rows(basis: Basis) -> Rows:
    """Say how much detail every column lost; what was left out lost all."""
    losses = detail_lost(basis.problem.census, basis.labels, basis.sizes)
    return [{"column": name, "lost": lost} for name, lost in zip(basis.problem.census.quasi, losses, strict=True)]


def changed_cells(basis: Basis, masked: int) -> tuple[int, int]:
    """Count the published cells of quasi-identifiers that are vaguer than they were, and all of them."""
    sizes, columns = basis.sizes, basis.labels
    hidden = masked * len(columns)
    vaguer = sum(int(sizes[labels.climbed > 0].sum()) for labels in columns)
    return vaguer + hidden, int(sizes.sum()) * len(columns) + hidden


def left_out_rows(basis: Basis, recoding: Recoding) -> list[tuple[str, str, int, int]]:
    """Say for the groups of small columns how many records there were, and how many were left out."""
    census = basis.problem.census
    result = []
    for column, name in enumerate(census.quasi):
        codes, counts, gone, low = _groups_with_records(basis, recoding, column)
        ladder = census.ladders[name]
        found = _level_of_few_groups(ladder, low)
        if found is None or not gone.any():
            continue
        groups, number = ladder.parent_groups(low, found)[codes], len(ladder.labels[found])
        there, out = add_up(groups, counts, number), add_up(groups[gone], counts[gone], number)
        names = [_label_text(text) for text in ladder.labels[found].tolist()]
        result += [(name, *row) for row in zip(names, there.tolist(), out.tolist(), strict=True)]
    return result


def _groups_with_records(
    basis: Basis, recoding: Recoding, column: int
) -> tuple[Any, Counts, npt.NDArray[np.bool_], int]:
    """Give groups of a column with their records, which of them are left out, and the level of the groups."""
    if isinstance(recoding, LocalRecoding):
        low = recoding.floor.get(recoding.quasi[column], 0)
        return recoding.codes[column], recoding.counts, recoding.classes < 0, low
    classes = basis.predicted.classes
    assert classes.standing is not None  # noqa: S101 - a census says where its classes stand
    return classes.codes[column], classes.records, basis.predicted.left_out, classes.standing.levels[column]


def frontier_rows(curve: Frontier) -> Rows:
    """Give the detail that every k keeps; those that cannot be kept are left out."""
    pairs = zip(curve.values, curve.nodes, strict=True)
    return [{"k": value, "kept": node.kept} for value, node in pairs if node is not None]


def lattice_rows(problem: Problem, chosen: Sequence[int]) -> tuple[Rows, Rows] | None:
    """Place every node of a lattice by its height; nothing if there are too many to be drawn."""
    if problem.nodes > NODES:
        return None
    ranges = [range(low, high + 1) for low, high in zip(problem.lows, problem.highs, strict=True)]
    nodes = sorted(itertools.product(*ranges), key=lambda node: (sum(node), node))
    found = all_solutions(problem)
    acceptable = {tuple(node.values()) for node in found.acceptable}
    minimal = {tuple(node.values()) for node in found.minimal}
    place: dict[tuple[int, ...], tuple[float, int]] = {}
    for height, same in itertools.groupby(nodes, key=sum):
        row = list(same)
        place |= {node: (number - (len(row) - 1) / 2, height) for number, node in enumerate(row)}

    def kind(node: tuple[int, ...]) -> str:
        if node == tuple(chosen):
            return "chosen"
        return "minimal" if node in minimal else "acceptable" if node in acceptable else "not enough"

    dots = [{"x": x, "height": y, "name": str(node), "kind": kind(node)} for node, (x, y) in place.items()]
    lines = [
        {"x": place[node][0], "height": place[node][1], "x2": place[above][0], "height2": place[above][1]}
        for node in nodes
        for above in _nodes_above(node)
        if above in place
    ]
    return dots, lines


def rectangle_rows(basis: Basis) -> tuple[Rows, str, str, tuple[str, ...]] | None:
    """Give the classes as rectangles over the first two columns of numbers or dates; nothing if there are not two.

    Numbers that were counted in groups, at a floor, are not known any more. The columns of dates are named last: there
    numbers are milliseconds since 1970.
    """
    census = basis.problem.census
    known = [name for name, level in zip(census.quasi, census.floor, strict=True) if not level]
    drawn = [name for name in known if census.domains[name].kind not in {"text", "boolean"}][:2]
    if basis.named is None or len(drawn) < 2:
        return None
    across, up = (census.quasi.index(name) for name in drawn)
    cells = _number_ranges(basis, across), _number_ranges(basis, up)
    rows = [
        {"left": left, "right": right, "bottom": bottom, "top": top, "records": records}
        for left, right, bottom, top, records in zip(*cells[0], *cells[1], basis.sizes.tolist(), strict=True)
        if math.isfinite(right - left + top - bottom)  # not where nobody has a number
    ]
    return rows, drawn[0], drawn[1], tuple(name for name in drawn if census.domains[name].kind != "number")


def tree_rows(ladder: Ladder) -> tuple[Rows, Rows] | None:
    """Place the groups of a hierarchy: values below each other, groups in the middle of their members."""
    if len(ladder.labels[0]) > LEAVES:
        return None
    order = np.lexsort(list(ladder.groups))
    place = np.empty(len(order))
    place[order] = np.arange(len(order))
    places = [
        np.array([place[groups == group].mean() for group in range(len(labels))])
        for groups, labels in zip(ladder.groups, ladder.labels, strict=True)
    ]
    nodes = [
        {"level": level, "place": float(spot), "label": _label_text(label)}
        for level, labels in enumerate(ladder.labels)
        for spot, label in zip(places[level], labels.tolist(), strict=True)
    ]
    edges = [
        {"level": level, "place": float(spot), "level2": level + 1, "place2": float(places[level + 1][above])}
        for level in range(ladder.height)
        for spot, above in zip(places[level], ladder.parent_groups(level, level + 1), strict=True)
    ]
    return nodes, edges


def _number_ranges(basis: Basis, column: int) -> tuple[list[float], list[float]]:
    """Give the smallest and the largest number, or moment, in every class of a local recoding."""
    census, classes = basis.problem.census, basis.predicted.classes
    recoded = basis.predicted.quasi
    assert recoded is not None  # noqa: S101 - a local recoding has its cells
    values = census.domains[census.quasi[column]].values
    values = (values.astype("datetime64[ms]") if values.dtype.kind == "M" else values).astype(np.float64)
    known = recoded[column] < len(values)  # a missing value has no place
    low, high = np.full(len(classes), np.inf), np.full(len(classes), -np.inf)
    np.minimum.at(low, classes.members[known], values[recoded[column][known]])
    np.maximum.at(high, classes.members[known], values[recoded[column][known]])
    kept = ~basis.predicted.left_out
    return low[kept].tolist(), high[kept].tolist()


def _nodes_above(node: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*node[:column], node[column] + 1, *node[column + 1 :]) for column in range(len(node))]


def _level_of_few_groups(ladder: Ladder, level: int) -> int | None:
    """Give the lowest level from one on that has few groups, and more than one."""
    return next((one for one in range(level, ladder.height + 1) if 1 < len(ladder.labels[one]) <= SMALL), None)


def _range_text(low: int | None, high: int | None) -> str:
    if high is None:
        return f"{low:,}+"
    return f"{low}" if low == high - 1 else f"{low}\N{EN DASH}{high - 1}"


def _level_text(level: int, height: int) -> str:
    return "as it is" if level == 0 else f"level {level} of {height}"


def _label_text(label: str | None) -> str:
    return "(missing)" if label is None else label
