"""A saved release whose risk is measured: what lies in its folder."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.api._attack._opened import target_of
from incrowd.api._attack._target import Target
from incrowd.api._release_folder import certificate_beside, certificate_in
from incrowd.api._verify import read_certificate
from incrowd.core import ParameterError, Schema
from incrowd.engines import Engine, Remembered


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """A saved release.

    Attributes
    ----------
    target
        Its published table, and what was done to the original where the owner's folder lies beside it.
    several
        Whether people have several rows in it.
    """

    target: Target
    several: bool

    @property
    def engine(self) -> Engine:
        """The published table."""
        return self.target.engine

    @property
    def schema(self) -> Schema:
        """The roles of its columns: the owner's, or else those of the certificate."""
        return self.target.owned or self.target.schema

    @property
    def meanings(self) -> dict[str, Any]:
        """Per sensitive column what is known about its values."""
        return dict(self.target.schema.sensitive)

    def with_persons(self, original: Any, reading: dict[str, Any]) -> Saved:
        """Put the persons beside the published table, if there are any; only the original knows them.

        Parameters
        ----------
        original, reading
            The table that it was made from, and how to read it.
        """
        if not self.several:
            return self
        if original is None:
            raise no_persons()
        if self.target.owned is None:
            msg = "People have several rows here, and only the folder owner says how the release was made of theirs."
            raise ParameterError(msg, hint="put it beside the folder public again.")
        return Saved(self.target.with_persons(original, reading), several=True)


def saved_release(path: Any, reading: dict[str, Any]) -> Saved | None:
    """Open a saved release; nothing if this is neither its folder nor its certificate, nor its data file.

    Parameters
    ----------
    path
        Anything that may be one.
    reading
        How to read a file.
    """
    named = Path(path) if isinstance(path, (str, os.PathLike)) else None
    found = None if named is None else certificate_in(named) or certificate_beside(named)
    if found is None:
        return None
    target = target_of(found, None, reading)
    several = read_certificate(found).get("counted") == "persons"
    return Saved(replace(target, engine=Remembered(target.engine)), several=several)


def no_persons() -> ParameterError:
    """Refuse to count rows as people."""
    msg = "People have several rows here, and a release does not say whose row is whose."
    return ParameterError(msg, hint="give the table that it was made from: original=...")
