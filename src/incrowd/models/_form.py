"""How promises are written, ``k>=5, l>=3[diagnosis]``, and offered to who chooses; each model brings its forms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from incrowd.core import SupersetMode

if TYPE_CHECKING:
    from incrowd.models._model import Model

DISTANCES = ("equal", "variational", "ordered", "hierarchical", "kl")
SUPERSETS: tuple[SupersetMode, ...] = ("lattice", "path", "drop", "table")
MISSING = "missing"
"""The word that says that missing values count."""
CANDIDATES, MULTISET = "candidates", "multiset"
"""Words that say how people are counted."""
ROWS = "any [1-9][0-9]* rows?"
"""How many rows of a person an intruder knows, as a pattern."""
ITEMS = "any [1-9][0-9]* items?"
"""How many items of a person's set an intruder knows, as a pattern."""
_KEYWORDS = re.compile("|".join((*DISTANCES, *SUPERSETS, MISSING, CANDIDATES, MULTISET, ROWS, ITEMS)))
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
    def has_word(self) -> bool:
        """Whether the only word that may stand there does, which is said once."""
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
    choices: list[str] = field(default_factory=list)


OF = Key("of", "sensitive column", "the column that it is about")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is said to somebody who may choose a promise, in the order in which the page gets it."""

    title: str
    example: str  # with COLUMN where a column stands
    stops: str
    does_not_stop: str
    needs: (
        str  # of the schema: nothing, people (an entity), items (a column of sets), a sensitive column, or categories
    )
    keys: list[Key]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a promise."""

    name: str
    sense: str | None  # the sign after the name; None for ``name(parameter=number)``
    example: str
    read: Callable[[Clause], Model]  # a clause that does not fit is a TypeError
    rank: int = 1_000  # where it stands among the others
    words: tuple[str, ...] = ()  # patterns of what may stand among the columns; elsewhere it is a column
    told_by: str | None = None  # the pattern of the word that tells it from a form of the same name and sign
    brackets: Collection[str] = ("columns", "words")  # what may stand in brackets, of BRACKETS
    choice: Choice | None = None  # how it is offered to people; None where it is not

    def offer(
        self, title: str, example: str, stops: str, does_not_stop: str, *keys: Key, needs: str = "sensitive"
    ) -> Form:
        """Say it to somebody who may choose it."""
        return replace(self, choice=Choice(title, example, stops, does_not_stop, needs, list(keys)))

    def has_word(self, word: str) -> bool:
        """Say whether a word says how this promise is meant."""
        return any(re.fullmatch(pattern, word) for pattern in (*self.words, *([self.told_by] if self.told_by else [])))

    def is_told_by(self, words: Iterable[str]) -> bool:
        """Say whether one of the words tells it from others of its name; always, where it needs none."""
        return self.told_by is None or any(re.fullmatch(self.told_by, word) for word in words)

    def unused(self, clause: Clause) -> set[str]:
        """Give what kinds of things stand in the brackets of a clause that this form does not take."""
        strange = not all(map(self.has_word, clause.words))
        return (clause.brackets - {*self.brackets}) | ({"words"} if strange else set())


FORMS: dict[tuple[str, str | None, str | None], Form] = {}
"""All forms of all models that there are, by name, sign, and the word that tells them apart."""


def forms() -> list[Form]:
    """Give all ways to write a promise, in the order in which people meet them."""
    return sorted(FORMS.values(), key=lambda form: form.rank)


def choices() -> list[dict[str, Any]]:
    """Give what people may choose from, as plain data."""
    return [{"name": form.name} | asdict(form.choice) for form in forms() if form.choice is not None]


def name_text(name: str) -> str:
    """Write a name so that it is read back as it is: in quotes, unless it is an ordinary word."""
    ordinary = re.fullmatch(r"\w[\w.-]*(?: [\w.-]+)*", name) and not _KEYWORDS.fullmatch(name)
    return name if ordinary else json.dumps(name, ensure_ascii=False)


def bracket(of: Iterable[str] | None, *words: str, joint: bool = False, values: Sequence[str] = ()) -> str:
    """Write the columns of a promise, the words that say how it is meant, and the values that it is about."""
    columns = ("+" if joint else ", ").join(map(name_text, of or ()))
    inner = ", ".join([*([columns] if columns else []), *words])
    listed = f": {', '.join(map(name_text, values))}" if values else ""
    return f"[{inner}{listed}]" if inner or listed else ""
