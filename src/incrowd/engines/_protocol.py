"""What every engine can do, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from incrowd.core import Census, CensusRequest, Classes, Domain, Kind, Recoding
from incrowd.engines._wording import Wording

Replace = Callable[[str], str]
"""What a text is published as."""


class Engine(Protocol):
    """A table, wherever it lives, and the eight things that can be asked of it.

    An engine knows nothing of privacy. All engines give equal answers for equal tables, whatever the order of the
    rows, the number of threads or the way the table is cut into chunks.
    """

    shows_names: ClassVar[bool]
    """Whether an error may list the columns: the first line of a text file may be a record."""

    def columns(self) -> dict[str, Kind | None]:
        """Name the columns in order, with the kind that the type of each declares; a text file has texts only.

        ``None`` stands for what cannot be grouped, such as lists.
        """

    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        """Give the distinct values of columns, in canonical order, with their counts."""

    def census_size(self, request: CensusRequest) -> int:
        """Say how many cells a census would have, without fetching it."""

    def census(self, request: CensusRequest) -> Census:
        """Count the cells: encode first, then group, inside the engine."""

    def recode(
        self,
        recoding: Recoding,
        publish: Sequence[str],
        *,
        replace: Mapping[str, Replace] | None = None,
        keep_order: bool = False,
    ) -> Engine:
        """Replace quasi-identifiers by what they are published as, leave out what is suppressed.

        Parameters
        ----------
        recoding
            What each record is published as.
        publish
            The columns of the result, in order. All others are left out.
        replace
            Per column that is not recoded, what each of its texts is replaced by. Missing stays missing.
        keep_order
            Whether rows come out in the order in which they went in, instead of sorted.
        """

    def classes(
        self,
        quasi: Sequence[str],
        sensitive: Mapping[str, Domain],
        entity: str | None = None,
        count: str | None = None,
    ) -> Classes:
        """Group the labels as they stand in the table; census and ladders take no part.

        Parameters
        ----------
        quasi
            The columns with published labels.
        sensitive
            The sensitive columns, each with the domain whose codes the classes shall use.
        entity
            The column that says whose row it is.
        count
            The column that says how many records a row stands for.
        """

    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        """Write the table to a file, sorted by its values unless the order is kept; say how a text file is written.

        Parameters
        ----------
        path
            The file, which is known by the ending of its name.
        keep_order
            Whether rows keep their order.
        wording
            How a text file is to be written; by default with commas, in UTF-8, with decimal points and ISO dates.
        """

    def materialise(self) -> Any:
        """Give the table as the kind of frame that came in, sorted by its values unless it was recoded otherwise."""
