"""Compiled loops of linkage: all people walk down the tree of published classes at once; claims are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.attacks._linkage import Links
from incrowd.core import Packing
from incrowd.core.kernels import compiled

# The walk of many people down the tree of classes, compiled by numba. Imported only where there are many.

Words = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

DIGIT = 11
"""So many bits are sorted by at once."""


class ClassTree(NamedTuple):
    """The classes, one level per column, all levels after each other."""

    starts: Words  # where the branches below each node begin, counted from the first branch of the level
    labels: Small  # of each branch
    nodes: Words  # per level, where its starts begin
    branches: Words  # per level, where its branches begin; one longer than there are levels


class Covers(NamedTuple):
    """Which labels cover which values: one bit for each pair, value by value, all columns after each other."""

    bits: npt.NDArray[np.uint8]
    starts: Words  # per column, where its bits begin
    widths: Words  # per column, how many bytes a value has


class Walkers(NamedTuple):
    """The people in the order of the tree, their codes packed."""

    words: Words  # one row per word, one column per person
    word: Words  # per level the word that has its code, how far from the right, and ones where it is
    shift: Words
    mask: Words


class Says(NamedTuple):
    """What the class at each end of the tree says."""

    classes: Words
    sizes: Words
    ranks: Words  # how narrow it is, the narrowest first; empty where nobody asked
    certain: Words  # one row per sensitive column


class Answers(NamedTuple):
    """What is said about people, those alike once: of the classes that cover them the first, and all together."""

    kind: Small  # per person, which answer is theirs
    only: Words
    candidates: Words
    narrowest: Words  # the class of the lowest rank; empty where classes have no ranks
    certain: Words  # one row per sensitive column; -1 where nothing is certain
    telling: npt.NDArray[
        np.bool_
    ]  # per sensitive column and class, whether it is one of those that make a value certain


class Way(NamedTuple):
    """How far somebody has come; per level as many places as it has branches."""

    open: Small  # the branches below the nodes that are reached a level above, as long as these stay the same
    labels: Small  # of these
    reached: Small  # those of them that cover the person
    opened: Words  # per level, how many are open
    many: Words  # per level, how many nodes are reached; the top first


@compiled
def pack_column(words: Words, column: npt.NDArray[np.integer], bits: Words) -> None:
    """Put the code of a column into every word, as the bits that stand for it."""
    for row in range(len(words)):
        words[row] |= bits[column[row]]


@compiled
def sort_words(words: Words, spare: Words, order: Small, other: Small, shift: int) -> None:
    """Sort words and what belongs to them by some bits, keeping the order of those alike in these."""
    ends = np.zeros((1 << DIGIT) + 1, dtype=np.int64)
    for word in words:
        ends[(word >> shift & (1 << DIGIT) - 1) + 1] += 1
    ends = np.cumsum(ends)
    for row in range(len(words)):
        digit = words[row] >> shift & (1 << DIGIT) - 1
        spare[ends[digit]], other[ends[digit]] = words[row], order[row]
        ends[digit] += 1


@compiled
def walk(crowd: Walkers, tree: ClassTree, covers: Covers, says: Says, answers: Answers) -> int:
    """Walk everybody down, and add up what the classes say that are reached; give the number of different answers."""
    levels = len(crowd.shift)
    room = tree.branches[levels]
    opened, many = np.zeros(levels, dtype=np.int64), np.ones(levels + 1, dtype=np.int64)
    way = Way(np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32), opened, many)
    first, kinds = tree.branches[levels - 1], 0
    _list_branches(0, tree, way)
    for who in range(crowd.words.shape[1]):
        same = 0 if not who else _count_shared_levels(crowd, who)
        for level in range(same, levels):
            if level > same:
                _list_branches(level, tree, way)
            value = crowd.words[crowd.word[level], who] >> crowd.shift[level] & crowd.mask[level]
            _go_down(value, level, tree, covers, way)
        if same < levels:
            _add_up(says, way.reached[first : first + many[levels]], answers, kinds)
            kinds += 1
        answers.kind[who] = kinds - 1
    return kinds


@compiled
def _count_shared_levels(crowd: Walkers, who: int) -> int:
    """Count the levels at whose codes somebody is like the one before."""
    for level in range(len(crowd.shift)):
        row = crowd.word[level]
        if (crowd.words[row, who] ^ crowd.words[row, who - 1]) >> crowd.shift[level]:
            return level
    return len(crowd.shift)


@compiled
def _list_branches(level: int, tree: ClassTree, way: Way) -> None:
    """List the branches below the nodes that are reached."""
    first, above = tree.branches[level], tree.branches[level - 1] if level else 0
    place = first
    for number in range(way.many[level]):
        node = tree.nodes[level] + (way.reached[above + number] if level else 0)
        for branch in range(tree.starts[node], tree.starts[node + 1]):
            way.open[place], way.labels[place] = branch, tree.labels[first + branch]
            place += 1
    way.opened[level] = place - first


@compiled
def _go_down(value: int, level: int, tree: ClassTree, covers: Covers, way: Way) -> None:
    """Go down one level, along all open branches that cover a value."""
    row, first = covers.starts[level] + value * covers.widths[level], tree.branches[level]
    found = first
    for place in range(first, first + way.opened[level]):
        label = way.labels[place]
        way.reached[found] = way.open[place]  # stays if the label covers the value; asking first takes longer
        found += covers.bits[row + (label >> 3)] >> (7 - (label & 7)) & 1
    way.many[level + 1] = found - first


@compiled
def _add_up(says: Says, ends: Words, answers: Answers, place: int) -> None:
    """Write down what the classes at some ends of the tree say together."""
    total = 0
    for end in ends:
        total += says.sizes[end]
    answers.candidates[place] = total
    answers.only[place] = says.classes[ends[0]] if len(ends) else -1
    if len(answers.narrowest):
        lowest = ends[0] if len(ends) else -1
        for end in ends:
            lowest = end if says.ranks[end] < says.ranks[lowest] else lowest
        answers.narrowest[place] = says.classes[lowest] if len(ends) else -1
    for name in range(len(says.certain)):
        value = says.certain[name, ends[0]] if len(ends) else -1
        for end in ends:
            value = value if says.certain[name, end] == value else -1
        answers.certain[name, place] = value
        if value >= 0:
            for end in ends:
                answers.telling[name, says.classes[end]] = True


Ints = npt.NDArray[np.integer]


def add_up_many(links: Links, sizes: Ints, certain: Sequence[Ints], ranks: Ints | None) -> Answers:
    """Say of every person what the classes say that can be the person's, in one compiled walk."""
    people, ends, none = links.people, links.classes, np.zeros(0, dtype=np.int64)
    rows = [codes[ends].astype(np.int64) for codes in certain]
    says = Says(
        ends,
        sizes[ends].astype(np.int64),
        none if ranks is None else ranks[ends].astype(np.int64),
        np.stack(rows) if rows else none.reshape(0, 0),
    )
    answers = Answers(
        kind=np.empty(people, dtype=np.int32),
        only=np.empty(people, dtype=np.int64),
        candidates=np.empty(people, dtype=np.int64),
        narrowest=np.empty(0 if ranks is None else people, dtype=np.int64),
        certain=np.empty((len(rows), people), dtype=np.int64),
        telling=np.zeros((len(rows), len(sizes)), dtype=bool),
    )
    kinds = links.value_kinds()
    crowd, order = _packed_people(links, kinds)
    number = walk(crowd, _class_tree(links), _cover_bits(links, kinds), says, answers)
    kind = np.empty_like(answers.kind)
    kind[order] = answers.kind
    return answers._replace(
        kind=kind,
        only=answers.only[:number],
        candidates=answers.candidates[:number],
        narrowest=answers.narrowest[:number],
        certain=answers.certain[:, :number],
    )


def _packed_people(links: Links, kinds: Sequence[Words]) -> tuple[Walkers, Ints]:
    """Pack people, those values alike that the same labels cover, and sort them; also give where each was."""
    packing = Packing.of([_number_of_kinds(kind) for kind in kinds])
    words = np.zeros((packing.words, links.people), dtype=np.int64)
    for field, kind, codes in zip(packing.fields, kinds, links.codes, strict=True):
        pack_column(words[field.word], codes, kind << field.shift)
    parts = ([getattr(field, part) for field in packing.fields] for part in ("word", "shift", "bits"))
    word, shift, bits = (np.array(part, dtype=np.int64) for part in parts)
    order = _sort_people(words, int(bits.sum()))
    return Walkers(words, word, shift, (1 << bits) - 1), order


def _sort_people(words: Words, bits: int) -> Ints:
    """Sort people where they are, by so many bits; give where each was."""
    if len(words) > 1:
        several = np.lexsort(words[::-1])
        words[:] = words[:, several]
        return several
    order, kept, spare = np.arange(words.shape[1], dtype=np.int32), words[0], np.empty_like(words[0])
    other = np.empty_like(order)
    for done in range(0, bits, DIGIT):
        sort_words(kept, spare, order, other, done)
        kept, spare, order, other = spare, kept, other, order
    words[0] = kept
    return order


def _class_tree(links: Links) -> ClassTree:
    """Lay the levels out after each other."""
    starts, labels = ([getattr(level, part) for level in links.levels] for part in ("starts", "labels"))
    return ClassTree(
        np.concatenate(starts).astype(np.int64),
        np.concatenate(labels).astype(np.int32),
        np.cumsum([0, *map(len, starts)])[:-1],
        np.cumsum([0, *map(len, labels)]),
    )


def _cover_bits(links: Links, kinds: Sequence[Words]) -> Covers:
    """Say of every kind of value which labels cover it."""
    bits = []
    for matching, kind in zip(links.matchings, kinds, strict=True):
        some = np.zeros(
            _number_of_kinds(kind), dtype=np.int64
        )  # a value of each kind; numbers that no value has are not asked
        some[kind] = np.arange(len(kind))
        bits.append(matching.bits()[some])
    starts = np.cumsum([0, *(part.size for part in bits)])[:-1]
    return Covers(np.concatenate([part.ravel() for part in bits]), starts, np.array([part.shape[1] for part in bits]))


def _number_of_kinds(kind: Words) -> int:
    return int(kind.max(initial=0)) + 1


# Loops over the members of all classes, compiled by numba. Imported only where there are many.


@compiled
def entries_by_class(classes: Words, starts: Words, order: Small) -> None:
    """Line entries up class by class, without those of none; also say where each class begins."""
    for one in classes:
        if one >= 0:
            starts[one + 1] += 1
    for one in range(len(starts) - 1):
        starts[one + 1] += starts[one]
    free = starts.copy()
    for row in range(len(classes)):
        if classes[row] >= 0:
            order[free[classes[row]]] = row
            free[classes[row]] += 1


@compiled
def mark(order: Small, starts: Words, codes: Ints, which: Words, marks: npt.NDArray[np.bool_]) -> None:
    """Mark the pairs of a label and a code that occur."""
    for one in range(len(starts) - 1):
        label = which[one]
        for place in range(starts[one], starts[one + 1]):
            marks[label, codes[order[place]]] = True


@compiled
def count_claims(  # noqa: PLR0913, PLR0917 - numba takes arrays one by one
    order: Small, starts: Words, codes: Ints, groups: Words, firsts: Words, claimed: Words, which: Words, right: Words
) -> None:
    """Count the claims of each class that are true."""
    true = np.zeros(len(claimed), dtype=np.bool_)
    for one in range(len(starts) - 1):
        first, end = firsts[which[one]], firsts[which[one] + 1]
        if first == end:
            continue
        for place in range(starts[one], starts[one + 1]):
            group = groups[codes[order[place]]]
            for claim in range(first, end):
                true[claim] |= claimed[claim] == group
        for claim in range(first, end):
            right[one] += true[claim]
            true[claim] = False


@compiled
def count_found(
    classes: Ints, counts: Ints, who: tuple[Ints, Ints], where: tuple[Words, Words], totals: tuple[Words, Words]
) -> None:
    """Count people by the answer about them: all who are in a class, and those whose class is where one looks."""
    for row in range(len(classes)):
        if classes[row] >= 0:
            answer = who[1][who[0][row]]
            totals[0][answer] += counts[row]
            if where[0][answer] == where[1][classes[row]]:
                totals[1][answer] += counts[row]
