"""Look at a table and suggest what its columns are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from incrowd.api._census import Reading
from incrowd.api._suggest._header import refuse_records, refuse_repeated
from incrowd.api._suggest._look import check_roles, look_at
from incrowd.api._suggest._reading import read_table
from incrowd.api._suggest._roles import SuggestedRole
from incrowd.api._suggest._suggestion import Suggestion
from incrowd.engines import Engine


def suggest(
    table: Any,
    *,
    roles: Mapping[str, SuggestedRole] | None = None,
    entity: str | None = None,
    count: str | None = None,
    missing_values: Sequence[str] = ("",),
    **reading: Unpack[Reading],
) -> Suggestion:
    """Look at a table and suggest what each column is, and how it could become vaguer.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a path to a CSV or Parquet file. It is
        never changed.
    roles
        The roles that you know, by column: ``"identifier"``, ``"quasi"``, ``"sensitive"``, ``"insensitive"`` or
        ``"drop"``. The others are guessed.
    entity
        The column that says whose row it is, where a person can have several.
    count
        The column that says how many records a row stands for.
    missing_values
        Texts that count as missing, besides null and NaN.
    reading
        How to read a file, as in ``census``. Of a text file the encoding, the separator, the decimal mark, the mark
        between thousands and the form of dates are found out where nothing is said: ``reading`` of the suggestion has
        what was found, and ``asked`` what is not sure.

    Notes
    -----
    Roles are guessed from the names of the columns (in English, German, French, Spanish, Italian, Dutch and
    Portuguese, and the usual ones in Polish, Swedish, Danish, Norwegian, Japanese and Chinese), from what the values
    look like (people, places, numbers of persons and dates overrule a name that sounds confidential), from what the
    table is about, and from how columns hang together: a number that repeats while sex and birth do not change within
    stands for a person, and the days between two dates are no secret beside them. No column is ever suggested to be
    harmless: only somebody who knows who could know it can say so.
    A suggestion is a beginning. A wrong role is the most common way to harm somebody.

    Examples
    --------
    >>> import incrowd as ic
    >>> found = ic.suggest(ic.hospital(300))
    >>> [(column.name, column.role) for column in found.columns][:4]
    [('name', 'identifier'), ('birth_date', 'quasi'), ('sex', 'quasi'), ('zip', 'quasi')]
    """
    known = dict(roles or {})

    def check(engine: Engine) -> None:
        names = list(engine.columns())
        if not engine.shows_names:
            refuse_records(names)
        check_roles(known, [entity, count], names, show=engine.shows_names)

    read = read_table(table, missing_values, reading, check)
    if not read.engine.shows_names:
        refuse_repeated(read.profile.domains)
    return look_at(read, table, missing_values).suggestion(known, entity, count)
