"""Columns of days, however they are written: their ladder, what stands among them, and days that stand for no day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from incrowd.api._suggest._gaps import is_mark, marks_in, without
from incrowd.core import Domain, Hierarchy
from incrowd.hierarchies import ISO, dates, dates_for, flat, forms_of, likely_forms, moments_of

MOST = 0.8
"""A column is one of days if so large a share of its values is, whatever the rest means."""

ORDER = "please check: are days and months read the right way round?"
CENTURY = "please check the century: years of two digits from 69 on are read as 1969, the others as 2000 and later"
AMONG = "days and something else: missing = [...] names what means missing, and the days get periods"


def dates_in(domain: Domain) -> tuple[Hierarchy | None, str]:
    """Give the periods that texts or numbers which write days can become, and what to check about it.

    Where something else stands among the days, none of them is shown unless many share it.
    """
    if domain.kind not in {"text", "number"} or len(domain.values) < 2:
        return None, ""
    forms = forms_of(domain)
    if forms:
        form = None if forms[0] == ISO else forms[0]
        found = dates_for(domain, form) or (
            dates("month", "quarter", "year", "decade", format=form) if domain.kind == "text" else flat()
        )
        return found, ORDER if len(forms) > 1 else CENTURY if "%y" in forms[0] else ""
    return (flat(), AMONG) if others_among_days(domain) else (None, "")


def are_days(domain: Domain) -> bool:
    """Say whether texts or numbers are days or months, but for a few that perhaps mean missing."""
    return len(domain.values) > 1 and (bool(forms_of(domain)) or others_among_days(domain) > 0)


def others_among_days(domain: Domain) -> int:
    """Say in how many rows something else stands among days; 0 if nothing does, or if there are no days."""
    if domain.kind == "number":
        marks = marks_in(domain)
        rest = without(domain, marks)
        return sum(marks.values()) if marks and len(rest.values) > 1 and forms_of(rest) else 0
    if domain.kind != "text" or len(domain.values) < 2 or forms_of(domain):
        return 0
    for form in likely_forms(domain.values.tolist(), MOST):
        found = moments_of(domain, form)
        if found is not None and found[1].mean() >= MOST:
            return int(domain.counts[: len(found[1])][~found[1]].sum())
    return 0


def questions_of_days(domains: Mapping[str, Domain]) -> Iterator[str]:
    """Ask what stands among days, where it is no mark that is asked about anyway."""
    for name, domain in domains.items():
        if domain.kind != "text":
            continue
        marks = {text: int(domain.counts[place]) for place, text in enumerate(domain.values.tolist()) if is_mark(text)}
        others = others_among_days(without(domain, marks))
        if others:
            yield f"{name!r} has days beside {others:,} other values, and stays text: are these missing?"
