"""The report of a release for its owner and for the public: its first page, its sections in order, its files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.core import ParameterError, atomic_path, name_list
from incrowd.evidence import Attack
from incrowd.release import (
    NEEDS,
    NOT_STATED,
    SHORT,
    About,
    Recipe,
    Release,
    check_about,
    settings_of,
    untrue_text,
)
from incrowd.report._charts import Charts
from incrowd.report._data_section import (
    columns_section,
    data_section,
    glossary_section,
    promises_table,
    purpose_section,
    rules_section,
    scenario_section,
)
from incrowd.report._evidence_section import (
    attacks_section,
    chances_figure,
    confidential_sections,
    risk_section,
    usefulness_section,
)
from incrowd.report._method_section import changes_section, limits_section, method_section, reproduction_section
from incrowd.report._page import Page, Section, Table, html_of, plain_page
from incrowd.report._verdict_section import (
    HEAD,
    Row,
    compared_row,
    group_rows,
    highest_row,
    judgement,
    people_in,
    share,
)

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
        _write_page(page, part, file.suffix.lower())
    return file


def write_reports(release: Release, owner: Path, public: Path, about: Mapping[str, str], **known: Any) -> None:
    """Write the reports of a release into its two folders."""
    _refuse_sample(release)
    whole = About(about, **known)
    page = owner_page(charts_of(release, whole), whole)
    for ending in (".html", ".json"):
        _write_page(page, owner / f"report{ending}", ending)
    _write_page(public_page(release, whole), public / "report.html", ".html")


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


def _write_page(page: Page, path: Path, ending: str) -> None:
    text = json.dumps(plain_page(page), indent=2, ensure_ascii=False) if ending == ".json" else html_of(page)
    path.write_text(text, encoding="utf-8")


def charts_of(release: Release, about: About) -> Charts:
    """Measure a release once for its report, and for whoever looks at the same numbers."""
    return Charts(release, about.population, about.threshold)


def owner_page(charts: Charts, about: About, told: Callable[[int, int], object] | None = None) -> Page:
    """Put together what the owner of the data is told: two pages for whoever decides, and the rest behind them."""
    release = charts.release
    makers = _owner_sections(charts, about)
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


def _owner_sections(charts: Charts, about: About) -> list[Callable[[], Section | Iterable[Section]]]:
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
            *_layout_texts(name, about.file.get("dialect")),
            *_star_texts(name, about.file.get("stars", ())),
        ],
    )


def _layout_texts(name: str, dialect: Mapping[str, Any] | None) -> Iterator[str]:
    """Say how a text file is read that is no plain one."""
    if dialect is None:
        return
    between = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(dialect["separator"], dialect["separator"])
    days = "" if dialect["dates"] is None else f", and days as {dialect['dates']}"
    numbers = "commas" if dialect["decimal"] == "," else "points"
    letters = f"is encoded in {dialect['encoding']}"
    yield f"To read {name}: it has {between} between its values, {letters}, and has decimal {numbers}{days}."


def _star_texts(name: str, stars: Sequence[str]) -> Iterator[str]:
    """Say where nothing in a file means that a value is not published."""
    if stars:
        columns = f"the column{'s' * (len(stars) > 1)} {name_list(stars, len(stars))}"
        yield f"In {name}, a cell of {columns} that is empty has a value that is not published (*)."


# The first page: what a board reads before it signs.

SHORTFALLS = 5
"""Of so many columns the first page says what would bring them back."""


def summary_section(charts: Charts) -> Section:
    """Say in plain words and few numbers what was promised, what was measured, and what it cost."""
    tables = [promises_table(charts.release), Table("Before and after", HEAD, _summary_rows(charts))]
    if lost := charts.release.explanation.shortfalls:
        head = ("column", "what is left", "what would bring it back")
        rows = [(one.column, one.left.removeprefix("carries "), one.back) for one in lost]
        tables.insert(0, Table("Columns of which nothing or little is left", head, rows, SHORTFALLS))
    return Section("summary", "In short", _summary_words(charts), tables, [chances_figure(charts)])


def public_summary_section(release: Release) -> Section:
    """Say what is promised, with no number that the release does not show."""
    words = ["Each promise is about every group of records that look alike. It was measured on the published table."]
    words += _untrue_words(release)
    return Section("promises", "What is promised", words, [promises_table(release, measured=False)])


def verdict_sentence(release: Release) -> str:
    """Say in one sentence whether the promises are kept."""
    kept = f"The released table keeps {release.recipe.promise}; this was measured on the published table itself."
    return f"{kept} See Limits for what this does not cover."


def owner_facts(release: Release, about: About) -> list[tuple[str, str]]:
    """Give what stands beside the verdict, for the owner."""
    recipe = release.recipe
    return [
        ("released file", str(about.file.get("name") or "not written")),
        ("released file (SHA-256)", str(about.file.get("sha256") or "not a file")[:SHORT]),
        ("published records", f"{recipe.published:,} of {recipe.records + recipe.dropped:,}"),
        ("groups", f"{release.verdict.classes:,}"),
        ("original file (SHA-256)", str(recipe.input.get("sha256") or "not a file")[:SHORT]),
        settings_of(release, about.plan),
        ("date", about.date),
        *([("valid until", about.answer("valid_until"))] if about.stated.get("valid_until") else []),
        ("made with", _tool_line(release)),
    ]


def public_facts(release: Release, about: About) -> list[tuple[str, str]]:
    """Give what stands beside the verdict, for anybody: what the certificate says too."""
    found = [
        ("file", str(about.file.get("name") or "")),
        ("file (SHA-256)", str(about.file.get("sha256") or "")[:SHORT]),
        ("date", about.date),
        ("valid until", about.answer("valid_until")),
        ("made with", _tool_line(release)),
    ]
    return [(name, text) for name, text in found if text and text != NOT_STATED]


def table_name(release: Release) -> str:
    """Give the name of the file that a release was made of."""
    table = None if release.basis is None else release.basis.table
    return Path(table).name if isinstance(table, (str, os.PathLike)) else "a table"


def _summary_words(charts: Charts) -> list[str]:
    """Say the most important in three sentences."""
    recipe, after = charts.release.recipe, charts.risk_after
    whole = recipe.records + recipe.dropped
    of = "" if after.persons is None else f" of {people_in(after):,} people"
    masked = f", {recipe.masked:,} only without their quasi-identifiers" if recipe.masked else ""
    known = ", ".join(charts.release.schema.quasi_names)
    published = f"{recipe.published:,} of {whole:,} records{of} are published{masked}"
    return [
        f"{published}{_missing_text(recipe)} The promises assume an intruder who knows these columns: {known}.",
        *_untrue_words(charts.release),
        *recipe.interval_sentences,
        *(
            f"Guesses of {name} are right in {share(guess.rate)} of cases with the release and "
            f"{share(guess.baseline)} without it; the surest guess is {share(guess.worst or 0)} certain."
            for name, guess in _guessing_attacks(charts).items()
        ),
    ]


def _untrue_words(release: Release) -> list[str]:
    """Say on the first page which columns are not true."""
    dates = release.schema.shifted
    return [] if dates is None else [f"{untrue_text(dates.columns)} Each date is shifted {dates.words}."]


def _missing_text(recipe: Recipe) -> str:
    """Say who is not there: those left out, and those removed before the search as something is missing in them."""
    whole, gone = recipe.records + recipe.dropped, recipe.suppressed - recipe.masked
    are = "is" if gone == 1 else "are"
    left = f"{gone:,} ({share(_share_of(gone, whole))}) {are} left out" if gone else "none are left out"
    if not recipe.dropped:
        return f"; {left}."
    removed = f"{recipe.dropped:,} ({share(_share_of(recipe.dropped, whole))}) were removed first"
    others = left if gone else "none of the others are left out"
    before = 'The removed records are not counted under "before".'
    return f". {removed}, because a quasi-identifier is missing; {others}. {before}"


def _guessing_attacks(charts: Charts) -> dict[str, Attack]:
    """Give the attacks that guess, by their column: a reader finds the same numbers there."""
    return {one.column: one for one in charts.attacks_after if one.name == "inference" and one.column is not None}


def _summary_rows(charts: Charts) -> list[Row]:
    """Compare the numbers that a board asks for."""
    k, release = charts.promised_k, charts.release
    rows = [
        *group_rows(charts, k)[1:],
        highest_row(charts, k),
        compared_row("average chance to find a person", charts.risks, lambda one: share(one.prosecutor.average)),
    ]
    if found := release.recipe.shifted.get("intervals"):
        alone = f"{found['alone_before']:,}", f"{found['alone']:,}"
        rows.append(["people alone by their dates; after, by the intervals between them", *alone, "not promised", ""])
    columns = release.columns
    if columns:
        left = len(columns) - len(release.explanation.empty)
        rows.append(["quasi-identifiers that still say something", f"{len(columns)}", f"{left}", "", ""])
        rows.append(["detail kept, average of these columns", "100%", f"{release.detail_kept:.1%}", "", ""])
    return rows


def _share_of(part: int, whole: int) -> float:
    return part / max(whole, 1)


def _tool_line(release: Release) -> str:
    return f"incrowd {release.recipe.versions.get('incrowd', '')}"
