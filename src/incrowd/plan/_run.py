"""Running a plan: from its sections to a call of ``anonymize``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.core import DataError, Schema
from incrowd.engines import Database
from incrowd.hierarchies import auto, averaged
from incrowd.plan._checks import build_categories
from incrowd.plan._forms import build_hierarchy
from incrowd.plan._sections import ColumnSection, DataSection, plain_of
from incrowd.release import OWNER, Release, Strength, anonymize, format_like, frontier
from incrowd.search import Frontier, Progress

if TYPE_CHECKING:
    from incrowd.plan._plan import Plan


def schema_of(data: DataSection, columns: Mapping[str, ColumnSection], folder: Path) -> Schema:
    """Give the roles that the columns of a plan have; what is dropped is never published, like an identifier."""
    quasi, sensitive = {}, {}
    for name, column in columns.items():
        built = None if column.hierarchy is None else build_hierarchy(column.hierarchy, folder)
        if column.role == "quasi":
            quasi[name] = built if column.average is None else averaged(built or auto(), column.average)
        elif column.role == "sensitive":
            sensitive[name] = built if column.categories is None else build_categories(column, folder)
    return Schema(
        quasi,
        sensitive,
        identifiers=[name for name, column in columns.items() if column.role in {"identifier", "drop"}],
        insensitive=[name for name, column in columns.items() if column.role == "insensitive"],
        entity=data.entity,
        count=data.count,
        missing=data.missing_policy,
        missing_values=data.missing,
    )


def run_plan(
    plan: Plan, progress: Callable[[Progress], bool | None] | None, /, *, table: Any = None, **more: Any
) -> Release:
    """Call ``anonymize`` as a plan says, with nothing but what differs from its defaults."""
    source = source_of(plan) if table is None else table
    return anonymize(source, plan.schema(), progress=progress, **{**_arguments(plan), **more})


def source_of(plan: Plan) -> Path | Database:
    """Give the table of a plan: a file, or what a database answers."""
    data = plan.data
    if data.path is not None:
        return plan.path(data.path)
    if data.connection_env is None:
        msg = "The plan does not say where the table is."
        raise DataError(msg, hint="hand it over: plan.run(table=table), or write its path under [data].")
    return Database(str(data.connection_env), table=data.table, query=data.query)


def output_of(plan: Plan) -> dict[str, Any]:
    """Say where and how a plan writes its release, as the keywords of ``anonymize``."""
    kind = plan.output.format or format_like(plan.data.path)
    folder = plan.path(plan.output.folder)
    about = plan.report.about if plan.report.write else None
    told = plan.output.dialect
    dialect = told if isinstance(told, str) else plain_of(told)
    return {
        "output": folder,
        "format": kind,
        "dialect": dialect,
        "labels": plan.output.labels,
        "force": plan.output.force,
        "plan": plan.text(folder=folder / OWNER),
        "about": about,
    }


def draw_frontier(
    plan: Plan, by: Strength, of: str | None, progress: Callable[[Progress], object] | None = None
) -> Frontier:
    """Call ``frontier`` as a plan says: its table, its other promises, its limits, its measure."""
    measure = plan.search.measure or "loss"
    more = _said_only({**_limits(plan), "suppression": plan.output.suppression, "progress": progress})
    return frontier(source_of(plan), plan.schema(), by=by, of=of, model=plan.model(), measure=measure, **more)


def _arguments(plan: Plan) -> dict[str, Any]:
    output = plan.output
    pseudonyms = {name: plan.path(one.key_file) for name, one in plan.columns.items() if one.key_file is not None}
    return _said_only(
        {
            "model": plan.model(),
            "algorithm": plan.algorithm(),
            "others": output.others,
            "order": None if output.order == "sorted" else output.order,
            "suppression": None if output.suppression == "drop" else output.suppression,
            "pseudonyms": pseudonyms,
            **_limits(plan),
        }
    )


def _limits(plan: Plan) -> dict[str, Any]:
    """Say how a table is read and what may be given up, as ``anonymize`` and ``frontier`` have it."""
    return {
        "max_suppressed": plan.privacy.max_suppressed,
        "max_suppressed_records": plan.privacy.max_suppressed_records,
        "balance": plan.search.balance,
        "sheet": plan.data.sheet,
        **plan.reading(),
        **{
            key: {name: getattr(one, key) for name, one in plan.columns.items() if getattr(one, key) is not None}
            for key in ("at_least", "at_most", "importance")
        },
    }


def _said_only(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None and value != {}}
