"""What promises mean, slowly: rows in, one verdict per class out. Nothing of the product is imported here."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]
Group = Sequence[Row]
Number = Fraction | float
STAR = "*"
NEAR = 1e-9
"""A logarithm so near to its bound is left undecided; the product decides it within a tolerance of its own."""


@dataclass(frozen=True)
class Meaning:
    """What is known of the values of a sensitive column."""

    order: tuple[Any, ...] = ()
    paths: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    category: Mapping[Any, int] = field(default_factory=dict)
    weight: Mapping[int, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class Promise:
    """A promise as the definitions have it: its kind, its bounds, its columns, and what else it says."""

    kind: str
    bounds: tuple[Fraction, ...]
    columns: tuple[str, ...] = ()
    distance: str = "equal"
    values: tuple[str, ...] = ()
    missing: bool = False
    over: str = "records"
    n: int = 0
    supersets: str = "table"

    @property
    def text(self) -> str:
        """Write it as a user would."""
        first = number_text(self.bounds[0])
        heads = {
            "k": f"k>={first}",
            "candidates": f"k>={first}",
            "alpha": f"alpha<={first}",
            "t": f"t<={first}",
            "nt": f"nt(n={self.n}, t={first})",
            "beta": f"beta<={first}",
            "enhanced-beta": f"enhanced-beta<={first}",
            "delta": f"delta<{first}",
            "recursive": f"recursive(c={number_text(self.bounds[-1])}, l={first})",
        }
        over = ', weight_over="distinct"' if self.over == "distinct" else ""
        if self.kind in {"p-alpha", "enhanced"}:
            heads[self.kind] = f"{self.kind}(p={first}, alpha={number_text(self.bounds[1])}{over})"
        words = ["candidates"] if self.kind == "candidates" else []
        words += ["+".join(self.columns)] if self.columns else []
        words += [self.distance] if self.distance != "equal" else []
        words += ["missing"] if self.missing else []
        words += [self.supersets] if self.kind == "nt" else []
        inner = ", ".join(words) + (f": {', '.join(self.values)}" if self.values else "")
        head = heads.get(self.kind, f"{self.kind}>={first}")
        return f"{head}[{inner}]" if inner else head


def number_text(number: Fraction) -> str:
    return str(number)


@dataclass(frozen=True)
class World:
    """What a class is compared with, and how records are counted."""

    reference: Group
    quasi: tuple[str, ...]
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    count: str | None = None
    entity: str | None = None

    def size(self, group: Group) -> int:
        """Count the records of a group, or its people."""
        if self.entity is not None:
            return len({row[self.entity] for row in group})
        return sum(1 if self.count is None else row[self.count] for row in group)

    def records(self, group: Group) -> int:
        """Count the records of a group, whoever they are of."""
        return sum(1 if self.count is None else row[self.count] for row in group)

    def bag(self, group: Group, columns: Sequence[str]) -> Counter[Any]:
        """Count how often each value, or combination of values, occurs; of people, how many have it."""
        found: Counter[Any] = Counter()
        seen = set()
        for row in group:
            value = row[columns[0]] if len(columns) == 1 else tuple(row[name] for name in columns)
            if self.entity is not None:
                if (row[self.entity], value) not in seen:
                    seen.add((row[self.entity], value))
                    found[value] += 1
            else:
                found[value] += 1 if self.count is None else row[self.count]
        return found


@dataclass(frozen=True)
class Finding:
    """What a class has of each number that a promise bounds, and whether that is enough; undecided if too near."""

    measured: tuple[Number, ...]
    holds: bool | None


def classes_of(rows: Group, quasi: Sequence[str]) -> list[list[Row]]:
    """Group rows by equal labels."""
    found: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in quasi)].append(row)
    return list(found.values())


def findings(promise: Promise, groups: Sequence[Group], world: World) -> list[Finding]:
    """Judge every class of a table."""
    if promise.kind == "candidates":
        return [_candidates(promise, group, groups, world) for group in groups]
    if promise.kind == "nt":
        every = [row for group in groups for row in group]
        return [_near_superset(promise, group, every, world) for group in groups]
    return [_JUDGES[promise.kind](promise, group, world) for group in groups]


def holds(promises: Sequence[Promise], groups: Sequence[Group], world: World) -> bool | None:
    """Say whether a table keeps all promises; nothing where that is too near to say."""
    verdicts = [one.holds for promise in promises for one in findings(promise, groups, world)]
    return False if False in verdicts else None if None in verdicts else True


def _at_least(measured: Number, bound: Fraction) -> bool | None:
    if isinstance(measured, float) and abs(measured - bound) < NEAR:
        return None
    return measured >= bound


def _at_most(measured: Number, bound: Fraction) -> bool | None:
    if isinstance(measured, float) and abs(measured - bound) < NEAR:
        return None
    return measured <= bound


def _all_hold(verdicts: Sequence[bool | None]) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True


def _finding(*pairs: tuple[Number, bool | None]) -> Finding:
    return Finding(tuple(number for number, _ in pairs), _all_hold([fine for _, fine in pairs]))


def _known(promise: Promise, bag: Counter[Any]) -> Counter[Any]:
    """Leave out what is missing, unless it counts; of combinations those of which a part is missing."""
    if promise.missing:
        return bag
    return Counter({value: n for value, n in bag.items() if value is not None and not _lacks(value)})


def _lacks(value: Any) -> bool:
    return isinstance(value, tuple) and None in value


def _size(promise: Promise, group: Group, world: World) -> Finding:
    size = Fraction(world.size(group))
    return _finding((size, size >= promise.bounds[0]))


def _candidates(promise: Promise, group: Group, groups: Sequence[Group], world: World) -> Finding:
    own = [group[0][name] for name in world.quasi]
    covering = inside = 0
    for other in groups:
        labels = [other[0][name] for name in world.quasi]
        covering += world.size(other) * all(b in {STAR, a} for a, b in zip(own, labels, strict=True))
        inside += world.size(other) * all(a in {STAR, b} for a, b in zip(own, labels, strict=True))
    least = Fraction(min(covering, inside))
    return _finding((least, least >= promise.bounds[0]))


def _distinct(promise: Promise, group: Group, world: World) -> Finding:
    values = Fraction(len(_known(promise, world.bag(group, promise.columns))))
    return _finding((values, values >= promise.bounds[0]))


def _probabilistic(promise: Promise, group: Group, world: World) -> Finding:
    bag = _known(promise, world.bag(group, promise.columns))
    known = [row for row in group if promise.missing or row[promise.columns[0]] is not None]
    reached = Fraction(world.size(known), max(bag.values())) if bag else Fraction(0)
    return _finding((reached, reached >= promise.bounds[0]))


def _entropy(promise: Promise, group: Group, world: World) -> Finding:
    bag = _known(promise, world.bag(group, promise.columns))
    if not bag:
        return Finding((0.0,), holds=False)
    if len(set(bag.values())) == 1:  # all equally frequent: as many as there are, exactly
        return Finding((float(len(bag)),), holds=len(bag) >= promise.bounds[0])
    whole = sum(bag.values())
    reached = math.exp(-sum(n / whole * math.log(n / whole) for n in bag.values()))
    return _finding((reached, _at_least(reached, promise.bounds[0])))


def _recursive(promise: Promise, group: Group, world: World) -> Finding:
    least, c = promise.bounds
    counts = sorted(_known(promise, world.bag(group, promise.columns)).values(), reverse=True)
    tail = sum(counts[int(least) - 1 :])
    ratio: Number = Fraction(counts[0], tail) if tail else math.inf
    return Finding((Fraction(len(counts)), ratio), holds=len(counts) >= least and counts[0] < c * tail)


def _share(promise: Promise, group: Group, world: World) -> Finding:
    bag = world.bag(group, promise.columns)
    listed = [n for value, n in bag.items() if not promise.values or value in promise.values]
    most = Fraction(max(listed, default=0), world.size(group))
    return _finding((most, most <= promise.bounds[0]))


def shares(bag: Mapping[Any, int]) -> dict[Any, Fraction]:
    """Turn counts into shares."""
    whole = sum(bag.values())
    return {value: Fraction(n, whole) for value, n in bag.items()}


def distance(kind: str, p: Mapping[Any, Fraction], q: Mapping[Any, Fraction], meaning: Meaning) -> Number:
    """Measure how far two distributions are apart."""
    zero = Fraction(0)
    if kind == "kl":
        if p == q:
            return Fraction(0)
        return sum(float(s) * (math.log(s) - math.log(q[v])) for v, s in p.items() if s)
    if kind == "equal":
        return sum((abs(p.get(value, zero) - q.get(value, zero)) for value in {*p, *q}), zero) / 2
    if kind == "ordered":
        present = [value for value in meaning.order if value in q]
        moved = list(itertools.accumulate(p.get(value, zero) - q[value] for value in present))
        return sum((abs(one) for one in moved), zero) / max(len(present) - 1, 1)
    return _hierarchical(p, q, meaning)


def _hierarchical(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction], meaning: Meaning) -> Fraction:
    """Move as much as possible low in the tree: what a group has too much goes to what has too little, group by group.

    An amount that meets at level i travels i of all levels.
    """
    extra = {(0, value): p.get(value, Fraction(0)) - q.get(value, Fraction(0)) for value in {*p, *q}}
    height = len(next(iter(meaning.paths.values()))) - 1
    total = Fraction(0)
    for level in range(1, height + 1):
        children: defaultdict[str, list[Fraction]] = defaultdict(list)
        below: dict[tuple[int, str], str] = {}
        for value in {*p, *q}:
            path = meaning.paths[value]
            below[level - 1, path[level - 1]] = path[level]
        for (at, name), parent in below.items():
            children[parent].append(extra[at, name])
        for parent, extras in children.items():
            more = sum((one for one in extras if one > 0), Fraction(0))
            less = -sum((one for one in extras if one < 0), Fraction(0))
            total += Fraction(level, height) * min(more, less)
            extra[level, parent] = more - less
    return total


def _closeness(promise: Promise, group: Group, world: World) -> Finding:
    (name,) = promise.columns
    q = shares(world.bag(world.reference, [name]))
    far = distance(promise.distance, shares(world.bag(group, [name])), q, world.meanings.get(name, Meaning()))
    return _finding((far, _at_most(far, promise.bounds[0])))


def supersets(group: Group, every: Group, promise: Promise, world: World) -> Iterator[list[Row]]:
    """Give the natural supersets of a class: all rows, or those that agree with it on some of the columns."""
    mixed = any(STAR in labels and len(labels) > 1 for labels in ({row[name] for row in every} for name in world.quasi))
    if promise.supersets == "table" or mixed:  # where a star may stand for another label nobody knows what is larger
        yield list(every)
        return
    for number in range(len(world.quasi) + 1):
        for names in itertools.combinations(world.quasi, number):
            yield [row for row in every if all(row[name] == group[0][name] for name in names)]


def _near_superset(promise: Promise, group: Group, every: Group, world: World) -> Finding:
    if world.size(group) >= promise.n:
        return Finding((Fraction(0),), holds=True)
    (name,) = promise.columns
    p, meaning = shares(world.bag(group, [name])), world.meanings.get(name, Meaning())
    meaning = Meaning(tuple(v for v in meaning.order if v in world.bag(every, [name])), meaning.paths)
    far: list[Number] = []
    for larger in supersets(group, every, promise, world):
        if world.size(larger) >= promise.n:
            q = shares(world.bag(larger, [name]))
            q |= {value: Fraction(0) for value in meaning.order if value not in q}
            far.append(distance(promise.distance, p, q, meaning))
    least = min(far, default=math.inf)
    return _finding((least, _at_most(least, promise.bounds[0])))


def _gains(promise: Promise, group: Group, world: World) -> list[tuple[Fraction, Fraction]]:
    """Give for every value of a class its share in the table, and by how much its share in the class is larger."""
    (name,) = promise.columns
    q = shares(world.bag(world.reference, [name]))
    return [(q[value], share / q[value] - 1) for value, share in shares(world.bag(group, [name])).items()]


def _likeness(promise: Promise, group: Group, world: World) -> Finding:
    most = max(Fraction(0), *(gain for _, gain in _gains(promise, group, world)))
    return _finding((most, most <= promise.bounds[0]))


def _enhanced_likeness(promise: Promise, group: Group, world: World) -> Finding:
    gains = _gains(promise, group, world)
    most = max(Fraction(0), *(gain for _, gain in gains))
    part: Number = max((float(gain) / -math.log(q) for q, gain in gains if gain > 0), default=0.0)
    return _finding((most, most <= promise.bounds[0]), (part, _at_most(part, Fraction(1))))


def _disclosure(promise: Promise, group: Group, world: World) -> Finding:
    (name,) = promise.columns
    gains = _gains(promise, group, world)
    lacking = len(world.bag(world.reference, [name])) - len(gains)
    change = max(0.0 if gain == 0 else abs(math.log(1 + gain)) for _, gain in gains)
    near = change != 0 and abs(change - promise.bounds[0]) < NEAR
    return Finding((Fraction(lacking), change), False if lacking else None if near else change < promise.bounds[0])


def _weighty(promise: Promise, group: Group, world: World) -> Finding:
    (name,) = promise.columns
    meaning, bag = world.meanings[name], _known(promise, world.bag(group, promise.columns))
    kinds = len({meaning.category[value] for value in bag}) if promise.kind == "enhanced" else len(bag)
    weight = sum(
        (meaning.weight[meaning.category[value]] * (n if promise.over == "records" else 1) for value, n in bag.items()),
        Fraction(0),
    )
    return _finding((Fraction(kinds), kinds >= promise.bounds[0]), (weight, weight >= promise.bounds[1]))


_JUDGES: dict[str, Callable[[Promise, Group, World], Finding]] = {
    "k": _size,
    "l": _distinct,
    "p": _distinct,
    "probabilistic-l": _probabilistic,
    "entropy-l": _entropy,
    "recursive": _recursive,
    "alpha": _share,
    "t": _closeness,
    "beta": _likeness,
    "enhanced-beta": _enhanced_likeness,
    "delta": _disclosure,
    "p-alpha": _weighty,
    "enhanced": _weighty,
}
