"""What a statistics package knows about columns besides their values: what they mean, and what their codes mean.

Codes are the values: they are grouped, generalized and published. What they mean goes with the table as metadata of its
Arrow columns, and into the file if it is one that can hold it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

Code = str | int | float
_LABEL, _MEASURE, _CODES = b"incrowd.label", b"incrowd.measure", b"incrowd.codes"


@dataclass(frozen=True, slots=True)
class Codebook:
    """The labels of a table.

    Attributes
    ----------
    labels
        What each column means.
    measures
        ``nominal``, ``ordinal`` or ``scale``, where the file says so.
    codes
        What the codes of each column mean.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Mapping[Code, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.labels or self.measures or self.codes)

    @classmethod
    def of(cls, schema: pa.Schema) -> Codebook:
        """Read the labels that an Arrow table carries."""
        known = {one.name: one.metadata for one in schema if one.metadata}
        return cls(
            {name: about[_LABEL].decode() for name, about in known.items() if _LABEL in about},
            {name: about[_MEASURE].decode() for name, about in known.items() if _MEASURE in about},
            {name: dict(json.loads(about[_CODES])) for name, about in known.items() if _CODES in about},
        )

    def only(self, table: pa.Table) -> Codebook:
        """Keep what is about columns and codes that the table has: nothing about what was left out or generalized."""
        names = set(table.column_names)
        present = {name: _present(table[name], codes) for name, codes in self.codes.items() if name in names}
        return Codebook(
            {name: label for name, label in self.labels.items() if name in names},
            {name: measure for name, measure in self.measures.items() if name in names},
            {name: codes for name, codes in present.items() if codes},
        )

    def attach(self, table: pa.Table) -> pa.Table:
        """Let a table carry its labels."""
        kept = self.only(table)
        return table.cast(pa.schema([one.with_metadata(kept.about(one.name)) for one in table.schema]))

    def about(self, name: str) -> dict[bytes, bytes] | None:
        """Write down what is known about a column."""
        known = {
            _LABEL: self.labels.get(name, "").encode(),
            _MEASURE: self.measures.get(name, "").encode(),
            _CODES: json.dumps(list(self.codes[name].items())).encode() if name in self.codes else b"",
        }
        return {key: text for key, text in known.items() if text} or None


def _present(column: pa.ChunkedArray, codes: Mapping[Code, str]) -> dict[Code, str]:
    values = set(column.unique().to_pylist())
    return {code: label for code, label in codes.items() if code in values}


@dataclass(frozen=True, slots=True)
class LabelledArrow:
    """Hands an Arrow table back with the labels that it came with."""

    codebook: Codebook

    def __call__(self, table: pa.Table) -> pa.Table:
        return self.codebook.attach(table) if self.codebook else table


def codebook_of(hand_back: Callable[[pa.Table], Any] | None) -> Codebook:
    """Say which labels a table has that will be handed back in this way."""
    return hand_back.codebook if isinstance(hand_back, LabelledArrow) else Codebook()
