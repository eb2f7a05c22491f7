"""``incrowd assess``: how well a table hides its people, and whether it keeps a promise."""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli._assess_questions import (
    OWN_WORDS,
    Asked,
    Kinds,
    Meanings,
    Population,
    Populous,
    Presets,
    Threshold,
    Weight,
    Year,
    measured,
    open_saved,
    read_chances,
    read_presets,
    read_promise,
    uncovered,
)
from incrowd.cli._hierarchy import ShowValues
from incrowd.cli._options import (
    UTF8,
    Dates,
    Decimal,
    Encoding,
    Header,
    Memory,
    Separator,
    Sheet,
    Thousands,
    reading_of,
)
from incrowd.cli._progress import Watch
from incrowd.cli._run import FOUND, amount, hints_in, tell, terminal_words
from incrowd.cli._text import Paper, risk_lines, rule_lines, text_of

if TYPE_CHECKING:
    from incrowd.core import Schema, Verdict
    from incrowd.evidence import Assessment, Checklist, Risk, Subject
    from incrowd.hierarchies import Categories
    from incrowd.models import Model

Names = list[str] | None
SUGGESTED = "k>=5"

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="A table (CSV or Parquet), raw or released by anybody; or a release, by its folder."
    ),
]
Quasi = Annotated[
    Names, typer.Option("--quasi", metavar="NAMES", help="Columns by which to recognise a person: age,zip,sex.")
]
Sensitive = Annotated[
    Names, typer.Option("--sensitive", metavar="NAMES", help="Columns that nobody should learn about a person.")
]
CategoryFiles = Annotated[
    Names,
    typer.Option("--categories", metavar="[COLUMN=]FILE", help="A file that says how secret the values are."),
]
Require = Annotated[
    str | None,
    typer.Option(metavar="PROMISE", help='What must hold, such as "k>=5, l>=3"; exit code 1 if it does not.'),
]
Entity = Annotated[str | None, typer.Option(metavar="NAME", help="The column that says whose row it is.")]
Count = Annotated[str | None, typer.Option(metavar="NAME", help="The column that says how often a row counts.")]
Missing = Annotated[
    Names, typer.Option(metavar="TEXTS", help="What counts as missing besides empty texts, such as NA,?")
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for machines.")]
All = Annotated[bool, typer.Option("--all", help="Show every column and every measure.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on stderr, except warnings and errors.")]


@dataclass(frozen=True, slots=True)
class _Found:
    """What was measured, and what was asked for."""

    assessment: Assessment
    verdict: Verdict | None
    risk: Risk | None
    checklists: list[Checklist]

    @property
    def holds(self) -> bool:
        """Whether everything that was asked for holds; a test that could not be made does not."""
        kept = self.verdict is None or self.verdict.holds
        return kept and all(one.holds is True for one in self.checklists)


def assess(  # noqa: PLR0913, PLR0917 - a table can be read in many ways
    data: Data,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    categories: CategoryFiles = None,
    require: Require = None,
    as_json: Json = False,
    show_all: All = False,
    entity: Entity = None,
    count: Count = None,
    missing: Missing = None,
    encoding: Encoding = UTF8,
    separator: Separator = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    dates: Dates = None,
    header: Header = True,
    memory: Memory = None,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    population: Population = None,
    weight: Weight = None,
    threshold: Threshold = None,
    presets: Presets = None,
    kinds: Kinds = None,
    populous: Populous = None,
    year: Year = None,
) -> int:
    """Measure how well a table hides its people; with --require or --preset, exit code 1 if something does not hold.

    For example: incrowd assess patients.csv --quasi age,zip --preset ema-0.09
    """
    reading = reading_of(encoding, separator, sheet, decimal, thousands, dates, header, memory)
    roles = {"entity": entity, "count": count, "missing": missing, "quasi": quasi, "sensitive": sensitive}
    saved = open_saved(data, {**roles, "categories": categories}, reading)
    meanings: Meanings = (
        dict(saved.schema.sensitive) if saved is not None else _meanings(_names(sensitive), categories or [])
    )
    model = None if require is None else read_promise(require, meanings)
    asked = read_chances(population, weight, threshold)
    asked = replace(asked, **read_presets(presets or [], _names(kinds), populous, year))
    schema = _schema(data, roles, meanings, reading) if saved is None else saved.schema
    with Watch(quiet=quiet), hints_in(OWN_WORDS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the notes
        found = _measured(data, schema, model, asked, reading, saved)
    warned = _warnings(found)
    size = _size(data, found.assessment, reading) if saved is None else _size_of(saved, found.assessment)
    tell(*([] if quiet else [size]), *(f"warning: {warning}" for warning in warned))
    _write(_json(found, warned) if as_json else _assessment_lines(found, show_all=show_all))
    if show_values:
        tell(*uncovered(found.assessment, meanings))
    if found.verdict is None and not found.checklists and not quiet:
        tell(f'hint: --require "{SUGGESTED}" leaves with exit code 1 if the table does not keep the promise.')
    return 0 if found.holds else FOUND


def _schema(data: Path, roles: Mapping[str, Any], meanings: Meanings, reading: dict[str, Any]) -> Schema:
    """Read what was said about the columns of a table."""
    from incrowd.core import Schema

    return Schema(
        quasi=_quasi(data, roles["quasi"], reading),
        sensitive=meanings,
        entity=roles["entity"],
        count=roles["count"],
        missing_values=["", *_names(roles["missing"])],
    )


def _measured(
    data: Path, schema: Schema, model: Model | None, asked: Asked, reading: dict[str, Any], saved: Subject | None
) -> _Found:
    import incrowd as ic

    risk, checklists = measured(data, schema, asked, reading, saved)
    assessment = ic.assess(data, schema, **reading) if saved is None else ic.assess(saved.engine, schema)
    return _Found(assessment, None if model is None else assessment.check(model), risk, checklists)


def _names(given: Names) -> list[str]:
    """Read names that are separated by commas; one that has a comma stands in double quotes."""
    fields = csv.reader(given or [], skipinitialspace=True)
    return [name.strip() for row in fields for name in row if name.strip()]


def _quasi(data: Path, given: Names, reading: dict[str, Any]) -> list[str]:
    from incrowd.core import ParameterError
    from incrowd.engines import open_table

    names = _names(given)
    if not names:
        columns = open_table(data, **reading).columns()
        msg = f"--quasi is missing: by which of the {amount(len(columns), 'column')} could somebody recognise a person?"
        hint = f"name them, for example --quasi age,zip,sex; incrowd init {data} lists all columns."
        raise ParameterError(msg, hint=hint)
    return names


def _meanings(sensitive: list[str], files: list[str]) -> dict[str, Categories | None]:
    """Read the categories of sensitive columns; a file without a column belongs to the only one."""
    from incrowd.core import ParameterError
    from incrowd.hierarchies import categories

    meanings: dict[str, Categories | None] = dict.fromkeys(sensitive)
    for given in files:
        column, equals, file = given.partition("=")
        if not equals or column not in meanings:
            if len(meanings) != 1:
                msg = f"--categories does not say which of {amount(len(meanings), 'sensitive column')} it is about."
                raise ParameterError(
                    msg, hint="write --categories COLUMN=FILE, and name the column in --sensitive too."
                )
            column, file = sensitive[0], given
        meanings[column] = categories(file)
    return meanings


def _size(data: Path, assessment: Assessment, reading: dict[str, Any]) -> str:
    """Say what was read, so that a wrong separator or a wrong file is seen at once."""
    from incrowd.engines import header_of, is_text, open_table

    rows = amount(assessment.records, "record" if assessment.counted else "row")
    if not is_text(data):
        return f"{rows}, {amount(len(open_table(data, **reading).columns()), 'column')}"
    layout = header_of(data, reading["encoding"], reading.get("separator"), named=reading.get("header", True))
    shown = r"\t" if layout.separator == "\t" else layout.separator
    return f"{rows}, {amount(len(layout.columns), 'column')}, separator '{shown}'"


def _size_of(saved: Subject, assessment: Assessment) -> str:
    """Say how large a release is."""
    return f"{amount(assessment.records, 'row')}, {amount(len(saved.engine.columns()), 'column')}"


def _warnings(found: _Found) -> list[str]:
    """Collect what a careful reader should know, each thing once."""
    assessment = found.assessment
    empty = [] if assessment.classes else ["A table without records keeps every promise and helps nobody."]
    lacking = [
        column.not_measured["similar"] for column in assessment.columns.values() if "similar" in column.not_measured
    ]
    told = [one.notes for one in (found.verdict, found.risk) if one is not None]
    notes = [*assessment.notes, *empty, *(note for notes in told for note in notes)]
    return [terminal_words(note, OWN_WORDS) for note in dict.fromkeys([*notes, *lacking])]


def _assessment_lines(found: _Found, *, show_all: bool) -> Iterator[str]:
    paper, more = Paper.here(), () if found.risk is None else risk_lines(found.risk)
    yield from text_of(found.assessment, found.verdict, paper, show_all=show_all, more=more)
    yield from rule_lines(found.checklists, paper, show_all=show_all)


def _json(found: _Found, warned: list[str]) -> list[str]:
    from incrowd.evidence import plain_verdict

    plain = found.assessment.to_dict() | {"notes": warned}
    plain["verdict"] = None if found.verdict is None else plain_verdict(found.verdict)
    plain["risk"] = None if found.risk is None else found.risk.to_dict()
    plain["presets"] = [checklist.to_dict() for checklist in found.checklists]
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False).splitlines()


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
