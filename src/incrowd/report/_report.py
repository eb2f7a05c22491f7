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
from incrowd.report._confidential_section import confidential
from incrowd.report._data_section import columns, described, glossary, mapping, purpose, scenario
from incrowd.report._evidence_section import attacks, risk, usefulness
from incrowd.report._method_section import changed, limits, method, reproduce
from incrowd.report._page import Page, Section, html_of
from incrowd.report._summary_section import facts, name_of, public_facts, public_summary, sentence, summary
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
    """Write a report as one HTML file, or as JSON with the same parts if the name ends so.

    Parameters
    ----------
    release
        The release.
    path
        The file to write.
    about
        What only its owner knows: purpose, controller, recipients and the like; nothing if nothing is said.
    public
        Write the version that may be given away with the release.
    force
        Whether an existing file may be replaced.
    """
    check_about(about)
    _refuse(release)
    file = _file(path)
    known = About.of(release, about or {})
    page = public_page(release, known) if public else owner_page(charts_of(release, known), known)
    with atomic_path(file, force=force) as part:
        _write(page, part, file.suffix.lower())
    return file


def write_reports(release: Release, owner: Path, public: Path, about: Mapping[str, str], **known: Any) -> None:
    """Write the reports of a release into its two folders.

    Parameters
    ----------
    release
        The release.
    owner, public
        The folders.
    about
        What only its owner knows.
    known
        What is known since it is being saved: its ``plan``, ``date`` and ``file``.
    """
    _refuse(release)
    whole = About(about, **known)
    page = owner_page(charts_of(release, whole), whole)
    for ending in (".html", ".json"):
        _write(page, owner / f"report{ending}", ending)
    _write(public_page(release, whole), public / "report.html", ".html")


def _refuse(release: Release) -> None:
    if release.recipe.sample is not None:
        msg = "What came of a sample is not a result: no report is written about it."
        raise ParameterError(msg, hint="run it again on the whole table, without sample.")


def _file(path: str | os.PathLike[str]) -> Path:
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
    """Put together what the owner of the data is told: two pages for whoever decides, and the rest behind them.

    Parameters
    ----------
    charts, about
        What is measured on the release, and what only its owner knows.
    told
        Called before every section with how many are done, of how many.
    """
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
        title=f"Report on the release of {name_of(release)}",
        meets=release.verdict.holds,
        state=found.state,
        word=found.word,
        reasons=found.reasons,
        verdict=sentence(release),
        facts=facts(release, about),
        sections=sections,
        signatures=SIGNATURES,
        audience="For the owner of the data. It compares the release with the original table: do not publish it.",
    )


def _sections(charts: Charts, about: About) -> list[Callable[[], Section | Iterable[Section]]]:
    """List what makes the sections of the owner's report, in their order."""
    release = charts.release
    return [
        lambda: summary(charts),
        lambda: purpose(about),
        lambda: limits(release),
        lambda: described(charts, about),
        lambda: scenario(release, about),
        lambda: risk(charts),
        lambda: confidential(charts),
        lambda: attacks(charts),
        lambda: changed(charts),
        lambda: usefulness(charts),
        lambda: method(charts),
        lambda: reproduce(release, about),
        glossary,
        mapping,
    ]


def public_page(release: Release, about: About) -> Page:
    """Put together what anybody may be told: what its owner states, the released file and its certificate; no more."""
    told = purpose(about, public=True)
    return Page(
        title="About this release",
        meets=release.verdict.holds,
        word=f"It promises {release.recipe.promise}",
        verdict=sentence(release),
        facts=public_facts(release, about),
        sections=[
            public_summary(release),
            *([told] if told.tables[0].rows else []),
            limits(release, public=True),
            checking(about),
            columns(release),
            scenario(release),
            glossary(),
        ],
        audience="For whoever uses the released data.",
    )


def plain_page(page: Page) -> dict[str, Any]:
    """Give a page as plain data; charts as what draws them, with their letter where the printed report shows them."""
    letters = page.letters
    return {
        "schema": 1,
        "title": page.title,
        "meets": page.meets,
        "state": page.state,
        "word": page.word,
        "reasons": list(page.reasons),
        "verdict": page.verdict,
        "facts": dict(page.facts),
        "signatures": list(page.signatures),
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "words": list(section.words),
                "code": section.code,
                "tables": [
                    {"caption": table.caption, "head": list(table.head), "rows": [list(row) for row in table.rows]}
                    for table in section.tables
                ],
                "figures": [
                    {
                        "name": figure.name,
                        "letter": letters.get(id(figure)),
                        "title": figure.title,
                        "reading": figure.reading,
                        "advice": figure.advice,
                        "chart": figure.plain,
                    }
                    for figure in section.figures
                ],
            }
            for section in page.sections
        ],
    }


def checking(about: About) -> Section:
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
