"""``incrowd attack``: what intruders learn from a release, before one does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from incrowd.cli._explain import Words, hints_in
from incrowd.cli._options import (
    CategoryFiles,
    Count,
    Entity,
    Json,
    Names,
    Quasi,
    Sensitive,
    categories_in,
    names_in,
    with_reading,
)
from incrowd.cli._terminal import write, write_json

if TYPE_CHECKING:
    from incrowd.evidence import Attack, Attacks

Target = Annotated[
    Path,
    Argument(
        metavar="RELEASE", help="The folder of a release, its release.json or its data file, or any table with --quasi."
    ),
]
Original = Annotated[
    Path | None, Option(metavar="DATA", help="The original table: everybody in it is looked up in the release.")
]
External = Annotated[
    Path | None, Option(metavar="FILE", help="A table about people whom the intruder knows, to join with.")
]
On = Annotated[Names, Option("--on", metavar="NAMES", help="Columns to join on: age,zip or age=Alter,zip=PLZ.")]
Who = Annotated[
    str | None,
    Option(metavar="NAME", help="The column of FILE that says who somebody is, for --show-values and --exposed."),
]
Other = Annotated[Path | None, Option(metavar="RELEASE", help="Another release of the same people, to take together.")]
Excluded = Annotated[
    int, Option(metavar="NUMBER", help="How many sensitive values the intruder can rule out about a person.")
]
Items = Annotated[
    int, Option(metavar="NUMBER", help="How many items of a person's set the intruder knows, such as diagnoses.")
]
ShowValues = Annotated[
    bool, Option("--show-values", help="Print the worst group and, with --who, who is found. They are data!")
]
ExposedFile = Annotated[
    Path | None,
    Option("--exposed", metavar="FILE", help="Write who is exposed to this table (CSV or Parquet), for the owner."),
]
Force = Annotated[bool, Option("--force", help="Replace the table of --exposed.")]

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


@with_reading()
def attack(
    release: Target,
    original: Original = None,
    external: External = None,
    on: On = None,
    who: Who = None,
    other: Other = None,
    excluded: Excluded = 1,
    items: Items = 2,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    categories: CategoryFiles = None,
    entity: Entity = None,
    count: Count = None,
    *,
    reading: dict[str, Any],
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
    from incrowd.engines import table_of_columns, write_table

    meanings = categories_in(names_in(sensitive), categories)
    schema = Schema(names_in(quasi), meanings, entity=entity, count=count) if quasi is not None else None
    _refuse_idle_options(external=external, about=on or who, roles=schema is None and bool(meanings or entity or count))
    with hints_in(OWN_WORDS), _place_for(exposed, (release, original, external), force=force) as place:
        known: dict[str, Any] = {"original": original, "external": external, "on": _join_pairs(on), "who": who}
        found = ic.attack(
            release, schema, **known, other=other, intruder=Intruder(excluded=excluded, items=items), **reading
        )
        if place is not None:
            write_table(table_of_columns(found.exposed_records()), place)  # all of it is data
    if as_json:
        _write_json(found, who, show_values=show_values)
    else:
        write(*_attack_lines(found, who, show_values=show_values))


def _join_pairs(on: Names) -> dict[str, str] | None:
    """Read columns to join on: one name for both tables, or two."""
    if on is None:
        return None
    from incrowd.core import ParameterError

    split = [name.partition("=") for name in names_in(on)]
    pairs = [(here.strip(), there.strip() if equals else here.strip()) for here, equals, there in split]
    twice = [name for name, times in Counter(here for here, _ in pairs).items() if times > 1]
    if twice:
        msg = f"--on names the column {twice[0]!r} twice."
        raise ParameterError(msg, hint="join each column of the release with one of FILE.")
    return dict(pairs)


def _exposed_people(entry: Attack, who: str | None) -> list[dict[str, Any]]:
    """Give what is found out about people who have a name: the column that says who somebody is."""
    if who is None or who not in (table := entry.exposed_records()):
        return []
    rows = zip(*(column.tolist() for column in table.values()), strict=True)
    return [dict(zip(table, row, strict=True)) for row in rows]


def _attack_lines(found: Attacks, who: str | None, *, show_values: bool) -> Iterator[str]:
    yield from str(found).splitlines()
    if not show_values:
        return
    yield ""
    yield "worst groups"
    yield from (f"  {_title_of(entry)}: {_settings_text(entry.worst_class)}" for entry in found if entry.worst_class)
    if who is not None:
        yield ""
        yield "who is found"
        for entry in found:
            people = _exposed_people(entry, who)
            yield from (f"  {_title_of(entry)}: {_settings_text(one)}" for one in people[:SHOWN])
            if len(people) > SHOWN:
                yield f"  {_title_of(entry)}: and {len(people) - SHOWN:,} more; --exposed FILE lists all"


def _title_of(entry: Attack) -> str:
    return f"{entry.name}{'' if entry.column is None else f' of {entry.column}'}"


def _settings_text(said: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in said.items())


def _write_json(found: Attacks, who: str | None, *, show_values: bool) -> None:
    plain: dict[str, Any] = found.to_dict(values=show_values)
    if show_values and who is not None:
        for entry, one in zip(found, plain["attacks"], strict=True):
            one["people"] = _exposed_people(entry, who)
    write_json(plain, allow_nan=False)


@contextmanager
def _place_for(exposed: Path | None, tables: tuple[Path | None, ...], *, force: bool) -> Iterator[Path | None]:
    """Give a place to write to, if one was named; that a file is in the way is said before anything is measured."""
    from incrowd.core import atomic_path
    from incrowd.engines import check_suffix

    if exposed is None:
        yield None
        return
    check_suffix(exposed)
    with atomic_path(exposed, force=force, reads=[one for one in tables if one and not one.is_dir()]) as place:
        yield place


def _refuse_idle_options(*, external: Path | None, about: object, roles: bool) -> None:
    """Refuse options that say something about a table that is not there."""
    from incrowd.core import ParameterError

    if roles:
        msg = "--sensitive, --categories, --entity and --count are about a table, and need --quasi."
        raise ParameterError(msg, hint="name the quasi-identifiers too, or leave all of them out for a release.")
    if about and external is None:
        msg = "--on and --who say how to read an external table, and none was given."
        raise ParameterError(msg, hint="add --external FILE, or leave them out.")
