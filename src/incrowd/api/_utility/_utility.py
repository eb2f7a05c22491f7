"""Measuring what a release is still good for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from incrowd.api._census import Reading
from incrowd.api._given import check_column
from incrowd.api._release import Release
from incrowd.api._risk._classes import original_census
from incrowd.api._utility._accuracy import accuracy_of
from incrowd.api._utility._labels import Labelled, labelled
from incrowd.api._utility._pairs import Pairs
from incrowd.api._utility._result import Marginal, Utility
from incrowd.api._utility._tables import Compared, compared
from incrowd.core import Census, ParameterError, SchemaError, UnknownColumnError
from incrowd.measures import ColumnCosts, ambiguity, column_costs, rounded
from incrowd.models._numbers import whole


def utility(
    release: Release,
    original: Any,
    *,
    target: str | None = None,
    queries: int = 200,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Utility:
    """Measure what a release is still good for, beside the table that it was made from.

    Parameters
    ----------
    release
        The release.
    original
        The very table that it was made from.
    target
        A sensitive or insensitive column that a model shall learn to predict from the quasi-identifiers. Needs the
        extra ``utility``.
    queries
        How many random questions to ask: how many records lie in a range of one column and a range of another?
    seed
        Which questions, and which records are held out for testing. The same seed gives the same numbers.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    Labels are compared with values through what they cover: the records of a label are spread evenly over the values of
    the original table that it covers, as a reader would who knows no better. Columns are compared in the same groups
    before and after: their values, the finest level of their hierarchy with at most 20 groups, or groups of about equal
    size. What is measured compares with the original table and is as confidential as that.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": age, "sex": sex} for age in (31, 34, 52, 55) for sex in ("f", "m")]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 100), "sex": ic.flat()})
    >>> release = ic.anonymize(table, schema, model="k>=2")
    >>> utility = ic.utility(release, table)
    >>> utility.columns["age"].distance, utility.columns["sex"].costs.loss, utility.left_out
    (0.0, 0.0, 0)
    """
    if not isinstance(release, Release):
        msg = f"utility needs a release, got {type(release).__name__}."
        raise ParameterError(msg, hint="a release is what anonymize gives.")
    queries = whole(queries, name="queries", at_least=0)
    seed = whole(seed, name="seed", at_least=0)
    schema = release.schema
    _check_target(release, target)
    more = (target,) if target in schema.insensitive else ()
    census = original_census(release, original, (*schema.sensitive_names, *more), **reading)
    found, both = labelled(release, census), compared(release, census)
    costs = dict(zip(census.quasi, column_costs(census, found.labels, found.sizes), strict=True))
    pairs = Pairs(both, queries, np.random.default_rng(seed))
    return Utility(
        records=census.records,
        published=release.recipe.published,
        left_out=census.records - release.recipe.published,
        masked=release.recipe.masked,
        starred=sum(one.starred for one in costs.values()) / len(costs),
        measures=_measures(release, census, found),
        columns={name: _marginal(both, name, costs.get(name)) for name in both.columns},
        pairs=pairs.changes,
        queries=pairs.errors,
        accuracy=None if target is None else accuracy_of(release.recoding, both, target, seed),
    )


def _check_target(release: Release, target: str | None) -> None:
    """Refuse a target that is not published as it is."""
    if target is None:
        return
    check_column(target, "target")
    schema = release.schema
    known = (*schema.sensitive_names, *schema.insensitive)
    if target in known:
        return
    role = schema.role(target)
    if role is None:
        raise UnknownColumnError.of(target, (*schema.quasi_names, *known), given_as="target")
    able = ", ".join(map(repr, known)) or "no such column"
    msg = f"Column {target!r} cannot be the target: its role is {role}."
    raise SchemaError(msg, hint=f"a target is sensitive or insensitive; this release has {able}.")


def _measures(release: Release, census: Census, found: Labelled) -> Mapping[str, float]:
    more = {
        "discernibility_star": found.squares,
        "ambiguity": float(rounded(np.array([ambiguity(census, found.labels, found.sizes)]))[0]),
    }
    return {**release.measures, **more}


def _marginal(both: Compared, name: str, costs: ColumnCosts | None) -> Marginal:
    """Compare the distributions of a column, value by value and in groups."""
    before, after = (side.on_values(name) / max(side.records, 1) for side in (both.before, both.after))
    groups, place = both.groups[name], both.before.covers[name].place
    shares = [np.bincount(groups.group, side[place], len(groups)) for side in (before, after)]
    order = np.argsort(-shares[0], kind="stable").tolist()
    in_order = both.census.domains[name].kind not in {"text", "boolean"}
    return Marginal(
        column=name,
        costs=costs,
        distance=float(rounded(np.array([np.abs(before - after).sum() / 2]))[0]),
        shares=tuple((groups.names[number], float(shares[0][number]), float(shares[1][number])) for number in order),
        places=tuple(order) if in_order else (),
    )
