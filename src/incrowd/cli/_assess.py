"""``incrowd assess``: how well a table hides its people, and whether it keeps a promise or a published rule."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from incrowd.cli._explain import FOUND, Words, column_in_plan, hints_in, terminal_words
from incrowd.cli._options import (
    CategoryFiles,
    Count,
    Entity,
    Json,
    Missing,
    Names,
    Quasi,
    Quiet,
    Sensitive,
    ShowValues,
    categories_in,
    names_in,
    with_reading,
)
from incrowd.cli._terminal import Watch, amount, tell, write, write_json
from incrowd.cli._text import Paper, assessment_lines, risk_lines, rule_lines

if TYPE_CHECKING:
    from incrowd.core import Schema, Setting, Verdict
    from incrowd.evidence import Assessment, Checklist, Risk, Subject
    from incrowd.models import Model

Reading = dict[str, Any]
Meanings = Mapping[str, Any]
"""Per sensitive column what is known about its values, such as how secret they are."""
SUGGESTED = "k>=5"
HARBOR = "hipaa-safe-harbor"
PANEL = "Chances and published rules"

Data = Annotated[
    Path,
    Argument(metavar="DATA", help="A table (CSV or Parquet), raw or released by anybody; or a release, by its folder."),
]
Require = Annotated[
    str | None, Option(metavar="PROMISE", help='What must hold, such as "k>=5, l>=3"; exit code 1 if it does not.')
]
All = Annotated[bool, Option("--all", help="Show every column and every measure.")]
Population = Annotated[
    str | None,
    Option(
        metavar="N|FILE",
        help="How many people the table was drawn from, or a table of them with the same columns.",
        rich_help_panel=PANEL,
    ),
]
WEIGHT = "The column that says how many people a record stands for."
Weight = Annotated[str | None, Option(metavar="NAME", help=WEIGHT, rich_help_panel=PANEL)]
HOUSEHOLD = "The column that says which household each row is a member of."
Household = Annotated[str | None, Option(metavar="NAME", help=HOUSEHOLD, rich_help_panel=PANEL)]
THRESHOLD = "The highest acceptable chance to find a person, such as 0.09."
Threshold = Annotated[str | None, Option(metavar="CHANCE", help=THRESHOLD, rich_help_panel=PANEL)]
PRESETS = f"A published rule: ema-0.09, wp216 or {HARBOR}; exit code 1 unless it holds."
Presets = Annotated[Names, Option("--preset", metavar="NAME", help=PRESETS, rich_help_panel=PANEL)]
KIND = f"What a column is about, for {HARBOR}."
Kinds = Annotated[Names, Option("--kind", metavar="COLUMN=KIND", help=KIND, rich_help_panel=PANEL)]
POPULOUS = "The first three digits of ZIP codes where over 20,000 people live."
Populous = Annotated[Path | None, Option(metavar="FILE", help=POPULOUS, rich_help_panel=PANEL)]
YEAR = "The year in which people had the ages that the data say."
Year = Annotated[int | None, Option(metavar="YEAR", help=YEAR, rich_help_panel=PANEL)]


def _categories_hint(setting: Setting) -> str:
    ((column, meaning),) = setting.value.items()
    if meaning == "categories":
        return f"write --categories {column}=FILE"
    return f"no option says that; in a plan, write {column_in_plan(setting)}"


OWN_WORDS: Words = {
    "sensitive": _categories_hint,
    "quasi": lambda _: "incrowd init plans how it becomes vaguer",
    "partition": lambda one: "write " + " or ".join(f"nt(...)[{kind}]" for kind in one.value),
}


@dataclass(frozen=True, slots=True)
class RiskOptions:
    """What was asked about intruders, as in ``risk``, and about published rules."""

    population: int | Path | None = None
    weight: str | None = None
    threshold: Fraction | None = None
    household: str | None = None
    presets: tuple[str, ...] = ()
    harbor: Mapping[str, Any] = field(default_factory=dict)
    """What ``safe_harbor`` must know."""

    @property
    def needs_chances(self) -> bool:
        """Whether chances must be measured."""
        given = (self.population, self.weight, self.threshold, self.household)
        return any(one is not None for one in given) or any(name != HARBOR for name in self.presets)


@dataclass(frozen=True, slots=True)
class AssessResult:
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

    def warnings(self) -> list[str]:
        """Collect what a careful reader should know, each thing once."""
        columns = self.assessment.columns.values()
        lacking = [column.not_measured["similar"] for column in columns if "similar" in column.not_measured]
        empty = [] if self.assessment.classes else ["A table without records keeps every promise and helps nobody."]
        more = [note for one in (self.verdict, self.risk) if one is not None for note in one.notes]
        notes = dict.fromkeys([*self.assessment.notes, *empty, *more, *lacking])
        return [terminal_words(note, OWN_WORDS) for note in notes]


@with_reading()
def assess(
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
    *,
    reading: Reading,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    population: Population = None,
    weight: Weight = None,
    household: Household = None,
    threshold: Threshold = None,
    presets: Presets = None,
    kinds: Kinds = None,
    populous: Populous = None,
    year: Year = None,
) -> int:
    """Measure how well a table hides its people; with --require or --preset, exit code 1 if something does not hold.

    For example: incrowd assess patients.csv --quasi age,zip --preset ema-0.09
    """
    roles = {"entity": entity, "count": count, "missing": missing, "quasi": quasi, "sensitive": sensitive}
    saved = _saved_release(data, {**roles, "categories": categories}, reading)
    given = categories_in(names_in(sensitive), categories) if saved is None else dict(saved.schema.sensitive)
    meanings: Meanings = given
    model = None if require is None else _model_of(require, meanings)
    rules = _read_presets(presets or [], names_in(kinds), populous, year)
    question = replace(_read_chances(population, weight, threshold), household=household, **rules)
    schema = _schema_of_options(data, roles, meanings, reading) if saved is None else saved.schema
    with Watch(quiet=quiet), hints_in(OWN_WORDS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the notes
        answer = _answer_for(data, schema, model, question, reading, saved)
    warned, assessment = answer.warnings(), answer.assessment
    size = _size_line(data, assessment, reading) if saved is None else _release_size(saved, assessment)
    tell(*([] if quiet else [size]), *(f"warning: {warning}" for warning in warned))
    if as_json:
        _write_json(answer, warned)
    else:
        paper, more = Paper.here(), () if answer.risk is None else risk_lines(answer.risk)
        write(*assessment_lines(assessment, answer.verdict, paper, show_all=show_all, more=more))
        write(*rule_lines(answer.checklists, paper, show_all=show_all))
    if show_values:
        tell(*_uncovered_values(assessment, meanings))
    if answer.verdict is None and not answer.checklists and not quiet:
        tell(f'hint: --require "{SUGGESTED}" leaves with exit code 1 if the table does not keep the promise.')
    return 0 if answer.holds else FOUND


def _schema_of_options(data: Path, roles: Mapping[str, Any], meanings: Meanings, reading: Reading) -> Schema:
    """Read what was said about the columns of a table."""
    from incrowd.core import ParameterError, Schema
    from incrowd.engines import open_table

    quasi = names_in(roles["quasi"])
    if not quasi:
        columns = open_table(data, **reading).columns()
        msg = f"--quasi is missing: by which of the {amount(len(columns), 'column')} could somebody recognise a person?"
        hint = f"name them, for example --quasi age,zip,sex; incrowd init {data} lists all columns."
        raise ParameterError(msg, hint=hint)
    missing = ["", *names_in(roles["missing"])]
    return Schema(quasi, meanings, entity=roles["entity"], count=roles["count"], missing_values=missing)


def _answer_for(
    data: Path, schema: Schema, model: Model | None, question: RiskOptions, reading: Reading, saved: Subject | None
) -> AssessResult:
    """Measure the chances, hold the table against every rule, and assess it."""
    import incrowd as ic

    risk = None
    if question.needs_chances:
        limit: dict[str, Any] = {} if question.threshold is None else {"threshold": question.threshold}
        roles = schema if saved is None else None
        about: dict[str, Any] = {
            "population": question.population,
            "weight": question.weight,
            "household": question.household,
        }
        risk = ic.risk(data, roles, **about, **limit, **reading)
    table, how = (data, reading) if saved is None else (saved.engine, {})
    checklists = []
    for name in question.presets:
        if name == HARBOR:
            checklists.append(ic.safe_harbor(table, schema, **question.harbor, **how))
        elif risk is not None:
            checklists.append(risk.against(name))
    assessment = ic.assess(table, schema, **how)
    return AssessResult(assessment, None if model is None else assessment.check(model), risk, checklists)


def _size_line(data: Path, assessment: Assessment, reading: Reading) -> str:
    """Say what was read, so that a wrong separator or a wrong file is seen at once."""
    from incrowd.engines import header_of, is_text, open_table

    rows = amount(assessment.records, "record" if assessment.counted else "row")
    if not is_text(data):
        return f"{rows}, {amount(len(open_table(data, **reading).columns()), 'column')}"
    layout = header_of(data, reading["encoding"], reading.get("separator"), named=reading.get("header", True))
    shown = r"\t" if layout.separator == "\t" else layout.separator
    return f"{rows}, {amount(len(layout.columns), 'column')}, separator '{shown}'"


def _release_size(saved: Subject, assessment: Assessment) -> str:
    return f"{amount(assessment.records, 'row')}, {amount(len(saved.engine.columns()), 'column')}"


def _write_json(answer: AssessResult, warned: list[str]) -> None:
    from incrowd.evidence import plain_verdict

    plain = answer.assessment.to_dict() | {"notes": warned}
    plain["verdict"] = None if answer.verdict is None else plain_verdict(answer.verdict)
    plain["risk"] = None if answer.risk is None else answer.risk.to_dict()
    plain["presets"] = [checklist.to_dict() for checklist in answer.checklists]
    write_json(plain, allow_nan=False)


# What was asked is read before a large file is read for nothing.


def _saved_release(data: Path, given: Mapping[str, Any], reading: Reading) -> Subject | None:
    """Open the folder, the certificate or the data file of a release, which says itself what its columns are.

    ``given`` is what was said about the columns of a table, by the name of the option; ``None`` if this is a table.
    """
    from incrowd.core import ParameterError
    from incrowd.evidence import Subject
    from incrowd.release import certificate_beside, certificate_in

    useless = [name for name, value in given.items() if value]
    if useless and certificate_in(data) is None:  # a data file, of which somebody says more than its certificate
        return None
    if certificate_in(data) is None and certificate_beside(data) is None:
        return None
    found = Subject.of(data, None, reading)
    if useless:
        msg = f"--{useless[0]} is about the columns of a table, and a release says itself what its columns are."
        raise ParameterError(msg, hint=f"leave --{useless[0]} out, or name the data file in the folder public.")
    if found.has_several_rows:
        msg = "People have several rows in this release, and it does not say whose row is whose."
        raise ParameterError(msg, hint=f"incrowd attack {data} --original DATA counts people, and so does its report.")
    return found


def _read_chances(population: str | None, weight: str | None, threshold: str | None) -> RiskOptions:
    """Read what was asked about intruders."""
    from incrowd.core import ParameterError
    from incrowd.models import check_people, number_from_text, read_people

    people: int | Path | None = None if population is None else Path(population)
    if population is not None and re.fullmatch(r"\d+([_,]\d+)*", population):
        people = read_people(re.sub("[_,]", "", population))
        check_people(people)
    limit = None if threshold is None else number_from_text(threshold)
    if threshold is not None and (limit is None or not 0 <= limit <= 1):
        msg = f"--threshold must be a chance from 0 to 1, got {threshold!r}."
        raise ParameterError(msg, hint="write it as 0.09 or 1/11.")
    if isinstance(people, Path) and not people.exists():
        msg = f"--population must be a number of people or a file, got {population!r}."
        raise ParameterError(msg, hint="write it as 83000000, or name a table of the population.")
    return RiskOptions(people, weight, limit)


def _read_presets(names: list[str], kinds: list[str], populous: Path | None, year: int | None) -> Mapping[str, Any]:
    """Read which published rules were asked for, and what the safe harbor must know."""
    from incrowd.core import ParameterError
    from incrowd.evidence import preset

    presets = tuple(dict.fromkeys(preset(name).name for name in names))
    declared = {column: kind for column, _, kind in (given.rpartition("=") for given in kinds)}
    if "" in declared:
        msg = "--kind does not say which column it is about."
        raise ParameterError(msg, hint="write --kind COLUMN=KIND, for example --kind zip=zip.")
    if len(declared) < len(kinds):
        msg = "--kind declares a column twice."
        raise ParameterError(msg, hint="say once what each column is about.")
    given = {"--kind": kinds or None, "--populous": populous, "--year": year}
    useless = [name for name, value in given.items() if value is not None]
    if useless and HARBOR not in presets:
        msg = f"{useless[0]} is about --preset {HARBOR}, which was not asked for."
        raise ParameterError(msg, hint=f"add --preset {HARBOR}, or leave {useless[0]} out.")
    listed = None if populous is None else _zip_prefixes(populous)
    return {"presets": presets, "harbor": {"kinds": declared, "populous": listed, "year": year}}


def _zip_prefixes(path: Path) -> list[str]:
    """Read the first three digits of ZIP codes, separated by anything that is no digit and no letter."""
    from incrowd.core import DataError, text_in

    try:
        found = re.findall(r"\w+", text_in(path))
    except (OSError, UnicodeDecodeError):
        found = []
    wrong = sum(not re.fullmatch("[0-9]{3}", one) for one in found)
    if not found or wrong:
        problem = f"holds {wrong:,} words that are not three digits" if found else "cannot be read, or is empty"
        msg = f"The list of ZIP codes {path.name!r} {problem}."
        raise DataError(msg, hint="write the first three digits of each, one in a line, such as 036.")
    return found


def _model_of(text: str, meanings: Meanings) -> Model:
    """Read what must hold."""
    from incrowd.models import promise

    model = promise(text)
    for part in model.parts:
        _check_columns(part, list(meanings))
        _check_categories(part, meanings)
    return model


def _uncovered_values(assessment: Assessment, meanings: Meanings) -> list[str]:
    """List the values that categories do not cover, for who asked for values."""
    from incrowd.core import UncoveredValuesError
    from incrowd.hierarchies import Categories
    from incrowd.models import PAlphaSensitive

    values: list[str] = []
    for name in (name for name, meaning in meanings.items() if isinstance(meaning, Categories)):
        try:
            assessment.check(PAlphaSensitive(1, 0, name, "distinct"))
        except UncoveredValuesError as error:
            values += [f"  {value!r}" for value in error.values]
    return values


def _check_columns(part: Any, sensitive: list[str]) -> None:
    """Refuse a promise about a sensitive column that was not named, or not clearly."""
    from incrowd.core import ParameterError
    from incrowd.models import KAnonymity

    if isinstance(part, KAnonymity):
        return
    if not sensitive:
        msg = "--require asks about a sensitive column, and --sensitive names none."
        raise ParameterError(msg, hint="for example --sensitive disease.")
    if part.of is None and len(sensitive) > 1:
        msg = f"--require does not say which of {amount(len(sensitive), 'sensitive column')} {part} is about."
        raise ParameterError(msg, hint=f'for example "{replace(part, of=sensitive[0])}".')
    for name in part.of or ():
        if name not in sensitive:
            msg = f"--require asks about the column {name!r}, which --sensitive does not name."
            raise ParameterError(msg, hint=f"--sensitive names {', '.join(sensitive)}.")


def _check_categories(part: Any, meanings: Meanings) -> None:
    """Refuse a promise about weights where nothing says how secret values are."""
    from incrowd.core import ParameterError
    from incrowd.models import PAlphaSensitive

    for name in (part.of or meanings) if isinstance(part, PAlphaSensitive) else ():
        if meanings[name] is None:
            msg = f"{part} needs to know how secret the values of {name!r} are."
            raise ParameterError(msg, hint=f"write --categories {name}=FILE.")
