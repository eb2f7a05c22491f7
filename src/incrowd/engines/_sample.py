"""Some rows of a table instead of all: to try something out, never to publish."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from incrowd.core import EngineError, ParameterError
from incrowd.engines._protocol import Engine


@runtime_checkable
class CanSample(Protocol):
    """An engine that can take a sample."""

    def sampled(self, rows: int) -> Engine:
        """Take so many rows, or all if there are no more: the same ones whatever their order."""


def sample_of(engine: Engine, rows: int) -> Engine:
    """Take a sample of a table. Which rows it has follows from their content, so it is the same every time.

    Parameters
    ----------
    engine
        The table.
    rows
        How many rows; all if there are no more.
    """
    if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
        msg = f"A sample must have a whole number of rows, 1 or more, got {rows!r}."
        raise ParameterError(msg)
    if not isinstance(engine, CanSample):
        msg = "This kind of table cannot be sampled."
        raise EngineError(msg, hint="take a sample yourself, and give that.")
    return engine.sampled(rows)


def places_of_a_sample(total: int, rows: int) -> Any:
    """Draw places among rows that are in order; always the same ones."""
    return np.sort(np.random.default_rng(0).choice(total, size=min(rows, total), replace=False))
