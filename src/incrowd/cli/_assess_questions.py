"""What ``incrowd assess`` measures beyond groups: the chances of intruders, and published rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli._run import Words, amount, of_column

if TYPE_CHECKING:
    from incrowd.core import Schema, Setting
    from incrowd.evidence import Assessment, Checklist, Risk, Subject
    from incrowd.models import Model


HARBOR = "hipaa-safe-harbor"
PANEL = "Chances and published rules"
Population = Annotated[
    str | None,
    typer.Option(
        metavar="N|FILE",
        help="How many people the table was drawn from, or a table of them with the same columns.",
        rich_help_panel=PANEL,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The column that says how many people a record stands for.", rich_help_panel=PANEL
    ),
]
Threshold = Annotated[
    str | None,
    typer.Option(
        metavar="CHANCE", help="The highest acceptable chance to find a person, such as 0.09.", rich_help_panel=PANEL
    ),
]
Presets = Annotated[
    list[str] | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        help=f"A published rule: ema-0.09, wp216 or {HARBOR}; exit code 1 unless it holds.",
        rich_help_panel=PANEL,
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="COLUMN=KIND", help=f"What a column is about, for {HARBOR}.", rich_help_panel=PANEL),
]
Populous = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="The first three digits of ZIP codes where over 20,000 people live.", rich_help_panel=PANEL
    ),
]
Year = Annotated[
    int | None,
    typer.Option(
        metavar="YEAR", help="The year in which people had the ages that the data say.", rich_help_panel=PANEL
    ),
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked about intruders and published rules.

    Attributes
    ----------
    population, weight, threshold
        As in ``risk``; nothing where it was not given.
    presets
        The published rules, by their names.
    harbor
        What ``safe_harbor`` must know.
    """

    population: int | Path | None = None
    weight: str | None = None
    threshold: Fraction | None = None
    presets: tuple[str, ...] = ()
    harbor: Mapping[str, Any] = field(default_factory=dict)

    @property
    def chances(self) -> bool:
        """Whether chances must be measured."""
        given = (self.population, self.weight, self.threshold)
        return any(one is not None for one in given) or any(name != HARBOR for name in self.presets)


def read_chances(population: str | None, weight: str | None, threshold: str | None) -> Asked:
    """Read what was asked about intruders, before a large file is read for nothing."""
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
    return Asked(people, weight, limit)


def read_presets(names: list[str], kinds: list[str], populous: Path | None, year: int | None) -> Mapping[str, Any]:
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
    listed = None if populous is None else _prefixes(populous)
    return {"presets": presets, "harbor": {"kinds": declared, "populous": listed, "year": year}}


def measured(
    data: Path, schema: Schema, asked: Asked, reading: Mapping[str, Any], saved: Subject | None = None
) -> tuple[Risk | None, list[Checklist]]:
    """Measure the chances, and hold the table against every rule.

    Parameters
    ----------
    data, schema
        What was named, and the roles of its columns.
    asked
        What was asked for.
    reading
        How to read a file.
    saved
        The release, if that was named: it knows what its labels cover.
    """
    import incrowd as ic

    limit: dict[str, Any] = {} if asked.threshold is None else {"threshold": asked.threshold}
    risk = None
    if asked.chances:
        roles = schema if saved is None else None
        risk = ic.risk(data, roles, population=asked.population, weight=asked.weight, **limit, **reading)
    checklists = []
    for name in asked.presets:
        if name == HARBOR:
            table, how = (data, reading) if saved is None else (saved.engine, {})
            checklists.append(ic.safe_harbor(table, schema, **asked.harbor, **how))
        elif risk is not None:
            checklists.append(risk.against(name))
    return risk, checklists


def _prefixes(path: Path) -> list[str]:
    """Read the first three digits of ZIP codes, separated by anything that is no digit and no letter."""
    from incrowd.core import DataError

    try:
        found = re.findall(r"\w+", path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        found = []
    wrong = sum(not re.fullmatch("[0-9]{3}", one) for one in found)
    if not found or wrong:
        problem = f"holds {wrong:,} words that are not three digits" if found else "cannot be read, or is empty"
        msg = f"The list of ZIP codes {path.name!r} {problem}."
        raise DataError(msg, hint="write the first three digits of each, one in a line, such as 036.")
    return found


# What ``incrowd assess --require`` asks for, and answers in the words of the command line.

Meanings = Mapping[str, Any]
"""Per sensitive column what is known about its values, such as how secret they are."""


def _meaning(setting: Setting) -> str:
    ((column, meaning),) = setting.value.items()
    if meaning == "categories":
        return f"write --categories {column}=FILE"
    return f"no option says that; in a plan, write {of_column(setting)}"


OWN_WORDS: Words = {
    "sensitive": _meaning,
    "quasi": lambda _: "incrowd init plans how it becomes vaguer",
    "partition": lambda one: "write " + " or ".join(f"nt(...)[{kind}]" for kind in one.value),
}


def read_promise(text: str, meanings: Meanings) -> Model:
    """Read what must hold, before a large file is read for nothing."""
    from incrowd.models import promise

    model = promise(text)
    for part in model.parts:
        _check_columns(part, list(meanings))
        _check_categories(part, meanings)
    return model


def uncovered(assessment: Assessment, meanings: Meanings) -> list[str]:
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
    from dataclasses import replace

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


# ``incrowd assess`` of a saved release: its folder says which column is what.


def open_saved(data: Path, given: Mapping[str, Any], reading: Mapping[str, Any]) -> Subject | None:
    """Open the folder, the certificate or the data file of a release; nothing if this is a table.

    Parameters
    ----------
    data
        What was named.
    given
        What was said about the columns of a table, by the name of the option.
    reading
        How to read a file.
    """
    from incrowd.core import ParameterError
    from incrowd.evidence import subject_of
    from incrowd.release import certificate_beside, certificate_in

    useless = [name for name, value in given.items() if value]
    if useless and certificate_in(data) is None:  # a data file, of which somebody says more than its certificate
        return None
    if certificate_in(data) is None and certificate_beside(data) is None:
        return None
    found = subject_of(data, None, reading)
    if useless:
        msg = f"--{useless[0]} is about the columns of a table, and a release says itself what its columns are."
        raise ParameterError(msg, hint=f"leave --{useless[0]} out, or name the data file in the folder public.")
    if found.has_several_rows:
        msg = "People have several rows in this release, and it does not say whose row is whose."
        raise ParameterError(msg, hint=f"incrowd attack {data} --original DATA counts people, and so does its report.")
    return found
