"""A mapping that nobody changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenMapping(Mapping[Key, Value]):
    """A mapping that cannot be changed, and can be pickled and copied, which ``MappingProxyType`` cannot.

    Parameters
    ----------
    given
        What it holds; a later change there does not reach it.
    """

    __slots__ = ("_held",)

    def __init__(self, given: Mapping[Key, Value]) -> None:
        self._held = dict(given)

    def __getitem__(self, key: Key) -> Value:
        return self._held[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return repr(self._held)
