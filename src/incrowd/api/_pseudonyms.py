"""Pseudonyms: an identifier is published as a code that only the holder of a key can make again."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path

from incrowd.core import DataError, Schema, SchemaError
from incrowd.engines import Replace

LEAST = 32
"""So many bytes a key must have: with fewer, all keys could be tried."""

LENGTH = 32
"""So many characters a pseudonym has: 128 bits, so that two persons never share one."""


def pseudonyms_of(keys: Mapping[str, str | os.PathLike[str]], schema: Schema) -> dict[str, Replace]:
    """Say how identifiers become pseudonyms.

    Parameters
    ----------
    keys
        Per identifier the file with its key.
    schema
        The roles of the columns.

    Notes
    -----
    A pseudonym is the beginning of HMAC-SHA-256 of the value as it is printed, in UTF-8. The column's name takes no
    part: the same person gets the same pseudonym wherever the same key is used.
    """
    for name in keys:
        if schema.role(name) not in {"identifier", "entity"}:
            msg = f"Column {name!r} cannot become a pseudonym: it is no identifier."
            raise SchemaError(msg, hint="name it in identifiers=[...] or as entity in the schema.")
    return {name: _pseudonym(_key(Path(path), name)) for name, path in keys.items()}


def _pseudonym(key: bytes) -> Replace:
    def replace(text: str) -> str:
        return hmac.digest(key, text.encode(), hashlib.sha256).hex()[:LENGTH]

    return replace


def _key(path: Path, column: str) -> bytes:
    try:
        key = path.read_bytes()
    except OSError as error:
        trouble = f"The key of column {column!r} cannot be read: {error.strerror}."
    else:
        if len(key) >= LEAST:
            return key
        trouble = f"The key of column {column!r} has {len(key)} bytes, and must have at least {LEAST}."
    raise DataError(trouble, hint="make one with: python -c \"import os; open('key.bin', 'wb').write(os.urandom(32))\"")
