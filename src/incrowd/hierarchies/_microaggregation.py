"""``averaged``: numbers published as the mean or the median of their class (microaggregation)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Hierarchy, HierarchyError, Ladder, ParameterError

By = Literal["mean", "median"]


@dataclass(frozen=True)
class Averaged:
    """A hierarchy whose column a local recoding publishes as an average. Written ``averaged(...)``."""

    hierarchy: Hierarchy
    by: By = "mean"

    def __post_init__(self) -> None:
        if self.by not in ("mean", "median"):
            msg = f"by must be 'mean' or 'median', got {self.by!r}."
            raise ParameterError(msg)

    def bind(self, domain: Domain) -> Ladder:
        finite = domain.values.dtype.kind != "f" or np.isfinite(domain.values).all()
        if len(domain.values) and not (domain.kind == "number" and finite):
            msg = f"Column {domain.column!r} cannot be averaged: it has values that are not finite numbers."
            raise HierarchyError(msg, hint="average numbers only.")
        return self.hierarchy.bind(domain)


def averaged(hierarchy: Hierarchy, by: By = "mean") -> Averaged:
    """Publish a column of numbers as the mean or the median of each class, rounded as the column is.

    Parameters
    ----------
    hierarchy
        How the numbers become vaguer: searches form classes with it.
    by
        ``"mean"`` or ``"median"``.

    Notes
    -----
    For local recodings only, and without ``at_least``: an average has no level. The whole class has one number, so
    nobody stands out in it; but the mean of a class of k people, of whom an intruder knows all but one, gives that one
    away. A label of a hierarchy does not.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.averaged(ic.intervals(10, 20), "median").by
    'median'
    """
    return Averaged(hierarchy, by)


def averages(
    column: Averaged, domain: Domain, codes: npt.NDArray[Any], classes: npt.NDArray[Any], counts: npt.NDArray[Any]
) -> list[str]:
    """Give the mean or median of every class as text, exactly, rounded half to even as the column is written."""
    # Values are counted in whole multiples of the smallest decimal place that one of them has.
    numbers = [Decimal(text) for text in domain.texts[: len(domain.values)].tolist()]
    places = max([0, *(-int(number.as_tuple().exponent) for number in numbers)])
    units = np.array([int(_shift_point(number, places)) for number in numbers], dtype=object)
    inside = codes < len(domain.values)
    order = np.lexsort((codes[inside], classes[inside]))
    owner, amount = classes[inside][order], counts[inside][order].astype(np.int64)
    values = units[codes[inside][order]]
    number = int(classes.max(initial=-1)) + 1
    found = (_class_means if column.by == "mean" else _class_medians)(owner, values, amount, number)
    return [f"{_shift_point(Decimal(int(unit)), -places):f}" for unit in found]


def _shift_point(number: Decimal, places: int) -> Decimal:
    """Move the decimal point to the right, without the rounding to 28 digits of decimal arithmetic."""
    sign, digits, exponent = number.as_tuple()
    return Decimal((sign, digits, int(exponent) + places))


def _class_means(owner: Any, values: Any, counts: Any, number: int) -> list[int]:
    sums, sizes = np.zeros(number, dtype=object), np.zeros(number, dtype=object)
    np.add.at(sums, owner, values * counts.astype(object))
    np.add.at(sizes, owner, counts.astype(object))
    return [round(Fraction(total, size or 1)) for total, size in zip(sums.tolist(), sizes.tolist(), strict=True)]


def _class_medians(owner: Any, values: Any, counts: Any, number: int) -> list[int]:
    """Give the middle value, or the mean of the two in the middle; values ascend within each class."""
    sizes = np.zeros(number, dtype=np.int64)
    np.add.at(sizes, owner, counts)
    start, ends = np.cumsum(sizes) - sizes, np.cumsum(counts)
    low, high = (np.searchsorted(ends, start + middle, side="right") for middle in ((sizes - 1) // 2, sizes // 2))
    pairs = zip(low.tolist(), high.tolist(), sizes.tolist(), strict=True)
    return [round(Fraction(values[one] + values[other], 2)) if size else 0 for one, other, size in pairs]
