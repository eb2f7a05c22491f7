"""``incrowd attack``: what intruders learn from a release, before one does."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli._assess import CategoryFiles, Count, Entity, Json, Names, Quasi, Sensitive, _meanings, _names
from incrowd.cli._reading import UTF8, Encoding, Memory, Separator, Sheet, reading_of

if TYPE_CHECKING:
    from incrowd.api import Attacks
    from incrowd.core import Schema

Target = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The folder of a release, its release.json, or any table.")
]
Original = Annotated[
    Path | None, typer.Option(metavar="DATA", help="The original table: everybody in it is looked up in the release.")
]
External = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A table about people whom the intruder knows, to join with.")
]
On = Annotated[Names, typer.Option("--on", metavar="NAMES", help="Columns to join on: age,zip or age=Alter,zip=PLZ.")]
Who = Annotated[str | None, typer.Option(metavar="NAME", help="The column of FILE that says who somebody is.")]
Other = Annotated[
    Path | None, typer.Option(metavar="RELEASE", help="Another release of the same people, to take together.")
]
Excluded = Annotated[
    int, typer.Option(metavar="NUMBER", help="How many sensitive values the intruder can rule out about a person.")
]
ShowValues = Annotated[
    bool, typer.Option("--show-values", help="Say which group is the worst. Labels of the release are data!")
]


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
    memory: Memory = None,
    as_json: Json = False,
    show_values: ShowValues = False,
) -> None:
    """Simulate what intruders learn from a release, and compare it with what they would know without it.

    For example: incrowd attack out --original patients.csv
    """
    from incrowd import api
    from incrowd.attacks import Intruder
    from incrowd.core import Schema

    meanings = _meanings(_names(sensitive), categories or [])
    schema: Schema | None = None
    if quasi is not None:
        schema = Schema(quasi=_names(quasi), sensitive=meanings, entity=entity, count=count)
    elif meanings or entity or count:
        _refuse()
    found = api.attack(
        release,
        schema,
        original=original,
        external=external,
        on=_pairs(on),
        who=who,
        other=other,
        intruder=Intruder(excluded=excluded),
        **reading_of(encoding, separator, sheet, memory),
    )
    for line in _json(found, show_values=show_values) if as_json else _text(found, show_values=show_values):
        sys.stdout.write(f"{line}\n")


def _pairs(on: Names) -> dict[str, str] | None:
    """Read columns to join on: one name for both tables, or two."""
    if on is None:
        return None
    split = [name.partition("=") for name in _names(on)]
    return {here.strip(): there.strip() if equals else here.strip() for here, equals, there in split}


def _text(found: Attacks, *, show_values: bool) -> Iterator[str]:
    yield from str(found).splitlines()
    if not show_values:
        return
    yield ""
    yield "worst groups"
    for entry in found:
        if entry.worst_class:
            labels = ", ".join(f"{name} {label!r}" for name, label in entry.worst_class.items())
            yield f"  {entry.name}{'' if entry.column is None else f' of {entry.column}'}: {labels}"


def _json(found: Attacks, *, show_values: bool) -> list[str]:
    plain: dict[str, Any] = found.to_dict(values=show_values)
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False).splitlines()


def _refuse() -> None:
    from incrowd.core import ParameterError

    msg = "--sensitive, --categories, --entity and --count are about a table, and need --quasi."
    raise ParameterError(msg, hint="name the quasi-identifiers too, or leave all of them out for a release.")
