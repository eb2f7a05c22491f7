"""``TableKeys``: the pseudonyms by which several published tables hang together, and the secret keys behind them."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from incrowd.core import ParameterError, SchemaError, name_list
from incrowd.engines import Tables
from incrowd.release._output import LEAST, key_in

PURPOSE = b"incrowd: key of another table: "
"""What a key that follows from another one is for; the names of its table and column come after it."""
DRAWN = (
    "Keys are published as pseudonyms, whose own key was drawn for this release and thrown away: the tables can be "
    "joined, and no other release has the same pseudonyms."
)


@dataclass(frozen=True, slots=True)
class TableKeys:
    """Per table whose key is published, the secret of its pseudonyms; whether any was drawn for this run alone."""

    secret: Mapping[str, bytes] = field(repr=False)
    drawn: bool

    @classmethod
    def of(cls, files: Mapping[str, str | os.PathLike[str]] | None, tables: Tables) -> TableKeys:
        """Read the keys, by the column that holds each.

        Where only that of the person is given the others follow from it, each by its names; where none is, they
        are drawn. Keys to which no table refers are published only if theirs is given.
        """
        files = dict(files or {})
        owner = {tables.keys[name]: name for name in reversed(list(tables.keys))}
        for column in files:
            if column not in owner:
                msg = f"Column {column!r} cannot become a pseudonym: it is no key of a table."
                raise SchemaError(msg, hint=f"the keys are {name_list(list(owner))}.")
        given = {owner[column]: key_in(path, f"column {column!r}") for column, path in files.items()}
        if len({*given.values()}) < len(given):
            msg = "Two keys have the same secret: equal values would have equal pseudonyms in both."
            raise ParameterError(msg, hint="name the file for the person alone: the others follow from it.")
        first = given.get(tables.people)
        drawn = first is None and bool(tables.referred - given.keys())
        first = first or secrets.token_bytes(LEAST)
        secret = dict(given)
        for name in tables.referred - given.keys():
            own = PURPOSE + f"{name}: {tables.keys[name]}".encode()
            secret[name] = first if name == tables.people else hmac.digest(first, own, hashlib.sha256)
        return cls(secret, drawn)

    def of_table(self, name: str, tables: Tables) -> dict[str, bytes]:
        """Give the secret of every published column of a table that holds keys."""
        holds = tables.key_columns(name)
        return {column: self.secret[table] for column, table in holds.items() if table in self.secret}
