"""``Acceptance``: whether a node keeps the promise, and how many records must be left out for it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Cells, Classes, Domain, Grouping, Histogram, Ladder, Standing, add_up
from incrowd.measures import Published, SizeSums
from incrowd.models import All, Judge, KAnonymity, Model, NTCloseness, RowsJudge
from incrowd.search._problem import Bools, Counts, Ints, Problem, least_size
from incrowd.search.lattice._masking import ByValues, Mask, least_values
from incrowd.search.lattice._rollup import Rolled, Rollup, Words

NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    # `suppressed` counts records of classes that break the promise, and who is masked with them; every node below must
    # leave out at least `bound`. `words`, `sizes` and `ok` (is published) are per class; `left_out` is per person where
    # people are left out with all rows, and `sizes` are of what is left.
    suppressed: int
    bound: int
    acceptable: bool
    words: tuple[Words, ...]
    sizes: Counts
    ok: Bools
    left_out: Bools | None = None

    @property
    def classes(self) -> int:
        return int(self.ok.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """How strong the classes of a node are, by the number that the first promise is about."""

    # `strength` is 0 where another promise is broken; `possible` takes of the others what they imply: no class that
    # generalizing makes of this one has less. `classes` where there is more to know than their sizes.
    words: tuple[Words, ...]
    sizes: Counts
    strength: Counts
    possible: Counts
    classes: Classes | None = None


class Acceptance:
    """Tests nodes."""

    # A promise prunes as far as it is monotone (spec section 7): all of it if it is upward closed, or union closed and
    # nothing may be left out; else what it implies. Where records are masked, what a node must mask at least still
    # bounds the nodes below it; but a node above an acceptable one may be refused, because too few are left to be
    # masked together.

    def __init__(self, problem: Problem) -> None:
        judges = problem.judges()
        self._problem = problem
        self.limit = problem.limit
        self.rollup = Rollup(problem.census, {name for judge in judges for name in judge.columns})
        self._persons = problem.census.person is not None
        self.by_person, self._by_items = problem.by_person, problem.model.by_items
        self._k, self._judges = self._k_and_judges(judges)
        self._small_only, self._least_size = problem.policy == "small_only", least_size(problem.model)
        closed = all(judge.upward_closed for judge in judges) and not self._small_only
        self._mask = self.mask_for(judges)
        nobody = self.limit == 0 and all(judge.union_closed for judge in judges)
        self.monotone = nobody or (closed and self._mask is None)
        self._all_prunes = closed
        implied = problem.model.implied
        if self._small_only:  # only small classes go, so only their size prunes
            implied = All(
                tuple(part for part in problem.model.parts if isinstance(part, KAnonymity)) or (KAnonymity(1),)
            )
        self._pruning = self._k_and_judges(() if closed or implied is None else problem.judges(implied))
        self._census = problem.census
        self._domains = tuple(problem.census.domains[name] for name in problem.census.quasi)
        self._ladders = tuple(problem.census.ladders[name] for name in problem.census.quasi)
        self._supersets = any(isinstance(judge.model, NTCloseness) for judge in judges)
        if self._persons:
            whole = problem.census.classes()
            for judge in judges:
                judge.check_persons(whole)

    def test(self, cells: Rolled, *, exact: bool = False) -> Tested:
        # `exact`: count what the whole promise leaves out, even where a part of it shows already that it is too much.
        if not self.rollup.has_tail and not self._by_items:
            ok = cells.counts >= self._k
            return self.mask(cells, self._test_result(cells.words, cells.counts, ok, None))
        if self._mask is None and not self._by_items and self.rollup.is_shared(cells) and self._least_values:
            found, sizes, values = self.rollup.count_values(cells)
            return self._test_result((found,), sizes, (sizes >= self._k) & (values >= self._least_values), None)
        ordered, starts = self.rollup.classes(cells)
        sizes = _class_sizes(ordered, starts)
        words = tuple(word[starts] for word in ordered.words)
        classes = self._classes(ordered, starts)
        if self.by_person or self._by_items:
            return (self._test_by_person if self.by_person else self._test_by_items)(words, classes, exact=exact)
        pruned = None if self._all_prunes else self._keeps(classes, *self._pruning)
        if pruned is not None and not exact and int(sizes[~pruned].sum()) > self.limit:  # no need to ask for all of it
            return self._test_result(words, sizes, pruned, pruned)
        ok = self._keeps(classes, self._k, self._judges)
        if self._small_only and pruned is not None:
            return self._test_result(words, sizes, pruned, pruned, whole=bool((ok == pruned).all()))
        return self.mask(cells, self._test_result(words, sizes, ok, pruned), classes)

    def left_out_by_each(self, cells: Rolled, promises: Sequence[tuple[Judge, ...]]) -> list[int]:
        """Count the records that each of some promises leaves out alone, all about columns of this one."""
        if not self.rollup.has_tail and not self._by_items:
            least = [max(self._k_and_judges(judges)[0], 1) for judges in promises]
            return [int(cells.counts[cells.counts < k].sum()) for k in least]
        classes = self._classes(*self.rollup.classes(cells))
        if self.by_person:
            return [int(classes.cells.counts[self._of_people(classes, judges)[1]].sum()) for judges in promises]
        if self._by_items:
            return [int(classes.records[~self._kept_together(classes, judges)].sum()) for judges in promises]
        kept = [self._keeps(classes, *self._k_and_judges(judges)) for judges in promises]
        return [int(classes.records[~ok].sum()) for ok in kept]

    @property
    def has_number(self) -> bool:
        """Whether the first promise is a number per class that generalizing cannot make smaller: k, distinct l or p."""
        first = self._first_judges
        return (
            not (self.by_person or self._by_items)
            and len(first) == 1
            and first[0].upward_closed
            and len(first[0].model.requirements) == 1
        )

    @functools.cached_property
    def _first_judges(self) -> tuple[Judge, ...]:
        return self._problem.judges(self._problem.model.parts[0])

    def strengths(self, cells: Rolled) -> Strengths:
        """Measure every class of a node by the number that the first promise is about; all others must be kept."""
        if not self.rollup.has_tail:
            return Strengths(cells.words, cells.counts, cells.counts, cells.counts)
        ordered, starts = self.rollup.classes(cells)
        sizes, classes = _class_sizes(ordered, starts), self._classes(ordered, starts)
        (measured,) = self._first_judges[0].measure(classes)
        strength = measured.floats.astype(np.int64)
        pruned = strength if self._all_prunes else np.where(self._keeps(classes, *self._pruning), strength, 0)
        kept = np.where(self._keeps(classes, self._k, self._judges), strength, 0)
        words = tuple(word[starts] for word in ordered.words)
        return Strengths(words, sizes, kept, kept if self._all_prunes else pruned, classes)

    def sizes(self, cells: Rolled) -> Counts:
        return _class_sizes(*self.rollup.classes(cells)) if self.rollup.has_tail else cells.counts

    @property
    def counts_at_once(self) -> bool:
        """Whether a compiled loop counts what several nodes leave out."""
        known = not self.rollup.has_tail or self._by_values is not None
        return self.rollup.is_compiled and known and not self._by_items

    def count(self, nodes: Ints, cells: Rolled, *, exact: bool = False) -> tuple[list[int], list[int]]:
        """Count what several nodes leave out, and bound what nodes below each of them do; by a compiled loop."""
        # As in `test`, a node that leaves out too much is not counted to the end unless the numbers must be `exact`.
        enough = NO_LIMIT if exact else self.limit
        if self._by_values is None:
            small = self.rollup.small_records(nodes, cells, self._k, enough)[0].tolist()
            return small, small
        bounds, suppressed = self._by_values.count(self.rollup, nodes, cells, enough)
        if self.monotone:
            bounds[suppressed > self.limit] = np.maximum(bounds, self.limit + 1)[suppressed > self.limit]
        return suppressed.tolist(), bounds.tolist()

    def count_sizes(self, nodes: Ints, cells: Rolled) -> tuple[Counts, Bools, SizeSums]:
        """Count what several nodes leave out, where nothing but the sizes of classes matters, and sum these up.

        Nodes that are passed over have no sums; the flags say which have.
        """
        small, large = self.rollup.small_records(nodes, cells, self._k, self.limit)
        counted = large[1] >= 0
        return small, counted, SizeSums(large[0, counted], large[1, counted], small[counted].astype(np.float64))

    @property
    def largest_left_out(self) -> int:
        """How many records a class that is left out can have."""
        by_size = self._mask is None and not self._persons and (self._small_only or not self.rollup.has_tail)
        by_size = by_size and not self._by_items
        return min(self._least_size - 1, self.limit) if by_size else self.limit

    @functools.cached_property
    def _by_values(self) -> ByValues | None:
        """What a compiled loop needs to judge classes by the values of one column, if it can."""
        if self._persons or self._small_only or self._supersets or self._by_items or not self.rollup.has_tail:
            return None
        whole = self._k, self._judges
        return ByValues.of(self.rollup, whole if self._all_prunes else self._pruning, whole)

    @functools.cached_property
    def _least_values(self) -> int:
        """How many different values every class needs, where nothing but that and its size matters; 0 if more does."""
        if self._persons or self._small_only or not self._all_prunes or len(self.rollup.sensitive) != 1:
            return 0
        return least_values(self._judges)

    def published(self, cells: Rolled, tested: Tested, *, columns: bool = True) -> Published:
        """Count what a node publishes: the sizes of its classes, and on request the groups of every column."""
        sizes = tested.sizes[tested.ok]
        if not columns:
            return Published(cells.levels, (), tested.suppressed, sizes)
        if self.rollup.warm:
            counted = self.rollup.count_groups(tested.words[0], tested.sizes, tested.ok, cells.levels)
            return Published(cells.levels, tuple(counted), tested.suppressed, sizes)
        words = tuple(word[tested.ok] for word in tested.words)
        ladders = [self._census.ladders[name] for name in self._census.quasi]
        kept = [
            add_up(self.rollup.codes(words, column, level), sizes, len(ladders[column].labels[level]))
            for column, level in enumerate(cells.levels)
        ]
        return Published(cells.levels, tuple(kept), tested.suppressed, sizes)

    def _test_by_person(self, words: tuple[Words, ...], classes: Classes, *, exact: bool) -> Tested:
        """Leave out people with all of their rows, as a promise about several rows of a person asks for."""
        bound, left_out = None, None
        if not self._all_prunes:
            left_out, gone = self._of_people(classes, self._pruning[1])
            bound = int(classes.cells.counts[gone].sum())
        if bound is None or exact or bound <= self.limit:
            left_out, gone = self._of_people(classes, self._judges, left_out)
        suppressed = int(classes.cells.counts[gone].sum())
        bound = suppressed if bound is None else bound
        if suppressed > self.limit and self.monotone:
            bound = max(bound, self.limit + 1)
        sizes = add_up(classes.members[~gone], classes.cells.counts[~gone], len(classes))
        return Tested(suppressed, bound, suppressed <= self.limit, words, sizes, sizes > 0, left_out)

    def _test_by_items(self, words: tuple[Words, ...], classes: Classes, *, exact: bool) -> Tested:
        """Leave out classes until the promise is kept by what is left, of which each is judged by the others too."""
        sizes = classes.records
        pruned = None if self._all_prunes else self._kept_together(classes, self._pruning[1], exact=exact)
        if pruned is not None and not exact and int(sizes[~pruned].sum()) > self.limit:
            return self._test_result(words, sizes, pruned, pruned)
        ok = self._kept_together(classes, self._problem.judges(), pruned, exact=exact)
        return self._test_result(words, sizes, ok, pruned)

    def _kept_together(
        self, classes: Classes, judges: Sequence[Judge], kept: Bools | None = None, *, exact: bool = True
    ) -> Bools:
        """Say which classes keep promises together; unless it is to be exact, only until too much is left out."""
        kept = np.ones(len(classes), dtype=bool) if kept is None else kept.copy()
        while exact or int(classes.records[~kept].sum()) <= self.limit:
            part, places = classes.part(kept[classes.members]), np.flatnonzero(kept)
            ok = np.ones(len(part), dtype=bool)
            for judge in judges:
                ok &= judge.keeps(part)
            if ok.all():
                break
            kept[places[~ok]] = False
        return kept

    def _of_people(
        self, classes: Classes, judges: Sequence[Judge], left_out: Bools | None = None
    ) -> tuple[Bools, Bools]:
        """Say whom promises leave out, and of what cells: whoever breaks them in what the others leave, to the end."""
        person = classes.cells.person
        assert person is not None  # noqa: S101 - else a promise about several rows could not be bound
        people = int(person.max(initial=0)) + 1
        left_out = np.zeros(people, dtype=bool) if left_out is None else left_out.copy()
        while True:
            inside = ~left_out[person]
            part, before = classes.part(inside), int(left_out.sum())
            for judge in judges:
                if isinstance(judge, RowsJudge):
                    left_out |= judge.exposed(part, people)
                else:
                    left_out[person[inside][~judge.keeps(part)[part.members]]] = True
            if int(left_out.sum()) == before:
                return left_out, ~inside

    def _k_and_judges(self, judges: tuple[Judge, ...]) -> tuple[int, tuple[Judge, ...]]:
        """Take k-anonymity apart from the other promises, where it only counts records."""
        if self._persons:
            return 1, judges
        k = max((judge.model.k for judge in judges if isinstance(judge.model, KAnonymity)), default=1)
        return k, tuple(judge for judge in judges if not isinstance(judge.model, KAnonymity))

    def _keeps(self, classes: Classes, k: int, judges: tuple[Judge, ...]) -> Bools:
        ok = classes.size >= k
        for judge in judges:
            ok &= judge.keeps(classes)
        return ok

    def _test_result(
        self, words: tuple[Words, ...], sizes: Counts, ok: Bools, pruned: Bools | None, *, whole: bool = True
    ) -> Tested:
        """Sum up: ``whole`` says whether what is not left out keeps the promise."""
        suppressed = int(sizes[~ok].sum())
        bound = suppressed if pruned is None else int(sizes[~pruned].sum())
        acceptable = whole and suppressed <= self.limit
        if not acceptable and self.monotone:
            bound = max(bound, self.limit + 1)
        return Tested(suppressed, bound, acceptable, words, sizes, ok)

    def mask(self, cells: Rolled, tested: Tested, classes: Classes | None = None, mask: Mask | None = None) -> Tested:
        """Mask the classes that break the promise, with so many others that all of them together keep it."""
        # Without `mask` as the problem says, which may be nobody.
        mask = self._mask if mask is None else mask
        if mask is None or not tested.acceptable or not tested.suppressed:
            return tested
        codes = [self.rollup.codes(tested.words, column, level) for column, level in enumerate(cells.levels)]
        if classes is None:  # cells are classes by themselves
            places = np.arange(len(cells))
            classes = Classes.of(Grouping(places, places), (), Cells({}, {}, None, cells.counts))
        hidden = mask.masked(classes, ~tested.ok, codes, self._star_groups(cells.levels))
        if hidden is None:
            return replace(tested, suppressed=int(tested.sizes.sum()), acceptable=False, ok=np.zeros_like(tested.ok))
        return replace(tested, suppressed=int(tested.sizes[hidden].sum()), ok=~hidden)

    def mask_for(self, judges: tuple[Judge, ...]) -> Mask | None:
        """Give who decides which classes are masked for a promise, if any are."""
        return Mask(judges, self.limit) if self._problem.suppression == "mask" and self.limit else None

    def _star_groups(self, levels: Sequence[int]) -> tuple[int, ...] | None:
        """Give the groups of a class that is called ``*`` in every column, if these levels have it."""
        ladders = (self._census.ladders[name] for name in self._census.quasi)
        found = [np.flatnonzero(ladder.labels[level] == TOP) for ladder, level in zip(ladders, levels, strict=True)]
        return tuple(int(groups[0]) for groups in found) if all(map(len, found)) else None

    def _classes(self, cells: Rolled, starts: npt.NDArray[np.intp]) -> Classes:
        """Make classes of cells that are sorted by class, as the judges know them."""
        census, rollup = self._census, self.rollup
        if self._supersets:
            return census.classes(cells.levels)
        begins = np.zeros(len(cells), dtype=np.int64)
        begins[starts[1:]] = 1
        members = np.cumsum(begins)
        inside = [column[rollup.tail(cells)] for column in rollup.tails]
        sensitive = dict(zip(rollup.sensitive, inside, strict=False))
        person = inside[-1] if self._persons else None
        within = Cells(sensitive, {name: census.domains[name] for name in rollup.sensitive}, person, cells.counts)
        classes = Classes.of(Grouping(members, starts), (), within)
        if person is None and len(sensitive) == 1:  # the cells are the histogram already
            ((name, values),) = sensitive.items()
            classes.adopt_histogram(name, Histogram(np.append(starts, len(cells)), members, (values,), cells.counts))
        if self.by_person or self._by_items:  # some of them know a row by some columns
            codes = (rollup.codes(tuple(w[starts] for w in cells.words), *at) for at in enumerate(cells.levels))
            standing = Standing(cells.levels, self._domains, self._ladders) if self._by_items else None
            classes = replace(classes, codes=tuple(codes), standing=standing)
        return classes


def _class_sizes(cells: Rolled, starts: npt.NDArray[np.intp]) -> Counts:
    return np.add.reduceat(cells.counts, starts) if len(starts) else cells.counts


# Levels that no node can have: what one column shows already is true of every node with that level.


def hopeless_levels(problem: Problem, column: str) -> int:
    """Say how many of the lowest levels of a column no acceptable node has."""
    # Of the census only this column need be counted at its lowest level.
    place = problem.census.quasi.index(column)
    acceptance = Acceptance(problem)
    for level in range(problem.census.floor[place], problem.highs[place] + 1):
        levels = [*problem.highs[:place], level, *problem.highs[place + 1 :]]
        if acceptance.test(acceptance.rollup.to(levels)).bound <= problem.limit:
            return level
    return problem.highs[place] + 1


def too_small_levels(model: Model, domain: Domain, ladder: Ladder, limit: int) -> int:
    """Say the same by nothing but how often each value occurs: too many records are in groups that are too small."""
    least = least_size(model)
    for level, groups in enumerate(ladder.groups):
        sizes = add_up(groups, domain.counts, len(ladder.labels[level]))
        if int(sizes[sizes < least].sum(dtype=np.int64)) <= limit:
            return level
    return ladder.height


def is_monotone(problem: Problem) -> bool:
    """Say whether generalizing never leaves out more, so that the most general node leaves out least."""
    return Acceptance(problem).monotone


def left_out_at(problem: Problem) -> Callable[[Sequence[int]], int]:
    """Give a function that says how many records a node leaves out, whether or not so many may be."""
    acceptance = Acceptance(replace(problem, limit=problem.census.records))
    return lambda levels: acceptance.test(acceptance.rollup.to(levels)).suppressed
