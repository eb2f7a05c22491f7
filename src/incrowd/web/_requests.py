"""The bodies of requests, as the OpenAPI description has them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, StringConstraints

Name = Annotated[StrictStr, Field(min_length=1, max_length=400, description="A column, or a file of the folder.")]
Number = Annotated[
    StrictStr, Field(min_length=1, max_length=40, description='A number as text, such as "0.05".', examples=["0.05"])
]
Run = Annotated[StrictInt, Field(ge=1, le=9999, description="The number of a run.")]
Level = Annotated[StrictInt, Field(ge=0, le=10_000)]


class Asked(BaseModel):
    """A request: nothing in it may be unknown."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Open(Asked):
    """A file to open, and how to read it; what is not said is found out."""

    name: Name
    separator: Annotated[StrictStr, Field(min_length=1, max_length=1)] | None = None
    encoding: Annotated[StrictStr, Field(min_length=1, max_length=40)] | None = None
    sheet: Annotated[StrictStr, Field(min_length=1, max_length=200)] | StrictInt | None = None
    decimal: Literal[".", ","] | None = None
    thousands: Literal["none", ".", ",", " ", "'"] | None = None
    dates: Annotated[StrictStr, Field(min_length=1, max_length=40)] | None = None
    header: StrictBool | None = None
    missing: Annotated[list[Annotated[StrictStr, Field(max_length=100)]], Field(max_length=50)] | None = None
    entity: Name | None = None
    again: Annotated[StrictBool, Field(description="Whether columns that stay what they were keep their roles.")] = (
        False
    )


class Example(Asked):
    """How large the example shall be."""

    rows: Annotated[StrictInt, Field(ge=10, le=100_000)] = 1_000


class Text(Asked):
    """A plan that somebody wrote."""

    text: Annotated[StrictStr, Field(max_length=1_000_000)]


class Columns(Asked):
    """Columns whose roles were looked at."""

    columns: Annotated[list[Name], Field(max_length=10_000)]


class Restore(Asked):
    """A run whose plan is taken again."""

    run: Run


class Preview(Asked):
    """A hierarchy for a column; that of the plan if nothing is said."""

    column: Name
    hierarchy: Annotated[StrictStr, Field(max_length=20)] | dict[str, Any] | None = None


class Promise(Asked):
    """A promise, and the share of the records that may be left out; those of the plan if nothing is said."""

    promise: Annotated[list[Annotated[StrictStr, Field(max_length=1_000)]], Field(max_length=50)] | None = None
    max_suppressed: Number | None = None


class Harbor(Asked):
    """What each published column is about, for the checklist of HIPAA."""

    kinds: dict[Name, Annotated[StrictStr, Field(max_length=40)]]
    year: Annotated[StrictInt, Field(ge=1900, le=2200)] | None = None
    run: Run | None = None


class Stop(Asked):
    """Whether the best so far is kept."""

    keep: StrictBool = False


class Levels(Asked):
    """A node: one level per quasi-identifier."""

    levels: dict[Name, Level]


class RunJob(Asked):
    """Make a release by the plan."""

    kind: Literal["run"]
    label: Annotated[StrictStr, Field(max_length=200)] = ""


class AlternativesJob(Asked):
    """Put several searches side by side."""

    kind: Literal["alternatives"]


class FrontierJob(Asked):
    """Draw what every strength of a promise costs."""

    kind: Literal["frontier"]
    by: Literal["k", "l", "p"] = "k"
    of: Name | None = None


class EvidenceJob(Asked):
    """Attack a run, and measure its risk and its use."""

    kind: Literal["evidence"]
    run: Run


class NTJob(Asked):
    """Check (n, t)-closeness class by class."""

    kind: Literal["nt-check"]
    run: Run
    column: Name
    n: Number
    t: Number
    supersets: Literal["lattice", "path", "drop", "table"] = "lattice"
    distance: Literal["equal", "ordered", "hierarchical", "kl"] = "equal"


class GraphJob(Asked):
    """Draw the graph of classes and sensitive values."""

    kind: Literal["graph"]
    run: Run
    column: Name


class Where(Asked):
    """A condition: one of some values, or a range with one or two ends."""

    column: Name
    values: (
        Annotated[list[Annotated[StrictStr, Field(max_length=1_000)]], Field(min_length=1, max_length=100)] | None
    ) = None
    low: Annotated[StrictStr, Field(min_length=1, max_length=40)] | None = None
    high: Annotated[StrictStr, Field(min_length=1, max_length=40)] | None = None


class QuestionJob(Asked):
    """Ask the table and a run the same question."""

    kind: Literal["question"]
    run: Run
    ask: Literal["count", "mean", "model"]
    column: Name | None = None
    where: Annotated[list[Where], Field(max_length=3)] = []


class Anyway(Asked):
    """Why a run is released although something is open, who decides that, and which items they have seen."""

    reason: Annotated[StrictStr, StringConstraints(strip_whitespace=True, min_length=3, max_length=2_000)]
    name: Annotated[StrictStr, StringConstraints(strip_whitespace=True, min_length=2, max_length=200)]
    items: Annotated[list[Annotated[StrictStr, Field(max_length=40)]], Field(max_length=50)]


class ExportJob(Asked):
    """Write a run with its reports into a folder."""

    kind: Literal["export"]
    run: Run
    folder: Name | None = None
    format: Literal["parquet", "csv", "csv.gz", "arrow", "xlsx", "sav", "dta"] | None = None
    force: StrictBool = False
    anyway: Anyway | None = None


AnyJob = Annotated[
    RunJob | AlternativesJob | FrontierJob | EvidenceJob | NTJob | GraphJob | QuestionJob | ExportJob,
    Field(discriminator="kind"),
]


class Said(BaseModel):
    """What every error says."""

    code: str
    message: str
    hint: str
    place: str
    problems: list[dict[str, str]]
    repairs: list[dict[str, Any]]


ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Said, "description": words}
    for status, words in (
        (400, "The request cannot be read."),
        (403, "Not allowed."),
        (404, "Not there."),
        (405, "Not in this way."),
        (409, "Not now: no plan, changed elsewhere, busy, or no safe release."),
        (413, "Too large."),
        (415, "Of the wrong kind."),
        (422, "Something in the request or in the plan is wrong."),
        (500, "Our fault, or the machine's."),
        (503, "It was stopped."),
    )
}
"""The errors that any request can have."""
