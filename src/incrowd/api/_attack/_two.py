"""Two releases of the same people, attacked together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._known import Known
from incrowd.api._attack._link import Joined, join
from incrowd.api._attack._target import Target
from incrowd.api._check import free_name
from incrowd.attacks import Remaining, intersect
from incrowd.core import ParameterError


def intersection(target: Target, other: Target, known: Known) -> Iterator[Attack]:
    """Look everybody up in both releases, and keep the sensitive values that both allow.

    Parameters
    ----------
    target, other
        The releases.
    known
        The people, by columns that both releases have.
    """
    names = [name for name in target.schema.sensitive_names if name in other.schema.sensitive_names]
    if not names:
        msg = "The two releases have no sensitive column in common."
        raise ParameterError(msg, hint="compare releases that tell the same about people.")
    joined = join(target, known), join(other, _shared(known, other))
    for name in names:
        yield _attack(joined, name)


def _shared(known: Known, other: Target) -> Known:
    """Keep the columns that the other release can be joined on too."""
    usable = [name in other.schema.quasi_names and name not in other.averaged for name in known.on]
    if not any(usable):
        msg = "The two releases have no quasi-identifier in common that the people are known by."
        raise ParameterError(msg)

    def keep(parts: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(part for part, fits in zip(parts, usable, strict=True) if fits)

    return Known(
        on=keep(known.on),  # type: ignore[arg-type]
        domains=keep(known.domains),  # type: ignore[arg-type]
        codes=keep(known.codes),  # type: ignore[arg-type]
        counts=known.counts,
        who=known.who,
        names=known.names,
        original=known.original,
        persons=known.persons,
    )


def _attack(joined: tuple[Joined, Joined], name: str) -> Attack:
    one, two = joined
    domains = [side.classes.cells.domains[name] for side in joined]
    same = domains[1].codes_in(domains[0])
    histograms = one.classes.histogram(name), two.classes.histogram(name)
    found = intersect((one.links, two.links), histograms, same)
    known = one.known
    in_both = (found.first > 0) & (found.second > 0)
    certain = found.both == 1
    alone = max(_people(known, in_both & (side == 1)) for side in (found.first, found.second))
    exposed, targets = _people(known, certain), _people(known, in_both)
    narrowed = _people(known, in_both & (found.both < np.minimum(found.first, found.second)))
    odd = _people(known, in_both & (found.both == 0))
    of = f"{targets:,} {known.noun}"
    fewer = f"intersection: for {narrowed:,} of {of} both releases leave fewer values than each alone."
    nobody = f"intersection: for {odd:,} of {of} no value fits both, so not all are in both."
    unread = list(dict.fromkeys(note for side in joined for note in side.missing("intersection")))
    return Attack(
        name="intersection",
        column=name,
        knows=f"{len(known.on)} quasi-identifiers of everybody, and that they are in both releases",
        means="one value fits both releases",
        exposed=known.exposed(lambda: certain, exposed, 0),
        targets=targets,
        right=Fraction(exposed),
        baseline=Fraction(alone, max(targets, 1)),
        unit="chance",
        worst=Fraction(int(certain.any())) if len(certain) else None,
        worst_class={},
        distribution=((Fraction(1), exposed),),
        unread=one.unread + two.unread,
        notes=(fewer, *((nobody,) if odd else ()), *unread),
        _records=partial(_records, one, found, certain, name),
    )


def _people(known: Known, chosen: npt.NDArray[np.bool_]) -> int:
    return int(known.counts[chosen].sum())


def _records(joined: Joined, found: Remaining, chosen: npt.NDArray[np.bool_], name: str) -> Table:
    table = joined.known.table(chosen)
    texts = joined.classes.cells.domains[name].texts
    return {**table, free_name(name, table): texts[found.value[chosen]]}
