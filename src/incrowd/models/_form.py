"""How a promise is written, and how it is offered to somebody who chooses one. Each model brings its own forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incrowd.core import SupersetMode

if TYPE_CHECKING:
    from incrowd.models._model import Model

DISTANCES = ("equal", "variational", "ordered", "hierarchical", "kl")
SUPERSETS: tuple[SupersetMode, ...] = ("lattice", "path", "drop", "table")
MISSING = "missing"
"""The word that says that missing values count."""
BRACKETS = {
    "columns": "a column",
    "joint": "columns joined by +",
    "words": "a word that says how",
    "values": "values after a colon",
}
"""What may stand in brackets, in words."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One written promise, taken apart: its name, its number or named numbers, and what stands in brackets."""

    name: str
    sense: str | None
    number: Any
    arguments: dict[str, Any]
    columns: tuple[str, ...]
    joint: bool
    words: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def of(self) -> tuple[str, ...] | None:
        """The columns, if there are any."""
        return self.columns or None

    @property
    def brackets(self) -> set[str]:
        """What kinds of things stand in brackets."""
        return {part for part in BRACKETS if getattr(self, part)}

    @property
    def missing(self) -> bool:
        """Whether missing values count, which is said once."""
        if len(self.words) > 1:
            raise TypeError
        return bool(self.words)

    @property
    def distance_and_supersets(self) -> dict[str, Any]:
        """The words for a distance and for supersets; one of each at most."""
        how = {"supersets" if word in SUPERSETS else "distance": word for word in self.words}
        if len(how) < len(self.words):
            raise TypeError
        return how


@dataclass(frozen=True, slots=True)
class Key:
    """A number or word of a promise that somebody chooses: its name, what can stand there, and what it means."""

    key: str
    type: str
    meaning: str
    default: str | None = None

    @property
    def plain(self) -> dict[str, Any]:
        """It as plain data."""
        return {"key": self.key, "type": self.type, "meaning": self.meaning, "default": self.default, "choices": []}


OF = Key("of", "sensitive column", "the column that it is about")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is said to somebody who may choose a promise.

    Attributes
    ----------
    title, stops, does_not_stop
        Its name in plain words, and what it is good for and what not.
    example
        Its text, with ``COLUMN`` where a column stands.
    keys
        What is chosen.
    needs
        What the schema must have: ``nothing``, a ``sensitive`` column, or one with ``categories``.
    """

    title: str
    example: str
    stops: str
    does_not_stop: str
    keys: tuple[Key, ...]
    needs: str = "sensitive"

    def plain(self, name: str) -> dict[str, Any]:
        """Give it as plain data."""
        told = {"name": name, "title": self.title, "example": self.example, "stops": self.stops}
        keys = [key.plain for key in self.keys]
        return {**told, "does_not_stop": self.does_not_stop, "needs": self.needs, "keys": keys}


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a promise.

    Attributes
    ----------
    name, sense
        The first word, and the sign after it; ``None`` for ``name(parameter=number)``.
    example
        It as one would write it.
    read
        Makes the model of the parts of a text.
    brackets
        What may stand in brackets, of ``BRACKETS``.
    words
        The words that may stand among the columns; elsewhere they are columns.
    choice
        How it is offered to people; ``None`` where it is not.
    rank
        Where it stands among the others.
    """

    name: str
    sense: str | None
    example: str
    read: Callable[[Clause], Model]
    brackets: frozenset[str] = frozenset({"columns", "words"})
    words: tuple[str, ...] = ()
    choice: Choice | None = None
    rank: int = 1_000


FORMS: dict[tuple[str, str | None], Form] = {}
"""All forms of all models that there are, by name and sign."""


def forms() -> list[Form]:
    """Give all ways to write a promise, in the order in which people meet them."""
    return sorted(FORMS.values(), key=lambda form: form.rank)


def choices() -> list[dict[str, Any]]:
    """Give what people may choose from, as plain data."""
    return [form.choice.plain(form.name) for form in forms() if form.choice is not None]
