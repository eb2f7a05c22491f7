"""What an experiment gives: claims with their numbers, tables, and charts of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from incrowd.core import ParameterError

Row = Mapping[str, Any]
WIDTH = 100
"""So wide are the lines of the text."""
MARK = "made-up rows stand in for Adult"
"""What charts and tables say of themselves where it is so."""
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be compared"}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper claims, what we found, and whether the claim holds.

    Attributes
    ----------
    said
        What the paper says.
    found
        Our number, in words.
    holds
        Whether the claim holds; ``None`` where the paper does not say enough to compare.
    why
        What explains the difference, if there is one.
    of_data
        Whether the answer depends on the table that was tried, and not on definitions alone.
    barely
        Whether it holds by a number too small to matter.
    """

    said: str
    found: str
    holds: bool | None
    why: str = ""
    of_data: bool = False
    barely: bool = False

    @property
    def verdict(self) -> str:
        """The verdict in words: ``holds``, ``barely holds``, ``does not hold`` or ``cannot be compared``."""
        return "barely holds" if self.holds and self.barely else VERDICTS[self.holds]

    def __str__(self) -> str:
        lines = [_line("paper", self.said), _line("ours", self.found)]
        lines += [_line("why", self.why)] if self.why else []
        return "\n".join([*lines, f"  {'=>':6} {self.verdict}"])


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """The experiment of one paper, done again.

    Attributes
    ----------
    name, title
        What it is called here, and what it is about.
    paper
        Where it was published.
    data
        The table that it ran on, in words.
    stand_in
        Whether made-up rows stood in for the table of the paper: then only the definitions are tested, not its numbers.
    claims
        What the paper claims, beside what was found.
    tables
        All numbers: per table its rows.
    seconds
        How long it took.
    """

    name: str
    title: str
    paper: str
    data: str
    stand_in: bool
    claims: tuple[Claim, ...]
    tables: Mapping[str, Sequence[Row]] = field(repr=False)
    seconds: float = field(default=0.0, repr=False)

    @property
    def charts(self) -> dict[str, Any]:
        """The charts of the tables, as altair charts by name."""
        from incrowd.api.experiments._charts import charts_of  # noqa: PLC0415 - loads altair when something is drawn

        return charts_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        claims = [
            {"said": one.said, "found": one.found, "holds": one.holds, "verdict": one.verdict, "why": one.why}
            for one in self.claims
        ]
        facts = {"name": self.name, "title": self.title, "paper": self.paper, "data": self.data}
        tables = {name: [dict(row) for row in rows] for name, rows in self.tables.items()}
        return {**facts, "stand_in": self.stand_in, "claims": claims, "tables": tables, "seconds": self.seconds}

    def __str__(self) -> str:
        head = [f"{self.name}: {self.title}", _line("from", self.paper), _line("data", self.data)]
        return "\n\n".join(["\n".join(head), *map(str, self.claims)])


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """The experiments of the papers, done again.

    Attributes
    ----------
    experiments
        One per paper.
    """

    experiments: tuple[Experiment, ...]

    def __iter__(self) -> Iterator[Experiment]:
        return iter(self.experiments)

    def __len__(self) -> int:
        return len(self.experiments)

    def __getitem__(self, name: str) -> Experiment:
        for one in self.experiments:
            if one.name == name:
                return one
        msg = f"There is no experiment {name!r} here."
        raise ParameterError(msg, hint=f"here are {', '.join(one.name for one in self.experiments)}.")

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data; ``schema`` is the version of its shape."""
        return {"schema": 1, "experiments": [one.to_dict() for one in self.experiments]}

    def save(self, folder: Any, *, force: bool = False) -> list[str]:
        """Write tables (CSV), charts (SVG) and claims (JSON) into a folder.

        Parameters
        ----------
        folder
            Where to; it is made if it is not there.
        force
            Whether files of an earlier run may be replaced.

        Returns
        -------
        list of str
            The names of the files.
        """
        from incrowd.api.experiments._files import prepare, write  # noqa: PLC0415 - it draws

        place = prepare(folder, [one.name for one in self.experiments], force=force)
        return [name for one in self.experiments for name in write(one, place)]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.experiments))


def _line(word: str, text: str) -> str:
    head = f"  {word:6} "
    return textwrap.fill(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
