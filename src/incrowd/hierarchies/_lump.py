"""Some values become one group, all others stay as they are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, Step


def lump(domain: Domain, levels: Iterable[tuple[npt.NDArray[np.bool_], str]]) -> Ladder:
    """Climb by one level for every group: which values without null are in it, and its label; then to the top."""
    texts = domain.texts[: len(domain.values)].tolist()
    own = np.arange(len(texts))
    steps = [Step(np.where(inside, len(texts), own), [*texts, label]) for inside, label in levels]
    return Ladder.climb(domain, [*steps, Step.top(domain)])
