"""``similarity_tree``: values that go with the same values of other columns become one group."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain
from incrowd.hierarchies._tree import Tree, checked_tree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

LEVELS = 4  # a tree has at most so many levels below ``*``: half of the groups each time, or fewer in a large one
TYPICAL = 5.0  # so many typical rows are added to those of every value, so that chance does not tell rare values apart
LONG = 60  # a label with more characters is shortened
# Labels name only values that so many rows have: a rarer one would tell of somebody, even of one who is left out
NAMED = 20
# Values go with those of another column if their chi-squared lies so many standard deviations above chance
CHANCE = 5.0
# What is weaker than this (Cramér's V without its bias) tells values apart in a large table, and means nothing
WEAK = 0.05


def similarity_tree(domain: Domain, together: Sequence[Ints]) -> Tree | None:
    """Build a tree of the values of a column by what they go with; nothing if there is nothing to tell them apart by.

    ``together`` says for each of some other columns how often each value of this one (without null) occurs with each of
    theirs. There is no tree where the values go with no other column more than by chance: one of noise looks like a
    finding. Groups are merged in pairs, each time the two that lose the least of what a value says about the other
    columns (Slonim and Tishby, agglomerative information bottleneck, 1999). Ties are broken by the order of the values,
    so that the tree depends on the counts alone. It is cut where half, a quarter, an eighth of the groups are left, or
    at longer steps down to two where there are many values.
    """
    sizes = domain.counts[: len(domain.values)]
    parts = [counts[:, counts.sum(axis=0) > 0].astype(np.float64) for counts in together]
    parts = [counts for counts in parts if counts.shape[1] > 1]
    cuts = _groups_per_level(len(sizes))
    if not cuts or not any(map(go_together, parts)):
        return None
    groups = _groups_at_cuts(parts, cuts)
    texts = [str(text) for text in domain.texts[: len(sizes)]]
    taken: dict[str, tuple[int, ...]] = {text: (place,) for place, text in enumerate(texts)}
    levels = [texts, *(_group_labels(texts, sizes, group, taken) for group in groups)]
    paths = [(*path, TOP) for path in zip(*levels, strict=True)]
    return replace(checked_tree(paths, f"The tree of column {domain.column!r}"), from_data=True)


def go_together(counts: npt.NDArray[Any]) -> bool:
    """Say whether values go with those of another column, more than they would by chance in a table so large."""
    # Compared with the mean and the variance of chi-squared over all tables with the same margins (Dawson, 1954), which
    # hold for rare values too, and by Cramér's V without its bias (Bergsma, 2013).
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(np.float64)
    (rows, columns), total = counts.shape, counts.sum()
    if min(rows, columns) < 2 or total <= max(rows, columns, 3):
        return False
    margins = counts.sum(axis=1), counts.sum(axis=0)
    chi = total * ((counts / margins[0][:, None] * (counts / margins[1])).sum() - 1)
    free = (rows - 1) * (columns - 1)
    mean = total * free / (total - 1)
    spread, reciprocal = zip(*(_margin_sums(margin, total) for margin in margins), strict=True)
    variance = 2 * total / (total - 3) * (spread[0] - reciprocal[0]) * (spread[1] - reciprocal[1])
    variance += total**2 / (total - 1) * reciprocal[0] * reciprocal[1]
    strength = max(chi / total - free / (total - 1), 0) / (min(rows, columns) - 1)
    return bool(chi - mean > CHANCE * np.sqrt(max(variance, 0)) and strength > WEAK**2)


def _margin_sums(counts: Floats, total: float) -> tuple[float, float]:
    """Give what Dawson's variance needs of the sums of a table's rows, or of its columns."""
    size = len(counts)
    spread = (size - 1) * (total - size) / (total - 1)
    return spread, (total * float((1 / counts).sum()) - size**2) / (total - 2)


def _groups_per_level(values: int) -> list[int]:
    """Say how many groups each level has: half of those before, or fewer where that would not come down to two."""
    ratio = max(2.0, (values / 2) ** (1 / LEVELS))
    left, cuts = values, list[int]()
    while len(cuts) < LEVELS and (left := math.ceil(round(left / ratio, 6))) > 1:
        cuts.append(left)
    return cuts


def _groups_at_cuts(parts: Sequence[Floats], cuts: Sequence[int]) -> list[npt.NDArray[np.int64]]:
    """Merge groups in pairs, and give at every cut the group of each value."""
    values = len(parts[0])
    rows = np.hstack(parts)
    bounds = np.cumsum([0, *(part.shape[1] for part in parts)])
    typical = np.concatenate([TYPICAL * part.sum(axis=0) / part.sum() for part in parts])
    member = np.arange(values)
    alive = np.ones(values, dtype=bool)
    costs = np.full((values, values), np.inf)
    for one in range(values - 1):
        costs[one, one + 1 :] = _bits_lost(rows, typical, bounds, one, np.arange(one + 1, values))
    found = []
    for left in range(values - 1, min(cuts) - 1, -1):
        first, second = divmod(int(np.argmin(costs)), values)
        rows[first] += rows[second]
        member[member == second] = first
        alive[second] = False
        costs[second, :] = costs[:, second] = np.inf
        others = np.flatnonzero(alive)
        before, after = others[others < first], others[others > first]
        costs[before, first] = _bits_lost(rows, typical, bounds, first, before)
        costs[first, after] = _bits_lost(rows, typical, bounds, first, after)
        if left in cuts:
            found.append(member.copy())
    return found


def _bits_lost(rows: Floats, typical: Floats, bounds: Ints, one: int, others: Ints) -> Floats:
    """Say how many bits about the other columns are lost if a group is merged with each of some others."""
    if not len(others):
        return np.zeros(0)
    kept = _entropy_bits(rows[others] + typical, bounds) + _entropy_bits(rows[[one]] + typical, bounds)
    merged = _entropy_bits(rows[others] + rows[one] + 2 * typical, bounds)
    return np.asarray(np.round(merged - kept, 9), dtype=np.float64)


def _entropy_bits(counts: Floats, bounds: Ints) -> Floats:
    """Give the entropy of each row's counts in every column, times their number."""
    logs = np.add.reduceat(counts * np.log2(counts), bounds[:-1], axis=1)
    totals = np.add.reduceat(counts, bounds[:-1], axis=1)
    return np.asarray((totals * np.log2(totals) - logs).sum(axis=1), dtype=np.float64)


def _group_labels(
    texts: Sequence[str], sizes: Ints, group: npt.NDArray[np.int64], taken: dict[str, tuple[int, ...]]
) -> list[str]:
    """Name every group by its values: a set, or where that is long or tells of few people the most frequent ones."""
    names: dict[int, str] = {}
    for number in dict.fromkeys(group.tolist()):
        members = tuple(np.flatnonzero(group == number).tolist())
        name = texts[members[0]]
        if len(members) > 1:
            name = _group_name([texts[one] for one in members], sizes[list(members)])
        while taken.setdefault(name, members) != members:
            name += "'"
        names[number] = name
    return [names[number] for number in group.tolist()]


def _group_name(members: Sequence[str], sizes: Ints) -> str:
    whole = "{" + ", ".join(map(_text_in_quotes, members)) + "}"
    if len(whole) <= LONG and sizes.min() >= NAMED:
        return whole
    shown: list[str] = []
    for place in np.argsort(-sizes, kind="stable").tolist():
        if sizes[place] < NAMED or (shown and len(", ".join([*shown, members[place]])) > LONG - 15):
            break
        shown.append(members[place])
    others = len(members) - len(shown)
    rest = f"{others} other{'' if others == 1 else 's'}"
    return f"{', '.join(shown)} and {rest}" if shown else f"{others} rare values"


def _text_in_quotes(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if set(text) & set('{},"') else text
