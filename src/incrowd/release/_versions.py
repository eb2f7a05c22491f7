"""Versions of a table: a release, what a search found, and other nodes of the lattice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError, Recoding, UnknownColumnError
from incrowd.measures import detail_lost, mean_detail
from incrowd.release._publish import Draft
from incrowd.release._recipe import Basis, prediction_of
from incrowd.release._release import Release
from incrowd.search import Inspection, Problem, all_solutions, left_out_at

NODES, WORK = 2_000, 100_000_000
"""How much is looked at, at most: nodes, and nodes times cells. In a larger lattice only the neighbours are."""

Counts = npt.NDArray[np.int64]
Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """What a version publishes: its levels, or nothing where every class has levels of its own, and its classes.

    ``sizes``: people per published class, or records where nobody's are told apart. ``kept``: the share of the detail.
    """

    levels: Mapping[str, int] | None
    records: int
    suppressed: int
    sizes: Counts = field(repr=False)
    kept: float

    @property
    def share_left_out(self) -> float:
        """The share of the records that is left out."""
        return self.suppressed / max(self.records, 1)

    @property
    def classes(self) -> int:
        """How many classes are published."""
        return len(self.sizes)

    @property
    def smallest(self) -> int:
        """The size of the smallest class; 0 without any."""
        return int(self.sizes.min()) if len(self.sizes) else 0

    @property
    def highest(self) -> float | None:
        """The chance to find somebody in the smallest class."""
        return 1 / max(self.smallest, 1) if len(self.sizes) else None

    @property
    def average(self) -> float | None:
        """The chance to find somebody, on average over all people."""
        return len(self.sizes) / max(int(self.sizes.sum()), 1) if len(self.sizes) else None


def basis_of(release: Release) -> Basis:
    """Give what a release was made of; refuse one that does not know it any more."""
    if release.basis is None:
        msg = "The release was read from a file, or made part by part: what it was made of is not at hand."
        raise ParameterError(msg, hint="make it again with anonymize.")
    return release.basis


def version_of(release: Release) -> Version:
    """Give a release as one of the versions that its table has."""
    levels = None if release.recipe.levels is None else dict(release.recipe.levels)
    return _version_at(basis_of(release), levels, release.recipe.suppressed)


def version_of_draft(draft: Draft) -> Version:
    """Give what a search found as one of the versions that its table has."""
    return _version_at(draft.basis, draft.levels, draft.suppressed)


def version_by(problem: Problem, recoding: Recoding, levels: Mapping[str, int], inspected: Inspection) -> Version:
    """Give the version of a node."""
    basis = Basis(None, {}, problem, prediction_of(problem, recoding), inspected.labels())
    return _version_at(basis, dict(levels), inspected.left_out())


def _version_at(basis: Basis, levels: Mapping[str, int] | None, suppressed: int) -> Version:
    records, predicted = basis.problem.census.records, basis.predicted
    kept = mean_detail(detail_lost(basis.problem.census, basis.labels, basis.sizes))
    return Version(levels, records, suppressed, predicted.classes.size[~predicted.left_out], kept)


# Other nodes of the lattice.


class LatticeNode(NamedTuple):
    """A node as seen from a release, with what it costs where that was looked at; levels in the order of columns."""

    levels: Levels
    state: Literal["chosen", "minimal", "acceptable", "refused"]
    suppressed: int | None = None
    classes: int | None = None
    loss: float | None = None


def lattice_of(release: Release) -> list[LatticeNode]:
    """Say of every node whether it keeps the promise; of the neighbours only where there are many.

    Empty where every class has levels of its own.
    """
    problem, levels = basis_of(release).problem, release.recoding.node
    if levels is None:
        return []
    chosen = tuple(levels[name] for name in problem.census.quasi)
    small = problem.nodes <= NODES and problem.nodes * len(problem.census) <= WORK
    found = _whole_lattice(problem) if small else _neighbour_nodes(problem, chosen)
    return [one._replace(state="chosen") if one.levels == chosen else one for one in found]


def _whole_lattice(problem: Problem) -> Iterator[LatticeNode]:
    solutions = all_solutions(problem)
    minimal = {tuple(one.values()) for one in solutions.minimal}
    known = {tuple(row): place for place, row in enumerate(solutions.levels.tolist())}
    ranges = [range(low, high + 1) for low, high in zip(problem.lows, problem.highs, strict=True)]
    for node in sorted(itertools.product(*ranges), key=lambda node: (sum(node), node)):
        if (place := known.get(node)) is None:
            yield LatticeNode(node, "refused")
            continue
        costs = int(solutions.suppressed[place]), int(solutions.classes[place]), solutions.measures["loss"][place]
        yield LatticeNode(node, "minimal" if node in minimal else "acceptable", *costs)


def _neighbour_nodes(problem: Problem, chosen: Levels) -> Iterator[LatticeNode]:
    left_out, bounds = left_out_at(problem), list(zip(problem.lows, problem.highs, strict=True))
    steps = [(place, step) for place in range(len(chosen)) for step in (-1, 1)]
    around = [tuple(level + step * (at == place) for at, level in enumerate(chosen)) for place, step in steps]
    inside = [
        node for node in around if all(low <= level <= high for level, (low, high) in zip(node, bounds, strict=True))
    ]
    for node in [chosen, *inside]:
        suppressed = left_out(node)
        yield LatticeNode(node, "acceptable" if suppressed <= problem.limit else "refused", suppressed)


@dataclass(frozen=True, slots=True, eq=False)
class NodeVersion:
    """Another node of a release's lattice: what it would publish, whether it keeps the promise, and what it costs."""

    version: Version
    acceptable: bool
    measures: Mapping[str, float]
    recoding: Recoding = field(repr=False)


def inspect_node(release: Release, levels: Mapping[str, int]) -> NodeVersion:
    """Say what another node would publish."""
    problem = basis_of(release).problem
    _check_levels(problem, levels)
    inspected = Inspection(problem, levels)
    recoding = inspected.recoding()
    version = version_by(problem, recoding, levels, inspected)
    acceptable = version.suppressed <= problem.limit and version.classes > 0
    return NodeVersion(version, acceptable, inspected.costs(), recoding)


def _check_levels(problem: Problem, levels: Mapping[str, int]) -> None:
    quasi = problem.census.quasi
    for name in levels:
        if name not in quasi:
            raise UnknownColumnError.of(name, quasi, given_as="level")
    for name in quasi:
        height = problem.census.ladders[name].height
        if not 0 <= levels.get(name, -1) <= height:
            msg = f"Column {name!r} needs a level from 0 to {height}."
            raise ParameterError(msg)
