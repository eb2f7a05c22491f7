"""``anonymize``, the main job from table and promise to release; ``apply``, the same recoding on new data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from incrowd.core import (
    Census,
    FullDomainRecoding,
    HierarchyError,
    Hint,
    NoSafeRelease,
    ParameterError,
    Schema,
    Setting,
    warn,
)
from incrowd.engines import Tables
from incrowd.models import Model, Number, promise, suppression_limit
from incrowd.release._census import CensusPlan, Goal
from incrowd.release._feasibility import refuse_infeasible
from incrowd.release._floor import notes_on_given_levels, with_notes_on_floor
from incrowd.release._output import Manner, Publishing
from incrowd.release._parts import publish_in_parts
from incrowd.release._publish import check_algorithm, publish
from incrowd.release._recoding_file import SavedRecoding, load_recoding
from incrowd.release._release import Release
from incrowd.release._several_tables import anonymize_tables
from incrowd.release._source import Source
from incrowd.search import NEUTRAL, Algorithm, Inspection, LevelsAndCells, Node, Optimal, Outcome, Problem, Progress


def anonymize(  # noqa: PLR0913 - the front door of the house; only the first two are positional
    table: Any,
    schema: Schema,
    *,
    model: Model | str,
    algorithm: Algorithm | None = None,
    max_suppressed: Number = 0,
    max_suppressed_records: int | None = None,
    at_least: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
    importance: Mapping[str, float] | None = None,
    balance: float = 0.5,
    sample: int | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    **options: Unpack[Publishing],
) -> Release:
    """Publish a table so that it keeps a promise, at the least cost.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a Spark DataFrame, a list of dicts, or a path to a CSV or
        Parquet file. It is never changed.
    schema
        The role of every column, with a hierarchy for every quasi-identifier.
    model
        The promise, as a model or as its text: ``"k>=5, l>=3[disease]"``.
    algorithm
        The search; ``LevelsAndCells()`` where nothing is said: one level per column, and ``*`` in the few cells without
        which a record would stand out. ``Optimal()`` publishes the best that one level for every cell can do, and is
        taken where nothing is said and classes that are put together can break the promise (such as (n, t)-closeness),
        it is about several rows of a person (such as ``k>=5[any 2 rows]``),
        ``balance`` is given, or records are to be masked. ``CheapestFirst()`` keeps most detail; it is also easiest to
        undo for whoever knows how it works. ``alternatives`` puts them side by side.
    max_suppressed, max_suppressed_records
        The share of the records, or their number, that may be left out. Exactly so many still may; nobody where nothing
        is said, here as in a plan.
    at_least, at_most
        The lowest and the highest level of a quasi-identifier, by name.
    importance
        How much a quasi-identifier weighs in the measure, by name; 1 where nothing is said.
    balance
        How much leaving a record out weighs against generalizing it; 0.5 is neutral.
    sample
        Try it out on so many records, the same ones every time. What comes of it is not a result: it cannot be saved.
    progress
        Called now and then during the search; it stops with what it has when this returns ``False``.
    options
        How to publish, each by its name, besides how to read a file as in ``census``:

        - ``others``: what becomes of columns without a role: ``"refuse"`` the table, or ``"drop"`` them.
        - ``suppression``: records that break the promise are left out (``"drop"``), or published with ``*`` in every
          quasi-identifier (``"mask"``): then they are one class, which must keep the promise as any other. With
          ``"entity"`` everybody who has such a record is left out with all rows: no household is published in part.
        - ``order``: rows are ``"sorted"`` by their published values, or ``"keep"`` their order, with a warning.
        - ``pseudonyms``: identifiers to publish as pseudonyms, each with the file of its key, of 32 bytes or more.
        - ``shift_key``: the file with the key by which dates are shifted, of 32 bytes or more, if the schema says so.
        - ``output``: a folder to write the release to, as ``Release.save`` does, without holding the table in memory;
          ``release.table`` is then the path of the written file. ``format``, ``dialect``, ``labels``, ``force``,
          ``sign``, ``plan``, ``about`` and ``stars`` as there.

    Raises
    ------
    NoSafeRelease
        If nothing can be published within the limits. Nothing is then returned that could be published by mistake.

    Notes
    -----
    Identifiers, the entity and columns without a role are never published as they are. Rows are sorted by their
    published values unless you say otherwise: nothing of the original order is left. The promise is checked again on
    the published table. It protects against what its model protects against, and says nothing about columns that you
    called insensitive.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": 31, "disease": "flu"}, {"age": 52, "disease": "hiv"}, {"age": 34, "disease": "flu"}]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 20)}, sensitive=["disease"])
    >>> release = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.5)
    >>> release.table
    [{'age': '[30, 40)', 'disease': 'flu'}, {'age': '[30, 40)', 'disease': 'flu'}]
    >>> release
    Release(k>=2: 2 of 3 records, 1 classes)
    """
    model = promise(model)
    if isinstance(table, Tables):
        limits = max_suppressed, max_suppressed_records, at_least, at_most, importance, balance
        return anonymize_tables(table, schema, model, algorithm, limits, progress, {"sample": sample, **options})
    manner = Manner.of(options, schema)
    if sample is not None and manner.output is not None:
        msg = "What comes of a sample is not a result, and cannot be written."
        raise ParameterError(msg, hint="leave out output, or sample.")
    for note in model.trivial_notes():
        warn(note)
    if algorithm is not None:
        check_algorithm(algorithm, schema)
    goal = Goal.of(
        schema,
        model,
        max_suppressed,
        max_suppressed_records,
        at_least=at_least,
        at_most=at_most,
        importance=importance,
        balance=balance,
        suppression=manner.suppression,
        local=algorithm is None or algorithm.local,
    )
    source = Source.open(table, schema, manner, sample)
    counting = CensusPlan.of(source.engine, goal)
    release = None if algorithm is None else publish_in_parts(source, goal, counting, algorithm, progress)
    if release is not None:
        return release
    problem = goal.problem(counting.census())
    refuse_infeasible(problem)
    algorithm = _usual_search(problem) if algorithm is None else algorithm
    outcome = with_notes_on_floor(source.engine, problem, algorithm.search(problem, progress))
    return publish(source, problem, outcome, algorithm)


def _usual_search(problem: Problem) -> Algorithm:
    """Give the search for whoever names none: levels and cells, or the best node where that cannot do what is asked.

    That is where classes that are put together can break the promise, where people may be left out with all rows, where
    ``balance`` weighs records, where records that stand out are to be masked, and where values are sets of items.
    """
    able = all(judge.union_closed for judge in problem.judges())
    plain = problem.balance == NEUTRAL and problem.suppression != "mask"
    whole = problem.model.by_person or (problem.by_person and problem.limit)
    sets = any(ladder.separator is not None for ladder in problem.census.ladders.values())
    return LevelsAndCells() if able and plain and not whole and not sets else Optimal()


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
        The release whose levels are taken, a recoding that was loaded, or the folder ``owner`` of a saved release. It
        has one level per column and no stars in cells: make it with ``algorithm=Optimal()``.
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
    HierarchyError
        If the release is a local recoding, such as one by levels and cells: which cells have a star is decided by the
        table that it was made for. Or if a column has other labels on the new table.
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
    >>> people = [{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}]
    >>> first = ic.anonymize(people, schema, model="k>=2", algorithm=ic.Optimal())
    >>> ic.apply(first, [{"age": 38}, {"age": 33}]).table
    [{'age': '[30, 40)'}, {'age': '[30, 40)'}]
    """
    if not isinstance(release, (Release, SavedRecoding, str, os.PathLike)):
        msg = f"apply needs a release, got {type(release).__name__}."
        raise ParameterError(msg, hint="a release is what anonymize gives; the folder of a saved one is enough.")
    if isinstance(table, Tables):
        msg = "Recodings are not applied to several tables."
        raise ParameterError(msg, hint="search again: with the same key file, pseudonyms are those of other editions.")
    known = release if isinstance(release, (Release, SavedRecoding)) else load_recoding(release)
    schema, model, recoding = known.schema, known.model, known.recoding.of_levels
    if recoding is None:
        msg = "A local recoding belongs to the table that it was made for."
        again = "search again on the new table. A release made with the search {} can be applied to other tables."
        raise HierarchyError(msg, hint=Hint(again, Setting.search("Optimal")))
    whole = (known if isinstance(known, SavedRecoding) else SavedRecoding.of(known)).whole_people
    before = "mask" if recoding.masked else "entity" if whole else "drop"
    manner = Manner.of({"suppression": before, **options}, schema)
    source = Source.open(table, schema, manner)
    census = CensusPlan.of(source.engine, Goal(schema, model, at_most=recoding.levels)).census()
    _expect_same_labels(census, recoding)
    limit = suppression_limit(census.records, max_suppressed, max_suppressed_records)
    problem = Problem(census, schema, model, limit, suppression=manner.suppression)
    node = _node_at(problem, {name: recoding.levels[name] for name in census.quasi})
    notes = notes_on_given_levels(source.engine, problem)
    outcome = Outcome(node, proof="levels given", lower_bound=node.score, checked=1, nodes=1, notes=notes)
    return publish(source, problem, outcome, None)


def _expect_same_labels(census: Census, recoding: FullDomainRecoding) -> None:
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


def _node_at(problem: Problem, levels: Mapping[str, int]) -> Node:
    """Count what the levels leave out on the new table; too much is no release."""
    census = problem.census
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
