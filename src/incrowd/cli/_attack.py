"""``incrowd attack``: what intruders learn from a release, before one does."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli._assess import CategoryFiles, Count, Entity, Json, Names, Quasi, Sensitive, _meanings, _names
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
from incrowd.cli._run import Words, hints_in

if TYPE_CHECKING:
    from incrowd.evidence import Attack, Attacks

Target = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE", help="The folder of a release, its release.json or its data file, or any table with --quasi."
    ),
]
Original = Annotated[
    Path | None, typer.Option(metavar="DATA", help="The original table: everybody in it is looked up in the release.")
]
External = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A table about people whom the intruder knows, to join with.")
]
On = Annotated[Names, typer.Option("--on", metavar="NAMES", help="Columns to join on: age,zip or age=Alter,zip=PLZ.")]
Who = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column of FILE that says who somebody is, for --show-values and --exposed."),
]
Other = Annotated[
    Path | None, typer.Option(metavar="RELEASE", help="Another release of the same people, to take together.")
]
Excluded = Annotated[
    int, typer.Option(metavar="NUMBER", help="How many sensitive values the intruder can rule out about a person.")
]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Print the worst group and, with --who, who is found. They are data!"),
]
ExposedFile = Annotated[
    Path | None,
    typer.Option(
        "--exposed", metavar="FILE", help="Write who is exposed to this table (CSV or Parquet), for the owner."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the table of --exposed.")]

SHOWN = 20
"""So many people are printed per attack."""
OWN_WORDS: Words = {
    "schema": lambda one: (
        "leave --quasi out, or name the file of the table"
        if one.value is None
        else "name them: --quasi age,zip; or give a release"
    ),
    "original": lambda _: "add --original DATA or --external FILE",
}


def attack(  # noqa: PLR0913, PLR0917 - an intruder may have many things
    release: Target,
    original: Original = None,
    external: External = None,
    on: On = None,
    who: Who = None,
    other: Other = None,
    excluded: Excluded = 1,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    categories: CategoryFiles = None,
    entity: Entity = None,
    count: Count = None,
    encoding: Encoding = UTF8,
    separator: Separator = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    dates: Dates = None,
    header: Header = True,
    memory: Memory = None,
    as_json: Json = False,
    show_values: ShowValues = False,
    exposed: ExposedFile = None,
    force: Force = False,
) -> None:
    """Simulate what intruders learn from a release, and compare it with what they would know without it.

    For example: incrowd attack out --original patients.csv
    """
    import incrowd as ic
    from incrowd.attacks import Intruder
    from incrowd.core import Schema

    meanings = _meanings(_names(sensitive), categories or [])
    schema = Schema(_names(quasi), meanings, entity=entity, count=count) if quasi is not None else None
    _check(external=external, about=on or who, roles=schema is None and bool(meanings or entity or count))
    with hints_in(OWN_WORDS), _place_for(exposed, (release, original, external), force=force) as place:
        found = ic.attack(
            release,
            schema,
            original=original,
            external=external,
            on=_pairs(on),
            who=who,
            other=other,
            intruder=Intruder(excluded=excluded),
            **reading_of(encoding, separator, sheet, decimal, thousands, dates, header, memory),
        )
        if place is not None:
            _write(found, place)
    shown = Shown(who) if show_values else None
    for line in (_json if as_json else _attack_lines)(found, shown):
        sys.stdout.write(f"{line}\n")


def _pairs(on: Names) -> dict[str, str] | None:
    """Read columns to join on: one name for both tables, or two."""
    if on is None:
        return None
    from incrowd.core import ParameterError

    split = [name.partition("=") for name in _names(on)]
    pairs = [(here.strip(), there.strip() if equals else here.strip()) for here, equals, there in split]
    twice = [name for name, times in Counter(here for here, _ in pairs).items() if times > 1]
    if twice:
        msg = f"--on names the column {twice[0]!r} twice."
        raise ParameterError(msg, hint="join each column of the release with one of FILE.")
    return dict(pairs)


@dataclass(frozen=True, slots=True)
class Shown:
    """That values are shown; with the column that says who somebody is, if one does."""

    who: str | None

    def people(self, entry: Attack) -> list[dict[str, Any]]:
        """Give what is found out about people who have a name."""
        if self.who is None or self.who not in (table := entry.exposed_records()):
            return []
        rows = zip(*(column.tolist() for column in table.values()), strict=True)
        return [dict(zip(table, row, strict=True)) for row in rows]


def _attack_lines(found: Attacks, shown: Shown | None) -> Iterator[str]:
    yield from str(found).splitlines()
    if shown is None:
        return
    yield ""
    yield "worst groups"
    for entry in found:
        if entry.worst_class:
            yield f"  {_title(entry)}: {_listed(entry.worst_class)}"
    if shown.who is not None:
        yield ""
        yield "who is found"
        for entry in found:
            people = shown.people(entry)
            yield from (f"  {_title(entry)}: {_listed(one)}" for one in people[:SHOWN])
            if len(people) > SHOWN:
                yield f"  {_title(entry)}: and {len(people) - SHOWN:,} more; --exposed FILE lists all"


def _title(entry: Attack) -> str:
    return f"{entry.name}{'' if entry.column is None else f' of {entry.column}'}"


def _listed(said: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in said.items())


def _json(found: Attacks, shown: Shown | None) -> list[str]:
    plain: dict[str, Any] = found.to_dict(values=shown is not None)
    if shown is not None and shown.who is not None:
        for entry, one in zip(found, plain["attacks"], strict=True):
            one["people"] = shown.people(entry)
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False).splitlines()


@contextmanager
def _place_for(exposed: Path | None, tables: tuple[Path | None, ...], *, force: bool) -> Iterator[Path | None]:
    """Give a place to write to; that a file is in the way is said before anything is measured.

    Parameters
    ----------
    exposed, force
        The file, if one is to be written, and whether it may be there already.
    tables
        What is read, which is never replaced; a folder of the owner may hold the file.
    """
    from incrowd.core import atomic_path
    from incrowd.engines import check_suffix

    if exposed is None:
        yield None
        return
    check_suffix(exposed)
    with atomic_path(exposed, force=force, reads=[one for one in tables if one and not one.is_dir()]) as place:
        yield place


def _write(found: Attacks, place: Path) -> None:
    """Write who is exposed; all of it is data."""
    from incrowd.engines import table_of_columns, write_table

    write_table(table_of_columns(found.exposed_records()), place)


def _check(*, external: Path | None, about: object, roles: bool) -> None:
    """Refuse options that say something about a table that is not there."""
    from incrowd.core import ParameterError

    if roles:
        msg = "--sensitive, --categories, --entity and --count are about a table, and need --quasi."
        raise ParameterError(msg, hint="name the quasi-identifiers too, or leave all of them out for a release.")
    if about and external is None:
        msg = "--on and --who say how to read an external table, and none was given."
        raise ParameterError(msg, hint="add --external FILE, or leave them out.")
