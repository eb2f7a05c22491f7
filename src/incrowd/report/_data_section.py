"""Report sections on purpose, promises, data, columns, scenario, published rules and glossary."""

from __future__ import annotations

from typing import Any

from incrowd.core import Domain, Finding, share_text
from incrowd.hierarchies import Averaged
from incrowd.models import Model, number_text
from incrowd.release import QUESTIONS, About, Recipe, Release
from incrowd.report._charts import USUAL, Charts, promised_k
from incrowd.report._page import WORDS, Section, Table


def purpose_section(about: About, *, public: bool = False) -> Section:
    """Say what the release is for, as far as somebody said it; what nobody said stands in the banner of the owner's."""
    told = [
        [question.text, about.answer(key)]
        for key, question in QUESTIONS.items()
        if about.stated.get(key) and (question.public or not (public or question.asked))
    ]
    return Section(
        "purpose", "Purpose and release", [], [Table("As stated by the owner", ["question", "answer"], told)]
    )


HIDDEN = "Columns that name people are not published."
WHO = (
    ("prosecutor", "knows that a certain person is in the table, and looks for that person's record"),
    ("journalist", "looks for anybody, and must find the record's person in the population"),
    ("marketer", "links as many records as possible to people, and does not mind mistakes"),
)


def promises_table(release: Release, *, measured: bool = True) -> Table:
    """Say what is promised, what that means, and what was measured."""
    head = ["promise", "what it means", "required", *(["measured"] if measured else []), "verdict"]
    rows = [
        [
            finding.promise,
            part.meaning(several=release.schema.entity is not None),
            ", ".join(
                f"{name}\N{NO-BREAK SPACE}{sense}\N{NO-BREAK SPACE}{number_text(bound)}"
                for name, sense, bound in finding.required
            ),
            *([", ".join(_figure(value) for value in finding.measured)] if measured else []),
            "kept" if finding.holds else "BROKEN",
        ]
        for part, finding in judged_promises(release)
    ]
    return Table("Promises", head, rows)


def judged_promises(release: Release) -> list[tuple[Model, Finding]]:
    """Give every finding of the verdict with the promise behind it."""
    parts = [part for part in release.model.parts for _ in part.bind(release.schema, release.distributions)]
    return list(zip(parts, release.verdict.findings, strict=True))


def data_section(charts: Charts, about: About) -> Section:
    """Say what the data are: rows, people, columns, and what is missing in them."""
    release, recipe = charts.release, charts.release.recipe
    facts = [
        *_sizes(recipe, charts.basis.problem.census.persons),
        ["columns in the table", f"{len(recipe.input['columns']):,}"],
        ["columns published", f"{len(_published_columns(release)):,}"],
        ["period", about.answer("period")],
        ["original", str(recipe.input.get("sha256") or "not a file")],
    ]
    domains = charts.domains(_published_columns(release))
    more = {
        name: _value_counts(domains[name], charts.missing(name), recipe.records) for name in _published_columns(release)
    }
    told = columns_section(release, about)
    (table,) = told.tables
    rows = [[*row, *more.get(row[0], ["", ""])] for row in table.rows]
    title = f"Published columns{', counted without the records removed first' if recipe.dropped else ''}"
    head = [*table.head, "different values", "missing"]
    tables = [Table("The original table", ["what", "value"], facts), Table(title, head, rows)]
    return Section("data", "Data and columns", told.words, tables, annex=True)


def columns_section(release: Release, about: About | None = None) -> Section:
    """Say what was done to every column; without what the owner says, no number that the release does not show."""
    schema, table = release.schema, []
    for name in _published_columns(release):
        role = schema.role(name) or "insensitive"
        told = "as it is"
        if role == "quasi-identifier":
            told = _public_words(release, name) if about is None else release.columns[name].published
        told = release.recipe.untrue.get(name, told)
        table.append([name, role, technique(release, name), told])
    table += [[name, "identifier", "pseudonym", "as a pseudonym"] for name in release.recipe.pseudonymised]
    named = dict.fromkeys(name for name in (*schema.identifiers, schema.entity) if name)
    hidden = [name for name in named if name not in release.recipe.pseudonymised]
    words = [_hidden_text(len(hidden), counted=about is not None)] if hidden else []
    if about is not None:
        words.append(f"Roles confirmed by: {about.answer('roles_confirmed_by')}.")
    head = ["column", "role", "technique", "how it is published"]
    return Section("columns", "Column decisions", words, [Table("What is published", head, table)], annex=True)


def technique(release: Release, name: str) -> str:
    """Name what was done to a column, in the words of ISO/IEC 20889."""
    if name in release.recipe.untrue:
        return "randomization (dates shifted)"
    if release.schema.role(name) != "quasi-identifier":
        return "none"
    if isinstance(dict(release.schema.quasi)[name], Averaged):
        return "microaggregation"
    levels = release.recipe.levels
    if levels is None:
        return "local generalization"
    column = release.columns.get(name)
    starred, cells = (0, 0) if column is None else (column.starred, column.cells)
    if starred and starred == cells:
        return "attribute suppression"
    done = ["generalization"] * (levels[name] > 0) + ["local suppression"] * (starred > 0 and release.recipe.has_stars)
    return " and ".join(done) or "none"


def scenario_section(release: Release, about: About | None = None) -> Section:
    """Say who is expected to try what, and which limits were set for them."""
    rows = [["every intruder may know", ", ".join(release.schema.quasi_names)]]
    rows += [[name, words] for name, words in WHO]
    rows += _accepted_rows(promised_k(release), about)
    if about is not None:
        recipe = release.recipe
        rows.append(["records that may be left out", f"{recipe.max_suppressed_records:,} of {recipe.records:,}"])
        rows.append(["why these limits", about.answer("threshold_reasons")])
    table = Table("Intruders and limits", ["what", "assumed or set"], rows)
    return Section("scenario", "Scenario and limits", [], [table], annex=True)


def _accepted_rows(k: int, about: About | None) -> list[list[str]]:
    """Say which chance is accepted, and who says so; to the public, what the promise says alone."""
    what = "highest chance that is accepted"
    if about is not None and about.threshold is not None:
        return [[what, f"{float(about.threshold):.2%}, set by the owner of the data"]]
    if k > 1:
        return [[what, f"1 in {k:,} ({1 / k:.2%})"]]
    usual = f"1 in {1 / USUAL} ({float(USUAL):.2%}), the usual limit: no k is promised"
    return [] if about is None else [[what, usual]]


def _published_columns(release: Release) -> list[str]:
    schema = release.schema
    counted = [] if schema.count is None else [schema.count]
    return [*schema.quasi_names, *schema.sensitive_names, *schema.insensitive, *schema.shifted_names, *counted]


def _sizes(recipe: Recipe, persons: int | None) -> list[list[str]]:
    """Say how many records there were, how many of them were removed before the search, and of how many people."""
    whole = recipe.records + recipe.dropped
    if not recipe.dropped:
        people = f"{whole:,}, one record each" if persons is None else f"{persons:,}"
        return [["records", f"{whole:,}"], ["people", people]]
    people = f"{whole:,}, one record each" if persons is None else f"{persons:,} in the records that are left"
    return [
        ["records", f"{whole:,}"],
        ["records removed first, as a quasi-identifier is missing", f"{recipe.dropped:,}"],
        ["records that are left", f"{recipe.records:,}"],
        ["people", people],
    ]


def _value_counts(domain: Domain, missing: int, records: int) -> list[str]:
    """Count the different values of a column, and those that are missing, with their share."""
    return [f"{len(domain.values):,}", f"{missing:,} ({share_text(missing, records)})" if missing else "0"]


def _public_words(release: Release, name: str) -> str:
    """Say how a column is published, without a number that the release does not show."""
    levels, done = release.recipe.levels, technique(release, name)
    if levels is None:
        return "as vaguely as each group needs"
    if done == "attribute suppression":
        return "without its values: every value is a star"
    told = f"at level {levels[name]} of its hierarchy" if levels[name] else "as it is"
    return f"{told}, with stars in single cells" if "local suppression" in done else told


def _hidden_text(number: int, *, counted: bool) -> str:
    if not counted:
        return HIDDEN
    return (
        "One column names people and is not published." if number == 1 else f"{number} {HIDDEN[0].lower()}{HIDDEN[1:]}"
    )


def _figure(value: Any) -> str:
    return f"{int(value):,}" if value == int(value) else f"{float(value):.4g}"


# The annexes of a report: what its words mean, and which rule asks for which of its sections.


def glossary_section() -> Section:
    """Explain the words."""
    words = WORDS["glossary"]
    table = Table("What the words mean here", ["word", "meaning"], words, most=len(words))
    return Section("glossary", "Annex A: words", [], [table], annex=True)


def rules_section() -> Section:
    """Say which rule asks for which section."""
    asked = Table("Where rules ask for what", WORDS["head"], WORDS["mapping"])
    tables = [asked, Table("The rules", ["rule", "text"], WORDS["editions"])]
    return Section("mapping", "Annex B: where rules ask for this", [WORDS["note"]], tables, annex=True)
