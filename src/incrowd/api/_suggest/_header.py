"""Does the first line of a text file name the columns? If it is a record, its values must not be shown as names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from incrowd.core import DataError, Domain

_VALUE = re.compile(
    r"[+-]?[\d.,]*\d[\d.,]*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T].*)?|[^@\s]+@[^@\s]+\.\w+|(?:\+|00)[\d ()/-]+"
)


def refuse_records(names: Sequence[str]) -> None:
    """Refuse a first line of which a third or more looks like values: numbers, dates, e-mail addresses, telephones."""
    suspicious = sum(bool(_VALUE.fullmatch(name.strip())) for name in names)
    if suspicious and 3 * suspicious >= len(names):
        why = f"{suspicious} of {len(names)} are numbers or dates"
        raise _no_names(why)


def refuse_repeated(domains: Mapping[str, Domain]) -> None:
    """Refuse a first line of which a third or more, and two at least, occur as values of their own columns."""
    texts = [domain for domain in domains.values() if domain.kind == "text"]
    repeated = sum(domain.column in set(domain.values.tolist()) for domain in texts)
    if repeated > 1 and 3 * repeated >= len(domains):
        why = f"{repeated} of {len(domains)} are values of their columns"
        raise _no_names(why)


def _no_names(why: str) -> DataError:
    msg = f"The first line does not look like names of columns: {why}."
    return DataError(msg, hint="put a line with the names of the columns first, or say header=False.")
