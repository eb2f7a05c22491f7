"""The report of a release: what a board or a data protection officer reads and signs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.api._plain_words import GLOSSARY
from incrowd.api._report_data import (
    QUESTIONS,
    changed,
    columns,
    confidential,
    limits,
    method,
    promises,
    purpose,
    reproduce,
)
from incrowd.api._report_evidence import attacks, risk, usefulness
from incrowd.core import ParameterError
from incrowd.io import atomic_path

if TYPE_CHECKING:
    from incrowd.api._release import Release
    from incrowd.report import Page, Section

SIGNATURES = (
    "Prepared by",
    "Statistically reviewed by",
    "Data protection officer: accept / accept with conditions / reject",
    "Residual risk accepted by the controller; next review on",
    "If the data protection officer was overruled: reason",
)


def write_report(
    release: Release, path: Path, *, about: Mapping[str, str], public: bool = False, force: bool = False
) -> None:
    """Write a report as one HTML file, or as JSON with the same parts if the name ends so.

    Parameters
    ----------
    release
        The release.
    path
        The file to write.
    about
        What only its owner knows: purpose, controller, recipients and the like.
    public
        Write the version that may be given away with the release.
    force
        Whether an existing file may be replaced.
    """
    _refuse(release, about)
    page = public_page(release, about) if public else owner_page(release, about)
    with atomic_path(path, force=force) as part:
        _write(page, part, path.suffix)


def write_reports(release: Release, owner: Path, public: Path, about: Mapping[str, str]) -> None:
    """Write the reports of a release into its two folders."""
    _refuse(release, about)
    page = owner_page(release, about)
    for ending in (".html", ".json"):
        _write(page, owner / f"report{ending}", ending)
    _write(public_page(release, about), public / "report.html", ".html")


def _refuse(release: Release, about: Mapping[str, str]) -> None:
    if release.recipe.sample is not None:
        msg = "What came of a sample is not a result: no report is written about it."
        raise ParameterError(msg, hint="run it again on the whole table, without sample.")
    known = [key for key, _ in QUESTIONS]
    for key in about:
        if key not in known:
            msg = f"A report does not know what {key!r} means."
            raise ParameterError(msg, hint=f"it knows {', '.join(known)}.")


def _write(page: Page, path: Path, ending: str) -> None:
    from incrowd.report import html_of  # noqa: PLC0415 - drawing is loaded when something is drawn

    text = json.dumps(plain_page(page), indent=2, ensure_ascii=False) if ending == ".json" else html_of(page)
    path.write_text(text, encoding="utf-8")


def owner_page(release: Release, about: Mapping[str, str]) -> Page:
    """Put together what the owner of the data is told."""
    from incrowd.report import Page  # noqa: PLC0415

    charts = release.charts
    sections = [
        promises(release),
        purpose(about),
        columns(release),
        risk(charts),
        attacks(charts),
        usefulness(charts),
        changed(charts),
        *confidential(charts),
        method(charts),
        limits(release),
        reproduce(release),
        glossary(),
    ]
    return Page(
        title=f"Report on the release of {_name(release)}",
        meets=release.verdict.holds,
        verdict=_sentence(release),
        facts=_facts(release),
        sections=sections,
        signatures=SIGNATURES,
        audience="For the owner of the data. It compares the release with the original table: do not publish it.",
    )


def public_page(release: Release, about: Mapping[str, str]) -> Page:
    """Put together what anybody may be told: what its owner states, the released file and its certificate; no more."""
    from incrowd.report import Page  # noqa: PLC0415

    return Page(
        title="About this release",
        meets=release.verdict.holds,
        verdict=_sentence(release),
        facts=[("promise", release.recipe.promise), ("made with", f"incrowd {_version(release)}")],
        sections=[
            promises(release, measured=False),
            *([purpose(about, stated=True)] if about else []),
            columns(release, counted=False),
            limits(release),
            checking(),
            glossary(),
        ],
        audience="For whoever uses the released data.",
    )


def plain_page(page: Page) -> dict[str, Any]:
    """Give a page as plain data; charts as what draws them."""
    return {
        "schema": 1,
        "title": page.title,
        "meets": page.meets,
        "verdict": page.verdict,
        "facts": dict(page.facts),
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "words": list(section.words),
                "tables": [
                    {"caption": table.caption, "head": list(table.head), "rows": [list(row) for row in table.rows]}
                    for table in section.tables
                ],
                "figures": [
                    {
                        "title": figure.title,
                        "reading": figure.reading,
                        "advice": figure.advice,
                        "chart": None if isinstance(figure.chart, str) else figure.chart.to_dict(),
                    }
                    for figure in section.figures
                ],
            }
            for section in page.sections
        ],
    }


def checking() -> Section:
    """Say how a reader can check the promises."""
    from incrowd.report import Section  # noqa: PLC0415

    return Section(
        "checking",
        "How to check it",
        [
            "Beside the data lies verify.py, a short program that needs nothing but Python: python verify.py",
            "It measures the promises again on the file, and compares its hash with the certificate release.json.",
        ],
    )


def glossary() -> Section:
    """Explain the words."""
    from incrowd.report import Section, Table  # noqa: PLC0415

    return Section(
        "glossary", "Words", [], [Table("What the words mean here", ["word", "meaning"], GLOSSARY)], annex=True
    )


def _sentence(release: Release) -> str:
    kept = f"The released table keeps {release.recipe.promise}; this was measured on the published table itself."
    return f"{kept} What that does not cover stands under Limits."


def _facts(release: Release) -> list[tuple[str, str]]:
    recipe = release.recipe
    known = recipe.input
    return [
        ("published records", f"{recipe.published:,} of {recipe.records:,}"),
        ("groups", f"{release.verdict.classes:,}"),
        ("search", f"{recipe.algorithm.partition('(')[0]}: {recipe.proof}"),
        ("original file (SHA-256)", str(known.get("sha256") or "not a file")[:12]),
        ("made with", f"incrowd {_version(release)}"),
    ]


def _version(release: Release) -> str:
    return release.recipe.versions.get("incrowd", "")


def _name(release: Release) -> str:
    basis = release.basis
    table = None if basis is None else basis.table
    return Path(table).name if isinstance(table, (str, Path)) else "a table"
