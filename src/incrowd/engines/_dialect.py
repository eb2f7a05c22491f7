"""How a text file writes its table: what stands between values, in numbers, and in dates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file was read, and how the release of it is written.

    Attributes
    ----------
    separator
        What stands between values.
    encoding
        How characters are encoded, by Python's name.
    mark
        Whether the file begins with a byte order mark.
    decimal
        What stands before the decimals of a number.
    thousands
        What stands between groups of three digits, if anything. It is read, never written.
    dates
        How days are written, as in ``strptime``; ``None`` for ISO 8601.
    """

    separator: str = ","
    encoding: str = "utf-8"
    mark: bool = False
    decimal: str = "."
    thousands: str | None = None
    dates: str | None = None
