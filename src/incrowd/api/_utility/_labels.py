"""What the classes of a release are called, and what that gives up, found again from the release and its table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.api._release import Release
from incrowd.core import Census, FullDomainRecoding, Labelling, LocalRecoding, Namer, add_up, group
from incrowd.hierarchies import Averaged

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """The classes of a release.

    Attributes
    ----------
    labels
        Per quasi-identifier, what every published class is called.
    sizes
        Its records.
    left_out
        The records of every class that is left out or masked, as far as they had one; else all of them together.
    """

    labels: tuple[Labelling, ...] = field(repr=False)
    sizes: Counts
    left_out: Counts

    @property
    def squares(self) -> float:
        """The squares of all class sizes, those that are left out included: DM*, which knows no penalty."""
        both = np.concatenate([self.sizes, self.left_out]).astype(np.float64)
        return float(both @ both)


def labelled(release: Release, census: Census) -> Labelled:
    """Find out what the classes of a release are called.

    Parameters
    ----------
    release
        The release.
    census
        The table that it was made from.
    """
    names = [Namer(census, column) for column in range(len(census.quasi))]
    if isinstance(release.recoding, LocalRecoding):
        return _locally(release, release.recoding, names)
    return _by_levels(release.recoding, census, names)


def _by_levels(recoding: FullDomainRecoding, census: Census, names: list[Namer]) -> Labelled:
    levels = list(recoding.levels.values())
    raised = [namer.group_of(level)[codes] for namer, level, codes in zip(names, levels, census.codes, strict=False)]
    numbers = [len(namer.ladder.labels[level]) for namer, level in zip(names, levels, strict=True)]
    classes = group(raised, numbers)
    records, codes = classes.sums(census.counts), [column[classes.first] for column in raised]
    gone = np.zeros(len(classes), dtype=bool)
    if recoding.leaves_out:
        both = [np.concatenate(pair) for pair in zip(codes, recoding.suppressed, strict=True)]
        ids = group(both, numbers).ids
        gone = np.isin(ids[: len(classes)], ids[len(classes) :])
    labels = [
        namer.by_group(np.full(int((~gone).sum()), level), column[~gone])
        for namer, level, column in zip(names, levels, codes, strict=True)
    ]
    return Labelled(tuple(labels), records[~gone], records[gone])


def _locally(release: Release, recoding: LocalRecoding, names: list[Namer]) -> Labelled:
    kept = recoding.classes >= 0
    members, number = recoding.classes[kept], len(recoding.labels[0])
    sizes = add_up(members, recoding.counts[kept], number)
    hierarchies = dict(release.schema.quasi)
    labels = tuple(
        _named(
            namer,
            recoding.named[name],
            recoding.codes[list(recoding.domains).index(name)][kept],
            members,
            averaged=isinstance(hierarchies[name], Averaged),
        )
        for name, namer in zip(recoding.quasi, names, strict=True)
    )
    gone = int(recoding.counts[~kept].sum())
    return Labelled(labels, sizes, np.array([gone] if gone else [], dtype=np.int64))


def _named(
    namer: Namer,
    named: tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]],
    codes: Ints,
    members: Ints,
    *,
    averaged: bool,
) -> Labelling:
    """Say what each class gave up in a column: by its group of the ladder, or by the range or set of its members.

    Classes that are called alike gave up the same, except by averages.
    """
    names, which = named
    places = {
        text: (level, group)
        for level in range(namer.height, -1, -1)
        for group, text in enumerate(namer.ladder.labels[level].tolist())
    }
    first = np.arange(len(which))
    if not averaged:
        first = np.empty(len(names), dtype=np.int64)
        first[which[::-1]] = np.arange(len(which))[::-1]
    found = [(-1, -1) if averaged else places.get(text, (-1, -1)) for text in names[which[first]].tolist()]
    levels, groups = (np.array(part, dtype=np.int64) for part in zip(*found, strict=True))
    grouped, fits = namer.by_group(np.maximum(levels, 0), np.maximum(groups, 0)), levels >= 0
    ranged = _ranged(namer, codes, members, len(which), first[~fits])
    lost, climbed, covered = grouped.lost.copy(), grouped.climbed.copy(), grouped.covered.copy()
    lost[~fits], climbed[~fits], covered[~fits] = ranged.lost, ranged.climbed, ranged.covered
    alike = np.arange(len(which)) if averaged else which
    return Labelling(names, which, lost[alike], climbed[alike], covered[alike])


def _ranged(namer: Namer, codes: Ints, members: Ints, classes: int, chosen: Counts) -> Labelling:
    """Say what some of the classes gave up by their range or set."""
    place = np.full(classes, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    inside = place[members]
    return namer.by_set(codes[inside >= 0], inside[inside >= 0], len(chosen))
