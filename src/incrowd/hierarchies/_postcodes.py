"""``postcodes``: codes lose digits by the structure that their country gave them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.core import TOP, Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import step_of, uncovered_error


@dataclass(frozen=True, slots=True)
class _Postcode:
    """How a country writes its postcodes, and after how many characters its areas end."""

    form: str  # ``9`` for a digit, ``A`` for a letter; anything else is a sign that may be left out
    cuts: tuple[int, ...]  # how many digits and letters are shown, level by level
    shortest: int  # how many digits and letters a code has where the last part of the form is missing

    def path(self, code: str) -> tuple[str, ...] | None:
        """Give what a code becomes, or nothing if it is none of this country."""
        signs = [sign for sign in self.form if sign in "9A"]
        if len(code) not in {self.shortest, len(signs)}:
            return None
        allowed = {"9": "0123456789", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
        if not all(letter in allowed[sign] for letter, sign in zip(code, signs, strict=False)):
            return None
        return tuple(self._label_text(code[:cut]) for cut in self.cuts)

    def _label_text(self, code: str) -> str:
        letters = iter(code)
        return "".join(next(letters, TOP) if sign in "9A" else sign for sign in self.form)


# Countries whose codes all have one form: which, how much is shown level by level, and how short codes can be.
LAYOUTS: Mapping[str, _Postcode] = {
    country: _Postcode(form, cuts, shortest)
    for countries, form, cuts, shortest in (
        ("AT", "9999", (3, 2, 1), 4),
        ("AU BE CH DK NO", "9999", (2, 1), 4),
        ("BR", "99999-999", (5, 3, 2, 1), 5),
        ("CA", "A9A 9A9", (3, 1), 3),
        ("CN", "999999", (4, 3, 2, 1), 6),
        ("CZ SE", "999 99", (3, 2, 1), 5),
        ("DE FI IT", "99999", (3, 2, 1), 5),
        ("ES MX", "99999", (3, 2), 5),
        ("IN", "999999", (3, 2, 1), 6),
        ("JP", "999-9999", (3, 2, 1), 7),
        ("NL", "9999 AA", (4, 2, 1), 4),
        ("PL", "99-999", (3, 2, 1), 5),
        ("PT", "9999-999", (4, 2, 1), 4),
    )
    for country in countries.split()
}

_BRITISH = re.compile(r"([A-Z]{1,2})([0-9][0-9A-Z]?)([0-9])[A-Z]{2}")
_BRITISH_AREA = re.compile(r"[A-Z]{1,2}(?:[0-9][0-9A-Z]?(?: [0-9])?)?")
_SIGNS = re.compile(r"[ \u00a0-]")


def _british_areas(code: str) -> tuple[str, ...] | None:
    """Give sector, district and area of a postcode of the United Kingdom."""
    found = _BRITISH.fullmatch(code)
    return None if found is None else (f"{found[1]}{found[2]} {found[3]}", f"{found[1]}{found[2]}", found[1])


def _american_areas(code: str) -> tuple[str, ...] | None:
    """Give ZIP code, sectional center and zone of an American ZIP code of five or nine digits."""
    if not re.fullmatch(r"[0-9]{5}(?:[0-9]{4})?", code):
        return None
    return f"{code[:5]}-{TOP * 4}", code[:3] + TOP * 2, code[:1] + TOP * 4


def _french_areas(code: str) -> tuple[str, ...] | None:
    """Give the department of a French postcode: two digits, three of them overseas."""
    if not re.fullmatch(r"[0-9]{5}", code):
        return None
    shown = 3 if code[:2] in {"97", "98"} else 2
    return (code[:shown] + TOP * (5 - shown),)


_FINDERS: Mapping[str, Callable[[str], tuple[str, ...] | None]] = {
    **{country: layout.path for country, layout in LAYOUTS.items()},
    "FR": _french_areas,
    "GB": _british_areas,
    "US": _american_areas,
}
COUNTRIES = tuple(sorted(_FINDERS))  # the countries whose postcodes are known

# How many digits a postcode has at least where it has nothing else: numbers get back the zeros they lost
DIGITS: Mapping[str, int] = {
    **{country: layout.shortest for country, layout in LAYOUTS.items() if "A" not in layout.form},
    "FR": 5,
    "US": 5,
}


@dataclass(frozen=True, slots=True, repr=False)
class Postcodes:
    """Postcodes become the areas of their country. Built by ``postcodes``."""

    country: str

    def bind(self, domain: Domain) -> Ladder:
        paths = self.paths(domain)
        strange = np.array([path is None for path in paths], dtype=bool)
        if strange.any():
            raise uncovered_error(domain, strange, f"are no postcodes of {self.country}")
        known = [path for path in paths if path is not None]
        steps = [step_of([path[level] for path in known]) for level in range(len(known[0]) if known else 0)]
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def paths(self, domain: Domain) -> list[tuple[str, ...] | None]:
        """Give the areas of every postcode of a column (without null), from small to large; nothing for others."""
        if domain.kind not in {"text", "number"}:
            msg = f"Column {domain.column!r} is of kind {domain.kind}; postcodes are text or whole numbers."
            raise HierarchyError(msg, hint="use dates(...) for dates and flat() for booleans.")
        find, digits = _FINDERS[self.country], self.digits if domain.kind == "number" else 0
        texts = domain.texts[: len(domain.values)]
        return [find(_SIGNS.sub("", str(text).strip().upper()).zfill(digits)) for text in texts]

    @property
    def digits(self) -> int:
        """How many digits a code has at least, where it has nothing else; 0 if it has letters."""
        return DIGITS.get(self.country, 0)

    def knows(self, label: str) -> bool:
        """Say whether a label can be one of its areas, whoever lives there."""
        return TOP in label or (self.country == "GB" and bool(_BRITISH_AREA.fullmatch(label)))

    def __repr__(self) -> str:
        return f"postcodes({self.country!r})"


def postcodes(country: str) -> Postcodes:
    """Let postcodes become the areas that their country made them of: ``10115``, ``101**``, ``10***``, ``1****``.

    Parameters
    ----------
    country
        Two letters: AT, AU, BE, BR, CA, CH, CN, CZ, DE, DK, ES, FI, FR, GB, IN, IT, JP, MX, NL, NO, PL, PT, SE or US.

    Notes
    -----
    The levels end where the areas of the country end: the French department, the American sectional center (three
    digits), the Canadian forward sortation area, the British sector, district and postcode area. Blanks and hyphens may
    be missing in the table; labels have them. Numbers get back the zeros at the beginning that they lost.

    What is published is an area of the post, not of the map: it can be half a city or a valley of a few hundred people.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.postcodes("DE")
    postcodes('DE')
    """
    if country not in COUNTRIES:
        msg = f"country must be one of {', '.join(COUNTRIES)}, got {country!r}."
        raise ParameterError(msg, hint="use mask() for other codes.")
    return Postcodes(country)
