"""``Utility``: what a release is still good for, with the marginals, pairs and accuracies that were compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from incrowd.core import Printed
from incrowd.measures import ColumnCosts, mean_detail


@dataclass(frozen=True, slots=True)
class Marginal:
    """One column before and after.

    Attributes
    ----------
    column
        The column's name.
    costs
        What was lost of it; ``None`` for a column that is published as it is.
    distance
        The total variation distance between its distributions before and after, from 0 to 1: the share of the records
        that would have to be moved; of texts value by value, of numbers and dates from group to group. Labels are
        spread evenly over what they publicly cover, ``*`` over all of the column.
    shown
        The same for the cells without a star alone, as whoever leaves stars out computes it: stars hide rare values
        more often than frequent ones. ``None`` where every cell has one.
    shares
        For the groups in which the column is compared, the most frequent first: name, share before, share after. Names
        are values of the table.
    places
        For the same groups of numbers or dates, which comes first in their own order; empty for texts.
    """

    column: str
    costs: ColumnCosts | None
    distance: float
    shown: float | None
    shares: tuple[tuple[str, float, float], ...] = field(repr=False)
    places: tuple[int, ...] = field(default=(), repr=False)

    def top(self, number: int = 5) -> tuple[tuple[str, float, float], ...]:
        """Give the most frequent groups of the original table: name, share before, share after."""
        return self.shares[:number]

    def drawn(self, number: int) -> tuple[tuple[str, float, float], ...]:
        """Give what a chart shows: numbers and dates in their own order, of texts so many, the most frequent first."""
        if not self.places:
            return self.top(number)
        return tuple(share for _, share in sorted(zip(self.places, self.shares, strict=True)))

    def to_dict(self, *, values: bool) -> dict[str, Any]:
        """Give plain data that can be written as JSON; ``values`` adds the shares of its groups."""
        plain: dict[str, Any] = {"costs": None if self.costs is None else asdict(self.costs)}
        plain |= {"distance": self.distance, "shown": self.shown}
        shares = [{"name": name, "before": before, "after": after} for name, before, after in self.shares]
        return {**plain, "shares": shares} if values else plain

    def __str__(self) -> str:
        kept = "" if self.costs is None else f"detail kept {1 - self.costs.loss:.1%}, "
        starless = "" if self.shown in {None, self.distance} else f", of the cells without a star by {self.shown:.1%}"
        return f"{self.column}: {kept}distribution off by {self.distance:.1%}{starless}"


@dataclass(frozen=True, slots=True)
class PairChange:
    """How two columns go together before and after, as Cramér's V: 0 is not at all, 1 is fully.

    Attributes
    ----------
    columns
        The two columns.
    before, after
        Cramér's V in the original table and in the release, in the same groups of values.
    """

    columns: tuple[str, str]
    before: float
    after: float

    @property
    def change(self) -> float:
        """The change, without its sign."""
        return abs(self.after - self.before)


@dataclass(frozen=True, slots=True)
class QueryErrors:
    """How far off counts over random ranges of two columns are, answered from the release.

    Attributes
    ----------
    queries
        How many were asked.
    median, ninetieth
        The median and the 90th percentile of the relative errors; nothing if none was asked. The records of a label,
        ``*`` too, are spread evenly over what it covers.
    floor
        Counts below this one are divided by it instead: an error of 3 in 5 people says little.
    median_shown, ninetieth_shown
        The same if only records are counted that have no star in the two columns: what is not shown answers nothing.
    starred
        Which share of the published records has a star in one of the two columns, on average over the questions.
    """

    queries: int
    median: float | None
    ninetieth: float | None
    floor: float
    median_shown: float | None
    ninetieth_shown: float | None
    starred: float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a column can be predicted by a model that learnt from the release.

    Attributes
    ----------
    target
        The column that is predicted.
    original, release
        The share of held-out original records that are predicted right, by a model that learnt from the other original
        records, and by one that learnt from what is published of these.
    baseline
        The share that is right if the most frequent value is always predicted.
    trained, tested
        How many records the original model learnt from, and how many were held out.
    """

    target: str
    original: float
    release: float
    baseline: float
    trained: int
    tested: int


@dataclass(frozen=True, eq=False, repr=False)
class Utility(Printed):
    """What a release is still good for, beside the table it was made from. Made by ``utility``.

    Attributes
    ----------
    records, published
        How many records the table has, and how many the release, masked ones included.
    left_out, masked
        How many records are not published, and how many only without their quasi-identifiers.
    starred
        Which share of all cells of quasi-identifiers is not published, of records that are left out too.
    measures
        What the release cost, by the name of the measure; smaller is better. ``discernibility_star`` is discernibility
        without a penalty for what is left out, and ``ambiguity`` the combinations of values per record.
    columns
        Every column before and after.
    pairs
        How columns go together before and after.
    queries
        How far off counts over ranges are.
    accuracy
        How well a model learns from it; ``None`` if no target was named.
    """

    records: int
    published: int
    left_out: int
    masked: int
    starred: float
    measures: Mapping[str, float]
    columns: Mapping[str, Marginal]
    pairs: tuple[PairChange, ...]
    queries: QueryErrors
    accuracy: Accuracy | None

    @property
    def mean_change(self) -> float:
        """The mean change of Cramér's V over all pairs of columns."""
        return sum(pair.change for pair in self.pairs) / max(len(self.pairs), 1)

    def to_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Give plain data that can be written as JSON; ``values`` adds the shares of each column's groups."""
        counts = ("records", "published", "left_out", "masked", "starred")
        return {
            "schema": 1,
            **{name: getattr(self, name) for name in counts},
            "detail_kept": self.detail_kept,
            "measures": dict(self.measures),
            "columns": {name: column.to_dict(values=values) for name, column in self.columns.items()},
            "pairs": [{**asdict(pair), "columns": list(pair.columns)} for pair in self.pairs],
            "queries": asdict(self.queries),
            "accuracy": None if self.accuracy is None else asdict(self.accuracy),
        }

    @property
    def detail_kept(self) -> float:
        """The share of the detail that is kept, on average over the quasi-identifiers."""
        return mean_detail([one.costs.loss for one in self.columns.values() if one.costs is not None])

    def __str__(self) -> str:
        lines = [
            f"{self.published:,} of {self.records:,} records, {self.masked:,} of them masked",
            f"detail kept {self.detail_kept:.1%}, bits lost {self.measures['entropy']:.1%}, cells {self.starred:.1%}",
            *map(str, self.columns.values()),
            f"how columns go together (Cramér's V) changes by {self.mean_change:.3f} on average",
        ]
        if self.queries.median is not None and self.queries.ninetieth is not None:
            lines.append(
                f"counts over ranges of two columns are off by {self.queries.median:.1%} (median of "
                f"{self.queries.queries:,}; 90th percentile {self.queries.ninetieth:.1%})"
            )
        if self.queries.starred and self.queries.median_shown is not None:
            lines.append(
                f"without the {self.queries.starred:.1%} of the records that have a star there, by "
                f"{self.queries.median_shown:.1%} (90th percentile {self.queries.ninetieth_shown:.1%})"
            )
        if self.accuracy is not None:
            found = self.accuracy
            lines.append(
                f"{found.target} is predicted right for {found.release:.1%} by a model that learnt from the release, "
                f"{found.original:.1%} from the original, {found.baseline:.1%} by the most frequent value"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Utility({self.published:,} of {self.records:,} records, detail kept {self.detail_kept:.1%})"
