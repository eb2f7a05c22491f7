"""A solution that was found once, on new data."""

from __future__ import annotations

import os
from typing import Any, Unpack

from incrowd.core import Census, FullDomainRecoding, HierarchyError, Hint, NoSafeRelease, ParameterError
from incrowd.models import Number, suppression_limit
from incrowd.release._anonymize import census_for, open_source
from incrowd.release._floor import Bounds, levels_given
from incrowd.release._output import Publishing, manner_of, reading_of
from incrowd.release._publish import publish_node
from incrowd.release._recoding_file import SavedRecoding, load_recoding
from incrowd.release._release import Release
from incrowd.search import Inspection, Node, Outcome, Problem


def apply(
    release: Release | SavedRecoding | str | os.PathLike[str],
    table: Any,
    *,
    max_suppressed: Number = 0,
    max_suppressed_records: int | None = None,
    **options: Unpack[Publishing],
) -> Release:
    """Publish another table exactly as a release was: the same levels, the same labels, checked again.

    Parameters
    ----------
    release
        The release whose levels are taken, a recoding that was loaded, or the folder ``owner`` of a saved release.
    table
        The new table, with the same columns.
    max_suppressed, max_suppressed_records
        The share of the records, or their number, that may be left out for it. None by default: then the promise must
        hold as it is.
    options
        As in ``anonymize``. Records are dropped or masked as in the release, unless you say otherwise.

    Raises
    ------
    NoSafeRelease
        If the promise breaks on the new table.
    UncoveredValuesError
        If a saved recoding does not know a value of the new table; a release still has its hierarchies, and may.

    Notes
    -----
    Distances refer to the new table. Two releases about the same people can together tell more than each alone; nothing
    here measures that.

    Examples
    --------
    >>> import incrowd as ic
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 20)})
    >>> first = ic.anonymize([{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}], schema, model="k>=2")
    >>> ic.apply(first, [{"age": 38}, {"age": 33}]).table
    [{'age': '[30, 40)'}, {'age': '[30, 40)'}]
    """
    if not isinstance(release, (Release, SavedRecoding, str, os.PathLike)):
        msg = f"apply needs a release, got {type(release).__name__}."
        raise ParameterError(msg, hint="a release is what anonymize gives; the folder of a saved one is enough.")
    known = release if isinstance(release, (Release, SavedRecoding)) else load_recoding(release)
    schema, model, recoding = known.schema, known.model, known.recoding
    if not isinstance(recoding, FullDomainRecoding):
        msg = "A local recoding belongs to the table that it was made for."
        raise HierarchyError(msg, hint="search again on the new table.")
    as_before: Publishing = {"suppression": "mask" if recoding.masked else "drop"}
    options = {**as_before, **options}
    manner = manner_of(options, schema)
    source = open_source(table, schema, manner, **reading_of(options))
    bounds = Bounds({}, recoding.levels, {}, limit=lambda records: records)
    census = census_for(source.engine, schema, model, bounds)
    _agree(census, recoding)
    limit = suppression_limit(census.records, max_suppressed, max_suppressed_records)
    problem = Problem(census, schema, model, limit, suppression=manner.suppression)
    node = _node(problem, recoding)
    notes = levels_given(source.engine, problem)
    outcome = Outcome(node, proof="levels given", lower_bound=node.score, checked=1, nodes=1, notes=notes)
    return publish_node(source, problem, outcome, "apply")


def _agree(census: Census, recoding: FullDomainRecoding) -> None:
    """Refuse ladders that publish a value under another label than before."""
    for name, level in recoding.levels.items():
        ladder, known = census.ladders[name], recoding.ladders[name]
        if level > ladder.height:
            msg = f"Column {name!r} has {ladder.height} levels on the new table, and was published at level {level}."
            raise HierarchyError(msg, hint="give its hierarchy in the schema, instead of leaving it out.")
        if not level:  # a value is published as itself
            continue
        shared = recoding.domains[name].codes_in(census.domains[name])
        both = shared >= 0
        before = known.labels[level][known.groups[level][both]]
        if (before != ladder.labels[level][ladder.groups[level][shared[both]]]).any():
            msg = f"Column {name!r} has other labels at level {level} on the new table than it had before."
            raise HierarchyError(msg, hint="give its hierarchy in the schema, instead of leaving it out.")


def _node(problem: Problem, recoding: FullDomainRecoding) -> Node:
    """Count what the levels leave out on the new table; too much is no release."""
    census = problem.census
    levels = {name: recoding.levels[name] for name in census.quasi}
    inspected = Inspection(problem, levels)
    left_out = inspected.left_out()
    if left_out > problem.limit or left_out == census.records:
        masks = problem.suppression == "mask"
        why = "would have to be masked" if masks else "are in classes that break it"
        msg = (
            f"The new table breaks {problem.model} at these levels: {left_out:,} of {census.records:,} records {why}, "
            f"{problem.limit:,} may be {'masked' if masks else 'left out'}."
        )
        allow = Hint("allow {max_suppressed_records}, or ", max_suppressed_records=left_out)
        raise NoSafeRelease(msg, hint=("" if left_out == census.records else allow) + "search again.", nearest=left_out)
    return Node(levels, left_out, inspected.classes, inspected.costs()["loss"])
