"""The report of a release: what a board or a data protection officer reads and signs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.core import ParameterError, atomic_path
from incrowd.release import NEEDS, About, check_about
from incrowd.report._charts import Charts
from incrowd.report._confidential_section import confidential_sections
from incrowd.report._data_section import (
    columns_section,
    data_section,
    glossary_section,
    purpose_section,
    rules_section,
    scenario_section,
)
from incrowd.report._evidence_section import attacks_section, risk_section, usefulness_section
from incrowd.report._method_section import changes_section, limits_section, method_section, reproduction_section
from incrowd.report._page import Page, Section, html_of, plain_page
from incrowd.report._summary_section import (
    owner_facts,
    public_facts,
    public_summary_section,
    summary_section,
    table_name,
    verdict_sentence,
)
from incrowd.report._verdict_section import judgement

if TYPE_CHECKING:
    from incrowd.release import Release

ENDINGS = (".html", ".htm", ".json")
SIGNATURES = (
    "Prepared by",
    "Statistically reviewed by",
    "Data protection officer: accept / accept with conditions / reject",
    "Residual risk accepted by the controller; next review on",
    "If the data protection officer was overruled: reason",
)


def write_report(
    release: Release,
    path: str | os.PathLike[str],
    *,
    about: Mapping[str, str] | None,
    public: bool = False,
    force: bool = False,
) -> Path:
    """Write a report as one HTML file, or as JSON with the same parts if the name ends so."""
    check_about(about)
    _refuse_sample(release)
    file = _report_file(path)
    known = About.of(release, about or {})
    page = public_page(release, known) if public else owner_page(charts_of(release, known), known)
    with atomic_path(file, force=force) as part:
        _write(page, part, file.suffix.lower())
    return file


def write_reports(release: Release, owner: Path, public: Path, about: Mapping[str, str], **known: Any) -> None:
    """Write the reports of a release into its two folders."""
    _refuse_sample(release)
    whole = About(about, **known)
    page = owner_page(charts_of(release, whole), whole)
    for ending in (".html", ".json"):
        _write(page, owner / f"report{ending}", ending)
    _write(public_page(release, whole), public / "report.html", ".html")


def _refuse_sample(release: Release) -> None:
    if release.recipe.sample is not None:
        msg = "What came of a sample is not a result: no report is written about it."
        raise ParameterError(msg, hint="run it again on the whole table, without sample.")


def _report_file(path: str | os.PathLike[str]) -> Path:
    """Give the file to write; refuse what is none, or has an ending that cannot be written."""
    if not isinstance(path, (str, os.PathLike)):
        msg = f"A report is written to a file, got {type(path).__name__}."
        raise ParameterError(msg, hint='give its path, such as "report.html".')
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        msg = f"A report is written as .html or .json, got {file.name!r}."
        raise ParameterError(msg, hint="for a PDF, write .html, open it in a browser, and print it to a file.")
    return file


def _write(page: Page, path: Path, ending: str) -> None:
    text = json.dumps(plain_page(page), indent=2, ensure_ascii=False) if ending == ".json" else html_of(page)
    path.write_text(text, encoding="utf-8")


def charts_of(release: Release, about: About) -> Charts:
    """Measure a release once for its report, and for whoever looks at the same numbers."""
    return Charts(release, about.population, about.threshold)


def owner_page(charts: Charts, about: About, told: Callable[[int, int], object] | None = None) -> Page:
    """Put together what the owner of the data is told: two pages for whoever decides, and the rest behind them."""
    release = charts.release
    makers = _sections(charts, about)
    sections: list[Section] = []
    for place, make in enumerate(makers):
        if told is not None:
            told(place, len(makers))
        made = make()
        sections.extend([made] if isinstance(made, Section) else made)
    found = judgement(charts, about)
    return Page(
        title=f"Report on the release of {table_name(release)}",
        meets=release.verdict.holds,
        state=found.state,
        word=found.word,
        reasons=found.reasons,
        verdict=verdict_sentence(release),
        facts=owner_facts(release, about),
        sections=sections,
        signatures=SIGNATURES,
        audience="For the owner of the data. It compares the release with the original table: do not publish it.",
    )


def _sections(charts: Charts, about: About) -> list[Callable[[], Section | Iterable[Section]]]:
    """List what makes the sections of the owner's report, in their order."""
    release = charts.release
    return [
        lambda: summary_section(charts),
        lambda: purpose_section(about),
        lambda: limits_section(release),
        lambda: data_section(charts, about),
        lambda: scenario_section(release, about),
        lambda: risk_section(charts),
        lambda: confidential_sections(charts),
        lambda: attacks_section(charts),
        lambda: changes_section(charts),
        lambda: usefulness_section(charts),
        lambda: method_section(charts),
        lambda: reproduction_section(release, about),
        glossary_section,
        rules_section,
    ]


def public_page(release: Release, about: About) -> Page:
    """Put together what anybody may be told: what its owner states, the released file and its certificate; no more."""
    told = purpose_section(about, public=True)
    return Page(
        title="About this release",
        meets=release.verdict.holds,
        word=f"It promises {release.recipe.promise}",
        verdict=verdict_sentence(release),
        facts=public_facts(release, about),
        sections=[
            public_summary_section(release),
            *([told] if told.tables[0].rows else []),
            limits_section(release, public=True),
            checking_section(about),
            columns_section(release),
            scenario_section(release),
            glossary_section(),
        ],
        audience="For whoever uses the released data.",
    )


def checking_section(about: About) -> Section:
    """Say how a reader can check the promises, and what that needs."""
    name = str(about.file.get("name", "data.csv"))
    need = NEEDS.get(name.rpartition(".")[2])
    more = "nothing but Python" if need is None else f"Python and, to read {name}, {need}"
    return Section(
        "checking",
        "How to check it",
        [
            f"The data come with verify.py, a program that you can read. It needs {more}. Run: python verify.py",
            "It measures the promises again on the file, and compares its hash with the certificate release.json.",
            *_how_written(name, about.file.get("dialect")),
        ],
    )


def _how_written(name: str, dialect: Mapping[str, Any] | None) -> Iterator[str]:
    """Say how a text file is read that is no plain one."""
    if dialect is None:
        return
    between = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(dialect["separator"], dialect["separator"])
    days = "" if dialect["dates"] is None else f", and days as {dialect['dates']}"
    numbers = "commas" if dialect["decimal"] == "," else "points"
    letters = f"is encoded in {dialect['encoding']}"
    yield f"To read {name}: it has {between} between its values, {letters}, and has decimal {numbers}{days}."
