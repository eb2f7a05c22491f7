"""``About``: what only the owner can say for a report (purpose, population, limits); hash of plan and settings."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Rational
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from incrowd.core import ParameterError
from incrowd.engines import digest_of_files
from incrowd.hierarchies import plain_roles
from incrowd.models import MOST_PEOPLE, number_from_text, read_people

if TYPE_CHECKING:
    from incrowd.release._release import Release

NOT_STATED = "NOT STATED"
SHORT = 12
"""So many characters of a hash are shown to people."""


class OwnerQuestion(NamedTuple):
    """What only the owner can say."""

    text: str
    public: bool = True
    asked: bool = True


QUESTIONS: Mapping[str, OwnerQuestion] = {
    "purpose": OwnerQuestion("Purpose of the release"),
    "controller": OwnerQuestion("Who is responsible (controller)"),
    "recipients": OwnerQuestion("Recipients"),
    "environment": OwnerQuestion("Place of use"),
    "legal_basis": OwnerQuestion("Legal basis"),
    "period": OwnerQuestion("Period of the data"),
    "earlier_releases": OwnerQuestion("Earlier releases about the same people"),
    "roles_confirmed_by": OwnerQuestion("Who confirmed the column roles", public=False),
    "threshold": OwnerQuestion("Highest accepted chance to find a person", public=False),
    "threshold_reasons": OwnerQuestion("Reasons for the limits", public=False),
    "population": OwnerQuestion("Size of the population", public=False),
    "valid_until": OwnerQuestion("Date of the next review"),
    "released_anyway": OwnerQuestion("Released although something was open, because", asked=False),
    "released_by": OwnerQuestion("Who decided this, and when", public=False, asked=False),
    "open_items": OwnerQuestion("What was open", public=False, asked=False),
}
"""By the keys of a plan's section ``report``."""


@dataclass(frozen=True, slots=True)
class About:
    """What a report is written with, besides the release itself."""

    stated: Mapping[str, str]
    plan: str | None = None
    date: str = field(default_factory=lambda: dt.datetime.now(dt.UTC).date().isoformat())
    file: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_keys(self.stated)
        if self.population is not None and not 1 <= self.population <= MOST_PEOPLE:
            raise _no_population()
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise _no_threshold()

    def answer(self, key: str) -> str:
        """Give an answer; what nobody said is marked."""
        return str(self.stated.get(key) or NOT_STATED)

    @property
    def population(self) -> int | None:
        """How many people the table was drawn from, if that was said."""
        stated: object = self.stated.get("population")
        if isinstance(stated, Integral) and not isinstance(stated, bool):
            return int(stated)
        found = "" if stated is None else str(stated).replace(",", "").replace("_", "").strip()
        if not found:
            return None
        if not (found.isascii() and found.isdigit()):
            raise _no_population()
        return read_people(found)

    @property
    def threshold(self) -> Fraction | None:
        """Above which a chance counts as too high, if that was said; exactly as it is written."""
        stated: object = self.stated.get("threshold")
        if isinstance(stated, Rational) and not isinstance(stated, bool):
            return Fraction(stated)
        found = "" if stated is None else str(stated).strip()
        if not found:
            return None
        chance = number_from_text(found)
        if chance is None:
            raise _no_threshold()
        return chance

    @classmethod
    def of(cls, release: Release, stated: Mapping[str, str]) -> About:
        """Describe a release that is not being saved; the file is known where its table was written at once."""
        table = release.table
        file = {"name": table.name, "sha256": digest_of_files(table)} if isinstance(table, Path) else {}
        return cls(stated, file=file)


def check_about(stated: Mapping[str, str] | None) -> None:
    """Refuse at once what a report would not understand, before anything is read, searched or measured."""
    if stated is not None:
        About(stated)


def check_keys(stated: Mapping[str, str]) -> None:
    """Refuse what is not a dict with keys that a report knows."""
    if not isinstance(stated, Mapping):
        msg = f"about must be a dict of what the owner says, got {type(stated).__name__}."
        raise ParameterError(msg, hint=f"its keys are {', '.join(QUESTIONS)}.")
    for key in stated:
        if key not in QUESTIONS:
            msg = f"A report does not know what {key!r} means."
            raise ParameterError(msg, hint=f"it knows {', '.join(QUESTIONS)}.")


def settings_of(release: Release, plan: str | None) -> tuple[str, str]:
    """Give what the settings of a release are called, and their hash: of its plan, or else of roles and recipe."""
    if plan is not None:
        return "plan (SHA-256)", hash_of(plan)
    recipe = release.recipe
    settings = {
        "schema": plain_roles(release.schema),
        "promise": recipe.promise,
        "algorithm": recipe.algorithm,
        "max_suppressed_records": recipe.max_suppressed_records,
        "order": recipe.order,
        "suppression": recipe.suppression,
        "pseudonymised": list(recipe.pseudonymised),
    }
    return "settings (SHA-256)", hash_of(json.dumps(settings, sort_keys=True, ensure_ascii=False))


def hash_of(text: str) -> str:
    """Give the beginning of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]


def _no_population() -> ParameterError:
    msg = f"population must be a whole number of people, from 1 to {MOST_PEOPLE:,}."
    return ParameterError(
        msg, hint="write it in digits, such as population = 1200000; leave it out if it is not known."
    )


def _no_threshold() -> ParameterError:
    msg = "threshold must be a chance above 0, and 1 at most."
    return ParameterError(msg, hint='write it as threshold = 0.09; in Python, also as the text "1/11".')
