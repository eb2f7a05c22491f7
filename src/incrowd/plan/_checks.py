"""Reading a plan's file and checking it as a whole: whether sections fit together, and what they name exists."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from incrowd.core import (
    UNTRUE,
    DataError,
    IncrowdError,
    PlanError,
    PlanProblem,
    bytes_in,
    check_path,
    check_shift,
    without_addresses,
)
from incrowd.engines import Budget, check_form
from incrowd.measures import Measure
from incrowd.models import KKmAnonymity, Model, promise
from incrowd.plan._document import SECTIONS, Document, TableSection
from incrowd.plan._linked_tables import check_tables
from incrowd.plan._problems import MOST, Trouble, did_you_mean, problems_of, shortened, troubles_of
from incrowd.plan._sections import (
    WRITTEN,
    AlgorithmTable,
    ColumnSection,
    DataSection,
    DialectTable,
    ItemsForm,
    OutputSection,
    PrivacySection,
    ReportSection,
    SearchSection,
    ShiftSection,
    build_hierarchy,
    kinds_in,
    parameters_of,
    plain_of,
    searches,
)
from incrowd.plan._toml import LARGEST, NotToml, Path as Keys, check_plain, places_of, tables_of
from incrowd.release import check_wanted_dialect

# The roles that a key of a column belongs to; the others may have it never
_BELONGS = {
    "hierarchy": ("quasi", "sensitive"),
    "at_least": ("quasi",),
    "at_most": ("quasi",),
    "importance": ("quasi",),
    "average": ("quasi",),
    "categories": ("sensitive",),
    "keep": ("identifier",),
    "key_file": ("identifier",),
}


@dataclass(frozen=True, slots=True)
class Readable:
    """The sections of a plan that could be read; ``names`` are all columns, also those that could not."""

    folder: Path
    names: tuple[str, ...]
    data: DataSection | None = None
    columns: Mapping[str, ColumnSection] = field(default_factory=dict)
    privacy: PrivacySection | None = None
    shift: ShiftSection | None = None
    search: SearchSection | None = None
    output: OutputSection | None = None
    report: ReportSection | None = None
    tables: Mapping[str, TableSection] = field(default_factory=dict)
    several: bool = False
    """Whether there are several tables, be they readable or not."""


def check(plan: Readable) -> Iterator[Trouble]:
    """Find everything that does not fit together."""
    yield from _check_several(plan)
    if plan.data is not None:
        yield from _check_data(plan.data, several=plan.several)
        yield from _check_path(("data", "path"), plan.data.path)
        yield from _check_roles_of_data(plan.data, plan.columns)
    for name, column in plan.columns.items():
        yield from _check_column(name, column, plan.folder)
    if len(plan.columns) == len(plan.names) > 0 and all(one.role != "quasi" for one in plan.columns.values()):
        message = "no column has the role 'quasi': by which could somebody recognise a person?"
        yield Trouble(("columns",), message, own=True)
    yield from _check_shift(plan.shift or ShiftSection(), plan)
    if plan.privacy is not None:
        yield from _check_privacy(plan.privacy, plan)
    if plan.search is not None:
        yield from _check_search(plan.search)
    if plan.output is not None:
        yield from _check_path(("output", "folder"), plan.output.folder)
    if plan.output is not None and isinstance(told := plan.output.dialect, DialectTable):
        for key, value in told.plain().items():
            yield from _complaints_of(("output", "dialect", key), partial(check_wanted_dialect, {key: value}))


def _check_several(plan: Readable) -> Iterator[Trouble]:
    """See that several tables are linked, and their paths can be some."""
    for name, table in plan.tables.items():
        yield from _check_path(("tables", name, "path"), table.path)
    if plan.tables:
        yield from check_tables(plan.tables, plan.data, plan.columns, plan.output, plan.search)


def _check_path(keys: Keys, written: str | None) -> Iterator[Trouble]:
    """See that a path can be one, whether something is there or not; it may hold a password, and is not shown."""
    if written is not None and without_addresses(written) != written:
        yield Trouble(keys, "is no path: how to connect belongs into an environment variable.", own=True)
        return
    try:
        check_path(written or "")
    except OSError as error:
        yield Trouble(keys, f"cannot be a path: {error.strerror}.", own=True)


def _check_data(data: DataSection, *, several: bool = False) -> Iterator[Trouble]:
    given = [name for name in ("path", "table", "query") if getattr(data, name) is not None]
    if len(given) != 1 and not several:
        what = f"has {' and '.join(map(repr, given))}" if given else "does not say where the table is"
        yield Trouble(("data",), f"{what}; give one of 'path', 'table' and 'query'.", own=True)
    if data.connection_env is None and data.path is None and given:
        message = "needs 'connection_env', the environment variable that says how to connect."
        yield Trouble(("data", given[0]), message, own=True)
    if data.connection_env is not None:
        if data.path is not None:
            yield Trouble(("data", "connection_env"), "belongs to a table or a query, not to a file.", own=True)
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", data.connection_env):  # perhaps a password: not to be shown
            yield Trouble(("data", "connection_env"), "must be the name of an environment variable.", own=True)
    if data.separator is not None and len(data.separator) != 1:
        yield Trouble(("data", "separator"), f"must be one character, got {data.separator!r}.")
    try:
        codecs.lookup(data.encoding)
    except (LookupError, ValueError):
        yield Trouble(("data", "encoding"), f"is not a known encoding: {data.encoding!r}; for example 'utf-8'.")
    if data.thousands is not None and data.thousands == (data.decimal or "."):
        yield Trouble(("data", "thousands"), f"cannot be the decimal mark {data.thousands!r} too.")
    checks: dict[str, Callable[[str], object]] = {"dates": check_form, "memory": Budget.of}
    for key, text in data.model_dump(include={*checks}, exclude_none=True).items():
        yield from _complaints_of(("data", key), partial(checks[key], text))


def _check_roles_of_data(data: DataSection, columns: Mapping[str, ColumnSection]) -> Iterator[Trouble]:
    """See that the person and the count have no other role; only an identifier can be the person too."""
    person = None if data.entity is None else columns.get(data.entity)
    if person is not None and person.role not in {"identifier", "drop"}:
        message = f"{data.entity!r} has the role {person.role!r}; the column of persons is never published."
        yield Trouble(("data", "entity"), message)
    if data.size is not None:
        yield from _check_size(data, columns)
    if data.count is not None and data.count in columns:
        role = columns[data.count].role
        yield Trouble(("data", "count"), f"{data.count!r} has the role {role!r} too; remove one of them.")
    if data.count is not None and data.count == data.entity:
        yield Trouble(("data", "count"), f"{data.count!r} cannot be 'entity' too.")


def _check_size(data: DataSection, columns: Mapping[str, ColumnSection]) -> Iterator[Trouble]:
    """See that what is counted is there, and that the count is known to others."""
    own = columns.get(str(data.size))
    if data.entity is None:
        yield Trouble(("data", "size"), f"{data.size!r} counts the rows of an entity: name its column as 'entity'.")
    if data.count is not None:
        yield Trouble(("data", "size"), f"{data.size!r} counts rows, and rows stand for several records by 'count'.")
    if own is None or own.role != "quasi":
        message = f"{data.size!r} is known to others: it needs the role 'quasi' under [columns.{data.size}]."
        yield Trouble(("data", "size"), message)


def _check_column(name: str, column: ColumnSection, folder: Path) -> Iterator[Trouble]:
    path = ("columns", name)
    yield from _check_path((*path, "key_file"), column.key_file)
    for key, roles in _BELONGS.items():
        if getattr(column, key) is not None and column.role not in roles:
            needed = " or ".join(map(repr, roles))
            yield Trouble((*path, key), f"belongs to columns with the role {needed}, not {column.role!r}.", own=True)
    if column.hierarchy is not None and column.categories is not None and column.role == "sensitive":
        yield Trouble((*path, "categories"), "cannot stand beside a hierarchy; give one of the two.", own=True)
    if (column.keep is None) != (column.key_file is None):
        there, other = ("keep", "key_file") if column.key_file is None else ("key_file", "keep")
        yield Trouble((*path, there), f"needs {other!r} too.", own=True)
    if column.at_least is not None and column.at_most is not None and column.at_least > column.at_most:
        yield Trouble((*path, "at_most"), f"must be at least {column.at_least}, which is 'at_least'.")
    if column.hierarchy is not None:
        form = column.hierarchy
        kind = tuple(kinds_in(plain_of(form)))
        yield from _complaints_of((*path, "hierarchy", *kind), lambda: build_hierarchy(form, folder))
    if column.categories is not None and column.role == "sensitive":
        yield from _complaints_of((*path, "categories"), lambda: column.build_categories(folder))


def _check_shift(shift: ShiftSection, plan: Readable) -> Iterator[Trouble]:
    """See that dates are shifted by person, so far and by a key; and that a shift has columns."""
    yield from _check_path(("shift", "key_file"), shift.key_file)
    shifted = [name for name, column in plan.columns.items() if column.role == "shifted"]
    said = shift != ShiftSection()
    if not shifted:
        if said and len(plan.columns) == len(plan.names):
            yield Trouble(("shift",), "no column has the role 'shifted'.", own=True)
        return
    where: Keys = ("shift",) if said else ("columns", shifted[0], "role")
    if plan.data is not None and plan.data.entity is None and not plan.several:
        message = "dates are shifted by person: 'entity' under [data] must say whose row it is."
        yield Trouble(("columns", shifted[0], "role"), message)
    for key, example in (("within", "180"), ("key_file", "'dates.key'")):
        if getattr(shift, key) is None:
            yield Trouble(where, f"{key!r} is missing under [shift], for example {example}.", own=said)
    if shift.within is not None:
        yield from _complaints_of(("shift", "within"), lambda: check_shift(shift.within, shift.weekdays))


def _complaints_of(path: Keys, build: Callable[[], object]) -> Iterator[Trouble]:
    """Build something for the sake of its complaints; they quote no value."""
    try:
        build()
    except IncrowdError as error:
        yield Trouble(path, f"{error.message} {error.hint[:1].upper()}{error.hint[1:]}".rstrip())
    except (TypeError, ValueError):
        yield Trouble(path, "cannot be used like this.", own=True)


def _check_privacy(privacy: PrivacySection, plan: Readable) -> Iterator[Trouble]:
    if privacy.max_suppressed and privacy.max_suppressed_records is not None:
        message = "cannot stand beside 'max_suppressed'; give one of the two."
        yield Trouble(("privacy", "max_suppressed_records"), message)
    alone = isinstance(privacy.promise, str)
    if len(privacy.promises) > MOST:
        yield Trouble(("privacy", "promise"), f"has {len(privacy.promises):,} promises; {MOST} are the most.", own=True)
    for place, text in enumerate(privacy.promises[:MOST]):
        path: Keys = ("privacy", "promise") if alone else ("privacy", "promise", place)
        troubles = list(_complaints_of(path, partial(promise, text)))
        if not troubles and plan.names:
            yield from _check_promise(path, promise(text), plan)
        yield from troubles


def _check_promise(path: Keys, model: Model, plan: Readable) -> Iterator[Trouble]:
    """See that a promise is about sensitive columns; a column that could not be read may be one."""
    sensitive = [name for name, column in plan.columns.items() if column.role == "sensitive"]
    unread = set(plan.names) - set(plan.columns)
    for part in model.parts:
        if isinstance(part, KKmAnonymity):
            yield from _check_items(path, part, plan)
        if not hasattr(part, "of") or isinstance(part, KKmAnonymity):
            continue
        if part.of is None and len(sensitive) != 1 and not unread:
            found = "no column is sensitive" if not sensitive else f"{len(sensitive)} columns are sensitive"
            yield Trouble(path, f"does not say which column it is about, and {found}; write for example l>=3[disease].")
        for name in part.of or ():
            if name in plan.columns and name not in sensitive:
                role = plan.columns[name].role
                more = f"; {UNTRUE}" if role == "shifted" else "."
                yield Trouble(path, f"is about {name!r}, which has the role {role!r} and not 'sensitive'{more}")
            elif name not in sensitive and name not in unread:
                known = sensitive or plan.names
                yield Trouble(path, f"is about {name!r}, which is no column of the plan; {did_you_mean(name, known)}")


def _check_items(path: Keys, part: KKmAnonymity, plan: Readable) -> Iterator[Trouble]:
    """See that a promise about items is about columns of sets; a column that could not be read may be one."""
    sets = [name for name, one in plan.columns.items() if one.role == "quasi" and isinstance(one.hierarchy, ItemsForm)]
    unread = set(plan.names) - set(plan.columns)
    how = 'give such a column the hierarchy { items = "|", of = { tree = "icd.csv" } }.'
    if part.of is None and not sets and not unread:
        yield Trouble(path, f"is about items, and no quasi-identifier holds sets of them; {how}")
    for name in part.of or ():
        if name in plan.columns and name not in sets:
            yield Trouble(path, f"is about the items of {name!r}, which is no quasi-identifier of sets; {how}")
        elif name not in sets and name not in unread:
            yield Trouble(path, f"is about {name!r}, which is no column of the plan; {did_you_mean(name, plan.names)}")


def _check_search(search: SearchSection) -> Iterator[Trouble]:
    path = ("search", "algorithm")
    alone = not isinstance(search.algorithm, AlgorithmTable)
    name, given = search.parts
    if name not in searches():
        place = path if alone else (*path, "name")
        yield Trouble(place, f"there is no search {name!r}; {did_you_mean(name, searches())}")
        return
    known = parameters_of(name)
    strange = [key for key in given if key not in known]
    for key in strange:
        yield Trouble((*path, key), f"is no parameter of {name!r}; {did_you_mean(key, known)}", own=True)
    for key, usual in WRITTEN.items():
        value = getattr(search, key)
        if value not in {None, usual} and key not in known:
            others = " or ".join(repr(one) for one in searches() if key in parameters_of(one))
            message = f"the search {name!r} has no {key!r}; remove this line, or choose {others}."
            yield Trouble(("search", key), message, own=True)
        elif value is not None and key in given:
            yield Trouble(("search", key), "is given in the table of the algorithm too; remove one of them.", own=True)
    measure = search.measure
    troubles = [] if measure is None else list(_complaints_of(("search", "measure"), lambda: Measure.of(measure)))
    yield from troubles
    if not strange and not troubles:
        yield from _complaints_of(path, search.model_copy(update={"measure": None, "seconds": None}).build)


# Reading a plan: everything that is wrong with it is found, each problem with its line.


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read and check the plan of a file."""
    return document_of(_read_text(path), Path(path).name, Path(path).resolve().parent)


def _read_text(path: str | os.PathLike[str]) -> str:
    """Read a plan's file; errors are raised outside of the except block, whose context would keep the bytes."""
    trouble: IncrowdError
    name = Path(path).name or os.fspath(path)
    try:
        return bytes_in(path, LARGEST).decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        msg = f"The plan {name!r} cannot be read: {error.strerror}."
        trouble = DataError(msg, hint="check the path; incrowd init DATA -o plan.toml writes a plan.")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        trouble = PlanError.of(name, [PlanProblem("", f"line {line} is not UTF-8; save the file as UTF-8.")])
    raise trouble


def document_of(source: str | Mapping[str, Any], file: str, folder: Path) -> Document:
    """Read and check a plan, from its text or from what the text would hold."""
    raw = _parse(source, file)
    raw = {"data": {}, **raw} if raw.get("tables") else raw
    document, troubles = None, list[Trouble]()
    try:
        document = Document.model_validate(raw)
    except ValidationError as error:
        troubles = troubles_of(error, raw)
    troubles += check(_readable(raw, troubles, folder))
    if document is None or troubles:
        places = places_of(source) if isinstance(source, str) else {}
        raise PlanError.of(file, problems_of(troubles, places))
    return document


def _parse(source: str | Mapping[str, Any], file: str) -> dict[str, Any]:
    try:
        if isinstance(source, str):
            return tables_of(source)
        check_plain(source)
        plain: dict[str, Any] = _tuples_as_lists(source)
    except NotToml as error:
        lines = source.split("\n") if isinstance(source, str) else []
        problem = _not_toml(error, lines, show=file.lower().endswith(".toml"))
    else:
        return plain
    raise PlanError.of(file, [problem])


def _not_toml(error: NotToml, lines: Sequence[str], *, show: bool) -> PlanProblem:
    """Say where the text stops being TOML; it is shown only if it claims to be, for it may be the table by mistake."""
    if error.place is None:
        return PlanProblem("", f"{error.what}.")
    line, column = error.place
    if not show:
        return PlanProblem("", f"line {line} is not TOML. Is this file the plan?")
    return shortened(PlanProblem("", f"{error.what}.", line, lines[line - 1], (column - 1, column)))


def _tuples_as_lists(source: Any) -> Any:
    """Let tuples be lists, as TOML has them."""
    if isinstance(source, Mapping):
        return {key: _tuples_as_lists(value) for key, value in source.items()}
    return [_tuples_as_lists(value) for value in source] if isinstance(source, list | tuple) else source


def _readable(raw: Mapping[str, Any], troubles: list[Trouble], folder: Path) -> Readable:
    """Read what can be read although something else is wrong, so that all problems are said at once."""
    bad = {trouble.path[:length] for trouble in troubles for length in (1, 2)}
    columns = raw.get("columns")
    columns = columns if isinstance(columns, Mapping) and ("columns",) not in {one.path for one in troubles} else {}
    read = {
        name: ColumnSection.model_validate(column) for name, column in columns.items() if ("columns", name) not in bad
    }
    sections: dict[str, Any] = {
        name: section.model_validate(raw[name])
        for name, section in SECTIONS.items()
        if name in raw and (name,) not in bad
    }
    linked = raw.get("tables")
    linked = linked if isinstance(linked, Mapping) and ("tables",) not in {one.path for one in troubles} else {}
    tables = {name: TableSection.model_validate(one) for name, one in linked.items() if ("tables", name) not in bad}
    tables = tables if len(tables) == len(linked) else {}
    return Readable(folder, tuple(columns), columns=read, tables=tables, several=bool(linked), **sections)
