"""Which superset certifies each class of a table, as columns of one table for the owner of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from incrowd.api._check import free_name
from incrowd.core import Classes, ParameterError
from incrowd.models import Model, NTCloseness, NTJudge, promise


def read_one(model: Model | str) -> NTCloseness:
    """Read (n, t)-closeness about one column; nothing else has certificates."""
    read = promise(model)
    if not isinstance(read, NTCloseness):
        msg = f"Only (n, t)-closeness has certificates, got {read}."
        raise ParameterError(msg, hint="for example nt(n=1000, t=0.1)[disease].")
    if read.of is not None and len(read.of) > 1:
        msg = f"Certificates are about one sensitive column, and the promise names {len(read.of)}."
        raise ParameterError(msg, hint="ask for each column by itself.")
    return read


def certified(judge: NTJudge, classes: Classes, quasi: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Put the labels of every class beside its nearest superset."""
    found = judge.certificates(classes)
    labels = {name: classes.texts(column) for column, name in enumerate(quasi)}
    more = {"records": classes.records, "superset": found.supersets, "distance": found.distances.floats}
    return {**labels, **{free_name(name, labels): column for name, column in more.items()}}
