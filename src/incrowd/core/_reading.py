"""How the texts of a file become numbers or dates: only if every one survives the way back.

``007`` stays text, because the number would be published as something else than what was read, and so does ``1.10``
beside ``1.1``. Where all numbers have equally many decimals, as ``84.86`` and ``59.30``, each comes back as it was.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

TextKind = Literal["number", "date", "datetime", "text"]
Reader = tuple[TextKind, Callable[[str], Any], Callable[[Any], tuple[str, ...]], str]
"""A kind, how to read and to write a value of it, and the type of an array of them."""


def read_texts(texts: Sequence[str]) -> tuple[TextKind, npt.NDArray[Any]]:
    """Choose the narrowest kind that every text survives, and read the texts as that."""
    for kind, read, write, dtype in (*_READERS, *_fixed_readers(texts)):
        values = _all_survive(texts, read, write)
        if values is not None:
            return kind, np.array(values, dtype=dtype)
    array = np.empty(len(texts), dtype=object)
    array[:] = list(texts)
    return "text", array


def _fixed_readers(texts: Sequence[str]) -> Iterator[Reader]:
    """Read numbers that all have equally many decimals."""
    decimals = _fixed_decimals(texts)
    if decimals is not None:
        yield "number", _read_exact, lambda value: (format(value, f".{decimals}f"),), "float64"


def _fixed_decimals(texts: Sequence[str]) -> int | None:
    """Say how many decimals all numbers have; ``None`` if that differs."""
    found = {len(text.rpartition(".")[2]) if "." in text else 0 for text in texts[:1]}
    decimals = found.pop() if found else 0
    return decimals if decimals and all(text[-decimals - 1 : -decimals] == "." for text in texts) else None


def _all_survive(
    texts: Sequence[str], read: Callable[[str], Any], write: Callable[[Any], tuple[str, ...]]
) -> list[Any] | None:
    """Read all texts, or give up at the first one that does not come back as it was."""
    values = []
    for text in texts:
        try:
            value = read(text)
        except ValueError:
            return None
        if text not in write(value):
            return None
        values.append(value)
    distinct = len(set(values)) == len(texts)  # "2" and "2.0" in one column are two texts, not one number
    return values if values and distinct else None


def _read_int(text: str) -> int:
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _read_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _read_exact(text: str) -> float:
    """Read a number of so few digits that no other text of as many is the same float."""
    if sum(map(str.isdigit, text)) > sys.float_info.dig:
        raise ValueError
    return _read_finite(text)


def _write_float(value: float) -> tuple[str, ...]:
    text = repr(value)
    ours = format(Decimal(text), "f") if "e" in text else text.removesuffix(".0") if value else "0"
    return text, ours


def _read_datetime(text: str) -> dt.datetime:
    value = dt.datetime.fromisoformat(text)
    if value.tzinfo:  # a zone would be lost
        raise ValueError
    return value


def _write_datetime(value: dt.datetime) -> tuple[str, ...]:
    steps = ("minutes", "seconds", "milliseconds", "microseconds")
    texts = [value.isoformat(sep=sep, timespec=step) for sep in " T" for step in steps]
    return (*texts, texts[0].removesuffix(" 00:00")) if value.time() == dt.time() else tuple(texts)


_READERS: tuple[Reader, ...] = (
    ("number", _read_int, lambda value: (str(value),), "int64"),
    ("number", _read_finite, _write_float, "float64"),
    ("date", dt.date.fromisoformat, lambda value: (value.isoformat(),), "datetime64[D]"),
    ("datetime", _read_datetime, _write_datetime, "datetime64[us]"),
)
