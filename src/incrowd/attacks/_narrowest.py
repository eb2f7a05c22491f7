"""Who knows that nobody is generalized more than needed looks for a person in the narrowest class that fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def widths_of(codes: Sequence[npt.NDArray[np.integer]], covered: Sequence[Sequence[npt.NDArray[np.intp]]]) -> Floats:
    """Say how wide every class is: the logarithm of how many combinations of values its labels cover.

    Parameters
    ----------
    codes
        Per column the label of every class.
    covered
        Per column and label the codes of the values that it covers.
    """
    width = np.zeros(len(codes[0]))
    for column, reached in zip(codes, covered, strict=True):
        width += np.log(np.array([max(len(values), 1) for values in reached], dtype=np.float64))[column]
    return width
