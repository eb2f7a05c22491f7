"""What the classes of a table tell about one sensitive column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from incrowd.api._alike import Different
from incrowd.api._assessment import ColumnAssessment
from incrowd.api._certain import certain, certain_category
from incrowd.api._exposed import Exposed
from incrowd.api._worst import Number, worst
from incrowd.core import Census, Classes, HierarchyError, Schema, SchemaError
from incrowd.hierarchies import Categories, Ordered, Tree
from incrowd.models import (
    AlphaAssociation,
    BetaLikeness,
    DeltaDisclosure,
    EnhancedPAlphaSensitive,
    LDiversity,
    Measured,
    Model,
    PAlphaSensitive,
    RecursiveDiversity,
    TCloseness,
)

Distance = Literal["equal", "ordered", "hierarchical", "kl"]
MOST_RECURSIVE = 5
"""Recursive diversity is measured up to this rank."""
_ROUNDING = 1e-12
"""An entropy this near to a whole number of values is that number, as the models read it too."""


class Meter:
    """Lets the models' own judges measure, and remembers what they refuse."""

    def __init__(self, schema: Schema, census: Census, classes: Classes, reference: Any = None) -> None:
        self._schema = schema
        self._census = census
        self._reference = reference
        self.classes = classes
        self.refused: dict[str, str] = {}

    def measure(self, what: str, model: Model) -> tuple[Measured, ...] | None:
        """Measure every class, or note why that cannot be."""
        try:
            (judge,) = model.bind(self._schema, self._census.domains, self._reference)
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
    numbers = (worst(values, bound.sense) for values, bound in zip(measured, model.requirements, strict=True))
    found = tuple(number for number in numbers if number is not None)
    return found or None


def assess_column(name: str, schema: Schema, census: Census, classes: Classes) -> ColumnAssessment:
    every = Meter(schema, census, classes)
    distinct = LDiversity(1, name)
    count = every.worst("distinct_l", distinct)
    different = Different.of(classes, name)
    reference = None if different.reference is None else {name: different.reference}
    meter = Meter(schema, census, different.classes, reference)  # for what depends on shares alone
    probabilistic = meter.worst("probabilistic_l", LDiversity(1, name, "probabilistic"))
    largest = meter.worst("alpha", AlphaAssociation(1, name))
    entropy = meter.worst("entropy_l", LDiversity(1, name, "entropy"))
    beta, enhanced_beta = _beta(meter, name)
    meaning = dict(schema.sensitive)[name]
    weights = _Weights.of(every, name, meaning) if isinstance(meaning, Categories) else _Weights()
    distinct_l = None if count is None else int(count[0])
    return ColumnAssessment(
        column=name,
        values=len(census.domains[name].values),
        distinct_l=distinct_l,
        probabilistic_l=None if probabilistic is None else Fraction(probabilistic[0]),
        alpha=None if largest is None else Fraction(largest[0]),
        entropy_l=None if entropy is None else _whole_if_near(float(entropy[0])),
        recursive=_recursive(meter, name, distinct_l),
        t=_distances(meter, name, schema, census),
        beta=beta,
        enhanced_beta=enhanced_beta,
        delta=_delta(meter, name),
        p_alpha=weights.p_alpha,
        enhanced=weights.enhanced,
        homogeneous=Exposed.of(classes, certain(classes, name)),
        similar=weights.similar,
        not_measured={**every.refused, **meter.refused},
    )


def _recursive(meter: Meter, name: str, distinct: int | None) -> Mapping[int, Number] | None:
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


def _beta(meter: Meter, name: str) -> tuple[Fraction | None, Number | None]:
    """Give the largest gain, and whether it stays under the cap that the enhanced form adds."""
    model = BetaLikeness(1, name, enhanced=True)
    measured = meter.measure("beta", model)
    numbers = worst_of(model, measured)
    if measured is None or numbers is None:
        return None, None
    capped = bool(measured[1].meets("<=", Fraction(1)).all())
    return Fraction(numbers[0]), numbers[0] if capped else math.inf


def _delta(meter: Meter, name: str) -> float | None:
    numbers = meter.worst("delta", DeltaDisclosure(1, name))
    if numbers is None:
        return None
    lacking, change = numbers
    return math.inf if lacking else float(change)


@dataclass(frozen=True, slots=True)
class _Weights:
    """What is measured on a column with categories."""

    p_alpha: tuple[int, Fraction] | None = None
    enhanced: tuple[int, Fraction] | None = None
    similar: Exposed | None = None

    @classmethod
    def of(cls, meter: Meter, name: str, meaning: Categories) -> _Weights:
        return cls(
            p_alpha=_pair(meter.worst("p_alpha", PAlphaSensitive(1, 0, name))),
            enhanced=_pair(meter.worst("enhanced", EnhancedPAlphaSensitive(1, 0, name))),
            similar=_similar(meter, name, meaning),
        )


def _similar(meter: Meter, name: str, meaning: Categories) -> Exposed | None:
    """Find the classes in which one category is everybody's; nothing where the categories do not fit the table."""
    classes = meter.classes
    try:
        return Exposed.of(classes, certain_category(classes, meaning.bind(classes.cells.domains[name])))
    except HierarchyError as refusal:
        meter.refused["similar"] = refusal.message
        return None


def _pair(numbers: tuple[Number, ...] | None) -> tuple[int, Fraction] | None:
    return None if numbers is None else (int(numbers[0]), Fraction(numbers[1]))


def _whole_if_near(number: float) -> float:
    return float(round(number)) if abs(number - round(number)) <= _ROUNDING * max(1.0, number) else number
