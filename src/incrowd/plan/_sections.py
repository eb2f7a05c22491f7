"""The sections of a plan and the keys that may stand in each; hierarchies, categories and searches built from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

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

from incrowd import search as algorithms
from incrowd.core import Hierarchy, ShiftedDates
from incrowd.hierarchies import COUNTRIES, ClassificationName, categories, hierarchy_of, table_of
from incrowd.search import Algorithm

Number = StrictInt | StrictFloat
Scalar = StrictBool | StrictInt | StrictFloat | StrictStr
Text = Annotated[StrictStr, Field(min_length=1)]


def key_of(description: str, *, default: Any = None) -> Any:
    return Field(default=default, description=description)


class Part(BaseModel):
    """A table of the plan: nothing in it may be unknown, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)

    def plain(self, *, written: bool = False) -> dict[str, Any]:
        """Give it as plain tables: what differs from the defaults, or everything that was written."""
        return self.model_dump(exclude_defaults=not written, exclude_unset=written, exclude_none=True)


# The tables that a hierarchy can be, each with the key that it must have first.


class IntervalsForm(Part):
    """Numbers become intervals: one level per width."""

    intervals: Annotated[tuple[Number, ...], Field(min_length=1)]
    start: Number | None = None
    bottom: Number | None = None
    top: Number | None = None


class MaskForm(Part):
    """The characters of a code are hidden one by one."""

    mask: Literal["right", "left"]
    keep: Annotated[StrictInt, Field(ge=0)] = 0
    char: Text = "*"


class DatesForm(Part):
    """Dates become longer and longer periods."""

    dates: Annotated[
        tuple[Literal["day", "week", "month", "quarter", "year", "decade", "century"], ...], Field(min_length=1)
    ]
    format: Text | None = None
    newest: StrictInt | None = None


class TopCodedForm(Part):
    """A number and all above it become one group."""

    top_coded: Number | tuple[Number, ...]


class BottomCodedForm(Part):
    """All numbers below a bound become one group."""

    bottom_coded: Number | tuple[Number, ...]


class OrderedForm(Part):
    """Neighbours in an order become groups: the order that is listed, or with ``true`` the column's own."""

    ordered: Literal[True] | tuple[Scalar, ...]
    levels: tuple[StrictInt | dict[str, tuple[Scalar, ...]], ...] = ()


class TreeForm(Part):
    """Values become the groups that a file, or nested tables with lists at the bottom, put them in."""

    tree: Text | dict[str, Any]
    from_data: StrictBool = Field(default=False, description="Whether the groups were formed from this table.")


class FrequentForm(Part):
    """Values that occur too rarely become one group."""

    frequent: Annotated[tuple[Number, ...], Field(min_length=1)]


class ClassificationForm(Part):
    """Codes and names become the groups of a published classification."""

    classification: ClassificationName
    others: Text | None = None


class PostcodesForm(Part):
    """Postcodes become the areas of their country."""

    postcodes: Annotated[StrictStr, Field(json_schema_extra={"enum": list(COUNTRIES)})]


class QuantilesForm(Part):
    """Numbers and dates become ranges that hold about as many rows each."""

    quantiles: Annotated[tuple[StrictInt, ...], Field(min_length=1)]


class FlatForm(Part):
    """Values become ``*`` in one step."""

    flat: Literal[True]


def _kind_of(given: object) -> str | None:
    if isinstance(given, Part):
        return next(iter(type(given).model_fields))
    if isinstance(given, str):
        return "name"
    kinds = kinds_in(given)
    return kinds[0] if len(kinds) == 1 else None


NamedHierarchy = Literal["auto", "flat", "mask"]  # the hierarchies that a name is enough for
_Single = (
    Annotated[NamedHierarchy, Tag("name")]
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
    | Annotated[FlatForm, Tag("flat")]
)
SingleForm = Annotated[_Single, Discriminator(_kind_of)]


class ItemsForm(Part):
    """Values are sets of items with a sign between them, and single items have a hierarchy."""

    items: Text
    of: SingleForm | None = None


NAMES: tuple[str, ...] = get_args(NamedHierarchy)
HierarchyForm = Annotated[_Single | Annotated[ItemsForm, Tag("items")], Discriminator(_kind_of)]
FORMS: Mapping[str, type[Part]] = {
    tag.tag: form for form, tag in map(get_args, get_args(get_args(HierarchyForm)[0])) if tag.tag != "name"
}


def kinds_in(given: object) -> list[str]:
    """Say which kinds of hierarchy a table asks for; it should be one."""
    return [kind for kind in FORMS if kind in given] if isinstance(given, Mapping) else []


def plain_of(form: HierarchyForm) -> Any:
    """Give a hierarchy as it stands in a plan: a name, or a plain table."""
    return form if isinstance(form, str) else form.plain()


def build_hierarchy(form: HierarchyForm, folder: Path) -> Hierarchy:
    """Build the hierarchy that a plan describes; its files are relative to a folder."""
    return hierarchy_of(plain_of(form), folder)


@cache
def _reader_of_forms() -> TypeAdapter[Any]:
    """Give what reads any form: to make it takes longer than all that it reads."""
    return TypeAdapter(HierarchyForm)


def form_of(hierarchy: Hierarchy) -> HierarchyForm:
    """Write a hierarchy down as a plan has it; only those that hold no values of a table."""
    form: HierarchyForm = _reader_of_forms().validate_python(table_of(hierarchy) or "auto")
    return form


class DataSection(Part):
    """Where the table is, and how to read it."""

    path: Text | None = key_of("The file, folder or pattern; relative to the plan's folder.")
    table: Text | None = key_of("A table of a database.")
    query: Text | None = key_of("A query that a database answers.")
    connection_env: Text | None = key_of("The environment variable that says how to connect.")
    separator: Text | None = key_of("What stands between the values of a text file.")
    encoding: Text = key_of("How the characters of a text file are encoded.", default="utf-8")
    decimal: Literal[".", ","] | None = key_of("The decimal mark of a text file; a point.")
    thousands: Literal[".", ",", " ", "'"] | None = key_of("What stands between groups of three digits in a text file.")
    dates: Text | None = key_of("How a text file writes days, such as %d.%m.%Y; ISO 8601.")
    header: StrictBool = key_of("Whether the first line of a text file names the columns.", default=True)
    sheet: Text | StrictInt | None = key_of("The sheet of a spreadsheet, by name or number.")
    memory: Text | None = key_of("The most memory that may be used, such as 4GB.")
    missing: tuple[StrictStr, ...] = key_of("Texts that count as missing.", default=("",))
    missing_policy: Literal["value", "drop"] = key_of("Missing is a value, or drops the record.", default="value")
    entity: Text | None = key_of("The column that says whose row it is.")
    size: Text | None = key_of("A column that is made: how many rows the entity has.")
    count: Text | None = key_of("The column that says how many records a row stands for.")


class ColumnSection(Part):
    """The role of a column, and what is known about its values."""

    role: Literal["quasi", "sensitive", "identifier", "insensitive", "shifted", "drop"]
    hierarchy: HierarchyForm | None = key_of("How the values become vaguer.")
    at_least: Annotated[StrictInt, Field(ge=0)] | None = key_of("The lowest level.")
    at_most: Annotated[StrictInt, Field(ge=0)] | None = key_of("The highest level.")
    importance: Annotated[Number, Field(gt=0)] | None = key_of("Its weight; 1 if not given.")
    average: Literal["mean", "median"] | None = key_of("Publish this of each class.")
    categories: Text | dict[str, tuple[Scalar, ...]] | None = key_of("Most secret first.")
    keep: Literal["pseudonym"] | None = key_of("Publish a keyed pseudonym instead of nothing.")
    key_file: Text | None = key_of("The file with the key of the pseudonyms.")

    def build_categories(self, folder: Path) -> Any:
        """Build the categories of a sensitive column; their file is relative to a folder."""
        given = self.categories
        return categories(folder / given if isinstance(given, str) else given or {})


class ShiftSection(Part):
    """How far the dates of columns with the role shifted are shifted, and by which key: all of a person alike."""

    within: StrictInt | None = key_of("By so many days at most, to either side.")
    weekdays: StrictBool = key_of("Whether weekdays stay: then by whole weeks.", default=False)
    key_file: Text | None = key_of("The file with the key of the shift.")

    def build(self, columns: Sequence[str]) -> ShiftedDates | None:
        """Say how the dates of these columns are shifted, if there are any."""
        return ShiftedDates(tuple(columns), self.within or 0, self.weekdays) if columns else None


class PrivacySection(Part):
    """What every class of the release must keep, and how many records may be left out for it."""

    promise: Text | Annotated[tuple[Text, ...], Field(min_length=1)]
    max_suppressed: Annotated[Number, Field(ge=0, le=1)] | None = key_of("A share, 0 to 1; nobody if not given.")
    max_suppressed_records: Annotated[StrictInt, Field(ge=0)] | None = key_of("A number.")

    @property
    def promises(self) -> tuple[str, ...]:
        """The promises, one by one."""
        return (self.promise,) if isinstance(self.promise, str) else self.promise


class AlgorithmTable(Part):
    """A search by name, with its parameters."""

    model_config = ConfigDict(extra="allow")

    name: Text


# What may stay beside a search that has no such key, when it is chosen in the place of another one
WRITTEN: Mapping[str, Any] = {"measure": "loss", "seconds": 60}


def searches() -> dict[str, type[Any]]:
    """Give the searches that there are, by the name that a plan has for each: ``TopDown`` is ``top-down``."""
    found = ((name, getattr(algorithms, name)) for name in algorithms.__all__)
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower(): one
        for name, one in found
        if isinstance(one, type) and is_dataclass(one) and callable(getattr(one, "search", None))
    }


def parameters_of(search: str) -> list[str]:
    """Give the names of the parameters that a search has."""
    return [one.name for one in fields(searches()[search])]


class SearchSection(Part):
    """How the release is searched."""

    algorithm: Text | AlgorithmTable | None = key_of(
        "Levels and cells if not given, as in Python; optimal with a measure or seconds."
    )
    measure: Text | None = key_of("What is made small: loss if not given.")
    balance: Annotated[Number, Field(ge=0, le=1)] | None = key_of("Leaving out against generalizing.")
    seconds: Annotated[Number, Field(gt=0)] | None = key_of("The time that it may take.")

    @property
    def parts(self) -> tuple[str, Mapping[str, Any]]:
        """The name of the search, and the parameters that stand beside it."""
        if self.algorithm is None:
            return ("optimal" if self.measure or self.seconds else "levels-and-cells"), {}
        if isinstance(self.algorithm, str):
            return self.algorithm, {}
        return self.algorithm.name, self.algorithm.model_extra or {}

    def build(self) -> Algorithm | None:
        """Build the search, with its parameters; nothing where nothing is said of it."""
        if not (self.algorithm or self.measure or self.seconds):
            return None
        name, given = self.parts
        known = parameters_of(name)
        both = {key: value for key in WRITTEN if (value := getattr(self, key)) is not None and key in known}
        built: Algorithm = searches()[name](**given, **both)
        return built


class DialectTable(Part):
    """How a CSV file is written, where that differs from the text file that was read."""

    separator: Text | None = key_of("What stands between values.")
    decimal: Literal[".", ","] | None = key_of("The decimal mark.")
    dates: Text | None = key_of("How days are written, such as %d.%m.%Y; %Y-%m-%d is ISO.")
    encoding: Text | None = key_of("How characters are encoded, such as utf-8.")
    mark: StrictBool | None = key_of("Whether the file begins with a byte order mark.")


class OutputSection(Part):
    """Where the release goes."""

    folder: Text = key_of("Relative to the plan's folder.", default="out")
    format: Literal["parquet", "csv", "csv.gz", "arrow", "xlsx", "sav", "dta"] | None = key_of(
        "The input's if not given."
    )
    dialect: Literal["input", "plain"] | DialectTable = key_of(
        "How a CSV file is written: as the file that was read, plainly, or what differs.", default="input"
    )
    labels: StrictBool = key_of("Whether to write labels.csv: what the codes of SPSS and Stata mean.", default=False)
    stars: Literal["star", "null"] = key_of("What the file has where * is published: that or nothing.", default="star")
    order: Literal["sorted", "keep"] = key_of("Sorted by the published values, or as it was.", default="sorted")
    suppression: Literal["drop", "mask", "entity"] = key_of(
        "What becomes of records that are left out.", default="drop"
    )
    others: Literal["refuse", "drop"] = key_of("What becomes of columns without a role.", default="refuse")
    force: StrictBool = key_of("Whether existing files may be replaced.", default=False)


class ReportSection(Part):
    """What a report says that only the owner of the data knows."""

    write: StrictBool = key_of("Whether to write reports beside the release.", default=True)
    purpose: Text | None = key_of("What the data are released for.")
    controller: Text | None = key_of("Who is responsible.")
    recipients: Text | None = key_of("Who receives them.")
    environment: Text | None = key_of("Public, by contract, or inside.")
    legal_basis: Text | None = key_of("On which legal basis.")
    period: Text | None = key_of("Which period the data are about.")
    earlier_releases: Text | None = key_of("Earlier releases about the same people.")
    roles_confirmed_by: Text | None = key_of("Who confirmed the roles of the columns.")
    threshold: Annotated[Number, Field(gt=0, le=1)] | None = key_of(
        "Above which a chance to find a person counts as too high."
    )
    threshold_reasons: Text | None = key_of("Why these thresholds.")
    population: Annotated[StrictInt, Field(ge=1)] | None = key_of("How many people the table was drawn from.")
    valid_until: Text | None = key_of("When this is looked at again.")
    released_anyway: Text | None = key_of("Why it was released although something was open.")
    released_by: Text | None = key_of("Who decided that, and when.")
    open_items: Text | None = key_of("What was open then.")

    @property
    def about(self) -> dict[str, str]:
        """What was said, by its key."""
        return {key: str(value) for key, value in self.model_dump(exclude={"write"}, exclude_none=True).items()}
