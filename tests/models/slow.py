"""Every model once more, slowly and obviously, on one class given as a dict from value to count."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Bag = Mapping[Any, int]


def shares(bag: Bag) -> dict[Any, Fraction]:
    total = sum(bag.values())
    return {value: Fraction(count, total) for value, count in bag.items()}


def entropy_l(bag: Bag) -> float:
    return math.exp(-sum(float(p) * math.log(p) for p in shares(bag).values()))


def recursive_ratio(bag: Bag, l: int) -> float | Fraction:  # noqa: E741
    counts = sorted(bag.values(), reverse=True)
    tail = sum(counts[l - 1 :])
    return Fraction(counts[0], tail) if tail else math.inf


def variational(bag: Bag, whole: Bag) -> Fraction:
    p, q = shares(bag), shares(whole)
    return sum((abs(p.get(value, Fraction(0)) - q[value]) for value in q), Fraction(0)) / 2


def ordered(bag: Bag, whole: Bag, order: Sequence[Any]) -> Fraction:
    p, q = shares(bag), shares(whole)
    running, total = Fraction(0), Fraction(0)
    for value in order[:-1]:
        running += p.get(value, Fraction(0)) - q[value]
        total += abs(running)
    return total / max(len(order) - 1, 1)


def kl(bag: Bag, whole: Bag) -> float:
    p, q = shares(bag), shares(whole)
    return sum(float(share) * math.log(share / q[value]) for value, share in p.items())


def transport(bag: Bag, whole: Bag, cost: Mapping[tuple[Any, Any], Fraction]) -> Fraction:
    """Move one distribution onto the other at the least cost, by successive shortest paths on exact numbers."""
    p, q = shares(bag), shares(whole)
    supply = {value: p.get(value, Fraction(0)) for value in q}
    flow: defaultdict[tuple[Any, Any], Fraction] = defaultdict(Fraction)
    values = list(q)
    need = dict(q)
    total = Fraction(0)
    while any(supply.values()):
        path = _cheapest(values, supply, need, flow, cost)
        amount = min(supply[path[0]], need[path[-1]])
        for number in range(1, len(path) - 1, 2):
            amount = min(amount, flow[path[number + 1], path[number]])
        for number in range(0, len(path) - 1, 2):
            flow[path[number], path[number + 1]] += amount
        for number in range(1, len(path) - 1, 2):
            flow[path[number + 1], path[number]] -= amount
        supply[path[0]] -= amount
        need[path[-1]] -= amount
    for pair, amount in flow.items():
        total += amount * cost[pair]
    return total


def _cheapest(values: list[Any], supply: Any, need: Any, flow: Any, cost: Any) -> list[Any]:
    """Find a cheapest path from what is left over to what is missing (Bellman-Ford; sources and sinks alternate)."""
    far: dict[Any, Any] = {("s", value): (Fraction(0), [value]) for value in values if supply[value]}
    for _ in range(2 * len(values)):
        for a, b in itertools.product(values, values):
            if ("s", a) in far:
                length, path = far["s", a]
                if ("t", b) not in far or length + cost[a, b] < far["t", b][0]:
                    far["t", b] = (length + cost[a, b], [*path, b])
            if ("t", b) in far and flow[a, b] > 0:
                length, path = far["t", b]
                if ("s", a) not in far or length - cost[a, b] < far["s", a][0]:
                    far["s", a] = (length - cost[a, b], [*path, a])
    ends = [far["t", value] for value in values if need[value] and ("t", value) in far]
    best: list[Any] = min(ends, key=lambda end: end[0])[1]
    return best
