"""The main job: from a table and a promise to a release that keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from incrowd.core import (
    Census,
    CensusRequest,
    Domain,
    Hint,
    ParameterError,
    Schema,
    SchemaError,
    Setting,
    name_list,
    warn,
)
from incrowd.engines import Engine, check_published, sample_of
from incrowd.hierarchies import Averaged, auto
from incrowd.models import Model, Number, promise, suppression_limit, trivial_notes
from incrowd.release._census import check_labels, open_with
from incrowd.release._doubts import could_name_people, looked_at, people_named, suspicious
from incrowd.release._feasibility import no_release, refuse_infeasible
from incrowd.release._floor import Bounds, fitted, room_for, searched
from incrowd.release._output import Manner, Publishing, manner_of, reading_of, refuse_own_output
from incrowd.release._parts import may_part, publish_in_parts
from incrowd.release._publish import Source, publish_locally, publish_node
from incrowd.release._release import Release
from incrowd.search import Algorithm, LocalOutcome, Optimal, Problem, Progress

NO_ROLE = Hint(
    "give each a role (insensitive publishes it as it is), or leave them out: {}"
    'others = "drop" under [output] in a plan, --drop-others for apply.',
    Setting("others", "drop", "others='drop' in Python, "),
)


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
        The search; ``Optimal()`` where nothing is said. A local recoding, such as ``Mondrian()``, keeps more detail;
        it is also easier to undo for whoever knows how it works.
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
          quasi-identifier (``"mask"``): then they are one class, which must keep the promise as any other.
        - ``order``: rows are ``"sorted"`` by their published values, or ``"keep"`` their order, with a warning.
        - ``pseudonyms``: identifiers to publish as pseudonyms, each with the file of its key, of 32 bytes or more.
        - ``output``: a folder to write the release to, as ``Release.save`` does, without holding the table in memory;
          ``release.table`` is then the path of the written file. ``format``, ``dialect``, ``labels``, ``force``,
          ``sign``, ``plan`` and ``about`` as there.

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
    manner = manner_of(options, schema)
    refuse_to_write(sample, manner)
    for note in trivial_notes(model):
        warn(note)
    algorithm = Optimal() if algorithm is None else algorithm
    _check_algorithm(algorithm, schema)
    source = open_source(table, schema, manner, sample=sample, **reading_of(options))
    limit = partial(suppression_limit, share=max_suppressed, number=max_suppressed_records)
    bounds = Bounds.of(limit, at_least=at_least, at_most=at_most, importance=importance, local=algorithm.local)
    request, domains = request_for(source.engine, schema, model)
    room = room_for(source.engine, request, domains, schema, model, bounds)

    def asked(census: Census) -> Problem:
        return Problem(
            census=census,
            schema=schema,
            model=model,
            limit=limit(census.records),
            at_least=bounds.at_least,
            at_most=bounds.at_most,
            importance=bounds.importance,
            balance=balance,
            suppression=manner.suppression,
        )

    if may_part(source, schema, model, algorithm):
        release = publish_in_parts(source, asked, request, room, algorithm, progress)
        if release is not None:
            return release
    problem = asked(source.engine.census(fitted(source.engine, request, domains, room)))
    return _publish(source, problem, algorithm, progress)


def _publish(
    source: Source, problem: Problem, algorithm: Algorithm, progress: Callable[[Progress], bool | None] | None
) -> Release:
    """Search, and publish what was found."""
    refuse_infeasible(problem)
    found = algorithm.search(problem, progress)
    outcome = searched(source.engine, problem, found)
    if isinstance(outcome, LocalOutcome):
        return publish_locally(source, problem, outcome, repr(algorithm))
    if outcome.best is None or outcome.best.classes == 0:
        raise no_release(problem, outcome)
    return publish_node(source, problem, outcome, repr(algorithm))


def _check_algorithm(algorithm: Algorithm, schema: Schema) -> None:
    """Refuse what is no search, and averages of classes that are called by one level per column."""
    if isinstance(algorithm, type) or not isinstance(algorithm, Algorithm):
        msg = f"algorithm must be a search, such as Mondrian(), got {type(algorithm).__name__}."
        hint = Hint("write it with its brackets and without quotes: algorithm={}.", Setting.search("Mondrian"))
        raise ParameterError(msg, hint=hint)
    columns = [name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)]
    if columns and not algorithm.local:
        msg = f"Column {columns[0]!r} is to be averaged, which {type(algorithm).__name__} cannot do."
        hint = Hint("use a local recoding, such as {}, or its hierarchy alone.", Setting.search("Mondrian"))
        raise ParameterError(msg, hint=hint)


def open_source(table: Any, schema: Schema, manner: Manner, *, sample: int | None = None, **reading: Any) -> Source:
    """Open a table that is to be published, and warn of what is dangerous about that."""
    refuse_own_output(table, manner)
    engine = open_with(table, schema, **reading)
    columns = published_columns(engine, schema, manner)
    check_published(engine, columns)
    harmless = [name for name in columns if name in schema.insensitive]
    seen = looked_at(engine, [*harmless, *(name for name in could_name_people(schema) if name in engine.columns())])
    for note in [*manner.notes, *suspicious({name: seen[name] for name in harmless if name in seen})]:
        warn(note)
    people = people_named(schema, seen)
    engine = engine if sample is None else sample_of(engine, sample)
    return Source(table, engine, columns, manner, sample, reading, people)


def refuse_to_write(sample: int | None, manner: Manner) -> None:
    """Refuse to write what is not a result."""
    if sample is not None and manner.output is not None:
        msg = "What comes of a sample is not a result, and cannot be written."
        raise ParameterError(msg, hint="leave out output, or sample.")


def published_columns(engine: Engine, schema: Schema, manner: Manner) -> list[str]:
    """Give the columns of the release; none that has no role gets there by accident."""
    columns = list(engine.columns())
    roles = {name: schema.role(name) for name in columns}
    without = [name for name, role in roles.items() if role is None]
    if without and manner.others == "refuse":
        msg = f"{_counted(without)} no role: {name_list(without)}."  # others were found, so these are names too
        raise SchemaError(msg, hint=NO_ROLE)
    shown = {"quasi-identifier", "sensitive", "insensitive", "count"}
    return [name for name in columns if roles[name] in shown or name in manner.pseudonyms]


def _counted(columns: Sequence[str]) -> str:
    return "1 column has" if len(columns) == 1 else f"{len(columns):,} columns have"


def census_for(engine: Engine, schema: Schema, model: Model, bounds: Bounds) -> Census:
    """Count the quasi-identifiers with the sensitive columns that the promise is about."""
    request, domains = request_for(engine, schema, model)
    room = room_for(engine, request, domains, schema, model, bounds)
    return engine.census(fitted(engine, request, domains, room))


def request_for(engine: Engine, schema: Schema, model: Model) -> tuple[CensusRequest, dict[str, Domain]]:
    """Say what is counted: the quasi-identifiers with the sensitive columns that the promise is about."""
    extra = [name for name in (schema.entity, schema.count) if name]
    domains = engine.domains([*schema.quasi_names, *schema.sensitive_names, *extra])
    check_labels(engine, schema, domains)
    binding = schema.bind(domains, default=auto())
    for note in binding.notes:
        warn(note)
    wanted = {name for judge in model.bind(schema, domains) for name in judge.columns}
    sensitive = tuple(name for name in schema.sensitive_names if name in wanted)
    request = CensusRequest(schema.quasi_names, sensitive, binding.ladders, entity=schema.entity, count=schema.count)
    return request, domains
