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
from incrowd.measures import ColumnCosts, Cover, ambiguity, column_costs, rounded
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
    Labels are compared with values through what they publicly cover: the records of a label are spread evenly over the
    numbers or days that it names, or over the texts that its hierarchy has under it, whether or not anybody has them,
    as a reader does who has the release and no more. An open end (``>=90``) reaches as far as other labels of
    the column, and at least one step. Two things are taken from the table, as from a codebook: from where to where the
    numbers or dates of a column run, over which ``*`` lies, and the texts of a hierarchy that was made from it.
    Texts are compared value by value; numbers, dates and pairs of columns in the same groups before and after: their
    values, the finest level of their hierarchy with at most 20 groups, or groups of about equal size. What is measured
    compares with the original table and is as confidential as that.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": age, "sex": sex} for age in (31, 34, 52, 55) for sex in ("f", "m")]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 100), "sex": ic.flat()})
    >>> release = ic.anonymize(table, schema, model="k>=2")
    >>> utility = ic.utility(release, table)
    >>> utility.columns["age"].distance, utility.columns["sex"].costs.loss, utility.left_out
    (0.15, 0.0, 0)
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


def _distance(both: Compared, name: str) -> float:
    """Give which share of the records would have to be moved: of texts value by value, else from group to group.

    What a reader gives to texts that nobody has must be moved too.
    """
    covers = [side.covers[name] for side in (both.before, both.after)]
    sides = [side.shares(name, both.groups[name]) for side in (both.before, both.after)]
    if both.census.domains[name].kind in {"text", "boolean"}:
        pairs = zip((both.before, both.after), covers, strict=True)
        sides = [
            one.on_values(side.tallies[name]) / max(side.records, 1) for side, one in pairs if isinstance(one, Cover)
        ]
    nowhere = max(1.0 - float(sides[1].sum()), 0.0) if both.after.records else 0.0
    return float(rounded(np.array([(np.abs(sides[0] - sides[1]).sum() + nowhere) / 2]))[0])


def _marginal(both: Compared, name: str, costs: ColumnCosts | None) -> Marginal:
    """Compare the distributions of a column in groups."""
    groups, sides = both.groups[name], (both.before, both.after)
    shares = [side.shares(name, groups) for side in sides]
    order = np.argsort(-shares[0], kind="stable").tolist()
    in_order = both.census.domains[name].kind not in {"text", "boolean"}
    return Marginal(
        column=name,
        costs=costs,
        distance=_distance(both, name),
        shares=tuple((groups.names[number], float(shares[0][number]), float(shares[1][number])) for number in order),
        places=tuple(order) if in_order else (),
    )
