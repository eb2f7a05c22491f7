"""What can be known before any search: whether a promise can be kept at all, and by how many classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Grouping, Schema, SchemaError, group
from incrowd.models._alpha_association import AlphaAssociation
from incrowd.models._judge import Judge, Judgement
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._max_groups import max_groups
from incrowd.models._nt_closeness import NTCloseness
from incrowd.models._numbers import plain
from incrowd.models._p_sensitive import EnhancedPAlphaSensitive, PAlphaSensitive
from incrowd.models._weaker import safe, text, weaker, weaker_by_implied


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why no release of a table can keep a promise.

    Attributes
    ----------
    promise
        The promise, as its text.
    columns
        The sensitive columns that it is about; none for k-anonymity.
    reason
        What is in the way, in one sentence. Names and numbers, no values.
    nearest
        The text of the nearest promise that this does not stand in the way of, rounded to the safe side; ``None`` where
        there is none.
    """

    promise: str
    columns: tuple[str, ...]
    reason: str
    nearest: str | None


@dataclass(frozen=True, slots=True)
class Feasibility:
    """What is known about the releases of a table before any search. Ask ``feasibility.feasible``.

    Attributes
    ----------
    obstacles
        Why no release keeps the promises; empty if nothing speaks against one.
    max_classes
        So many classes or fewer has every release that keeps the promises.
    vacuous
        Whether all records may be left out: then the empty release keeps every promise, and tells nobody anything.
    """

    obstacles: tuple[Obstacle, ...]
    max_classes: int
    vacuous: bool

    @property
    def feasible(self) -> bool:
        """Whether nothing is known that rules a release out. A search may still find none."""
        return not self.obstacles

    def __bool__(self) -> NoReturn:
        msg = "A feasibility is neither true nor false; ask feasibility.feasible."
        raise TypeError(msg)


def feasibility(judges: Sequence[Judge], classes: Classes, max_suppressed_records: int = 0) -> Feasibility:
    """Say whether any release can keep a promise, from the whole table taken as one class.

    Parameters
    ----------
    judges
        The promise, bound to the table.
    classes
        Any classes of the table.
    max_suppressed_records
        How many records a release may leave out.

    Notes
    -----
    What is upward closed and fails on the whole table fails on every part of it. What is only union closed, such as
    entropy, can hold once records are left out: then what it implies decides. What is neither is ruled out only by what
    it implies, or by asking for supersets that are larger than the table.
    """
    whole = _as_one(classes)
    records = int(whole.records.sum())
    vacuous = max_suppressed_records >= records
    found = [] if vacuous else [_obstacle(judge, whole, max_suppressed_records) for judge in judges]
    obstacles = tuple(obstacle for obstacle in found if obstacle is not None)
    most = 0 if obstacles else min([records, *(_max_classes(judge, whole, records) for judge in judges)])
    return Feasibility(obstacles, most, vacuous)


def _as_one(classes: Classes) -> Classes:
    cells = len(classes.members)
    grouping = Grouping(np.zeros(cells, dtype=np.uint8), np.zeros(min(cells, 1), dtype=np.intp))
    return Classes.of(grouping, (), classes.cells)


def _obstacle(judge: Judge, whole: Classes, limit: int) -> Obstacle | None:
    if isinstance(judge.model, NTCloseness):
        return _too_small(judge, judge.model.n, whole)
    decides = judge.upward_closed or (judge.union_closed and limit == 0)
    asked = judge if decides else _implied(judge)
    judgement = None if asked is None else _judged(asked, whole)
    if asked is None or judgement is None or judgement.ok[0]:
        return None
    measured = [values.at(0) for values in judgement.measured]
    if asked.model.requirements[0].name in {"l", "p"} and not measured[0]:  # nothing is known, and no promise is left
        nearest = None
    elif asked is judge:
        nearest = weaker(judge, measured, _frequencies(judge, whole).tolist())
    else:
        nearest = weaker_by_implied(judge, measured[0])
    return Obstacle(str(judge.model), judge.columns, _reason(asked, judgement, whole), nearest)


def _too_small(judge: Judge, least: int, whole: Classes) -> Obstacle | None:
    """Find out whether even the whole table is no superset of the size that (n, t)-closeness asks for."""
    size = int(whole.size[0])
    if size >= least:
        return None
    reason = f"The table has {_crowd(whole)}, and every class needs a superset of {least}."
    return Obstacle(str(judge.model), judge.columns, reason, text(judge, {"n": size}))


def _judged(judge: Judge, whole: Classes) -> Judgement | None:
    """Judge the whole table; ``None`` where somebody has several values, which says nothing about smaller classes."""
    try:
        return judge.judge(whole)
    except SchemaError:
        return None


def _implied(judge: Judge) -> Judge | None:
    """Bind what a promise implies to the column of its judge."""
    model = judge.model.implied
    if model is None:
        return None
    schema = Schema(quasi=[f"not {judge.columns[0]}"], sensitive=judge.columns)  # no quasi-identifier takes part
    (bound,) = replace(model, of=judge.columns).bind(schema, judge.domains)  # type: ignore[type-var]
    bound.persons, bound.reference = judge.persons, judge.reference
    return bound


def _reason(judge: Judge, judgement: Judgement, whole: Classes) -> str:
    """Say which number of the whole table is in the way."""
    pairs = zip(judge.model.requirements, judgement.measured, strict=True)
    bound, values = next(pair for pair in pairs if not pair[1].meets(pair[0].sense, pair[0].bound)[0])
    has, needs = plain(Fraction(safe(values.at(0), bound.sense))), plain(bound.bound)
    column = " and ".join(map(repr, judge.columns))
    if isinstance(judge.model, KAnonymity):
        return f"The table has {_crowd(whole)}, and every class needs {needs}."
    if bound.name == "alpha" and isinstance(judge.model, PAlphaSensitive):
        return f"The total weight of column {column} is {has}, and every class needs {needs}."
    if bound.name == "p" and isinstance(judge.model, EnhancedPAlphaSensitive):
        return f"The number of categories in column {column} is {has}, and every class needs {needs}."
    if bound.name in {"l", "p"} and judge.upward_closed:
        kind = "different values in column" if len(judge.columns) == 1 else "different combinations of columns"
        return f"The number of {kind} {column} is {has}, and every class needs {needs}."
    unless = "" if judge.upward_closed else "; as long as no record is left out, some class is no better"
    name = "alpha" if isinstance(judge.model, AlphaAssociation) else bound.name  # without the value it is for
    return f"The whole table has {name} = {has} in column {column}, and {name} {bound.sense} {needs} is asked{unless}."


def _crowd(whole: Classes) -> str:
    noun = "record" if whole.cells.person is None else "person"
    return f"{whole.size[0]:,} {noun}{'' if whole.size[0] == 1 else 's'}"


def _max_classes(judge: Judge, whole: Classes, records: int) -> int:
    """Bound the number of classes that keep one promise. A person can be in several classes, so records are counted."""
    if isinstance(judge.model, KAnonymity):
        return records // judge.model.k
    values = _least_values(judge)
    most = min(records // values, max_groups([_frequencies(judge, whole)], values)) if values > 1 else records
    return min(most, _most_by_weight(judge, whole, records))


def _least_values(judge: Judge) -> int:
    """Give the number of different values that every class needs, as far as is known."""
    implied = judge if judge.upward_closed else _implied(judge)
    bounds = () if implied is None else implied.model.requirements
    return max((math.ceil(bound.bound) for bound in bounds if bound.name in {"l", "p"}), default=1)


def _most_by_weight(judge: Judge, whole: Classes, records: int) -> int:
    """Bound the number of classes by the weight that each of them needs."""
    model = judge.model
    if not isinstance(model, PAlphaSensitive) or not model.alpha or model.weight_over != "records":
        return records
    if whole.cells.person is not None or not len(whole):
        return records
    return math.floor(judge.measure(whole)[1].at(0) / Fraction(model.alpha))


def _frequencies(judge: Judge, whole: Classes) -> npt.NDArray[np.int64]:
    """Count the records of every value, or combination of values, of a judge's columns, as far as they count."""
    cells = whole.cells
    columns = [cells.sensitive[name] for name in judge.columns]
    if not columns:
        return whole.records
    values = group(columns, [cells.cardinalities[name] for name in judge.columns])
    known = [codes < len(cells.domains[name].values) for name, codes in zip(judge.columns, columns, strict=True)]
    counts = judge.missing | np.logical_and.reduce(known)
    return np.asarray(values.sums(cells.counts)[counts[values.first]], dtype=np.int64)
