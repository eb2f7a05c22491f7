"""``Risk`` and ``AttackerRisk``: what was measured of the chances to find people in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from incrowd.core import Printed, unbroken_percent
from incrowd.evidence._published_rules import Checklist, checklist_of
from incrowd.measures import Exposed, Guess, HouseholdRisk, Uniqueness, plain_number

Chance = Fraction | float


@dataclass(frozen=True, slots=True)
class AttackerRisk:
    """What one kind of intruder can do.

    Attributes
    ----------
    name
        ``"prosecutor"``, ``"journalist"`` or ``"marketer"``.
    knows
        What is assumed about the intruder, in one sentence.
    highest
        The chance to pick the right record of the person who is easiest to find; ``None`` for the marketer, who looks
        for nobody in particular.
    average
        The chance averaged over all people.
    above
        Who has a chance above the threshold; ``None`` for the marketer.
    """

    name: str
    knows: str
    highest: Chance | None
    average: Chance
    above: Exposed | None

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        above = None if self.above is None else self.above.to_dict()
        chances = {"highest": plain_number(self.highest), "average": plain_number(self.average)}
        return {"knows": self.knows, **chances, "above": above}

    def __str__(self) -> str:
        highest = "" if self.highest is None else f"highest {unbroken_percent(self.highest)}, "
        above = "" if self.above is None else f", {self.above.people:,} above the threshold"
        return f"{self.name:<11} {highest}average {unbroken_percent(self.average)}{above} ({self.knows})"


@dataclass(frozen=True, eq=False, repr=False)
class Risk(Printed):
    """How easily people can be found in a table. Made by ``risk``.

    Attributes
    ----------
    records, persons
        How many records the table has, and how many persons where it says whose row is whose.
    classes, k
        How many classes there are, and the size of the smallest; nothing if there is none.
    threshold
        Above which a chance counts as too high.
    prosecutor
        Knows that the person is in the table.
    journalist
        Must find the person in the population; ``None`` if nothing is said about the population.
    marketer
        Links as many records as possible. Without a population, the table is taken to be the whole population.
    uniqueness
        Who is one of a kind, in the table and, as far as it can be estimated, in the population.
    households
        How easily households are found by some member, where that was asked.
    alone_by_rows
        With several rows per person: how many persons are the only one who occurs in exactly their classes. Somebody
        who knows all rows of a person finds these.
    guesses
        Per sensitive column, how well the classes tell a person's value.
    notes
        What a careful reader should know. Names and numbers only.

    Notes
    -----
    The numbers are about the named quasi-identifiers and no others. They bound who can be *found*; ``guesses`` is about
    what is learnt without finding anybody. None of them says that a table is anonymous.
    """

    records: int
    persons: int | None
    classes: int
    k: int | None
    threshold: Fraction
    prosecutor: AttackerRisk
    journalist: AttackerRisk | None
    marketer: AttackerRisk
    uniqueness: Uniqueness
    households: HouseholdRisk | None
    alone_by_rows: int | None
    guesses: Mapping[str, Guess]
    notes: tuple[str, ...]

    @property
    def noun(self) -> str:
        """What is counted: records, or persons."""
        return "records" if self.persons is None else "persons"

    @property
    def attackers(self) -> tuple[AttackerRisk, ...]:
        """The attackers that were measured, the best informed first."""
        return tuple(one for one in (self.prosecutor, self.journalist, self.marketer) if one is not None)

    def against(self, preset: str) -> Checklist:
        """Hold the numbers against a published rule.

        Parameters
        ----------
        preset
            ``"ema-0.09"`` or ``"wp216"``; ``preset`` tells what they ask. For ``"hipaa-safe-harbor"`` call
            ``safe_harbor``, which looks at columns and values, not at chances.
        """
        return checklist_of(self, preset)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON; it holds no value of the table."""
        uniqueness = self.uniqueness
        return {
            "schema": 1,
            "records": self.records,
            "persons": self.persons,
            "classes": self.classes,
            "k": self.k,
            "threshold": plain_number(self.threshold),
            "attackers": {one.name: one.to_dict() for one in self.attackers},
            "uniqueness": {
                "sample": uniqueness.sample,
                "population": uniqueness.population,
                "estimates": dict(uniqueness.estimates),
            },
            "households": None if self.households is None else self.households.to_dict(),
            "alone_by_rows": self.alone_by_rows,
            "guesses": {name: guess.to_dict() for name, guess in self.guesses.items()},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        people = f"{self.records if self.persons is None else self.persons:,} {self.noun}"
        estimates = ", ".join(
            f"{name} {'no answer' if value is None else f'{value:,.1f}'}"
            for name, value in self.uniqueness.estimates.items()
        )
        alone = f"one of a kind in the table: {self.uniqueness.sample:,}"
        lines = [
            f"{people} in {self.classes:,} classes, the smallest of {self.k}; threshold {float(self.threshold):g}",
            *map(str, self.attackers),
            f"{alone}; expected in the population: {estimates}" if estimates else alone,
        ]
        if self.households is not None:
            lines.insert(1 + len(self.attackers), str(self.households))
        if self.alone_by_rows is not None:
            lines.append(f"one of a kind by all their rows together: {self.alone_by_rows:,}")
        for guess in self.guesses.values():
            average, without, highest = map(unbroken_percent, (guess.average, guess.without, guess.highest))
            right = f"{guess.column}: guessed right {average} (without classes {without})"
            lines.append(f"{right}, at best {highest}; certain for {guess.certain:,}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        names = ", ".join(f"{one.name} {unbroken_percent(one.average)}" for one in self.attackers)
        return f"Risk({self.records:,} records, k={self.k}, average: {names})"
