"""``assess`` and ``check``: every number that models know, measured on the classes of a table, and a promise judged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from incrowd.attacks import certain_values
from incrowd.core import (
    Cells,
    Census,
    Classes,
    Domain,
    Finding,
    Grouping,
    HierarchyError,
    ParameterError,
    Partition,
    Schema,
    SchemaError,
    Verdict,
    add_up,
    compatible_sizes,
    warn,
)
from incrowd.evidence._assessment import Assessment, ColumnAssessment
from incrowd.evidence._subject import Subject
from incrowd.hierarchies import BoundCategories, Categories, Ordered, Tree, auto
from incrowd.measures import ClassSizes, Exposed, plain_number
from incrowd.models import (
    AlphaAssociation,
    BetaLikeness,
    DeltaDisclosure,
    EnhancedPAlphaSensitive,
    KAnonymity,
    LDiversity,
    Measured,
    MeasuredNumber as Number,
    Model,
    PAlphaSensitive,
    RecursiveDiversity,
    TCloseness,
    promise,
)
from incrowd.release import Reading, ladders_of, looks_at_levels, notes_on_look_alikes, verdict_of

Counts = npt.NDArray[np.int64]

# Fewer classes to measure: those that hold one and the same value are distributed alike.


def different_classes(classes: Classes, column: str) -> tuple[Classes, Counts | None]:
    """Leave out classes that tell nothing new about distributions; also count the values of the whole table.

    Where people have several rows, none is left out, and the table is the classes' own.
    """
    if classes.cells.person is not None:
        return classes, None
    histogram, codes = classes.histogram(column), classes.cells.cardinalities[column]
    values = histogram.values[0]
    alone = np.flatnonzero(np.diff(histogram.starts) == 1)
    of_value = np.full(codes, -1, dtype=np.int64)
    of_value[values[histogram.starts[alone]]] = alone
    kept = np.ones(len(classes), dtype=bool)
    kept[alone] = False
    kept[of_value[of_value >= 0]] = True
    entries = np.flatnonzero(kept[histogram.classes])
    ids = (np.cumsum(kept) - 1)[histogram.classes[entries]]
    first = np.searchsorted(ids, np.arange(np.count_nonzero(kept)))
    cells = Cells({column: values[entries]}, {column: classes.cells.domains[column]}, None, histogram.counts[entries])
    return Classes.of(Grouping(ids, first), (), cells), add_up(values, histogram.counts, codes)


# Classes in which something is certain about everybody: one value, or one category, that all of them have.


def certain(classes: Classes, column: str) -> npt.NDArray[np.bool_]:
    """Say in which classes some value of a column is everybody's.

    Where people have several rows, a class can hold several values and one of them can still be everybody's.
    """
    return certain_values(classes, column) >= 0


def certain_category(classes: Classes, bound: BoundCategories) -> npt.NDArray[np.bool_]:
    """Say in which classes everybody has a value of one and the same category."""
    cells, column = classes.cells, bound.column
    names = Domain.of(column, list(range(len(bound.names))))
    grouped = Cells({column: bound.category[cells.sensitive[column]]}, {column: names}, cells.person, cells.counts)
    return certain(replace(classes, cells=grouped), column)


# What the classes of a table tell about one sensitive column.

Distance = Literal["equal", "ordered", "hierarchical", "kl"]
MOST_RECURSIVE = 5
"""Recursive diversity is measured up to this rank."""


@dataclass(frozen=True, slots=True, eq=False)
class Meter:
    """Lets the models' own judges measure, and remembers what they refuse."""

    schema: Schema
    census: Census
    classes: Classes
    reference: Mapping[str, Counts] | None = None
    refused: dict[str, str] = field(default_factory=dict)

    def measure(self, what: str, model: Model) -> tuple[Measured, ...] | None:
        """Measure every class, or note why that cannot be."""
        try:
            (judge,) = model.bind(self.schema, self.census.domains, self.reference)
            return judge.measure(self.classes)
        except (SchemaError, HierarchyError) as refusal:
            self.refused[what] = refusal.message
            return None

    def worst(self, what: str, model: Model) -> tuple[Number, ...] | None:
        """Give the worst number of all classes, one per requirement of the model."""
        return worst_of(model, self.measure(what, model))


def worst_of(model: Model, measured: tuple[Measured, ...] | None) -> tuple[Number, ...] | None:
    """Give the worst of what was measured, if there is a class and it was measured."""
    if measured is None:
        return None
    numbers = (values.worst(bound.sense) for values, bound in zip(measured, model.requirements, strict=True))
    found = tuple(number for number in numbers if number is not None)
    return found or None


def assess_column(name: str, schema: Schema, census: Census, classes: Classes) -> ColumnAssessment:
    every = Meter(schema, census, classes)
    count = every.worst("distinct_l", LDiversity(1, name))
    different, whole = different_classes(classes, name)
    meter = Meter(
        schema, census, different, None if whole is None else {name: whole}
    )  # for what depends on shares alone
    probabilistic = meter.worst("probabilistic_l", LDiversity(1, name, "probabilistic"))
    largest = meter.worst("alpha", AlphaAssociation(1, name))
    entropy = meter.worst("entropy_l", LDiversity(1, name, "entropy"))
    beta, enhanced_beta = _beta_likeness(meter, name)
    meaning = dict(schema.sensitive)[name]
    p_alpha = enhanced = similar = None
    if isinstance(meaning, Categories):
        p_alpha = _pair_or_nothing(every.worst("p_alpha", PAlphaSensitive(1, 0, name)))
        enhanced = _pair_or_nothing(every.worst("enhanced", EnhancedPAlphaSensitive(1, 0, name)))
        similar = _similar_classes(every, name, meaning)
    distinct_l = None if count is None else int(count[0])
    return ColumnAssessment(
        column=name,
        values=len(census.domains[name].values),
        distinct_l=distinct_l,
        probabilistic_l=None if probabilistic is None else Fraction(probabilistic[0]),
        alpha=None if largest is None else Fraction(largest[0]),
        entropy_l=None if entropy is None else _effective_values(float(entropy[0])),
        recursive=_recursive_diversity(meter, name, distinct_l),
        t=_distances(meter, name, schema, census),
        beta=beta,
        enhanced_beta=enhanced_beta,
        delta=_delta_disclosure(meter, name),
        p_alpha=p_alpha,
        enhanced=enhanced,
        homogeneous=Exposed.of(classes, certain(classes, name)),
        similar=similar,
        not_measured={**every.refused, **meter.refused},
    )


def _recursive_diversity(meter: Meter, name: str, distinct: int | None) -> Mapping[int, Number] | None:
    ranks = range(2, min(distinct or 0, MOST_RECURSIVE) + 1)
    measured = {rank: meter.worst("recursive", RecursiveDiversity(1, rank, name)) for rank in ranks}
    if "recursive" in meter.refused:
        return None
    return {rank: numbers[1] for rank, numbers in measured.items() if numbers is not None}


def _distances(meter: Meter, name: str, schema: Schema, census: Census) -> Mapping[str, Number]:
    """Measure the distances that have a meaning for the column: an order or a taxonomy is never made up."""
    meaning, kind = dict(schema.sensitive)[name], census.domains[name].kind
    names: list[Distance] = ["equal"]
    if isinstance(meaning, Ordered) or kind not in {"text", "boolean"}:
        names.append("ordered")
    if isinstance(meaning, Tree):
        names.append("hierarchical")
    measured = {way: meter.worst(f"t ({way})", TCloseness(1, name, way)) for way in [*names, "kl"]}
    return {way: numbers[0] for way, numbers in measured.items() if numbers is not None}


def _beta_likeness(meter: Meter, name: str) -> tuple[Fraction | None, Number | None]:
    """Give the largest gain, and whether it stays under the cap that the enhanced form adds."""
    model = BetaLikeness(1, name, enhanced=True)
    measured = meter.measure("beta", model)
    numbers = worst_of(model, measured)
    if measured is None or numbers is None:
        return None, None
    capped = bool(measured[1].meets("<=", Fraction(1)).all())
    return Fraction(numbers[0]), numbers[0] if capped else math.inf


def _delta_disclosure(meter: Meter, name: str) -> float | None:
    numbers = meter.worst("delta", DeltaDisclosure(1, name))
    if numbers is None:
        return None
    lacking, change = numbers
    return math.inf if lacking else float(change)


def _similar_classes(meter: Meter, name: str, meaning: Categories) -> Exposed | None:
    """Find the classes in which one category is everybody's; nothing where the categories do not fit the table."""
    classes = meter.classes
    try:
        return Exposed.of(classes, certain_category(classes, meaning.bind(classes.cells.domains[name])))
    except HierarchyError as refusal:
        meter.refused["similar"] = refusal.message
        return None


def _effective_values(number: float) -> float:
    """Give a whole number of values where an entropy is as near to it as the models read it too."""
    return float(round(number)) if abs(number - round(number)) <= 1e-12 * max(1.0, number) else number


def _pair_or_nothing(numbers: tuple[Number, ...] | None) -> tuple[int, Fraction] | None:
    return None if numbers is None else (int(numbers[0]), Fraction(numbers[1]))


Matching = Literal["exact", "compatible"]


def assess(table: Any, schema: Schema, *, matching: Matching = "exact", **reading: Unpack[Reading]) -> Assessment:
    """Measure how well a table hides its people: everything that the models know, no promise asked.

    Parameters
    ----------
    table
        Raw data or anybody's released file: a pandas, Polars or PyArrow table, a DuckDB relation, a Spark DataFrame, a
        list of dicts, or a path to a CSV or Parquet file. Labels are grouped as they stand; a suppressed cell is a
        label like any other.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part.
    matching
        ``"compatible"`` measures ``compatible_k`` too: a suppressed cell then matches anything, and ``476**`` every
        text of that form. Such a table is not k-anonymous for that; do not claim it.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    The table is read and grouped once. What a model refuses to measure on this table (entropy where people have several
    rows with different values, weights where the categories lack a value) is ``None``, and ``not_measured`` says why.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s", "disease": "flu"}, {"age": "30s", "disease": "hiv"}, {"age": "40s", "disease": "flu"}]
    >>> assessment = ic.assess(table, ic.Schema(quasi=["age"], sensitive=["disease"]))
    >>> assessment
    Assessment(3 records, 2 classes, k=1, 1 sensitive column)
    >>> assessment.one_of_a_kind.people, assessment.average_chance, assessment.columns["disease"].t["equal"]
    (1, Fraction(2, 3), Fraction(1, 3))
    """
    if matching not in ("exact", "compatible"):
        msg = f"matching must be 'exact' or 'compatible', got {matching!r}."
        raise ParameterError(msg)
    return assessment_of(Subject.of(table, schema, reading).census, schema, matching=matching)


def assessment_of(census: Census, schema: Schema, *, matching: Matching = "exact") -> Assessment:
    """Measure everything on a table that has been counted already."""
    classes = census.classes()
    smallest = Meter(schema, census, classes).worst("k", KAnonymity(1))
    compatible = None
    if matching == "compatible" and len(classes):
        labels = [census.labels(name) for name in census.quasi]
        compatible = int(compatible_sizes(classes.codes, labels, classes.size).min())
    return Assessment(
        records=census.records,
        persons=census.persons,
        dropped=census.dropped,
        classes=len(classes),
        k=None if smallest is None else int(smallest[0]),
        compatible_k=compatible,
        class_sizes=ClassSizes.of(classes),
        one_of_a_kind=Exposed.of(classes, classes.size == 1),
        columns={name: assess_column(name, schema, census, classes) for name in schema.sensitive_names},
        notes=_assessment_notes(schema, census),
        _schema=schema,
        _census=census,
        _grouped=classes,
    )


def _assessment_notes(schema: Schema, census: Census) -> tuple[str, ...]:
    """Say what a careful reader should know; meanings that do not fit are said where they are measured."""
    plain = Schema(dict(schema.quasi), sensitive=schema.sensitive_names)
    return plain.bind(census.domains, default=auto(), strict=False).notes


def check(
    table: Any, schema: Schema, model: Model | str, *, partition: Partition | None = None, **reading: Unpack[Reading]
) -> Verdict:
    """Say whether a table keeps a promise, and if not, how far it is from it.

    Parameters
    ----------
    table
        Raw data or anybody's released file: a pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a
        path to a CSV or Parquet file. Labels are grouped as they stand; a suppressed cell is a label like any other.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part, except in (n, t)-closeness with
        supersets of the lattice: there they must cover what the table holds.
    model
        The promise, as a model or as its text: ``"k>=5, l>=3[disease]"``.
    partition
        How the table was cut into its classes, for (n, t)-closeness with supersets of the kind ``path``.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    The verdict is about this table alone. It cannot know whether the quasi-identifiers are all that an outsider knows,
    nor what else was published about the same people. Distances to the whole table are distances to this table.

    What is allowed but dangerous is a ``PrivacyWarning`` and a note of the verdict: a promise that every table keeps, a
    listed value that the table does not have, values of quasi-identifiers or promised columns that look alike in print.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s", "disease": "flu"}, {"age": "30s", "disease": "hiv"}, {"age": "40s", "disease": "flu"}]
    >>> verdict = ic.check(table, ic.Schema(quasi=["age"], sensitive=["disease"]), "k>=2")
    >>> verdict.holds, verdict.findings[0].measured, verdict.findings[0].failing_records
    (False, (Fraction(1, 1),), 1)
    """
    model = promise(model)
    subject = Subject.of(table, schema, reading)
    census = subject.count(
        ladders_of(schema, subject.engine.domains(schema.quasi_names)) if looks_at_levels(model) else None
    )
    classes = census.classes()
    classes = classes if partition is None else partition.attach(classes)
    judges = model.bind(schema, census.domains)
    notes = [*model.trivial_notes(), *notes_on_look_alikes(judges, census)]
    for note in notes:
        warn(note)
    return verdict_of(judges, classes, schema.quasi_names, notes=notes)


def plain_verdict(verdict: Verdict) -> dict[str, Any]:
    """Write whether promises hold; the labels of failing classes are data and stay behind."""
    return {
        "holds": verdict.holds,
        "vacuous": verdict.vacuous,
        "notes": list(verdict.notes),
        "findings": [_plain_finding(finding) for finding in verdict.findings],
    }


def _plain_finding(finding: Finding) -> dict[str, Any]:
    return {
        "promise": finding.promise,
        "columns": list(finding.columns),
        "holds": finding.holds,
        "required": [
            {"name": name, "sense": sense, "bound": plain_number(bound)} for name, sense, bound in finding.required
        ],
        "measured": [plain_number(value) for value in finding.measured],
        "failing_classes": finding.failing_classes,
        "failing_records": finding.failing_records,
        "failing_persons": finding.failing_persons,
        "reference": finding.reference,
        "supersets": finding.supersets,
    }
