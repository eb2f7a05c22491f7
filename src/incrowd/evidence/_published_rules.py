"""Published rules that chances and tables are held against (EMA, WP216, HIPAA safe harbor), and their checklists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from incrowd.core import ParameterError, unbroken_percent

if TYPE_CHECKING:
    from incrowd.evidence._risk_result import Risk


@dataclass(frozen=True, slots=True)
class Preset:
    """A published rule.

    Attributes
    ----------
    name
        What it is called here.
    source
        Where it is published.
    rules
        What it asks, as we read it: per test one sentence.
    """

    name: str
    source: str
    rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """One test of a preset.

    Attributes
    ----------
    test
        What is tested.
    rule
        The rule that was used, in words.
    measured
        What was found, in words and numbers. No value of the table.
    holds
        Whether the rule holds; ``None`` where it was not checked.
    """

    test: str
    rule: str
    measured: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """PASS, FAIL or NOT CHECKED."""
        return "NOT CHECKED" if self.holds is None else "PASS" if self.holds else "FAIL"


@dataclass(frozen=True, slots=True)
class Checklist:
    """A table held against a preset, test by test.

    Attributes
    ----------
    preset
        The published rule.
    items
        Its tests.
    """

    preset: Preset
    items: tuple[Item, ...]

    @property
    def holds(self) -> bool | None:
        """Whether all tests pass: ``False`` if one fails, else ``None`` if one was not checked."""
        if any(item.holds is False for item in self.items):
            return False
        return None if any(item.holds is None for item in self.items) else True

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        return {
            "schema": 1,
            "preset": self.preset.name,
            "source": self.preset.source,
            "holds": self.holds,
            "items": [
                {"test": item.test, "rule": item.rule, "measured": item.measured, "holds": item.holds}
                for item in self.items
            ],
        }

    def __bool__(self) -> bool:
        msg = "Ask .holds: a checklist can also be unfinished."
        raise TypeError(msg)

    def __str__(self) -> str:
        lines = [f"{self.preset.name}: {self.preset.source}"]
        for item in self.items:
            lines += [f"{item.verdict:<11} {item.test}: {item.measured}", f"            rule: {item.rule}"]
        return "\n".join(lines)


EMA = Preset(
    "ema-0.09",
    "European Medicines Agency, external guidance on Policy 0070; Health Canada, Public Release of Clinical "
    "Information",
    {
        "highest chance": "The highest chance to find a person is at most 0.09. 1/11 is 0.0909 and above it, so "
        "every class needs 12 people or more; some read the rule as 11."
    },
)
WP216 = Preset(
    "wp216",
    "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216)",
    {
        "singling out": "Nobody is alone in a class, nor alone with all their rows together.",
        "linkability": "The highest chance to link a person's record through the quasi-identifiers is not above "
        "the threshold. The opinion names no number: the threshold is yours.",
        "inference": "No sensitive value is certain for anybody from the class alone. The opinion names no number; "
        "compare the guesses with and without the classes.",
    },
)
SAFE_HARBOR = Preset(
    "hipaa-safe-harbor",
    "45 CFR 164.514(b)(2), the safe harbor method of the HIPAA Privacy Rule",
    {
        "names": "No names.",
        "geography": "Nothing smaller than a state, but the first three digits of a ZIP code where more than "
        "20,000 people live in all codes that begin so; elsewhere 000.",
        "dates": "Of dates about a person nothing but the year; ages above 89, and years that tell them, are one "
        "category of 90 or older.",
        "telephone numbers": "No telephone numbers.",
        "fax numbers": "No fax numbers.",
        "email addresses": "No electronic mail addresses.",
        "social security numbers": "No social security numbers.",
        "medical record numbers": "No medical record numbers.",
        "health plan numbers": "No health plan beneficiary numbers.",
        "account numbers": "No account numbers.",
        "licence numbers": "No certificate or licence numbers.",
        "vehicles": "No vehicle identifiers or serial numbers, licence plates included.",
        "devices": "No device identifiers or serial numbers.",
        "web addresses": "No web addresses (URLs).",
        "ip addresses": "No internet protocol addresses.",
        "biometrics": "No biometric identifiers, finger and voice prints included.",
        "photographs": "No full-face photographs or comparable images.",
        "other unique codes": "No other unique identifying number, characteristic or code.",
    },
)
PRESETS: Mapping[str, Preset] = {one.name: one for one in (EMA, WP216, SAFE_HARBOR)}
"""The presets by name."""


def preset(name: str) -> Preset:
    """Give a published rule by its name: ``"ema-0.09"``, ``"wp216"`` or ``"hipaa-safe-harbor"``.

    Parameters
    ----------
    name
        The name of the preset.

    Examples
    --------
    >>> import incrowd as ic
    >>> sorted(ic.preset("wp216").rules)
    ['inference', 'linkability', 'singling out']
    """
    if not isinstance(name, str) or name not in PRESETS:
        got = repr(name) if isinstance(name, str) else type(name).__name__
        msg = f"A preset must be one of {', '.join(map(repr, PRESETS))}, got {got}."
        raise ParameterError(msg)
    return PRESETS[name]


def checklist_of(risk: Risk, name: str) -> Checklist:
    asked = preset(name)
    if asked is SAFE_HARBOR:
        msg = "The preset 'hipaa-safe-harbor' looks at columns and values, not at chances."
        raise ParameterError(msg, hint="use safe_harbor(table, schema, kinds={...}).")
    return Checklist(asked, _ema_items(risk) if asked is EMA else _wp216_items(risk))


def _ema_items(risk: Risk) -> tuple[Item, ...]:
    highest = Fraction(risk.prosecutor.highest or 0)
    measured = f"{float(highest):.4f} (the smallest class has {risk.k} {risk.noun})"
    return (Item("highest chance", EMA.rules["highest chance"], measured, highest <= Fraction(9, 100)),)


def _wp216_items(risk: Risk) -> tuple[Item, ...]:
    alone, by_rows = risk.uniqueness.sample, risk.alone_by_rows or 0
    rows = "" if risk.alone_by_rows is None else f"; {by_rows:,} by all their rows together"
    highest = Fraction(risk.prosecutor.highest or 0)
    certain = sum(guess.certain for guess in risk.guesses.values())
    guesses = "; ".join(
        f"{guess.column}: {guess.certain:,} certain, at best {unbroken_percent(guess.highest)}, on average "
        f"{unbroken_percent(guess.average)} (without classes {unbroken_percent(guess.without)})"
        for guess in risk.guesses.values()
    )
    measured = {
        "singling out": f"{alone:,} {risk.noun} are alone in a class{rows}",
        "linkability": f"highest chance {float(highest):.4f}, average {float(risk.prosecutor.average):.4f}, threshold "
        f"{float(risk.threshold):g}",
        "inference": guesses or "the schema names no sensitive column",
    }
    holds = {
        "singling out": alone == 0 and by_rows == 0,
        "linkability": highest <= risk.threshold,
        "inference": certain == 0 if risk.guesses else None,
    }
    return tuple(Item(test, rule, measured[test], holds[test]) for test, rule in WP216.rules.items())
