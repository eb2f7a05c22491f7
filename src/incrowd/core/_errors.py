"""All errors and warnings of incrowd as one tree with codes; hints, and problems of a plan with their lines.

.. code-block:: text

    IncrowdError
    ├── ParameterError          (ValueError)    a parameter is of the wrong type or out of range
    ├── SchemaError             (ValueError)    roles contradict each other or the table
    │   └── UnknownColumnError  (KeyError)      a name that the table does not have
    ├── HierarchyError          (ValueError)    a hierarchy is malformed or does not fit its column
    │   └── UncoveredValuesError                it misses values of the table; carries them as data
    ├── DataError               (ValueError)    the table cannot be read or used as it is
    ├── PlanError               (ValueError)    a plan cannot be used; carries all its problems
    ├── NoSafeRelease           (RuntimeError)  nothing can be published that keeps the promise within the limits
    ├── ReleaseMismatch         (RuntimeError)  a published table is not what was predicted: our fault
    └── EngineError             (RuntimeError)  the machinery under us failed: disk, memory, database

    PrivacyWarning              (UserWarning)   allowed, but dangerous

No message ever holds a value of a record: column names, counts and thresholds only.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import Formatter
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True)
class Setting:
    """What a hint advises to set; ``words`` are Python's, where they are not ``name=value``."""

    name: str
    value: Any = ...
    words: str = ""

    def __str__(self) -> str:
        return self.words or f"{self.name}={'...' if self.value is ... else repr(self.value)}"

    @classmethod
    def search(cls, name: str, **options: object) -> Setting:
        """Advise a search by the name of its class; the value is what a plan says."""
        given = ", ".join(f"{option}={value!r}" for option, value in options.items())
        planned = "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in name).removeprefix("-")
        return cls("algorithm", {"name": planned, **options}, f"{name}({given})")

    @classmethod
    def sensitive(cls, column: str, meaning: str) -> Setting:
        """Advise to say what the values of a sensitive column mean, such as ``tree(...)``."""
        return cls("sensitive", {column: meaning.partition("(")[0]}, f"write sensitive={{{column!r}: {meaning}}}")


FORCE = Setting("force", value=True, words="force=True, --force on the command line")


class Hint(str):
    """What would be right: a text in Python's words, of which the command line and the page read the ``parts``."""

    __slots__ = ("parts",)
    parts: tuple[str | Setting, ...]

    def __new__(cls, template: str, *settings: Setting, **values: Any) -> Self:
        """Put settings into the braces of a template: ``{}`` takes the next one, ``{name}`` the value of that name."""
        rest = iter(settings)
        parts: list[str | Setting] = []
        for text, name, _, _ in Formatter().parse(template):
            parts += [text] if name is None else [text, Setting(name, values[name]) if name else next(rest)]
        return cls.of(parts)

    @classmethod
    def of(cls, parts: Iterable[str | Setting]) -> Self:
        """Make a hint of texts and settings."""
        parts = tuple(parts)
        hint = str.__new__(cls, "".join(map(str, parts)))
        hint.parts = parts
        return hint

    def __add__(self, other: str) -> Hint:
        return self.of((*self.parts, *(other.parts if isinstance(other, Hint) else (other,))))

    def __radd__(self, other: str) -> Hint:
        return self.of((other, *self.parts))

    def __reduce__(self) -> tuple[Callable[..., Hint], tuple[object]]:
        return Hint.of, (self.parts,)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is advised to be set."""
        return tuple(part for part in self.parts if isinstance(part, Setting))


_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/(?:/?[^\n]*@|/)[^\s'\"`,)]*")
_HARMLESS = re.compile(
    r"[a-z0-9+]+://|postgresql://user@host/name"
    r"|(?:https?|spark|sc|k8s|s3a?|gs|hdfs|file)://[^\s@?;]*"
)


def without_addresses(text: str) -> str:
    """Leave out how to connect to something, which may hold a password: only what kind of thing it is stays."""
    return _ADDRESS.sub(lambda found: found[0] if _HARMLESS.fullmatch(found[0]) else f"{found[1]}:...", text)


class IncrowdError(Exception):
    """The root of all errors that incrowd raises on purpose.

    Parameters
    ----------
    message
        One sentence: what is wrong, with the name and the number received.
    hint
        What would be right. Printed after the message.
    """

    code: ClassVar[str] = ""
    """What ``incrowd explain`` explains: every kind of error has its own, and the root, which is never raised, none."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = without_addresses(message)
        super().__init__(self.message)
        self.hint = hint if without_addresses(hint) == hint else without_addresses(hint)

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class ParameterError(IncrowdError, ValueError):
    """A parameter is of the wrong type or out of range. Raised when the object is built."""

    code: ClassVar[str] = "IC101"


class SchemaError(IncrowdError, ValueError):
    """Roles contradict each other, or the table that they are bound to."""

    code: ClassVar[str] = "IC102"


class UnknownColumnError(SchemaError, KeyError):
    """A column is named that the table does not have."""

    code: ClassVar[str] = "IC103"

    __str__ = IncrowdError.__str__  # KeyError would print the repr

    @classmethod
    def of(cls, name: str, available: Sequence[str], *, given_as: str, show: bool = True) -> UnknownColumnError:
        """Name the nearest column, or the columns that there are; where they may not be shown, only their number."""
        nearest = difflib.get_close_matches(name, available, n=1, cutoff=0.6)
        ranked = sorted(available, key=lambda column: -difflib.SequenceMatcher(None, name, column).ratio())
        hint = f"did you mean {nearest[0]!r}?" if nearest else f"the table has {_columns_text(ranked, show=show)}."
        return cls(f"The table has no column {name!r} (given as {given_as}).", hint=hint)

    @classmethod
    def check(cls, names: Iterable[str], available: Collection[str], *, given_as: str, show: bool = True) -> None:
        """Refuse the first name that is no column of a table."""
        for name in names:
            if name not in available:
                raise cls.of(name, list(available), given_as=given_as, show=show)


def _columns_text(available: Sequence[str], *, show: bool) -> str:
    if not available:
        return "no columns"
    if not show:
        return f"{len(available):,} {'column' if len(available) == 1 else 'columns'}"
    return name_list(available)


def name_list(names: Sequence[str], most: int = 4) -> str:
    """Write some names, and count those that are left; no value of a record is a name."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


class HierarchyError(IncrowdError, ValueError):
    """A hierarchy is malformed, or does not fit the column that it is bound to."""

    code: ClassVar[str] = "IC104"


class UncoveredValuesError(HierarchyError):
    """A hierarchy misses values of the table.

    The message gives column and number only. ``values`` carries the values themselves for the owner of the
    data; print it only where nobody else reads along.
    """

    code: ClassVar[str] = "IC105"

    def __init__(self, message: str, *, column: str, values: Iterable[object], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.column = column
        self.values = tuple(values)

    def __reduce__(self) -> tuple[Callable[..., UncoveredValuesError], tuple[str]]:
        rebuild = functools.partial(type(self), column=self.column, values=self.values, hint=self.hint)
        return rebuild, (self.message,)


class DataError(IncrowdError, ValueError):
    """The table cannot be read, or cannot be used as it is."""

    code: ClassVar[str] = "IC106"


@dataclass(frozen=True, slots=True)
class PlanProblem:
    """One thing that is wrong with a plan.

    Attributes
    ----------
    key
        Where it is, such as ``columns.age.role``.
    message
        What was found there, and what would be right.
    line
        The line of the file, from 1; ``None`` if the plan was not read from one.
    shown
        What stands on that line, as far as a message may show it.
    mark
        Which characters of ``shown`` are meant: the first, and the one after the last.
    """

    key: str
    message: str
    line: int | None = None
    shown: str = ""
    mark: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        for name in ("key", "message", "shown"):
            object.__setattr__(self, name, without_addresses(getattr(self, name)))
        start, end = (min(place, len(self.shown)) for place in self.mark)
        object.__setattr__(self, "mark", (start, end))

    def draw(self, file: str) -> list[str]:
        """Give the lines that point at it."""
        if self.line is None:
            return [f"  --> {file}  {self.key}: {self.message}" if self.key else f"  --> {file}: {self.message}"]
        number = str(self.line)
        left = " " * len(number)
        start, end = self.mark
        return [
            f"{left}--> {file}:{number}  {self.key}".rstrip(),
            f"{left} |",
            f"{number} | {self.shown}",
            f"{left} | {' ' * start}{'^' * max(end - start, 1)} {self.message}",
        ]


_SHOWN = 30  # so many problems of a plan are drawn


class PlanError(IncrowdError, ValueError):
    """A plan cannot be used as it is. ``problems`` lists everything that is wrong with it, in the order of the file."""

    code: ClassVar[str] = "IC107"

    def __init__(self, message: str, *, problems: Iterable[PlanProblem] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.problems = tuple(problems)

    @classmethod
    def of(cls, file: str, problems: Sequence[PlanProblem]) -> PlanError:
        """Name the file and draw every problem."""
        count = "a problem" if len(problems) == 1 else f"{len(problems):,} problems"
        shown = problems[:_SHOWN]
        lines = [f"The plan {file!r} has {count}.", *(line for problem in shown for line in problem.draw(file))]
        lines += [f"  and {len(problems) - _SHOWN:,} more"] if len(problems) > _SHOWN else []
        return cls("\n".join(lines), problems=problems)

    def __reduce__(self) -> tuple[Callable[..., PlanError], tuple[str]]:
        return functools.partial(type(self), problems=self.problems, hint=self.hint), (self.message,)


class NoSafeRelease(IncrowdError, RuntimeError):  # noqa: N818 - it is no fault of anybody's
    """Nothing can be published that keeps the promise within the limits. Nothing was published.

    Attributes
    ----------
    nearest
        The fewest records that would have to be left out, as far as it is known.
    """

    code: ClassVar[str] = "IC201"

    def __init__(self, message: str, *, hint: str = "", nearest: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.nearest = nearest


class ReleaseMismatch(IncrowdError, RuntimeError):  # noqa: N818
    """A published table is not what the search predicted: our fault. Nothing was published."""

    code: ClassVar[str] = "IC301"


class EngineError(IncrowdError, RuntimeError):
    """The machinery under us failed: the disk is full, memory ran out, a database refused."""

    code: ClassVar[str] = "IC302"


_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
"""What libraries are called where they are installed from, if not as where they are imported."""


def import_extra(module: str, *, extra: str, what: str, instead: str = "") -> Any:
    """Import a library that not everybody has, or say how to install it; ``instead`` says what does without."""
    with suppress(ImportError):
        return importlib.import_module(module)
    package = module.partition(".")[0]
    library = _DISTRIBUTIONS.get(package, package.replace("_", "-"))
    msg = f"{what} needs the library {library!r}, which is not installed."
    raise EngineError(msg, hint=f"pip install 'incrowd[{extra}]'{instead}")


class PrivacyWarning(UserWarning):
    """Allowed, but dangerous for the people in the table."""


def warn(note: str) -> None:
    """Warn of what is dangerous, at the line of whoever called incrowd."""
    frame, depth = sys._getframe(), 1  # noqa: SLF001 - the only way to look at the callers
    while (outer := frame.f_back) is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, depth = outer, depth + 1
    warnings.warn(without_addresses(note), PrivacyWarning, stacklevel=depth)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]
