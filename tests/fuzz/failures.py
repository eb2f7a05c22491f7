"""What a case raises that shows a fault: the product and the slow definition do not say the same."""

from __future__ import annotations


class MismatchError(AssertionError):
    """The product did what it must not; the message says what."""


def expect(fine: object, what: str) -> None:
    """Fail a case unless something is so."""
    if not fine:
        raise MismatchError(what)
