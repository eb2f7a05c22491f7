"""What can be known before any search: whether a promise can be kept at all, by how many classes, and a weaker one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, ParameterError, Schema, SchemaError, group
from incrowd.models._alpha_association import AlphaAssociation
from incrowd.models._items import KKmAnonymity
from incrowd.models._judge import TOLERANCE, Judge, Judgement, MeasuredNumber, Requirement, Sense
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._l_diversity import RecursiveDiversity, least_values
from incrowd.models._model import Model
from incrowd.models._nt_closeness import NTCloseness
from incrowd.models._p_sensitive import EnhancedPAlphaSensitive, PAlphaSensitive
from incrowd.models._several_rows import KmAnonymity
from incrowd.models._thresholds import number_text, whole_number

# How many classes with p different values each a table can have at most (S2-COND1, S2-COND2).

Frequencies = Sequence[Sequence[int] | npt.NDArray[Any]]


def max_p(frequencies: Frequencies) -> int:
    """Give the largest p that a class can have: the number of values of the column with the fewest (S2-COND1)."""
    return min(len(counts) for counts in _descending_counts(frequencies))


def cumulative_max(frequencies: Frequencies) -> list[int]:
    """Give for i = 1, 2, ... up to ``max_p`` how many records the i most frequent values of a column have, at most."""
    return [int(total) for total in _cumulative(_descending_counts(frequencies))]


def max_groups(frequencies: Frequencies, p: int) -> int:
    """Give a number of classes with p different values each that no release exceeds; 0 where none has so many.

    Parameters
    ----------
    frequencies
        How often each value occurs, one list per sensitive column.
    p
        How many different values of every column each class must have; 1 or more. For 1 there is no bound but the
        number of records.

    Notes
    -----
    At most p - i values of a class are among the p - i most frequent ones, so the class takes i of the other records or
    more. For one column the smaller of this bound and ``records // p`` is reached by some grouping of the records.

    References
    ----------
    T. M. Truta, B. Vinay. *Privacy protection: p-sensitive k-anonymity property.* ICDE Workshops, 2006.

    Examples
    --------
    >>> from incrowd.models import max_groups
    >>> max_groups([[900, 90, 5, 3, 2]], p=3)
    10
    """
    p = whole_number(p, name="p", at_least=1)
    columns = _descending_counts(frequencies)
    records = int(columns[0].sum())
    cumulative = _cumulative(columns)
    if p > len(cumulative):
        return 0
    others = np.arange(1, p)
    return int(np.min((records - cumulative[p - 1 - others]) // others, initial=records))


def _descending_counts(frequencies: Frequencies) -> list[npt.NDArray[np.int64]]:
    columns = [np.sort(np.asarray(counts, dtype=np.int64))[::-1] for counts in frequencies]
    columns = [counts[counts > 0] for counts in columns]
    if len({int(counts.sum()) for counts in columns}) != 1:
        msg = "frequencies must be one list per column, all adding up to the number of records."
        raise ParameterError(msg, hint="write [[900, 100]], also for a single column.")
    return columns


def _cumulative(columns: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    shortest = min(map(len, columns))
    sums = np.stack([np.cumsum(counts[:shortest]) for counts in columns])
    return np.asarray(sums.max(axis=0), dtype=np.int64)


# The nearest weaker promise that a table can still keep, its numbers rounded to the safe side.


def weaker_promise(judge: Judge, measured: Sequence[MeasuredNumber], counts: Sequence[int]) -> str | None:
    """Weaken a promise that the whole table fails until it keeps it; ``None`` if what fails is no parameter."""
    model: Any = judge.model
    if isinstance(model, RecursiveDiversity):
        return promise_text(judge, _recursive_for_counts(model, sorted(counts, reverse=True)))
    if isinstance(model, AlphaAssociation) and model.by_value is not None:
        pairs = zip(model.by_value.items(), measured, strict=True)
        alphas = tuple((name, max(bound, safe_bound(value, "<="))) for (name, bound), value in pairs)
        return promise_text(judge, {"alpha": alphas})
    if isinstance(model, KAnonymity):  # what is measured may have another name
        return promise_text(judge, {"k": safe_bound(measured[0], ">=")})
    failing = [pair for pair in zip(model.requirements, measured, strict=True) if _is_broken(*pair)]
    numbers = {bound.name: safe_bound(value, bound.sense) for bound, value in failing}
    return promise_text(judge, numbers) if set(numbers) <= {field.name for field in fields(model)} else None


def weaker_by_implied(judge: Judge, measured: MeasuredNumber) -> str | None:
    """Weaken a promise until the whole table keeps what it implies: so many values, or so much of the table."""
    model: Any = judge.model
    name = model.requirements[0].name
    if isinstance(model, RecursiveDiversity):
        return promise_text(judge, _recursive_for_values(model, int(measured)))
    if name == "l":
        return promise_text(judge, {"l": safe_bound(measured, ">=")})
    if name == "alpha":
        return promise_text(judge, {"alpha": safe_bound(1 / Fraction(measured), "<=")})
    return promise_text(judge, {"t": safe_bound(1 - Fraction(measured), "<=")}) if name == "t" else None


def promise_text(judge: Judge, numbers: dict[str, Any]) -> str:
    """Write a judge's promise with other numbers."""
    about: dict[str, Any] = {"of": judge.columns} if judge.columns else {}
    model: Model = replace(judge.model, **numbers, **about)  # type: ignore[type-var]
    return str(model)


def safe_bound(value: MeasuredNumber, sense: Sense) -> int | Fraction:
    """Round a measured number so that as a bound it is met: to two places, below 1 to three digits."""
    slack = Fraction(0 if isinstance(value, Fraction) else TOLERANCE / 2 * max(1.0, value))
    exact = Fraction(value)
    places = 2 if exact >= 1 or exact <= 0 else min(12, 2 - math.floor(math.log10(exact)))
    scale = 10**places
    steps = math.ceil((exact - slack) * scale) if sense == "<=" else math.floor((exact + slack) * scale)
    rounded = Fraction(steps + (sense == "<"), scale)
    return rounded.numerator if rounded.denominator == 1 else rounded


def _is_broken(bound: Requirement, value: MeasuredNumber) -> bool:
    return not {">=": value >= bound.bound, "<=": value <= bound.bound, "<": value < bound.bound}[bound.sense]


def _recursive_for_values(model: RecursiveDiversity, values: int) -> dict[str, Any]:
    """Lower ``l`` as far as so many values ask for, and raise ``c`` only where that is not enough."""
    rank = values - (least_values(Fraction(model.c), model.l) - model.l)
    return {"l": rank} if rank >= 1 else {"l": 1, "c": safe_bound(Fraction(1, values), "<")}


def _recursive_for_counts(model: RecursiveDiversity, counts: list[int]) -> dict[str, Any]:
    """Lower ``l`` to the number of values, then raise ``c`` above what the first of them needs."""
    rank = min(model.l, len(counts))
    ratio = Fraction(counts[0], sum(counts[rank - 1 :]))
    return {"l": rank, "c": model.c if ratio < model.c else safe_bound(ratio, "<")}


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

    What is upward closed and fails on the whole table fails on every part of it. What is only union closed, such as
    entropy, can hold once records are left out: then what it implies decides. What is neither is ruled out only by what
    it implies, or by asking for supersets that are larger than the table.
    """
    whole = classes.as_one()
    records = int(whole.records.sum())
    vacuous = max_suppressed_records >= records
    found = [] if vacuous else [_obstacle(judge, whole, max_suppressed_records) for judge in judges]
    obstacles = tuple(obstacle for obstacle in found if obstacle is not None)
    most = 0 if obstacles else min([records, *(_max_classes(judge, whole, records) for judge in judges)])
    return Feasibility(obstacles, most, vacuous)


def _obstacle(judge: Judge, whole: Classes, limit: int) -> Obstacle | None:
    if isinstance(judge.model, NTCloseness):
        return _too_small(judge, "n", f"every class needs a superset of {judge.model.n}", whole)
    if isinstance(judge.model, KmAnonymity):
        return _too_small(judge, "k", f"all rows that may be known need {judge.model.k}", whole)
    if isinstance(judge.model, KKmAnonymity):
        return _too_small(judge, "k", f"all items that may be known need {judge.model.k}", whole)
    decides = judge.upward_closed or (judge.union_closed and limit == 0)
    asked = judge if decides else _implied_judge(judge)
    judgement = None if asked is None else _judgement_of(asked, whole)
    if asked is None or judgement is None or judgement.ok[0]:
        return None
    measured = [values.at(0) for values in judgement.measured]
    if asked.model.requirements[0].name in {"l", "p"} and not measured[0]:  # nothing is known, and no promise is left
        nearest = None
    elif asked is judge:
        nearest = weaker_promise(judge, measured, _frequencies(judge, whole).tolist())
    else:
        nearest = weaker_by_implied(judge, measured[0])
    return Obstacle(str(judge.model), judge.columns, _reason(asked, judgement, whole), nearest)


def _too_small(judge: Judge, number: str, needs: str, whole: Classes) -> Obstacle | None:
    """Find out whether even the whole table is smaller than what a promise asks for by one of its numbers."""
    size = int(whole.size[0])
    if size >= getattr(judge.model, number):
        return None
    reason = f"The table has {_size_text(whole)}, and {needs}."
    return Obstacle(str(judge.model), judge.columns, reason, promise_text(judge, {number: size}))


def _judgement_of(judge: Judge, whole: Classes) -> Judgement | None:
    """Judge the whole table; ``None`` where somebody has several values, which says nothing about smaller classes."""
    try:
        return judge.judge(whole)
    except SchemaError:
        return None


def _implied_judge(judge: Judge) -> Judge | None:
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
    has, needs = number_text(Fraction(safe_bound(values.at(0), bound.sense))), number_text(bound.bound)
    column = " and ".join(map(repr, judge.columns))
    if isinstance(judge.model, KAnonymity):
        return f"The table has {_size_text(whole)}, and every class needs {needs}."
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


def _size_text(whole: Classes) -> str:
    noun = "record" if whole.cells.person is None else "person"
    return f"{whole.size[0]:,} {noun}{'' if whole.size[0] == 1 else 's'}"


def _max_classes(judge: Judge, whole: Classes, records: int) -> int:
    """Bound the number of classes that keep one promise. A person can be in several classes, so records are counted."""
    if isinstance(judge.model, (KAnonymity, KmAnonymity)):
        return records // _least_people(judge.model)
    values = _least_values(judge)
    most = min(records // values, max_groups([_frequencies(judge, whole)], values)) if values > 1 else records
    return min(most, _most_by_weight(judge, whole, records))


def _least_people(model: KAnonymity | KmAnonymity) -> int:
    """Give the number of people that every class needs; one where others may fit, or few columns are known."""
    every = not model.candidates if isinstance(model, KAnonymity) else model.known is None
    return model.k if every else 1


def _least_values(judge: Judge) -> int:
    """Give the number of different values that every class needs, as far as is known."""
    implied = judge if judge.upward_closed else _implied_judge(judge)
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
