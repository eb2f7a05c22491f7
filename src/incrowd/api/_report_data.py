"""The sections of a report that say what was promised, what was done, and what that does not cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from incrowd.api import _chart_rows as rows
from incrowd.api._limits import GENERAL, PSEUDONYMS, limit_of
from incrowd.api._plain_words import meaning_of
from incrowd.models import KAnonymity, LDiversity
from incrowd.models._numbers import plain
from incrowd.report import Figure, Section, Table

if TYPE_CHECKING:
    from incrowd.api._charts import Charts
    from incrowd.api._release import Release

NOT_STATED = "NOT STATED"
QUESTIONS = (
    ("purpose", "What the data are released for"),
    ("controller", "Who is responsible"),
    ("recipients", "Who receives them"),
    ("environment", "How they are received: public, by contract, inside"),
    ("legal_basis", "On which legal basis"),
    ("earlier_releases", "Earlier releases about the same people"),
    ("valid_until", "When this is looked at again"),
)
"""What only the owner can say, by the keys of a plan's section ``report``."""
LOCAL = (
    "A local recoding calls each group as precisely as it can. Whoever knows the method can sometimes tell more than "
    "the labels say: which finer groups were too small (downcoding, minimality)."
)

SEVERAL = (
    "The promises count people group by group. Whoever knows several rows of a person may find that person, or learn "
    "about them, more easily than the promises say of one row."
)
HIDDEN = "Columns that name people are not published."
NAMES = {"precision": "precision lost (1 - Sweeney's)"}
"""What measures are called where their own name would be read the other way round."""


def promises(release: Release, *, measured: bool = True) -> Section:
    """Say what is promised, what that means, and what was measured."""
    head = ["promise", "what it means", "required", *(["measured"] if measured else []), "verdict"]
    triples = zip(_parts(release), release.verdict.findings, strict=True)
    table = [
        [
            finding.promise,
            meaning_of(part),
            ", ".join(f"{name} {sense} {plain(bound)}" for name, sense, bound in finding.required),
            *([", ".join(_number(value) for value in finding.measured)] if measured else []),
            "kept" if finding.holds else "BROKEN",
        ]
        for part, finding in triples
    ]
    words = ["Each promise is about every group of records that look alike. It was measured on the published table."]
    return Section("promises", "What is promised", words, [Table("Promises", head, table)])


def purpose(about: Mapping[str, str], *, stated: bool = False) -> Section:
    """Say what the release is for; what nobody said is marked, or left out where only the stated is wanted."""
    asked = [(key, question) for key, question in QUESTIONS if about.get(key) or not stated]
    table = [[question, str(about.get(key) or NOT_STATED)] for key, question in asked]
    return Section(
        "purpose", "Purpose and recipients", [], [Table("As stated by the owner", ["question", "answer"], table)]
    )


def columns(release: Release, *, counted: bool = True) -> Section:
    """Say what was done to every column."""
    schema, explained = release.schema, {part.column: part for part in release.explanation.columns}
    named = [(name, "quasi-identifier") for name in schema.quasi_names]
    named += [(name, "sensitive") for name in schema.sensitive_names]
    named += [(name, "insensitive") for name in schema.insensitive]
    table = []
    for name, role in named:
        if role != "quasi-identifier":
            told = "published as it is"
        elif counted:
            told = f"published {explained[name].published}"
        else:
            told = _public_words(release, name)
        table.append([name, role, told])
    hidden = [
        name for name in (*schema.identifiers, schema.entity) if name and name not in release.recipe.pseudonymised
    ]
    table += [[name, "identifier", "published as a pseudonym"] for name in release.recipe.pseudonymised]
    words = []
    if hidden and not counted:
        words.append(HIDDEN)
    elif hidden:
        words.append(f"{len(hidden)} columns name people and are not published." if len(hidden) > 1 else _one_hidden())
    return Section("columns", "Columns", words, [Table("What is published", ["column", "role", "how"], table)])


def changed(charts: Charts) -> Section:
    """Say how far columns were raised, and who was left out."""
    release, basis = charts.release, charts.basis
    recipe = release.recipe
    words = [f"{recipe.suppressed:,} of {recipe.records:,} records are left out or masked."]
    if recipe.dropped:
        words.append(f"{recipe.dropped:,} records were removed first because a quasi-identifier is missing.")
    removed = rows.removed_rows(basis)
    tables = []
    if removed:
        share = [
            [column, name, f"{there:,}", f"{out:,}", f"{out / there:.1%}" if there else ""]
            for column, name, there, out in removed
        ]
        head = ["column", "group", "records", "left out", "share"]
        tables = [Table("Who was left out: is one group hit harder than another?", head, share)]
    figure = Figure(
        "How far each column was raised",
        charts.ladders(),
        "Each bar is all published records; darker means vaguer.",
        "If a column that matters is dark, raise its importance, or allow more records to be left out.",
    )
    return Section("changed", "What was changed", words, tables, [figure])


def confidential(charts: Charts) -> list[Section]:
    """Show how certain guesses of sensitive values can be."""
    names = charts.basis.problem.census.sensitive
    if not names:
        return []
    figures = [
        Figure(
            f"Most certain guess of {name}",
            charts.confidence(name, _limit(charts.release, name)),
            "Groups from the safest to the least safe; the height is the share of the most frequent value there.",
            "If the right end is high, ask for more diversity (l) or for closeness (t).",
        )
        for name in names
    ]
    return [Section("confidential", "Confidential values", [], [], figures)]


def method(charts: Charts) -> Section:
    """Say how the release was searched, and show where it stands among others."""
    recipe = charts.release.recipe
    table = [["search", recipe.algorithm], ["shown", recipe.proof], ["engine", recipe.engine]]
    if recipe.nodes:
        table.append(["nodes tested", f"{recipe.checked:,} of {recipe.nodes:,}"])
    table += [[NAMES.get(name, name), f"{value:,.4g}"] for name, value in charts.release.measures.items()]
    drawn = [
        (
            "Other versions: the lattice of levels",
            charts.lattice(),
            "Every point is one choice of levels; more general ones stand higher.",
            "Points below the chosen one that are acceptable keep more detail in some columns.",
        ),
        (
            "What every k would cost",
            charts.frontier(),
            "Detail lost if only k were promised, with one level per column and the same limit of records left out.",
            "Where the line is flat, a larger k costs little: take it.",
        ),
        (
            "Groups over two columns",
            charts.rectangles(),
            "Each rectangle is a group; darker means more records.",
            "Large rectangles are where people are rare: that is where detail was lost.",
        ),
    ]
    figures = [Figure(*parts) for parts in drawn if parts[1] is not None]
    trees = [(name, charts.tree(name)) for name in charts.basis.problem.census.quasi]
    figures += [
        Figure(f"Hierarchy of {name}", tree, "Values on the left, the groups they become to the right.", "")
        for name, tree in trees
        if tree is not None
    ]
    notes = [f"Note: {note}" for note in recipe.notes]
    return Section(
        "method", "How it was searched", notes, [Table("Search", ["what", "value"], table)], figures, annex=True
    )


def limits(release: Release) -> Section:
    """Say what the promises do not cover."""
    told = [
        *dict.fromkeys(f"{part}: {limit_of(part)}" for part in release.model.parts),
        *GENERAL,
        *([PSEUDONYMS] if release.recipe.pseudonymised else []),
        *([SEVERAL] if release.schema.entity is not None else []),
        *([LOCAL] if release.recoding.levels is None else []),
    ]
    return Section("limits", "Limits of this statement", told)


def reproduce(release: Release) -> Section:
    """Say what is needed to make the release again."""
    recipe = release.recipe
    table = [
        ["promise", recipe.promise],
        ["search", recipe.algorithm],
        ["records that may be left out", f"{recipe.max_suppressed_records:,}"],
        ["order of rows", recipe.order],
        ["original", str(recipe.input.get("sha256") or f"{recipe.input.get('rows')} rows, not a file")],
        *([name, version] for name, version in recipe.versions.items()),
    ]
    words = [
        "With the plan, these versions and the same table the same release comes out, whatever the order of its rows."
    ]
    return Section("reproduce", "How to make it again", words, [Table("Recipe", ["what", "value"], table)], annex=True)


def _parts(release: Release) -> list[Any]:
    """Give the promise behind every finding."""
    schema = release.schema
    known = release.distributions
    return [part for part in release.model.parts for _ in part.bind(schema, known)]


def _limit(release: Release, column: str) -> float | None:
    """Give the most certain guess of a column that the promises allow, if they bound it."""
    found = [
        1 / float(part.l)
        for part in release.model.parts
        if isinstance(part, LDiversity) and part.kind == "probabilistic" and (part.of is None or column in part.of)
    ]
    return min(found, default=None)


def smallest_group(release: Release) -> int:
    """Give the k that was promised; 1 if none was."""
    return max((part.k for part in release.model.parts if isinstance(part, KAnonymity)), default=1)


def _public_words(release: Release, name: str) -> str:
    """Say how a column is published, without a number that the release does not show."""
    levels = release.recoding.levels
    if levels is None:
        return "published as vaguely as each group needs"
    return f"published at level {levels[name]} of its hierarchy" if levels[name] else "published as it is"


def _one_hidden() -> str:
    return "One column names people and is not published."


def _number(value: Any) -> str:
    return f"{int(value):,}" if value == int(value) else f"{float(value):.4g}"
