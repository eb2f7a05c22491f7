"""What was suggested for the columns of a table, and what somebody said about them: kept for every table apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.web._history import read_json, write_json
from incrowd.web._refusal import Plain

NOTHING: Mapping[str, Any] = {"suggested": [], "confirmed": [], "harbor": None, "about": {}, "reading": {}, "said": []}


class Answers:
    """The answers about the tables of a folder.

    Parameters
    ----------
    file
        Where they are kept.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def of(self, table: str) -> Plain:
        """Give what was suggested for a table, and what was said about it.

        Parameters
        ----------
        table
            The path of the table, as its plan has it.
        """
        kept = read_json(self._file, {})
        found = kept if "suggested" in kept else kept.get("tables", {}).get(table, {})  # once there was one table
        return {**NOTHING, **found}

    def begin(self, table: str, found: Mapping[str, Any]) -> None:
        """Remember what was found; whatever was said about the table before was said about other columns.

        Parameters
        ----------
        table
            The path of the table.
        found
            What was ``suggested``, who a row is ``about``, how the file was found to be written (``reading``), and what
            of that was ``said``.
        """
        self._put(table, {**NOTHING, **found})

    def confirm(self, table: str, names: Sequence[str]) -> None:
        """Remember that somebody looked at the roles of these columns."""
        known = self.of(table)
        self._put(table, {**known, "confirmed": [*dict.fromkeys([*known["confirmed"], *names])]})

    def say(self, table: str, harbor: Mapping[str, Any] | None) -> None:
        """Remember what columns are about, for the checklist of HIPAA: ``kinds`` and ``year``; nothing forgets it."""
        self._put(table, {**self.of(table), "harbor": None if harbor is None else dict(harbor)})

    def _put(self, table: str, answers: Mapping[str, Any]) -> None:
        tables = read_json(self._file, {}).get("tables", {})
        write_json(self._file, {"tables": {**tables, table: dict(answers)}})
