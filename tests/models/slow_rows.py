"""Several rows of a person, by the definition: every set of items that somebody has, and everybody who has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations

Item = Hashable
People = Mapping[Hashable, Sequence[Hashable]]
"""Per person the regions of all rows."""


def items_of(regions: Iterable[Hashable], *, multiset: bool) -> set[Item]:
    if not multiset:
        return set(regions)
    return {(region, which) for region, number in Counter(regions).items() for which in range(1, number + 1)}


def support_by_set(people: People, m: int, *, multiset: bool = False) -> dict[frozenset[Item], int]:
    """Count who has each set of at most ``m`` items that somebody has."""
    own = [items_of(regions, multiset=multiset) for regions in people.values()]
    sets = {frozenset(some) for items in own for size in range(1, m + 1) for some in combinations(items, size)}
    return {some: sum(some <= items for items in own) for some in sets}


def fewest(people: People, m: int, *, multiset: bool = False) -> int:
    return min(support_by_set(people, m, multiset=multiset).values())


def exposed(people: People, k: int, m: int, *, multiset: bool = False) -> set[Hashable]:
    """Give who has a set of items that fewer than ``k`` people have."""
    rare = [some for some, number in support_by_set(people, m, multiset=multiset).items() if number < k]
    return {
        person for person, regions in people.items() if any(one <= items_of(regions, multiset=multiset) for one in rare)
    }


def left_in(people: People, k: int, m: int, *, multiset: bool = False) -> dict[Hashable, Sequence[Hashable]]:
    """Give the people who are left when nobody is exposed any more."""
    left = dict(people)
    while gone := exposed(left, k, m, multiset=multiset) if left else set():
        left = {person: regions for person, regions in left.items() if person not in gone}
    return left
