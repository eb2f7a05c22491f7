"""The hierarchies and categories of a plan: how each is written in TOML, and what it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    Tag,
    TypeAdapter,
)

from incrowd import hierarchies
from incrowd.core import Hierarchy
from incrowd.hierarchies import COUNTRIES, ClassificationName

Number = StrictInt | StrictFloat
Scalar = StrictBool | StrictInt | StrictFloat | StrictStr
Text = Annotated[StrictStr, Field(min_length=1)]


class Part(BaseModel):
    """A table of the plan: nothing in it may be unknown, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class IntervalsForm(Part):
    """Numbers become intervals: one level per width."""

    intervals: Annotated[tuple[Number, ...], Field(min_length=1)]
    start: Number | None = None
    bottom: Number | None = None
    top: Number | None = None

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.intervals(*self.intervals, start=self.start or 0, bottom=self.bottom, top=self.top)


class MaskForm(Part):
    """The characters of a code are hidden one by one."""

    mask: Literal["right", "left"]
    keep: Annotated[StrictInt, Field(ge=0)] = 0
    char: Text = "*"

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.mask(self.mask, self.keep, self.char)


class DatesForm(Part):
    """Dates become longer and longer periods."""

    dates: Annotated[
        tuple[Literal["day", "week", "month", "quarter", "year", "decade", "century"], ...], Field(min_length=1)
    ]
    format: Text | None = None
    newest: StrictInt | None = None

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.dates(*self.dates, format=self.format, newest=self.newest)


class TopCodedForm(Part):
    """A number and all above it become one group."""

    top_coded: Number | tuple[Number, ...]

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.top_coded(*_listed(self.top_coded))


class BottomCodedForm(Part):
    """All numbers below a bound become one group."""

    bottom_coded: Number | tuple[Number, ...]

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.bottom_coded(*_listed(self.bottom_coded))


class OrderedForm(Part):
    """Neighbours in an order become groups: the order that is listed, or with ``true`` the column's own."""

    ordered: Literal[True] | tuple[Scalar, ...]
    levels: tuple[StrictInt | dict[str, tuple[Scalar, ...]], ...] = ()

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.ordered(None if self.ordered is True else self.ordered, *self.levels)


class TreeForm(Part):
    """Values become the groups that a file, or nested tables with lists at the bottom, put them in."""

    tree: Text | dict[str, Any]
    from_data: StrictBool = Field(default=False, description="Whether the groups were formed from this table.")

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        found = hierarchies.tree(folder / self.tree if isinstance(self.tree, str) else self.tree)
        return replace(found, from_data=self.from_data)


class FrequentForm(Part):
    """Values that occur too rarely become one group."""

    frequent: Annotated[tuple[Number, ...], Field(min_length=1)]

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.frequent(*self.frequent)


class ClassificationForm(Part):
    """Codes and names become the groups of a published classification."""

    classification: ClassificationName
    others: Text | None = None

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.classification(self.classification, others=self.others)


class PostcodesForm(Part):
    """Postcodes become the areas of their country."""

    postcodes: Annotated[StrictStr, Field(json_schema_extra={"enum": list(COUNTRIES)})]

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.postcodes(self.postcodes)


class QuantilesForm(Part):
    """Numbers and dates become ranges that hold about as many rows each."""

    quantiles: Annotated[tuple[StrictInt, ...], Field(min_length=1)]

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.quantiles(*self.quantiles)


class FlatForm(Part):
    """Values become ``*`` in one step."""

    flat: Literal[True]

    def build(self, folder: Path) -> Hierarchy:
        """Make the hierarchy."""
        del folder
        return hierarchies.flat()


# The tables that a hierarchy can be, by the key that each must have
FORMS: Mapping[str, type[Part]] = {
    "intervals": IntervalsForm,
    "mask": MaskForm,
    "dates": DatesForm,
    "top_coded": TopCodedForm,
    "bottom_coded": BottomCodedForm,
    "ordered": OrderedForm,
    "tree": TreeForm,
    "classification": ClassificationForm,
    "postcodes": PostcodesForm,
    "frequent": FrequentForm,
    "quantiles": QuantilesForm,
    "flat": FlatForm,
}

# The hierarchies that a name is enough for
NAMES: Mapping[str, Callable[[], Hierarchy]] = {
    "auto": hierarchies.auto,
    "flat": hierarchies.flat,
    "mask": hierarchies.mask,
}


def kinds_in(given: object) -> list[str]:
    """Say which kinds of hierarchy a table asks for; it should be one."""
    return [kind for kind in FORMS if kind in given] if isinstance(given, Mapping) else []


def _kind(given: object) -> str | None:
    if isinstance(given, Part):
        return next(kind for kind, form in FORMS.items() if isinstance(given, form))
    if isinstance(given, str):
        return "name"
    kinds = kinds_in(given)
    return kinds[0] if len(kinds) == 1 else None


# A hierarchy as it stands in a plan
HierarchyForm = Annotated[
    Annotated[Literal["auto", "flat", "mask"], Tag("name")]
    | Annotated[IntervalsForm, Tag("intervals")]
    | Annotated[MaskForm, Tag("mask")]
    | Annotated[DatesForm, Tag("dates")]
    | Annotated[TopCodedForm, Tag("top_coded")]
    | Annotated[BottomCodedForm, Tag("bottom_coded")]
    | Annotated[OrderedForm, Tag("ordered")]
    | Annotated[TreeForm, Tag("tree")]
    | Annotated[ClassificationForm, Tag("classification")]
    | Annotated[PostcodesForm, Tag("postcodes")]
    | Annotated[FrequentForm, Tag("frequent")]
    | Annotated[QuantilesForm, Tag("quantiles")]
    | Annotated[FlatForm, Tag("flat")],
    Discriminator(_kind),
]


def build_hierarchy(form: HierarchyForm, folder: Path) -> Hierarchy:
    """Make the hierarchy that a plan describes; its files are relative to a folder."""
    return NAMES[form]() if isinstance(form, str) else form.build(folder)


def form_of(hierarchy: Hierarchy) -> HierarchyForm:
    """Write a hierarchy down as a plan has it; only those that hold no values of a table."""
    match hierarchy:
        case hierarchies.Intervals(widths, start, bottom, top):
            given: dict[str, Any] = {"intervals": [_plain_number(width) for width in widths]}
            ends = {"start": start or None, "bottom": bottom, "top": top}
            given |= {name: _plain_number(end) for name, end in ends.items() if end is not None}
        case hierarchies.Mask(side, keep, char):
            given = {"mask": side, "keep": keep, "char": char}
        case hierarchies.Dates(units, written, newest):
            given = {"dates": list(units), "format": written, "newest": newest}
        case hierarchies.Frequent(at_least):
            given = {"frequent": [_plain_number(threshold) for threshold in at_least]}
        case hierarchies.Quantiles(parts):
            given = {"quantiles": list(parts)}
        case hierarchies.Classification(name, others):
            given = {"classification": name, "others": others}
        case hierarchies.Postcodes(country):
            given = {"postcodes": country}
        case hierarchies.Flat():
            given = {"flat": True}
        case _:
            return "auto"
    form: HierarchyForm = _ADAPTER.validate_python(given)
    return form


_ADAPTER: TypeAdapter[Any] = TypeAdapter(HierarchyForm)


def _plain_number(number: Any) -> int | float:
    return int(number) if number == int(number) else float(number)


def _listed(given: Number | tuple[Number, ...]) -> tuple[Number, ...]:
    return given if isinstance(given, tuple) else (given,)
