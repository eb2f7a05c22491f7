"""``Plan``: one file that says everything about a run; reads, runs and writes itself."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, cast

from incrowd.core import DataError, FrozenMapping, Hierarchy, Schema, atomic_path
from incrowd.engines import Database, Tables
from incrowd.evidence import Alternatives, alternatives, searches_beside
from incrowd.hierarchies import auto, averaged, with_hierarchies
from incrowd.models import Model, promise
from incrowd.plan._checks import document_of, read_document
from incrowd.plan._document import SECTIONS, VERSION, Document, TableSection
from incrowd.plan._linked_tables import common_format, refuse_several, tables_of_plan
from incrowd.plan._sections import (
    ColumnSection,
    DataSection,
    ItemsForm,
    OutputSection,
    PrivacySection,
    ReportSection,
    SearchSection,
    ShiftSection,
    TreeForm,
    build_hierarchy,
)
from incrowd.plan._toml import Notes
from incrowd.release import OWNER, KeyFile, Reading, Release, Strength, anonymize, format_like, frontier
from incrowd.search import Algorithm, Frontier, Progress

OnProgress = Callable[[Progress], bool | None] | None


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """Everything about a run: the table, the roles, the promise, the search, the output. Built by ``read`` or ``of``.

    Attributes
    ----------
    data, columns, shift, privacy, search, output, report, tables
        The sections, with the keys of the file as attributes; ``columns`` and ``tables`` by name, in their order.
    folder
        Where relative paths begin: the folder of the file that the plan was read from. ``None``, for a plan that was
        not read from a file, is the folder in which Python runs.
    name
        The name of that file, for messages.
    ladders
        Hierarchies that hold values of a table and are therefore not written into the plan, by column. They take the
        place of those that stand in it.

    Notes
    -----
    A plan is checked when it is read: everything that is wrong with it is said at once, each with its line. Whether it
    fits the table is seen when it runs. Two plans are equal if they say the same, in the same order.

    A plan holds no records. Trees and categories that stand in it, its paths and queries may still be confidential.

    Examples
    --------
    >>> import incrowd as ic
    >>> plan = ic.Plan.of({
    ...     "version": 1,
    ...     "data": {"path": "patients.csv"},
    ...     "columns": {
    ...         "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
    ...         "disease": {"role": "sensitive"},
    ...     },
    ...     "privacy": {"promise": ["k>=5", "l>=3[disease]"], "max_suppressed": 0.02},
    ... })
    >>> plan
    Plan(k>=5, l>=3[disease]: 1 quasi-identifier, 1 sensitive column)
    >>> plan.schema().quasi
    (('age', intervals(5, 10, start=0)),)
    """

    data: DataSection
    columns: Mapping[str, ColumnSection]
    privacy: PrivacySection
    search: SearchSection = field(default_factory=SearchSection)
    output: OutputSection = field(default_factory=OutputSection)
    report: ReportSection = field(default_factory=ReportSection)
    shift: ShiftSection = field(default_factory=ShiftSection)
    tables: Mapping[str, TableSection] = field(default_factory=dict)
    folder: Path | None = None
    name: str = "plan"
    ladders: Mapping[str, Hierarchy] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a plan from a TOML file.

        Parameters
        ----------
        path
            The file. Paths in it are relative to its folder.

        Raises
        ------
        PlanError
            If anything is wrong with it: every problem, with file, line, key, what was found and what would be right.
        """
        return cls._of(read_document(path), Path(path).resolve().parent, Path(path).name)

    @classmethod
    def of(cls, tables: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> Self:
        """Read a plan from what a TOML file would hold, as dicts and lists.

        Parameters
        ----------
        tables
            The sections, by name.
        folder
            Where relative paths begin; the folder in which Python runs if nothing is said.
        """
        home = None if folder is None else Path(folder).resolve()
        return cls._of(document_of(dict(tables), "plan", home or Path()), home)

    @classmethod
    def _of(cls, document: Document, folder: Path | None, name: str = "plan") -> Self:
        sections = {name: getattr(document, name) for name in SECTIONS}
        named: dict[str, Any] = {one: FrozenMapping(getattr(document, one)) for one in ("columns", "tables")}
        return cls(**named, folder=folder, name=name, **sections)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """Give the JSON schema of plans, by which editors complete and check them."""
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Document.model_json_schema()}

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as dicts, tuples, texts and numbers, without what is as by default; ``of`` reads it back.

        Files of trees that lie beside the plan's own have their whole path, so that they are found from everywhere.
        """
        plain = _plain_sections(self, written=False)
        for column in plain["columns"].values() if self.folder is not None else ():
            form = column.get("hierarchy")
            if isinstance(form, dict) and isinstance(form.get("tree"), str):
                column["hierarchy"] = {**form, "tree": str(self.path(form["tree"]))}
        return plain

    def text(self, notes: Notes | None = None, *, folder: str | os.PathLike[str] | None = None) -> str:
        """Give the plan as commented TOML.

        Parameters
        ----------
        notes
            More comments.
        folder
            Where the text will stand, if not where the plan was read from: relative paths are changed so that they mean
            the same files from there.
        """
        plan = self if folder is None else self._plan_moved_to(Path(folder).resolve())
        return (notes or Notes()).toml(_plain_sections(plan, written=True))

    def write(self, path: str | os.PathLike[str], *, force: bool = False, notes: Notes | None = None) -> None:
        """Write the plan as commented TOML, whole or not at all.

        Parameters
        ----------
        path
            The file. If it is in another folder than the plan was read from, relative paths are changed so that they
            mean the same files as before.
        force
            Whether an existing file may be replaced.
        notes
            More comments.
        """
        text = self.text(notes, folder=Path(path).resolve().parent)
        with atomic_path(path, force=force) as part:
            part.write_text(text, encoding="utf-8", newline="\n")

    def schema(self) -> Schema:
        """Give the role of every column, with its hierarchy or categories."""
        quasi, sensitive = {}, {}
        for name, column in self.columns.items():
            built = None if column.hierarchy is None else build_hierarchy(column.hierarchy, self._home)
            if column.role == "quasi":
                quasi[name] = built if column.average is None else averaged(built or auto(), column.average)
            elif column.role == "sensitive":
                sensitive[name] = built if column.categories is None else column.build_categories(self._home)
        schema = Schema(
            quasi,
            sensitive,  # what is dropped is never published, like an identifier
            identifiers=[name for name, column in self.columns.items() if column.role in {"identifier", "drop"}],
            insensitive=[name for name, column in self.columns.items() if column.role == "insensitive"],
            shifted=self.shift.build([name for name, column in self.columns.items() if column.role == "shifted"]),
            entity=self.data.entity,
            size=self.data.size,
            count=self.data.count,
            missing=self.data.missing_policy,
            missing_values=self.data.missing,
        )
        return with_hierarchies(schema, self.ladders) if self.ladders else schema

    def kept_in(self, files: Mapping[str, Path], folder: Path) -> Plan:
        """Give the plan that reads its ladders from files, as a plan in a folder would.

        Parameters
        ----------
        files
            The file of each ladder, by column.
        folder
            Where the plan is going to be.
        """
        columns = dict(self.columns)
        for name, file in files.items():
            written = Path(os.path.relpath(file.absolute(), folder.absolute())).as_posix()
            columns[name] = columns[name].model_copy(update={"hierarchy": TreeForm(tree=written, from_data=True)})
        return replace(self, columns=columns, ladders={})

    def model(self) -> Model:
        """Give the promises, all in one."""
        return promise(", ".join(self.privacy.promises))

    def algorithm(self) -> Algorithm | None:
        """Give the search, with its parameters; ``None`` stands for the usual one, as in ``anonymize``."""
        return self.search.build()

    def reading(self) -> Reading:
        """Say how to read the table's file, as the keywords of ``anonymize``, ``census`` and their like."""
        names = ("separator", "decimal", "thousands", "dates", "memory")
        said = {name: value for name in names if (value := getattr(self.data, name)) is not None}
        said |= {} if self.data.header else {"header": False}
        return cast("Reading", {"encoding": self.data.encoding, **said})

    def run(  # noqa: PLR0913 - all are optional
        self,
        progress: OnProgress = None,
        *,
        write: bool = False,
        force: bool = False,
        sign: KeyFile | None = None,
        sample: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        memory: str | None = None,
        table: Any = None,
    ) -> Release:
        """Do what the plan says.

        Parameters
        ----------
        progress
            Called now and then by the search; it stops with what it has when this returns ``False``.
        write
            Whether to write the release to the plan's folder at once, instead of giving its table back.
        force, sign
            Whether an earlier release there may be replaced, whatever the plan says; and a private key to sign with.
        sample
            Try it out on so many records. What comes of it is not a result.
        folder
            Write to this folder instead of the plan's.
        memory
            The most memory that may be used, such as ``"4GB"``, whatever the plan says.
        table
            The table itself, such as a Spark DataFrame, instead of the one that the plan names. It is written as
            Parquet where the plan says nothing else.

        Raises
        ------
        NoSafeRelease
            If nothing can be published within the limits.
        """
        output: dict[str, Any] = {} if memory is None else {"memory": memory}
        if write:
            output |= self._output() if folder is None else {**self._output(), "output": folder}
            output |= {"force": force or self.output.force, "sign": sign}
            output |= {"format": self.output.format or "parquet"} if table is not None else {}
        pseudonyms = {name: self.path(one.key_file) for name, one in self.columns.items() if one.key_file is not None}
        arguments = _without_empty(
            {
                "model": self.model(),
                "algorithm": self.algorithm(),
                "others": self.output.others,
                "order": None if self.output.order == "sorted" else self.output.order,
                "suppression": None if self.output.suppression == "drop" else self.output.suppression,
                "pseudonyms": pseudonyms,
                "shift_key": None if self.shift.key_file is None else self.path(self.shift.key_file),
                **self._limits(),
            }
        )
        source = self.source() if table is None else table
        return anonymize(source, self.schema(), progress=progress, sample=sample, **{**arguments, **output})

    def frontier(
        self, by: Strength = "k", of: str | None = None, progress: Callable[[Progress], object] | None = None
    ) -> Frontier:
        """Find the best node for every strength of a promise, within the limits of the plan and its other promises.

        Parameters
        ----------
        by, of
            What grows along the curve, and the sensitive column, as in the function ``frontier``.
        progress
            Called now and then with how many nodes were looked at, of at most how many.
        """
        refuse_several(self.tables, "A frontier")
        more = _without_empty({**self._limits(), "suppression": self.output.suppression, "progress": progress})
        more["measure"] = self.search.measure or "loss"
        return frontier(self.source(), self.schema(), by=by, of=of, model=self.model(), **more)

    def alternatives(self, progress: OnProgress = None, *, seconds: float | None = None, **more: Any) -> Alternatives:
        """Put searches side by side as the function ``alternatives`` does, within the limits of the plan.

        It stops a search after ``seconds``; those of the plan, or else 60. ``more``: ``begin``, ``memory``, ``table``.
        """
        refuse_several(self.tables, "Searches side by side")
        (searches, name), table = searches_beside(self.algorithm()), more.pop("table", None)
        more = _without_empty({**self._limits(), "suppression": self.output.suppression, **more})
        more |= {"searches": searches, "seconds": seconds or self.search.seconds or 60, "progress": progress}
        found = alternatives(self.source() if table is None else table, self.schema(), model=self.model(), **more)
        return replace(found, planned=name)

    def source(self) -> Path | Database | Tables:
        """Give the table: a file, or what a database answers; or several tables of the same people."""
        if self.tables:
            return tables_of_plan(self)
        if self.data.path is not None:
            return self.path(self.data.path)
        if self.data.connection_env is None:
            msg = "The plan does not say where the table is."
            raise DataError(msg, hint="hand it over: plan.run(table=table), or write its path under [data].")
        return Database(str(self.data.connection_env), table=self.data.table, query=self.data.query)

    def _output(self) -> dict[str, Any]:
        """Say where and how the release is written, as the keywords of ``anonymize``."""
        home = self.path(self.output.folder)
        return {
            "output": home,
            "format": self.output.format
            or (common_format(self.tables) if self.tables else format_like(self.data.path)),
            "dialect": self.output.plain().get("dialect", "input"),
            "labels": self.output.labels,
            "stars": self.output.stars,
            "plan": self.text(folder=home / OWNER),
            "about": self.report.about if self.report.write else None,
        }

    def _limits(self) -> dict[str, Any]:
        """Say how the table is read and what may be given up, as ``anonymize`` and ``frontier`` have it."""
        by_column = {
            key: {name: value for name, one in self.columns.items() if (value := getattr(one, key)) is not None}
            for key in ("at_least", "at_most", "importance")
        }
        limits = {
            "max_suppressed": self.privacy.max_suppressed,
            "max_suppressed_records": self.privacy.max_suppressed_records,
            "balance": self.search.balance,
            "sheet": self.data.sheet,
        }
        return {**limits, **self.reading(), **by_column}

    @property
    def _home(self) -> Path:
        return Path() if self.folder is None else self.folder

    def path(self, written: str) -> Path:
        """Say which file a path of the plan means."""
        return self._home / written

    def _plan_moved_to(self, folder: Path) -> Plan:
        """Let relative paths begin in another folder, and mean the same files."""
        if self.folder is None or self.folder == folder:
            return self

        def move(written: Any) -> Any:
            relative = isinstance(written, str) and not Path(written).is_absolute()
            return Path(os.path.relpath(self._home / written, folder)).as_posix() if relative else written

        columns = {}
        for name, column in self.columns.items():
            form = column.hierarchy
            if isinstance(form, ItemsForm) and isinstance(form.of, TreeForm):
                form = form.model_copy(update={"of": form.of.model_copy(update={"tree": move(form.of.tree)})})
            elif isinstance(form, TreeForm):
                form = form.model_copy(update={"tree": move(form.tree)})
            changed = {"hierarchy": form, "categories": move(column.categories), "key_file": move(column.key_file)}
            columns[name] = column.model_copy(update=changed)
        data = self.data.model_copy(update={"path": move(self.data.path)})
        output = self.output.model_copy(update={"folder": move(self.output.folder)})
        tables = {name: one.model_copy(update={"path": move(one.path)}) for name, one in self.tables.items()}
        shift = self.shift.model_copy(update={"key_file": move(self.shift.key_file)})
        changed = {"data": data, "columns": columns, "tables": tables, "output": output, "shift": shift}
        return replace(self, **changed, folder=folder)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._canonical_text() == other._canonical_text()

    def __hash__(self) -> int:
        return hash(self._canonical_text())

    def _canonical_text(self) -> str:
        """Write down everything, with the order of columns and categories, which matters."""
        return json.dumps(self.to_dict())

    def __repr__(self) -> str:
        roles = [column.role for column in self.columns.values()]
        quasi, sensitive = roles.count("quasi"), roles.count("sensitive")
        return (
            f"Plan({self.model()}: {quasi} quasi-identifier{'' if quasi == 1 else 's'}, "
            f"{sensitive} sensitive column{'' if sensitive == 1 else 's'})"
        )


def _plain_sections(plan: Plan, *, written: bool) -> dict[str, Any]:
    """Give the sections as plain tables: what differs from the defaults, or everything that was written."""
    plain = {name: getattr(plan, name).plain(written=written) for name in SECTIONS}
    columns = {name: column.plain(written=written) for name, column in plan.columns.items()}
    tables = {name: table.plain(written=written) for name, table in plan.tables.items()}
    several = {"tables": tables} if tables else {}
    return {"version": VERSION, "data": plain.pop("data"), **several, "columns": columns, **plain}


def _without_empty(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None and value != {}}
