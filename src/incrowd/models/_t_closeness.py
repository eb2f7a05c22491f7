"""t-closeness: a class looks like the whole table; which distance fits a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from incrowd.core import Classes, Domain, Hint, Ladder, ParameterError, Schema, SchemaError, Setting
from incrowd.hierarchies import Ordered, Tree
from incrowd.models._distances import (
    Distributions,
    distributions_for,
    equal_distance,
    hierarchical_distance,
    kullback_leibler,
    ordered_distance,
)
from incrowd.models._form import DISTANCES, OF, Form, Key, bracket
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._model import ColumnModel, Model, Of, read_of
from incrowd.models._thresholds import Number, number_text, threshold

Distance = Literal["equal", "variational", "ordered", "hierarchical", "kl"]


class _DistanceJudge(Judge):
    def __init__(
        self, model: TCloseness, columns: tuple[str, ...], schema: Schema, domains: Mapping[str, Domain]
    ) -> None:
        super().__init__(model, columns, schema, domains)
        self._distance = model.distance
        self._ground = distance_ground(columns[0], model.distance, schema, domains[columns[0]])

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        both = distributions_for(self, classes)
        if self._distance == "ordered":
            return (ordered_distance(both, self._ground),)
        if self._distance == "hierarchical":
            return (hierarchical_distance(both, self._ground),)
        return (equal_distance(both) if self._distance == "equal" else kullback_leibler(both),)


class _CoverageJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        both = Distributions.of(classes, self.histogram(classes), self.columns[0], self.reference)
        present = both.reference[both.histogram.values[0]]
        held = np.add.reduceat(present, both.histogram.starts[:-1]) if len(present) else present
        return (Ratios(held, np.full(len(classes), both.total, dtype=np.int64)),)


@dataclass(frozen=True)
class TCloseness(ColumnModel):
    """The sensitive values of each class are distributed as in the whole table, up to a distance of ``t``.

    Parameters
    ----------
    t
        The largest distance: 0 to 1, or any number from 0 for ``"kl"``.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    distance
        ``"equal"``: all values are equally far apart; ``"variational"`` is another word for it. ``"ordered"``: values
        lie on a line, in the order of the column's numbers or dates or as ``ordered([...])`` in the schema says.
        ``"hierarchical"``: values are as far apart as their lowest common group in the schema's ``tree(...)`` is high.
        ``"kl"``: the Kullback-Leibler divergence, in nats.

    Notes
    -----
    Bounds what anybody learns from a class beyond what the whole table tells, whatever the values mean (with a fitting
    distance). It is strict and costs much detail. It does not bound how certain a guess is: where the whole table is
    lopsided, classes may be too.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian. *t-closeness: privacy beyond k-anonymity and l-diversity.* ICDE 2007.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.TCloseness(0.2, of="cost", distance="ordered"))
    't<=0.2[cost, ordered]'
    """

    t: Number
    of: Of = None
    distance: Distance = "equal"

    upward_closed = False
    union_closed = True
    refers = True
    judge = _DistanceJudge
    means = "The values in a group are distributed nearly as in the whole table."
    limit = "Where the whole table is lopsided, groups may be too."
    forms = (
        Form(
            "t",
            "<=",
            "t<=0.2[cost, ordered]",
            lambda clause: TCloseness(clause.number, clause.of, *clause.words),  # type: ignore[arg-type]
            rank=30,
            words=DISTANCES,
        ).offer(
            "Groups look like the whole table (t-closeness)",
            "t<=0.2[COLUMN]",
            "Learning that a value is more likely for a group than for everybody.",
            "What the whole table tells, where it is lopsided itself.",
            Key("t", "number from 0 to 1", "the largest distance to the whole table", "0.2"),
            OF,
            Key("distance", "equal, ordered, hierarchical or kl", "how values differ", "equal"),
        ),
    )

    def __post_init__(self) -> None:
        self._normalize(distance=read_distance(self.distance))
        self._normalize(t=threshold(self.t, name="t", high=None if self.distance == "kl" else 1))
        self._normalize(of=read_of(self.of))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("t", "<=", Fraction(self.t)),)

    @property
    def implied(self) -> Model | None:
        """With equal distance, the values of a class make up at least ``1 - t`` of the whole table."""
        return Coverage(1 - Fraction(self.t), self.of) if self.distance == "equal" else None

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": "t", "distance": self.distance}

    @property
    def promises_nothing(self) -> bool:
        return self.t == 1 and self.distance != "kl"

    def __str__(self) -> str:
        how = [] if self.distance == "equal" else [self.distance]
        return f"t<={number_text(self.t)}{bracket(self.of, *how)}"


@dataclass(frozen=True)
class Coverage(ColumnModel):
    """The values of each class make up at least a share of the whole table: what t-closeness implies, for searches."""

    share: Fraction
    of: Of = None

    upward_closed = True
    union_closed = True
    refers = True
    judge = _CoverageJudge

    def __post_init__(self) -> None:
        self._normalize(of=read_of(self.of))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("coverage", ">=", self.share),)


def read_distance(distance: Distance) -> Distance:
    """Read the name of a distance; two of them are the same."""
    if distance not in DISTANCES:
        msg = f"distance must be one of {', '.join(map(repr, DISTANCES))}, got {distance!r}."
        raise ParameterError(msg)
    return "equal" if distance == "variational" else distance


def distance_ground(name: str, distance: Distance, schema: Schema, domain: Domain) -> Any:
    """Find what the distance between two values is measured on: ranks, a taxonomy, or nothing."""
    meaning = dict(schema.sensitive)[name]
    if distance == "ordered":
        return _ranks(name, meaning, domain)
    if distance != "hierarchical":
        return None
    if not isinstance(meaning, Tree):
        msg = f"The hierarchical distance needs a taxonomy of the values of {name!r}."
        raise SchemaError(msg, hint=Hint("{}.", Setting.sensitive(name, "tree(...)")))
    ladder: Ladder = meaning.bind(domain)
    if ladder.height != meaning.height:  # a level of its own for null would shrink all distances
        msg = f"Column {name!r} has missing values, which have no place in its taxonomy."
        raise SchemaError(msg, hint="call the top of the tree '*', or remove these records first.")
    return ladder


def _ranks(name: str, meaning: object, domain: Domain) -> Any:
    if domain.has_null:
        msg = f"Column {name!r} has missing values, which have no place in an order."
        raise SchemaError(msg, hint="use the equal distance, or remove these records first.")
    if isinstance(meaning, Ordered):
        return np.argsort(np.argsort(meaning.ranks(domain)))  # the table's own values are one step apart
    if domain.kind in {"text", "boolean"}:
        msg = f"The ordered distance needs an order of the values of {name!r}, which are {domain.kind}."
        raise SchemaError(msg, hint=Hint("{}.", Setting.sensitive(name, "ordered([...])")))
    return np.arange(len(domain))
