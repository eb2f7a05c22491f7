"""``Document``: all sections of a plan together; ``[tables.NAME]``, one of several tables of the same people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt

from incrowd.plan._sections import (
    ColumnSection,
    DataSection,
    OutputSection,
    Part,
    PrivacySection,
    ReportSection,
    SearchSection,
    ShiftSection,
    Text,
    key_of,
)

VERSION = 1
_READING = ("separator", "encoding", "sheet", "decimal", "thousands", "dates", "header")


class TableSection(Part):
    """One of several tables of the same people; how it is read says [data] where nothing is said here."""

    path: Text | None = key_of("The file, folder or pattern; relative to the plan's folder.")
    table: Text | None = key_of("A table of a database.")
    query: Text | None = key_of("A query that a database answers.")
    key: Text | None = key_of("The column that names its rows, if other tables refer to it.")
    of: dict[Text, Text] = key_of("Per column that holds the key of another table: which.", default={})
    separator: Text | None = key_of("What stands between the values of a text file.")
    encoding: Text | None = key_of("How the characters of a text file are encoded.")
    decimal: Literal[".", ","] | None = key_of("The decimal mark of a text file.")
    thousands: Literal[".", ",", " ", "'"] | None = key_of("What stands between groups of three digits.")
    dates: Text | None = key_of("How a text file writes days, such as %d.%m.%Y.")
    header: StrictBool | None = key_of("Whether the first line of a text file names the columns.")
    sheet: Text | StrictInt | None = key_of("The sheet of a spreadsheet, by name or number.")

    @property
    def reading(self) -> dict[str, Any]:
        """Say how it is read, where that is said here."""
        return {name: value for name in _READING if (value := getattr(self, name)) is not None}


class Document(Part):
    """A plan for incrowd: what is published, and what it promises."""

    version: Literal[1]
    data: DataSection
    tables: dict[Text, TableSection] = key_of("Several tables of the same people.", default={})
    columns: Annotated[dict[Text, ColumnSection], Field(min_length=1)]
    shift: ShiftSection = ShiftSection()
    privacy: PrivacySection
    search: SearchSection = SearchSection()
    output: OutputSection = OutputSection()
    report: ReportSection = ReportSection()


# The sections that are one table each
SECTIONS: Mapping[str, type[Part]] = {
    "data": DataSection,
    "shift": ShiftSection,
    "privacy": PrivacySection,
    "search": SearchSection,
    "output": OutputSection,
    "report": ReportSection,
}
