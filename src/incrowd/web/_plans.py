"""The plan in the folder: read, checked for paths, changed, written at once, undone."""

from __future__ import annotations

import contextlib
import glob
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.core import IncrowdError
from incrowd.plan import Plan
from incrowd.web._changes import SHIFT, fit_to_roles, merge_change, read_numbers, write_numbers
from incrowd.web._decisions import Present, check_change, tables_in, tables_of
from incrowd.web._files import OURS, TABLE, Folder
from incrowd.web._history import Answers, History, revision_of, write_text
from incrowd.web._ladders import Ladders
from incrowd.web._reading import READING, given_reading
from incrowd.web._refusal import Plain, Refusal, plain_error, refusal, status_of
from incrowd.web._review import checks_of


class Plans:
    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._history = History(folder.ours("plans"))
        self._answers = Answers(folder.ours("suggestion.json"))
        self._ladders = Ladders(folder)
        self._lock = threading.RLock()

    def show(self) -> Plain:
        with self._lock:
            text = self._text()
            undo, redo = self._history.steps()
            shown = {"exists": text is not None, "revision": revision_of(text or ""), "text": text or ""}
            plan, problem = self._plan_or_problem(text)
            found = None if plan is None else write_numbers(tables_in(plan))
            promise = "" if plan is None else str(plan.model())
            more = {"plan": found, "promise": promise, "problem": problem, "undo": undo, "redo": redo}
            return {**shown, **more, **self._columns_shown(plan)}

    def read(self) -> Plan:
        """Give the plan; refuse if there is none, or if it is wrong."""
        with self._lock:
            text = self._text()
            if text is None:
                raise refusal(409, "no-plan", "No table is open yet.", "open a file first.")
            return self._built_plan(tables_of(text))

    def present(self) -> Present:
        with self._lock:
            plan, _ = self._plan_or_problem(self._text())
        return Present.of(plan)

    def change(self, change: Mapping[str, Any], revision: str | None = None) -> Plain:
        with self._lock:
            self._check_revision(revision)
            check_change(change)
            plan = self.read()
            tables = fit_to_roles(merge_change(tables_in(plan), read_numbers(change)), change)
            built = self._built_plan(tables)
            if built.shift.key_file == SHIFT["key_file"]:
                self._folder.make_key(SHIFT["key_file"])
            self._write(built.text())
            columns = change.get("columns") or {}
            self.confirm([name for name, one in columns.items() if isinstance(one, Mapping) and "role" in one])
            return self.show()

    def with_change(self, change: Mapping[str, Any]) -> Plain:
        """Give the tables that the plan would have with a change, without making it; they may be wrong."""
        check_change(change)
        tables = fit_to_roles(merge_change(tables_in(self.read()), read_numbers(change)), change)
        check_paths(tables, self._folder)
        return tables

    def replace(self, text: str, revision: str | None = None) -> Plain:
        with self._lock:
            self._check_revision(revision)
            self._built_plan(tables_of(text))
            self._write(text)
            return self.show()

    def begin(self, draft: Path, found: Mapping[str, Any]) -> Plain:
        """Begin with a suggested plan and the ladders beside it, and remember why it is as it is."""
        with self._lock:
            text = self._ladders.take(draft)
            plan = self._built_plan(tables_of(text))
            self._write(text)
            reading = {key: getattr(plan.data, key) for key in READING}
            self._answers.begin(str(plan.data.path), {**found, "reading": reading})
            self._ladders.prune(self._history.texts())
            return self.show()

    def confirm(self, names: Sequence[str]) -> Plain:
        with self._lock:
            self._answers.confirm(str(self.read().data.path), names)
            return self.show()

    def confirmed_columns(self, table: str) -> dict[str, Plain]:
        """Give what a table's columns are that somebody looked at, and their kinds then; none if another is open."""
        with self._lock:
            plan, known = self._if_open(table), self._answers.of(table)
        if plan is None:
            return {}
        kinds = {one["name"]: one.get("kind") for one in known["suggested"] if one["name"] in plan.columns}
        return {
            name: {"role": plan.columns[name].role, "kind": kind}
            for name, kind in kinds.items()
            if name in known["confirmed"] and kind is not None
        }

    def says_one_each(self, table: str) -> bool:
        """Say whether somebody answered that every row is another person, though a column looks like persons."""
        with self._lock:
            plan, known = self._if_open(table), self._answers.of(table)
        return plan is not None and plan.data.entity is None and known["about"].get("entity") is not None

    def _if_open(self, table: str) -> Plan | None:
        plan, _ = self._plan_or_problem(self._text())
        return plan if plan is not None and str(plan.data.path) == table else None

    def harbor(self) -> Plain | None:
        with self._lock:
            found: Plain | None = self._answers.of(str(self.read().data.path))["harbor"]
            return found

    def say(self, harbor: Mapping[str, Any] | None) -> None:
        with self._lock:
            self._answers.say(str(self.read().data.path), harbor)

    def uses(self) -> dict[str, str]:
        """Say what the plan uses files of the folder for, by their names."""
        with self._lock:
            text = self._text()
            plan, _ = self._plan_or_problem(text)
        tables = {} if plan is None or text is None else tables_of(text)
        found = [(place, self._folder.inside(path)) for place, path in _paths_in(tables) if place != "output.folder"]
        return {path.name: _purpose_of(place) for place, path in reversed(found) if path.parent == self._folder.home}

    def step(self, steps: int) -> Plain:
        with self._lock:
            self._push_changes_by_hand()
            text = self._history.go(steps)
            if text is None:
                word = "undone" if steps < 0 else "redone"
                raise refusal(409, "changed", f"There is nothing to be {word}.")
            self._put(text)
            return self.show()

    def _text(self) -> str | None:
        try:
            return self._folder.plan.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        except FileNotFoundError:
            return None

    def _plan_or_problem(self, text: str | None) -> tuple[Plan | None, Plain | None]:
        if text is None:
            return None, None
        try:
            return self._built_plan(tables_of(text)), None
        except Refusal as error:
            return None, error.plain

    def _built_plan(self, tables: Mapping[str, Any]) -> Plan:
        """Build a plan; before anything that it names is read, see that it lies in the folder."""
        check_paths(tables, self._folder)
        self._ladders.place(tables)
        try:
            return Plan.of(tables, folder=self._folder.home)
        except IncrowdError as error:
            told = plain_error(error)
        raise Refusal(status_of(told), told)

    def _check_revision(self, revision: str | None) -> None:
        if revision is not None and revision.strip('"') != revision_of(self._text() or ""):
            raise refusal(409, "changed", "The plan was changed elsewhere meanwhile.", "look at it again.")

    def _write(self, text: str) -> None:
        self._push_changes_by_hand()
        if text != self._history.present():
            self._history.push(text)
        self._put(text)

    def _put(self, text: str) -> None:
        """Write the plan's file; what lay beside it for another one goes."""
        write_text(self._folder.plan, text)
        with contextlib.suppress(Refusal):  # somebody may have written it by hand
            self._ladders.clear(tables_of(text))

    def _push_changes_by_hand(self) -> None:
        """Let what somebody wrote into the file meanwhile be undone too."""
        text = self._text()
        if text is not None and text != self._history.present():
            self._history.push(text)

    def _columns_shown(self, plan: Plan | None) -> Plain:
        """Say of every column what it is, what was suggested, and whether somebody looked at it; and what is open."""
        if plan is None:
            return {"columns": [], "unsure": [], "about": {}, "said": [], "checks": []}
        state = self._answers.of(str(plan.data.path))
        suggested = {one["name"]: one for one in state["suggested"]}
        columns = [
            _column_shown(name, one.role, suggested.get(name), state["confirmed"]) for name, one in plan.columns.items()
        ]
        unsure = [one["name"] for one in columns if not one["confirmed"]]
        checks = checks_of(plan, columns, state["about"])
        told = {"columns": columns, "unsure": unsure, "about": state["about"], "checks": checks}
        return {**told, "said": given_reading(plan, state)}


def _purpose_of(place: str) -> str:
    _, _, rest = place.partition(".")
    column = rest.removesuffix(".hierarchy.tree").removesuffix(".categories").removesuffix(".key_file")
    return TABLE if place == "data.path" else f"the column {column}"


def read_plan(path: str | Path, home: str | Path | None = None) -> Plan:
    """Read a plan where it is used; see once more that what it names lies in the folder, for links come and go."""
    text = Path(path).read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    folder = Folder(Path(path).parent if home is None else Path(home))
    tables = tables_of(text)
    check_paths(tables, folder)
    return Plan.of(tables, folder=folder.home)


def _column_shown(name: str, role: str, suggested: Mapping[str, Any] | None, confirmed: Sequence[str]) -> Plain:
    found = suggested or {"role": role, "reason": "set in the plan", "sure": True, "check": ""}
    told = {"suggested": found["role"], "reason": found["reason"], "sure": found["sure"], "check": found["check"]}
    return {"name": name, "role": role, **told, "confirmed": found["sure"] or name in confirmed}


def check_paths(tables: Mapping[str, Any], folder: Folder) -> None:
    """Refuse a plan that reads or writes outside of the folder, or from a database, or of several tables."""
    data = tables.get("data")
    if tables.get("tables"):
        hint = "run it on the command line: incrowd anonymize plan.toml."
        raise refusal(422, "wrong-request", "The page works on one table, not on several.", hint, "tables")
    if isinstance(data, Mapping) and {"table", "query", "connection_env"} & set(data):
        hint = "run it on the command line: incrowd anonymize plan.toml."
        raise refusal(422, "wrong-request", "The page works on files, not on databases.", hint, "data")
    for place, path in _paths_in(tables):
        try:
            inside = folder.inside(path)
        except Refusal as error:
            raise Refusal(403, {**error.plain, "place": place}) from None
        if inside.is_relative_to(folder.home / OURS):
            raise refusal(403, "forbidden", f"The folder {OURS} belongs to the page.", "choose another one.", place)
        if place == "data.path" and (inside.exists() or glob.has_magic(path)) and not inside.is_file():
            hint = "run it on the command line: incrowd anonymize plan.toml."
            raise refusal(422, "wrong-request", "The page works on one file, not on several.", hint, place)


def _paths_in(tables: Any) -> Iterator[tuple[str, str]]:
    """Give every path of a plan, right or wrong."""
    own = (("data", "path"), ("output", "folder"), ("shift", "key_file"))
    found = [(".".join(keys), _value_at(tables, *keys)) for keys in own]
    columns = _value_at(tables, "columns")
    found += [
        (".".join(("columns", str(name), *keys)), _value_at(columns, name, *keys))
        for name in (columns if isinstance(columns, Mapping) else ())
        for keys in (("hierarchy", "tree"), ("categories",), ("key_file",))
    ]
    return ((place, path) for place, path in found if isinstance(path, str))


def _value_at(tables: Any, *keys: str) -> Any:
    for key in keys:
        tables = tables.get(key) if isinstance(tables, Mapping) else None
    return tables
