"""Numbers that only name things: 1 for married, 2 for single. What lies between two of them means nothing."""

from __future__ import annotations

from collections.abc import Mapping

from incrowd.api._suggest._words import tokens_of
from incrowd.core import Domain

MOST = 300
"""More values than that are no list of names."""

LARGEST = 99_999
"""Codes have so many digits at most."""

ALWAYS = frozenset({"origin", "a place", "belief or politics", "a sex or gender", "codes of regions (NUTS)"})
"""What has no order, whatever it is called."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "a family": (
        "mar", "marit", "marst", "mastat", "mstat", "marstat", "maritl", "civil", "ecivil", "civile", "staciv",
        "familienstand", "famst", "zivilstand", "matri", "burg", "relat", "relp", "parent", "lebensform", "leefvorm",
        "woonvorm", "hhtype", "haushaltstyp", "typmen", "typfam",
    ),
    "work": (
        "occ", "job", "beruf", "prof", "metier", "ocup", "beroep", "ind", "indust", "branch", "sector", "secteur",
        "settore", "setor", "wz", "nace", "naf", "ateco", "cnae", "sbi", "sic", "soc", "isco", "kldb", "csp", "pcs",
        "class", "emp", "work", "wrk", "erw", "stellung", "stib", "lab", "lf", "cow", "esr", "statut", "contract",
        "contrat", "department", "dept", "division",
    ),
    "health cover": ("type", "plan", "insur", "cover", "kasse"),
    "a dwelling or what is seen of it": ("type", "tenure", "heat", "fuel", "roof", "wall", "floor", "material"),
}  # fmt: skip
"""What words of a column's name begin with that name things, where its other names count or measure."""

COUNTED = (
    "hour", "hrs", "year", "yrs", "exper", "expr", "week", "wks", "day", "month", "length", "size", "num", "count",
    "age",
    "prestige", "isei", "siops", "jahr", "stunden", "anzahl", "zeit", "heure", "annee", "nombre", "nb", "hora", "ano",
    "numero", "ore", "anni", "uren", "jaren", "aantal", "time", "rate", "income", "wage", "dist", "since", "tenure",
    "popul", "dens", "lat", "lon", "elev", "alt", "room", "area", "rank", "level", "grade",
)  # fmt: skip
"""What words begin with that count or measure something."""


def names_things(domain: Domain, about: str | None) -> bool:
    """Say whether the whole numbers of a column name things by what the column is about.

    Parameters
    ----------
    domain
        Whole numbers.
    about
        What the column is about, if its name or its values say so.
    """
    values = domain.values
    if not 2 < len(values) <= MOST or int(values[0]) < 0 or int(values[-1]) > LARGEST:
        return False
    words = tokens_of(domain.column)
    if any(word.startswith(COUNTED) for word in words):
        return False
    return about in ALWAYS or any(word.startswith(WORDS.get(about or "", ())) for word in words)
