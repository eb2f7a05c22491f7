"""``Solutions``: every node that keeps a promise, with its costs; ``Inspection``: one node looked at closely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from incrowd.core import Cells, Classes, FullDomainRecoding, Labelling, LocalRecoding, Namer, Recoding, group
from incrowd.measures import MEASURES, Published
from incrowd.search._problem import Bools, Counts, Floats, Ints, Problem
from incrowd.search.lattice._acceptance import Acceptance, Tested
from incrowd.search.lattice._rollup import Rolled
from incrowd.search.lattice._sweep import minimal_nodes, visit_acceptable


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """Every node that keeps a promise within the suppression limit.

    Attributes
    ----------
    quasi
        The quasi-identifiers.
    levels
        One row of levels per acceptable node, in the order of the quasi-identifiers; rows in ascending order.
    suppressed, classes
        How many records each node leaves out, and how many classes it publishes.
    measures
        Per measure, its value for every node; smaller is better.
    records
        How many records the table has. A node that leaves out all of them keeps every promise, and publishes nothing.
    floor
        The levels below which nothing was looked at, by name, where the census would not fit into memory.
    notes
        What is known about the levels below.
    """

    quasi: tuple[str, ...]
    levels: Ints = field(repr=False)
    suppressed: Counts = field(repr=False)
    classes: Counts = field(repr=False)
    measures: Mapping[str, Floats] = field(repr=False)
    records: int
    floor: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def acceptable(self) -> list[dict[str, int]]:
        """All acceptable nodes."""
        return self._by_name(self.levels)

    @property
    def minimal(self) -> list[dict[str, int]]:
        """The acceptable nodes below which there is no other."""
        return self._by_name(minimal_nodes(self.levels))

    @property
    def least_height(self) -> list[dict[str, int]]:
        """The acceptable nodes with the smallest sum of levels."""
        heights = self.levels.sum(axis=1)
        return self._by_name(self.levels[heights == heights.min()] if len(heights) else self.levels)

    def to_dict(self) -> dict[str, list[float]]:
        """Give a table with one column per quasi-identifier, and one per number: any frame can be made of it."""
        columns = {name: self.levels[:, place].tolist() for place, name in enumerate(self.quasi)}
        numbers = {"suppressed": self.suppressed, "classes": self.classes, **self.measures}
        return {**columns, **{name: values.tolist() for name, values in numbers.items()}}

    def _by_name(self, rows: Ints) -> list[dict[str, int]]:
        return [dict(zip(self.quasi, row, strict=True)) for row in rows.tolist()]


def all_solutions(problem: Problem) -> Solutions:
    """Look at every node of a lattice."""
    equal = dict.fromkeys(problem.importance, 1.0)
    by_class = {"discernibility", "aecs"}  # they know no columns
    objectives = {
        name: measure.bind(
            problem.census,
            equal if name in by_class else problem.importance,
            0.5 if name == "aecs" else problem.balance,
        )
        for name, measure in MEASURES.items()
    }
    acceptance = Acceptance(problem)
    found: list[tuple[tuple[int, ...], tuple[int, int], list[float]]] = []

    def note(cells: Rolled, tested: Tested) -> None:
        published = acceptance.published(cells, tested)
        scores = [objective.score(published) for objective in objectives.values()]
        found.append((cells.levels, (tested.suppressed, tested.classes), scores))

    visit_acceptable(problem, acceptance, note)
    found.sort(key=lambda node: node[0])
    numbers = np.array([numbers for _, numbers, _ in found], dtype=np.int64).reshape(len(found), 2)
    scores = np.array([scores for *_, scores in found]).reshape(len(found), len(objectives))
    return Solutions(
        quasi=problem.census.quasi,
        levels=np.array([levels for levels, *_ in found], dtype=np.int64).reshape(len(found), len(problem.lows)),
        suppressed=numbers[:, 0],
        classes=numbers[:, 1],
        measures=dict(zip(objectives, scores.T, strict=True)),
        records=problem.census.records,
    )


class _Left(NamedTuple):
    """The classes of those who are left, which cells of the census are theirs, and whose each cell is."""

    classes: Classes
    inside: Bools
    person: Ints


class Inspection:
    """A node of a lattice and those just below it, looked at closely: the census is prepared once for all of it."""

    def __init__(self, problem: Problem, levels: Mapping[str, int]) -> None:
        self._problem = problem
        self._levels = tuple(levels[name] for name in problem.census.quasi)
        self._acceptance = Acceptance(replace(problem, limit=problem.census.records))  # whether or not so many may be

    def costs(self) -> dict[str, float]:
        """Give every measure, all columns weighing the same."""
        census = self._problem.census
        return {name: measure.bind(census, {}, 0.5).score(self.published) for name, measure in MEASURES.items()}

    @cached_property
    def published(self) -> Published:
        """What is published: the records of every group, and of every class."""
        return self._acceptance.published(self._cells, self._test_result)

    @property
    def classes(self) -> int:
        return self._test_result.classes

    def recoding(self) -> Recoding:
        """Give what every record is published as; of people who are left out, nothing."""
        census, rollup, tested = self._problem.census, self._acceptance.rollup, self._test_result
        if self._left is not None:
            return self._recoding_of_left(self._left)
        words = tuple(word[~tested.ok] for word in tested.words)
        codes = [rollup.codes(words, column, level) for column, level in enumerate(self._levels)]
        order = np.lexsort(codes[::-1]) if len(codes[0]) else np.zeros(0, dtype=np.intp)
        return FullDomainRecoding(
            domains={name: census.domains[name] for name in census.quasi},
            ladders={name: census.ladders[name] for name in census.quasi},
            levels=dict(zip(census.quasi, self._levels, strict=True)),
            suppressed=tuple(code[order] for code in codes),
        )

    def labels(self) -> tuple[Labelling, ...] | None:
        """Give what classes are called where people are left out of some; else their levels tell."""
        if self._left is None:
            return None
        census, classes = self._problem.census, self._left.classes
        levels = [np.full(len(classes), level) for level in self._levels]
        return tuple(
            Namer(census, column).by_group(level, codes)
            for column, (level, codes) in enumerate(zip(levels, classes.codes, strict=True))
        )

    @cached_property
    def _left(self) -> _Left | None:
        """Who is left where people are left out of some classes."""
        census, people = self._problem.census, self._test_result.left_out
        if census.person is None or people is None or not people.any():
            return None
        raised = [
            census.ladders[name].parent_groups(low, high)[codes]
            for name, low, high, codes in zip(census.quasi, census.floor, self._levels, census.codes, strict=False)
        ]
        sizes = [
            len(census.ladders[name].labels[level]) for name, level in zip(census.quasi, self._levels, strict=True)
        ]
        grouping = group(raised, sizes)
        cells = Cells({}, {}, census.person, census.counts)
        classes = Classes.of(grouping, tuple(codes[grouping.first] for codes in raised), cells)
        inside = ~people[census.person]
        return _Left(classes.part(inside), inside, census.person)

    def _recoding_of_left(self, left: _Left) -> LocalRecoding:
        """Give one level per column, and nothing of whoever is left out."""
        census = self._problem.census
        members = np.full(len(census), -1, dtype=np.int64)
        members[left.inside] = left.classes.members
        labels = [census.ladders[name].labels[level] for name, level in zip(census.quasi, self._levels, strict=True)]
        return LocalRecoding(
            quasi=census.quasi,
            domains=census.domains,
            codes=(*census.codes, left.person),
            classes=members,
            counts=census.counts.astype(np.int64),
            labels=tuple(texts[codes] for texts, codes in zip(labels, left.classes.codes, strict=True)),
            ladders=census.ladders,
            floor={name: level for name, level in zip(census.quasi, census.floor, strict=True) if level},
            count=self._problem.schema.count,
            node=dict(zip(census.quasi, self._levels, strict=True)),
        )

    def left_out(self, levels: Sequence[int] | None = None) -> int:
        """Say how many records are left out; here, or at a node at most one level lower in every column."""
        return self._acceptance.test(self._cells_at(levels)).suppressed

    def left_out_alone(self, levels: Sequence[int] | None = None) -> dict[str, int]:
        """Say for every promise how many records it leaves out alone."""
        parts = [(str(part), self._problem.judges(part)) for part in self._problem.model.parts]
        found = self._acceptance.left_out_by_each(self._cells_at(levels), [judges for _, judges in parts])
        return {text: count for (text, _), count in zip(parts, found, strict=True)}

    def _cells_at(self, levels: Sequence[int] | None) -> Rolled:
        return self._cells if levels is None else self._acceptance.rollup.to(levels, self._cells_below)

    @cached_property
    def _cells_below(self) -> Rolled:
        """The cells at the node that is one level lower wherever it can be: all neighbours are rolled up from there."""
        pairs = zip(self._levels, self._problem.lows, strict=True)
        return self._acceptance.rollup.to([max(level - 1, low) for level, low in pairs])

    @cached_property
    def _cells(self) -> Rolled:
        return self._acceptance.rollup.to(self._levels)

    @cached_property
    def _test_result(self) -> Tested:
        return self._acceptance.test(self._cells)
