"""Everything that can go wrong, as one tree.

.. code-block:: text

    IncrowdError
    ├── ParameterError          (ValueError)    a parameter is of the wrong type or out of range
    ├── SchemaError             (ValueError)    roles contradict each other or the table
    │   └── UnknownColumnError  (KeyError)      a name that the table does not have
    ├── HierarchyError          (ValueError)    a hierarchy is malformed or does not fit its column
    │   └── UncoveredValuesError                it misses values of the table; carries them as data
    ├── DataError               (ValueError)    the table cannot be read or used as it is
    ├── NoSafeRelease           (RuntimeError)  nothing can be published that keeps the promise within the limits
    ├── ReleaseMismatch         (RuntimeError)  a published table is not what was predicted: our fault
    └── EngineError             (RuntimeError)  the machinery under us failed: disk, memory, database

    PrivacyWarning              (UserWarning)   allowed, but dangerous

No message ever holds a value of a record: column names, counts and thresholds only.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Sequence


class IncrowdError(Exception):
    """The root of all errors that incrowd raises on purpose.

    Parameters
    ----------
    message
        One sentence: what is wrong, with the name and the number received.
    hint
        What would be right. Printed after the message.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class ParameterError(IncrowdError, ValueError):
    """A parameter is of the wrong type or out of range. Raised when the object is built."""


class SchemaError(IncrowdError, ValueError):
    """Roles contradict each other, or the table that they are bound to."""


class UnknownColumnError(SchemaError, KeyError):
    """A column is named that the table does not have."""

    __str__ = IncrowdError.__str__  # KeyError would print the repr

    @classmethod
    def of(cls, name: str, available: Sequence[str], *, given_as: str, show: bool = True) -> UnknownColumnError:
        """Name the nearest column, or say which columns there are.

        Parameters
        ----------
        name, given_as
            The name that is unknown, and what it was given for.
        available
            The columns that there are.
        show
            Whether they may be listed. If not, only their number is told, or the one that is nearly what was asked for.
        """
        nearest = difflib.get_close_matches(name, available, n=1, cutoff=0.6)
        hint = f"did you mean {nearest[0]!r}?" if nearest else f"the table has {_columns(available, show=show)}."
        return cls(f"The table has no column {name!r} (given as {given_as}).", hint=hint)


def _columns(available: Sequence[str], *, show: bool) -> str:
    if not available:
        return "no columns"
    if not show:
        return f"{len(available):,} {'column' if len(available) == 1 else 'columns'}"
    more = f" and {len(available) - 8} more" if len(available) > 8 else ""
    return ", ".join(repr(column) for column in available[:8]) + more


class HierarchyError(IncrowdError, ValueError):
    """A hierarchy is malformed, or does not fit the column that it is bound to."""


class UncoveredValuesError(HierarchyError):
    """A hierarchy misses values of the table.

    The message gives column and number only. ``values`` carries the values themselves for the owner of the
    data; print it only where nobody else reads along.
    """

    def __init__(self, message: str, *, column: str, values: Iterable[object], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.column = column
        self.values = tuple(values)

    def __reduce__(self) -> tuple[Callable[..., UncoveredValuesError], tuple[str]]:
        rebuild = functools.partial(type(self), column=self.column, values=self.values, hint=self.hint)
        return rebuild, (self.message,)


class DataError(IncrowdError, ValueError):
    """The table cannot be read, or cannot be used as it is."""


class NoSafeRelease(IncrowdError, RuntimeError):  # noqa: N818 - it is no fault of anybody's
    """Nothing can be published that keeps the promise within the limits. Nothing was published.

    Attributes
    ----------
    nearest
        The fewest records that would have to be left out, as far as it is known.
    """

    def __init__(self, message: str, *, hint: str = "", nearest: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.nearest = nearest


class ReleaseMismatch(IncrowdError, RuntimeError):  # noqa: N818
    """A published table is not what the search predicted: our fault. Nothing was published."""


class EngineError(IncrowdError, RuntimeError):
    """The machinery under us failed: the disk is full, memory ran out, a database refused."""


class PrivacyWarning(UserWarning):
    """Allowed, but dangerous for the people in the table."""
