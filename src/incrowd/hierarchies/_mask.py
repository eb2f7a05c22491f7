"""``mask``: one more character of a code is hidden per level; ``flat``: ``*`` for all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from incrowd.core import TOP, Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import read_count


@dataclass(frozen=True, slots=True, repr=False)
class Mask:
    """Characters are hidden one by one. Built by ``mask``."""

    from_: Literal["right", "left"]
    keep: int
    char: str

    def bind(self, domain: Domain) -> Ladder:
        labels = _codes(domain)
        group = np.arange(len(labels))
        steps = []
        for hidden in range(1, self._levels(labels) + 1):
            # What is equal at one level is equal at the next: only the different labels need work.
            masked = [self._hide(label, hidden) for label in labels]
            labels = list(dict.fromkeys(masked))
            number = {label: index for index, label in enumerate(labels)}
            group = np.array([number[label] for label in masked], dtype=np.int64)[group]
            steps.append(Step(group, labels))
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def levels(self, domain: Domain) -> int:
        """Say how many levels there will be below the top; each has up to one label per value."""
        return self._levels(_codes(domain))

    def _levels(self, labels: list[str]) -> int:
        """Count the levels below the top; one on which everything is hidden is the top itself."""
        longest = max(map(len, labels), default=0)
        return longest - (self.keep or 1)

    def _hide(self, text: str, hidden: int) -> str:
        count = min(hidden, max(len(text) - self.keep, 0))
        if self.char * count == TOP == self.char * len(text):
            return text  # a masked single character would be called like the top, which means something else
        rest = len(text) - count
        return text[:rest] + self.char * count if self.from_ == "right" else self.char * count + text[count:]

    def __repr__(self) -> str:
        return f"mask(from_={self.from_!r}, keep={self.keep}, char={self.char!r})"


def mask(from_: Literal["right", "left"] = "right", keep: int = 0, char: str = TOP) -> Mask:
    """Hide the characters of a code one by one: ``12345``, ``1234*``, ``123**``, ... and ``*`` on top.

    Parameters
    ----------
    from_
        Where hiding begins: ``"right"`` for codes that grow finer to the right, such as zip codes.
    keep
        How many characters are never hidden before the top.
    char
        What stands for a hidden character; no letter and no digit.

    Notes
    -----
    The mask is as long as the code, so the length of a code stays visible. Codes of different lengths each hide their
    own characters: on a level that hides three, ``12`` is ``**`` and ``12345`` is ``12***``. A code of one
    character among longer ones stays as it is until the top.
    Works on text and on whole numbers; leading zeros of text stay.

    A mask knows nothing of geography: ``1012*`` may be a street of ten people or half a city.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.mask(keep=2)
    mask(from_='right', keep=2, char='*')
    """
    if from_ not in ("right", "left"):
        msg = f"from_ must be 'right' or 'left', got {from_!r}."
        raise ParameterError(msg)
    if not isinstance(char, str) or len(char) != 1 or char.isalnum() or not char.isprintable():
        msg = f"char must be one visible character that is neither letter nor digit, got {char!r}."
        raise ParameterError(msg)
    return Mask(from_, read_count("keep", keep, at_least=0), char)


def _codes(domain: Domain) -> list[str]:
    if domain.kind == "text" or _is_whole_numbers(domain):
        return [str(text) for text in domain.texts[: len(domain.values)]]
    kind = "decimal numbers" if domain.kind == "number" else f"kind {domain.kind}"
    msg = f"Column {domain.column!r} is of {kind}; a mask needs text or whole numbers."
    hint = "use intervals(...) for numbers and dates(...) for dates."
    raise HierarchyError(msg, hint=hint)


def _is_whole_numbers(domain: Domain) -> bool:
    if domain.kind != "number" or domain.values.dtype.kind == "f":
        return False
    return domain.values.dtype != object or all(isinstance(value, int) for value in domain.values)


@dataclass(frozen=True, slots=True)
class Flat:
    """A value is published as it is or not at all. Built by ``flat``."""

    def bind(self, domain: Domain) -> Ladder:
        return Ladder.climb(domain, [Step.top(domain)])

    def __repr__(self) -> str:
        return "flat()"


def flat() -> Flat:
    """Publish a value as it is or as ``*``, with nothing in between.

    Notes
    -----
    Right for a column of two or three values. For one of many values a search has only the choice between
    everything and nothing, and nothing is then what is left of the column.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.flat()
    flat()
    """
    return Flat()
