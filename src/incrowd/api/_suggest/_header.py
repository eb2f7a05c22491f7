"""Does the first line of a text file name the columns? If it is a record, its values must not be shown as names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from incrowd.core import DataError

_VALUE = re.compile(
    r"[+-]?[\d.,]*\d[\d.,]*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T].*)?|[^@\s]+@[^@\s]+\.\w+|(?:\+|00)[\d ()/-]+"
)


def refuse_records(names: Sequence[str]) -> None:
    """Refuse a first line of which a third or more looks like values: numbers, dates, e-mail addresses, telephones."""
    suspicious = sum(bool(_VALUE.fullmatch(name.strip())) for name in names)
    if suspicious and 3 * suspicious >= len(names):
        msg = f"The first line does not look like names of columns: {suspicious} of {len(names)} are numbers or dates."
        raise DataError(msg, hint="put a line with the names of the columns first, or say header=False.")
