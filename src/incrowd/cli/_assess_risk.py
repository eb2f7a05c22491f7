"""What ``incrowd assess`` measures beyond groups: the chances of intruders, and published rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from incrowd.api import Checklist, Risk
    from incrowd.api._risk._saved import Saved
    from incrowd.core import Schema

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
    from incrowd.api._given import check_people, read_people
    from incrowd.core import ParameterError
    from incrowd.models._numbers import read_number

    people: int | Path | None = None if population is None else Path(population)
    if population is not None and re.fullmatch(r"\d+([_,]\d+)*", population):
        people = read_people(re.sub("[_,]", "", population))
        check_people(people)
    limit = None if threshold is None else read_number(threshold)
    if threshold is not None and (limit is None or not 0 <= limit <= 1):
        msg = f"--threshold must be a chance from 0 to 1, got {threshold!r}."
        raise ParameterError(msg, hint="write it as 0.09 or 1/11.")
    if isinstance(people, Path) and not people.exists():
        msg = f"--population must be a number of people or a file, got {population!r}."
        raise ParameterError(msg, hint="write it as 83000000, or name a table of the population.")
    return Asked(people, weight, limit)


def read_presets(names: list[str], kinds: list[str], populous: Path | None, year: int | None) -> Mapping[str, Any]:
    """Read which published rules were asked for, and what the safe harbor must know."""
    from incrowd.api import preset
    from incrowd.core import ParameterError

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
    data: Path, schema: Schema, asked: Asked, reading: Mapping[str, Any], saved: Saved | None = None
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
    from incrowd import api

    limit: dict[str, Any] = {} if asked.threshold is None else {"threshold": asked.threshold}
    risk = None
    if asked.chances:
        roles = schema if saved is None else None
        risk = api.risk(data, roles, population=asked.population, weight=asked.weight, **limit, **reading)
    checklists = []
    for name in asked.presets:
        if name == HARBOR:
            table, how = (data, reading) if saved is None else (saved.engine, {})
            checklists.append(api.safe_harbor(table, schema, **asked.harbor, **how))
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
