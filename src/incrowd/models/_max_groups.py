"""How many classes with p different values each a table can have at most (S2-COND1, S2-COND2).

Frequencies are one list per sensitive column: how often each of its values occurs, in any order. All lists add up to
the number of records. Leaving records out never raises any of these bounds (S2-THM1, S2-THM2), so they hold for every
release of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.models._numbers import whole

Frequencies = Sequence[Sequence[int] | npt.NDArray[Any]]


def max_p(frequencies: Frequencies) -> int:
    """Give the largest p that a class can have: the number of values of the column with the fewest (S2-COND1)."""
    return min(len(counts) for counts in _descending(frequencies))


def cumulative_max(frequencies: Frequencies) -> list[int]:
    """Give for i = 1, 2, ... up to ``max_p`` how many records the i most frequent values of a column have, at most."""
    return [int(total) for total in _cumulative(_descending(frequencies))]


def max_groups(frequencies: Frequencies, p: int) -> int:
    """Give a number of classes with p different values each that no release exceeds; 0 where none has so many.

    Parameters
    ----------
    frequencies
        How often each value occurs, one list per sensitive column.
    p
        How many different values of every column each class must have; 1 or more. For 1 there is no bound but the
        number of records.

    Notes
    -----
    At most p - i values of a class are among the p - i most frequent ones, so the class takes i of the other records or
    more. For one column the smaller of this bound and ``records // p`` is reached by some grouping of the records.

    References
    ----------
    T. M. Truta, B. Vinay. *Privacy protection: p-sensitive k-anonymity property.* ICDE Workshops, 2006.

    Examples
    --------
    >>> from incrowd.models import max_groups
    >>> max_groups([[900, 90, 5, 3, 2]], p=3)
    10
    """
    p = whole(p, name="p", at_least=1)
    columns = _descending(frequencies)
    records = int(columns[0].sum())
    cumulative = _cumulative(columns)
    if p > len(cumulative):
        return 0
    others = np.arange(1, p)
    return int(np.min((records - cumulative[p - 1 - others]) // others, initial=records))


def _descending(frequencies: Frequencies) -> list[npt.NDArray[np.int64]]:
    columns = [np.sort(np.asarray(counts, dtype=np.int64))[::-1] for counts in frequencies]
    columns = [counts[counts > 0] for counts in columns]
    if len({int(counts.sum()) for counts in columns}) != 1:
        msg = "frequencies must be one list per column, all adding up to the number of records."
        raise ParameterError(msg, hint="write [[900, 100]], also for a single column.")
    return columns


def _cumulative(columns: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    shortest = min(map(len, columns))
    sums = np.stack([np.cumsum(counts[:shortest]) for counts in columns])
    return np.asarray(sums.max(axis=0), dtype=np.int64)
