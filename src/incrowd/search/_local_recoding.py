"""``LocalTable``: what every local search works on: cells, classes, labels by members, pieces, the outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, NoReturn

import numpy as np

from incrowd.core import (
    Cells,
    Classes,
    Grouping,
    Hint,
    Labelling,
    LocalRecoding,
    Namer,
    NoSafeRelease,
    ParameterError,
    Setting,
    add_up,
    group,
    overlay,
)
from incrowd.hierarchies import Averaged, Categories, averages
from incrowd.measures import column_weights, costs_of_labels
from incrowd.models import (
    Coverage,
    EnhancedPAlphaSensitive,
    Judge,
    KAnonymity,
    LDiversity,
    PAlphaSensitive,
    PSensitive,
)
from incrowd.search._problem import (
    CHEAPEST_FIRST,
    LEVELS_AND_CELLS,
    NEUTRAL,
    OPTIMAL,
    Bools,
    Counts,
    Ints,
    LocalOutcome,
    Problem,
)

Labels = Literal["hierarchy", "range", "set"]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Cells, or parts of them that have all their records together, and the class of each; -1 leaves them out."""

    cells: Ints
    classes: Ints
    counts: Counts

    @property
    def number(self) -> int:
        return int(self.classes.max(initial=-1)) + 1


class LocalTable:
    """A problem as searches for local recodings see it: its census is counted at the lowest levels allowed.

    ``whole``: whether the search keeps records together that are alike, so that a row may stand for several.
    """

    def __init__(self, problem: Problem, *, whole: bool = False) -> None:
        _refuse_unsupported(problem, whole=whole)
        self.problem = problem
        self.census = problem.census.rollup(problem.lows)
        self.names = tuple(Namer(self.census, column, part=problem.part) for column in range(len(self.census.quasi)))
        self.weights = column_weights(self.census, problem.importance)
        self.judges = problem.judges()
        if self.census.person is not None:
            for judge in self.judges:
                judge.check_persons(self.census.classes())

    def raised(self, problem: Problem, known: dict[tuple[int, int], Namer]) -> LocalTable:
        """Give the same table at other lowest levels of its problem; ``known`` keeps the names of columns by level."""
        result = copy(self)
        result.problem, result.census = problem, problem.census.rollup(problem.lows)
        for at in enumerate(result.census.floor):
            if at not in known:
                known[at] = Namer(result.census, at[0], part=problem.part)
        result.names = tuple(known[at] for at in enumerate(result.census.floor))
        return result

    def counted_cells(self, judge: Judge) -> Bools:
        """Say for every cell whether its values of a judge's columns count: a missing one may not."""
        census = self.census
        counts = np.ones(len(census), dtype=bool)
        for name in () if judge.missing else judge.columns:
            counts &= self.sensitive_codes(name) < len(census.domains[name].values)
        return counts

    def sensitive_codes(self, name: str) -> Ints:
        return self.census.codes[len(self.census.quasi) + self.census.sensitive.index(name)]

    @property
    def has_persons(self) -> bool:
        """Whether people are counted instead of records: then the records of a cell stay together."""
        return self.census.person is not None

    @property
    def upward_closed(self) -> bool:
        """Whether a class that keeps the promise still does after records were added."""
        return all(judge.upward_closed for judge in self.judges)

    @property
    def union_closed(self) -> bool:
        return all(judge.union_closed for judge in self.judges)

    def classes(self, cells: Ints, classes: Ints, number: int, counts: Counts | None = None) -> Classes:
        """Put cells together into classes, none of them empty."""
        census = self.census
        first = np.zeros(number, dtype=np.intp)
        first[classes[::-1]] = np.arange(len(classes))[::-1]
        sensitive = zip(census.sensitive, census.codes[len(census.quasi) :], strict=True)
        inside = Cells(
            {name: codes[cells] for name, codes in sensitive},
            {name: census.domains[name] for name in census.sensitive},
            None if census.person is None else census.person[cells],
            census.counts[cells] if counts is None else counts,
        )
        return Classes.of(Grouping(classes, first), (), inside)

    def keeps(self, cells: Ints, classes: Ints, number: int, counts: Counts | None = None) -> Bools:
        if not number:
            return np.zeros(0, dtype=bool)
        found = self.classes(cells, classes, number, counts)
        return np.asarray(np.logical_and.reduce([judge.keeps(found) for judge in self.judges]), dtype=bool)

    def refuse_if_hopeless(self) -> None:
        """Stop where even the whole table as one class breaks the promise."""
        cells = np.arange(len(self.census))
        if not self.keeps(cells, np.zeros(len(cells), dtype=np.int64), min(1, len(cells))).all():
            self.refuse()

    def refuse(self) -> NoReturn:
        msg = f"Even all {self.census.records:,} records in one class break {self.problem.model}."
        raise NoSafeRelease(msg, hint="ask for less.")

    def level_groups(self, column: int) -> list[Ints]:
        """Give per level, from the lowest that is allowed on, the group of every code of a column."""
        namer = self.names[column]
        return [namer.group_of(level) for level in range(namer.floor, namer.height + 1)]

    def refuse_unions(self, search: str) -> None:
        """Stop where the promise may be lost when classes are put together, as a search does."""
        for judge in self.judges:
            if not judge.union_closed:
                several = ": people have several rows, and shares of people do not add up" * judge.model.union_closed
                msg = f"{search} puts classes together, which can break {judge.model}{several}."
                raise ParameterError(msg, hint=Hint("use a search with one level per column, such as {}.", OPTIMAL))

    def refuse_importance(self, because: str, hint: str) -> None:
        """Stop where columns weigh differently and the search cannot heed it."""
        if (self.weights != self.weights[0]).any():
            msg = f"{because}: no column can weigh more than another."
            raise ParameterError(msg, hint=Hint("{}, or ", Setting("importance", None, "leave importance out")) + hint)

    @property
    def averaged(self) -> tuple[Averaged | None, ...]:
        """Per column how the schema wants it averaged, if it does."""
        hierarchies = dict(self.problem.schema.quasi)
        wanted = (hierarchies[name] for name in self.census.quasi)
        return tuple(one if isinstance(one, Averaged) else None for one in wanted)

    def labels(self, pieces: Pieces, kind: Labels = "hierarchy") -> tuple[Labelling, ...]:
        """Call every class by what its members are: lowest label of the hierarchy, range, set or average."""
        inside = pieces.classes >= 0
        cells, classes, number = pieces.cells[inside], pieces.classes[inside], pieces.number
        result = []
        for average, namer in zip(self.averaged, self.names, strict=True):
            codes = self.census.codes[namer.column][cells]
            if average is not None:
                texts = averages(average, namer.domain, codes, classes, pieces.counts[inside])
                result.append(namer.by_text(texts, codes, classes, number))
            else:
                call = {"hierarchy": namer.by_members, "range": namer.by_range, "set": namer.by_set}[kind]
                result.append(call(codes, classes, number))
        return tuple(result)

    def labels_or_averages(self, pieces: Pieces, label: Callable[[int], Labelling]) -> tuple[Labelling, ...]:
        """Call classes by a label of every column, or by an average where the schema wants one."""
        by_average = self.labels(pieces) if any(self.averaged) else ()
        return tuple(by_average[at] if average else label(at) for at, average in enumerate(self.averaged))

    def whole_pieces(self, classes: Ints) -> Pieces:
        return Pieces(np.arange(len(self.census)), classes.astype(np.int64), self.census.counts.astype(np.int64))

    def outcome(
        self, pieces: Pieces, labels: Sequence[Labelling], notes: Sequence[str] = (), paths: Ints | None = None
    ) -> LocalOutcome:
        """Give what is published; classes that are called the same are one class."""
        merged = group([column.codes for column in labels], [len(column.names) for column in labels])
        names = tuple(column.of(merged.first) for column in labels)
        together = self._joined_pieces(pieces, merged.ids)
        sizes = add_up(together.classes[together.classes >= 0], together.counts[together.classes >= 0], len(merged))
        return LocalOutcome(
            recoding=self._recoding(self._original_pieces(together), names),
            labels=names,
            sizes=sizes,
            suppressed=self.census.records - int(sizes.sum()),
            costs=costs_of_labels(self.problem.census, names, sizes),
            notes=tuple(notes),
            paths=None if paths is None else common_paths(paths, merged),
        )

    def _joined_pieces(self, pieces: Pieces, ids: Ints) -> Pieces:
        """Renumber the classes, and put the pieces of a cell that go to one class together."""
        classes = np.append(ids.astype(np.int64), -1)[pieces.classes]
        if len(pieces.cells) == len(self.census):  # no cell parts
            whole = np.empty_like(classes)
            whole[pieces.cells] = classes
            return self.whole_pieces(whole)
        order = group([pieces.cells, classes + 1], [len(self.census), int(classes.max(initial=-1)) + 2])
        return Pieces(pieces.cells[order.first], classes[order.first], order.sums(pieces.counts))

    def _original_pieces(self, pieces: Pieces) -> Pieces:
        """Say the same of the cells as they were counted, where the search saw coarser ones."""
        # the pieces of a coarse cell take, in the order of their classes, its records in the order of its fine cells
        fine, coarse = self.problem.census, self.census
        if fine is coarse:
            return pieces
        raised = [
            fine.ladders[name].parent_groups(low, high)[codes] if high > low else codes
            for name, low, high, codes in zip(fine.quasi, fine.floor, coarse.floor, fine.codes, strict=False)
        ]
        columns = [*raised, *fine.codes[len(fine.quasi) :], *([] if fine.person is None else [fine.person])]
        owner = group(columns, [int(column.max(initial=0)) + 1 for column in columns]).ids
        order = np.argsort(owner, kind="stable")
        cell, piece, counts = overlay(fine.counts[order], pieces.counts)
        return Pieces(order[cell], pieces.classes[piece], counts)

    def _recoding(self, pieces: Pieces, names: Sequence[Labelling]) -> LocalRecoding:
        census = self.problem.census
        codes = [*census.codes, *([] if census.person is None else [census.person])]
        as_counted = len(pieces.cells) == len(census) and bool((np.diff(pieces.cells) == 1).all())
        return LocalRecoding(
            quasi=census.quasi,
            domains=census.domains,
            codes=tuple(column if as_counted else column[pieces.cells] for column in codes),
            classes=pieces.classes,
            counts=pieces.counts,
            labels=tuple(column.texts for column in names),
            ladders=census.ladders,
            floor={name: level for name, level in zip(census.quasi, census.floor, strict=True) if level},
            partial=self.problem.part,
            count=self.problem.schema.count,
        )


def flat_tables(columns: Sequence[Sequence[Ints]]) -> tuple[Counts, Counts]:
    """Put the tables of all columns, level by level, one after the other; say where each begins, -1 for none."""
    starts = np.full((len(columns), max(map(len, columns)) + 2), -1, dtype=np.int64)
    tables, end = [np.zeros(0, dtype=np.int64)], 0
    for column, levels in enumerate(columns):
        for level, table in enumerate(levels):
            starts[column, level] = end
            tables.append(table.astype(np.int64))
            end += len(table)
    return np.concatenate(tables), starts


def number_runs(starts: Ints, lengths: Ints) -> Counts:
    """Give so many numbers from each start on, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths), dtype=np.int64)


def common_paths(paths: Ints, merged: Grouping) -> Ints:
    """Keep of the ways to classes that were put together what they have in common."""
    result = paths[merged.first].copy()
    for depth in range(paths.shape[1]):
        differs = np.zeros(len(merged), dtype=bool)
        differs[merged.ids[paths[:, depth] != result[merged.ids, depth]]] = True
        result[differs, depth:] = -1
    return result


def _refuse_unsupported(problem: Problem, *, whole: bool) -> None:
    if problem.model.by_person or (problem.by_person and problem.limit):
        msg = "A local recoding makes groups for single rows, and cannot see to all rows of a person together."
        raise ParameterError(msg, hint=Hint("use a search with one level per column, such as {}.", OPTIMAL))
    if problem.schema.count is not None and not whole:
        msg = f"A row of this table stands for several records ({problem.schema.count!r}), which cannot part."
        able = LEVELS_AND_CELLS, CHEAPEST_FIRST, OPTIMAL
        hint = Hint("use a search that keeps together what is alike: {}, {} or {}.", *able)
        raise ParameterError(msg, hint=hint)
    if problem.at_most:
        name = next(iter(problem.at_most))
        msg = f"at_most of column {name!r} cannot be kept: a local recoding calls each class what it must be called."
        free = Setting("at_most", {name: None}, "at_least")
        hint = Hint("use a search with one level per column, such as {}, or {}.", OPTIMAL, free)
        raise ParameterError(msg, hint=hint)
    if problem.balance != NEUTRAL:
        msg = "balance weighs leaving records out against generalizing them, which a local recoding does not do."
        raise ParameterError(msg, hint=Hint("{}.", Setting("balance", None, "leave balance out")))
    for (name, hierarchy), low in zip(problem.schema.quasi, problem.lows, strict=True):
        if low and isinstance(hierarchy, Averaged):
            msg = f"at_least of column {name!r} cannot be kept: the column is averaged, and an average has no level."
            free = Setting("at_least", {name: None}, "leave at_least out")
            raise ParameterError(msg, hint=Hint("{}, or give the column its hierarchy alone.", free))


# What a class must have, as sums that compiled loops can add up.

LARGEST = 2**62  # sums stay below this


class Sum(NamedTuple):
    """A class must have at least so much: of records, or of different kinds."""

    # `worth`: what a record of every cell adds; where every cell is of a kind, what each kind adds, once.
    least: int
    worth: Counts
    kinds: Ints | None = None


def needed_sums(table: LocalTable, judge: Judge) -> Iterator[Sum]:
    """Translate one upward closed judge: first what it wants to be different; nothing where it is not known."""
    match judge.model:
        case KAnonymity(k=least):  # of people where they are known
            person = table.census.person
            number = len(table.census) if person is None else int(person.max(initial=0)) + 1
            yield Sum(least, np.ones(number, dtype=np.int64), person)
        case LDiversity() | PSensitive():
            yield _distinct_sum(table, judge, int(judge.model.requirements[0].bound))
        case PAlphaSensitive() as model:
            yield from _weight_sums(table, judge, model)
        case Coverage(share=share) if judge.reference is not None:
            counts = judge.reference[judge.columns[0]]
            yield Sum(math.ceil(share * int(counts.sum())), counts, table.sensitive_codes(judge.columns[0]))


def _distinct_sum(table: LocalTable, judge: Judge, least: int) -> Sum:
    codes = [table.sensitive_codes(name) for name in judge.columns]
    kinds = group(codes, [len(table.census.domains[name]) for name in judge.columns])
    return Sum(least, table.counted_cells(judge)[kinds.first].astype(np.int64), kinds.ids)


def _weight_sums(table: LocalTable, judge: Judge, model: PAlphaSensitive) -> Iterator[Sum]:
    """Count values or categories, and add up how harmless they are."""
    (name,) = judge.columns
    meaning = dict(table.problem.schema.sensitive)[name]
    if not isinstance(meaning, Categories):
        return
    bound = meaning.bind(table.census.domains[name])
    codes, alpha = table.sensitive_codes(name), model.requirements[1].bound
    scale = math.lcm(*(weight.denominator for weight in bound.weights), alpha.denominator)
    units = [int(Fraction(weight) * scale) for weight in bound.weights]
    if max(*units, int(alpha * scale), 1) * max(table.census.records, len(bound.category)) >= LARGEST:
        return
    worth = np.array(units, dtype=np.int64)[bound.category]
    if not model.missing:
        worth[len(table.census.domains[name].values) :] = 0
    if isinstance(model, EnhancedPAlphaSensitive):
        nothing = len(bound.names)  # the kind of what is missing
        kinds = np.where(table.counted_cells(judge), bound.category[codes], nothing)
        yield Sum(model.p, np.append(np.ones(nothing, dtype=np.int64), 0), kinds)
    else:
        yield _distinct_sum(table, judge, model.p)
    least, person = int(alpha * scale), table.census.person
    if model.weight_over == "distinct":
        yield Sum(least, worth, codes)
    elif person is None:
        yield Sum(least, worth[codes])
    else:  # who has a value twice in a class counts once
        pairs = group([person, codes], [int(person.max(initial=0)) + 1, len(worth)])
        yield Sum(least, worth[codes[pairs.first]], pairs.ids)
