"""How many records may be left out (N-SUPP)."""

from __future__ import annotations

import math

from incrowd.core import ParameterError
from incrowd.models._numbers import Number, fraction, whole


def suppression_limit(records: int, share: Number = 0, number: int | None = None) -> int:
    """Give the largest number of records that may be left out; exactly so many still may.

    Parameters
    ----------
    records
        How many records there are.
    share
        The largest share of them, 0 to 1, as the decimal that was written: 0.29 of 100 is 29.
    number
        The largest number of them instead, 0 or more; what the table does not have is not counted.

    Examples
    --------
    >>> from incrowd.models import suppression_limit
    >>> suppression_limit(100, 0.29), suppression_limit(99, 0.29), suppression_limit(100, number=7)
    (29, 28, 7)
    """
    exact = fraction(share, name="max_suppressed")
    if exact > 1:
        msg = f"max_suppressed must be at least 0 and at most 1, got {share}."
        raise ParameterError(msg, hint="it is a share; a number of records is max_suppressed_records.")
    if number is None:
        return math.floor(exact * records)
    if exact:
        msg = f"max_suppressed={share} and max_suppressed_records={number} are both given."
        raise ParameterError(msg, hint="give the share or the number, not both.")
    return min(whole(number, name="max_suppressed_records", at_least=0), records)
