"""A number that tells whether two tables have the same records, although neither is held as a whole."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes

Words = npt.NDArray[np.uint64]

_ODD, _MIX, _MORE = (
    np.array([number], dtype=np.uint64) for number in (2**64 - 59, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def fingerprint(classes: Classes) -> int:
    """Add up a hash of every record: of its labels and its sensitive values, whatever the order.

    The fingerprints of the parts of a table add up to that of the table, modulo 2**64. Codes of sensitive values must
    be those of the same domains.
    """
    known = np.zeros(len(classes), dtype=np.uint64)
    assert classes.labels is not None  # noqa: S101 - what is published knows what it is called
    for names, codes in zip(classes.labels, classes.codes, strict=True):
        known = _mixed(known, _hashes(names)[codes])
    records = known[classes.members]
    for name in sorted(classes.cells.sensitive):
        records = _mixed(records, classes.cells.sensitive[name].astype(np.uint64))
    return int((records * classes.cells.counts.astype(np.uint64)).sum(dtype=np.uint64))


def _hashes(names: npt.NDArray[np.object_]) -> Words:
    texts = (b"" if name is None else b"=" + name.encode() for name in names.tolist())
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _mixed(before: Words, more: Any) -> Words:
    """Mix two words so that every bit of either changes about half of the bits."""
    word = before * _ODD + more + np.uint64(1)
    word = (word ^ (word >> np.uint64(30))) * _MIX
    word = (word ^ (word >> np.uint64(27))) * _MORE
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)
