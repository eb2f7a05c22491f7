"""The plan in the folder: read, changed, written at once, undone."""

from __future__ import annotations

import contextlib
import glob
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.core import IncrowdError
from incrowd.plan import Plan
from incrowd.web._decisions import Present, check_depth, tables_in, tables_of
from incrowd.web._files import OURS, TABLE, Folder
from incrowd.web._history import Answers, History, revision_of, write_text
from incrowd.web._ladders import Ladders
from incrowd.web._reading import READING, reading_given
from incrowd.web._refusal import Refusal, plain_error, refusal, status_of
from incrowd.web._review import checks_of, fit_to_roles

# Changes to a plan: merged into what is there, with thresholds that travel as text.

Plain = dict[str, Any]
Keys = tuple[str, ...]

WHOLE = frozenset({"hierarchy", "categories", "algorithm"})
"""Tables that are replaced as a whole: half of one with half of another means nothing."""
VALUES = frozenset({"tree", "ordered", "levels", "categories", "missing"})
"""Keys under which values of the table stand, which are what they are."""
NUMBERS = frozenset(
    {"max_suppressed", "importance", "balance", "seconds", "intervals", "start", "bottom", "top", "top_coded"}
    | {"bottom_coded", "frequent", "threshold"}
)
"""Keys whose numbers are thresholds, shares and weights: texts outside, numbers in a plan."""

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?")


def merge_change(tables: Mapping[str, Any], change: Mapping[str, Any], path: Keys = ()) -> Plain:
    """Merge a change into the tables of a plan; ``None`` removes a key."""
    result = dict(tables)
    for key, value in change.items():
        here = (*path, key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and not _is_whole(here):
            inner = result.get(key)
            result[key] = merge_change(inner if isinstance(inner, Mapping) else {}, value, here)
        else:
            result[key] = value
    return {key: value for key, value in result.items() if not (path == () and value == {})}


def _is_whole(path: Keys) -> bool:
    """Say whether a table is replaced as a whole; a column may be called like one of them."""
    return len(path) > 3 or (path[-1] in WHOLE and path[:1] != ("columns",)) or (len(path) == 3 and path[-1] in WHOLE)


def read_numbers(given: Any, path: Keys = ()) -> Any:
    """Read thresholds that came as text; refuse those that came as JSON numbers with a fraction."""
    if isinstance(given, Mapping):
        return {key: read_numbers(value, (*path, key)) for key, value in given.items()}
    if isinstance(given, list):
        return [read_numbers(value, path) for value in given]
    if _holds_values(path):
        return given
    if isinstance(given, float):
        raise refusal(422, "wrong-request", "Numbers with a fraction travel as text.", 'write "0.05".', ".".join(path))
    return number_of(given, path) if isinstance(given, str) and _is_number(path) else given


def number_of(text: str, path: Keys = ()) -> int | float:
    """Read one number exactly as it is written."""
    text = text.strip()
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    raise _no_number(path)


def write_numbers(plain: Any, path: Keys = ()) -> Any:
    """Write thresholds as text, so that no browser rounds them."""
    if isinstance(plain, Mapping):
        return {key: write_numbers(value, (*path, key)) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [write_numbers(value, path) for value in plain]
    number = isinstance(plain, int | float) and not isinstance(plain, bool)
    wanted = number and not _holds_values(path) and (_is_number(path) or isinstance(plain, float))
    return repr(plain) if wanted else plain


def _holds_values(path: Keys) -> bool:
    """Say whether values of the table stand there; names of columns are no keys."""
    return bool(VALUES & set(_without_names(path)))


def _is_number(path: Keys) -> bool:
    return bool(NUMBERS & set(_without_names(path)))


def _without_names(path: Keys) -> Keys:
    return (*path[:1], *path[2:]) if path[:1] == ("columns",) else path


def _no_number(path: Keys) -> Refusal:
    return refusal(
        422, "wrong-request", "This is not a number.", "write it with digits and a point, such as 0.05.", ".".join(path)
    )


class Plans:
    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._history = History(folder.ours("plans"))
        self._answers = Answers(folder.ours("suggestion.json"))
        self._ladders = Ladders(folder)
        self._lock = threading.RLock()

    def show(self) -> Plain:
        """Give everything about the plan that a page shows."""
        with self._lock:
            text = self._text()
            undo, redo = self._history.steps()
            shown = {"exists": text is not None, "revision": revision_of(text or ""), "text": text or ""}
            plan, problem = self._try(text)
            found = None if plan is None else write_numbers(tables_in(plan))
            promise = "" if plan is None else str(plan.model())
            more = {"plan": found, "promise": promise, "problem": problem, "undo": undo, "redo": redo}
            return {**shown, **more, **self._looked_at(plan)}

    def read(self) -> Plan:
        """Give the plan; refuse if there is none, or if it is wrong."""
        with self._lock:
            text = self._text()
            if text is None:
                raise refusal(409, "no-plan", "No table is open yet.", "open a file first.")
            return self._built(tables_of(text))

    def present(self) -> Present:
        """Give what runs are held against: the plan as it is now, and its table."""
        with self._lock:
            plan, _ = self._try(self._text())
        return Present.of(plan)

    def change(self, change: Mapping[str, Any], revision: str | None = None) -> Plain:
        with self._lock:
            self._check(revision)
            check_depth(change)
            plan = self.read()
            tables = fit_to_roles(merge_change(tables_in(plan), read_numbers(change)), change)
            self._write(self._built(tables).text())
            columns = change.get("columns") or {}
            self.confirm([name for name, one in columns.items() if isinstance(one, Mapping) and "role" in one])
            return self.show()

    def with_change(self, change: Mapping[str, Any]) -> Plain:
        """Give the tables that the plan would have with a change, without making it; they may be wrong."""
        check_depth(change)
        tables = fit_to_roles(merge_change(tables_in(self.read()), read_numbers(change)), change)
        check_paths(tables, self._folder)
        return tables

    def replace(self, text: str, revision: str | None = None) -> Plain:
        """Write a whole plan that somebody wrote by hand, if it is right."""
        with self._lock:
            self._check(revision)
            self._built(tables_of(text))
            self._write(text)
            return self.show()

    def begin(self, draft: Path, found: Mapping[str, Any]) -> Plain:
        """Begin with a suggested plan and the ladders beside it, and remember why it is as it is."""
        with self._lock:
            text = self._ladders.take(draft)
            plan = self._built(tables_of(text))
            self._write(text)
            reading = {key: getattr(plan.data, key) for key in READING}
            self._answers.begin(str(plan.data.path), {**found, "reading": reading})
            self._ladders.prune(self._history.texts())
            return self.show()

    def confirm(self, names: Sequence[str]) -> Plain:
        """Remember that somebody looked at the roles of these columns."""
        with self._lock:
            self._answers.confirm(str(self.read().data.path), names)
            return self.show()

    def confirmed(self, table: str) -> dict[str, Plain]:
        """Give what a table's columns are that somebody looked at, and their kinds then; none if another is open."""
        with self._lock:
            plan, _ = self._try(self._text())
            if plan is None or str(plan.data.path) != table:
                return {}
            known = self._answers.of(table)
        kinds = {one["name"]: one.get("kind") for one in known["suggested"] if one["name"] in plan.columns}
        return {
            name: {"role": plan.columns[name].role, "kind": kind}
            for name, kind in kinds.items()
            if name in known["confirmed"] and kind is not None
        }

    def says_one_each(self, table: str) -> bool:
        """Say whether somebody answered that every row is another person, though a column looks like persons."""
        with self._lock:
            plan, _ = self._try(self._text())
            if plan is None or str(plan.data.path) != table or plan.data.entity is not None:
                return False
            return self._answers.of(table)["about"].get("entity") is not None

    def harbor(self) -> Plain | None:
        """Give what somebody said about the columns of the table for the checklist of HIPAA, if anybody did."""
        with self._lock:
            found: Plain | None = self._answers.of(str(self.read().data.path))["harbor"]
            return found

    def say(self, harbor: Mapping[str, Any] | None) -> None:
        """Remember what somebody said for the checklist of HIPAA; nothing if nobody wants it kept."""
        with self._lock:
            self._answers.say(str(self.read().data.path), harbor)

    def uses(self) -> dict[str, str]:
        """Say what the plan uses files of the folder for, by their names."""
        with self._lock:
            text = self._text()
            plan, _ = self._try(text)
        tables = {} if plan is None or text is None else tables_of(text)
        found = [(place, self._folder.inside(path)) for place, path in _paths(tables) if place != "output.folder"]
        return {path.name: _use(place) for place, path in reversed(found) if path.parent == self._folder.home}

    def step(self, steps: int) -> Plain:
        with self._lock:
            self._keep_changes_by_hand()
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

    def _try(self, text: str | None) -> tuple[Plan | None, Plain | None]:
        if text is None:
            return None, None
        try:
            return self._built(tables_of(text)), None
        except Refusal as error:
            return None, error.plain

    def _built(self, tables: Mapping[str, Any]) -> Plan:
        """Build a plan; before anything that it names is read, see that it lies in the folder."""
        check_paths(tables, self._folder)
        self._ladders.place(tables)
        try:
            return Plan.of(tables, folder=self._folder.home)
        except IncrowdError as error:
            told = plain_error(error)
        raise Refusal(status_of(told), told)

    def _check(self, revision: str | None) -> None:
        if revision is not None and revision.strip('"') != revision_of(self._text() or ""):
            raise refusal(409, "changed", "The plan was changed elsewhere meanwhile.", "look at it again.")

    def _write(self, text: str) -> None:
        self._keep_changes_by_hand()
        if text != self._history.present():
            self._history.push(text)
        self._put(text)

    def _put(self, text: str) -> None:
        """Write the plan's file; what lay beside it for another one goes."""
        write_text(self._folder.plan, text)
        with contextlib.suppress(Refusal):  # somebody may have written it by hand
            self._ladders.clear(tables_of(text))

    def _keep_changes_by_hand(self) -> None:
        """Let what somebody wrote into the file meanwhile be undone too."""
        text = self._text()
        if text is not None and text != self._history.present():
            self._history.push(text)

    def _looked_at(self, plan: Plan | None) -> Plain:
        """Say of every column what it is, what was suggested, and whether somebody looked at it; and what is open."""
        if plan is None:
            return {"columns": [], "unsure": [], "about": {}, "said": [], "checks": []}
        state = self._answers.of(str(plan.data.path))
        suggested = {one["name"]: one for one in state["suggested"]}
        columns = [
            _column(name, one.role, suggested.get(name), state["confirmed"]) for name, one in plan.columns.items()
        ]
        unsure = [one["name"] for one in columns if not one["confirmed"]]
        checks = checks_of(plan, columns, state["about"])
        told = {"columns": columns, "unsure": unsure, "about": state["about"], "checks": checks}
        return {**told, "said": reading_given(plan, state)}


def _use(place: str) -> str:
    """Say what a file is for that a key of the plan names."""
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


def _column(name: str, role: str, suggested: Mapping[str, Any] | None, confirmed: Sequence[str]) -> Plain:
    found = suggested or {"role": role, "reason": "set in the plan", "sure": True, "check": ""}
    told = {"suggested": found["role"], "reason": found["reason"], "sure": found["sure"], "check": found["check"]}
    return {"name": name, "role": role, **told, "confirmed": found["sure"] or name in confirmed}


def check_paths(tables: Mapping[str, Any], folder: Folder) -> None:
    """Refuse a plan that reads or writes outside of the folder, or from a database."""
    data = tables.get("data")
    if isinstance(data, Mapping) and {"table", "query", "connection_env"} & set(data):
        hint = "run it on the command line: incrowd anonymize plan.toml."
        raise refusal(422, "wrong-request", "The page works on files, not on databases.", hint, "data")
    for place, path in _paths(tables):
        try:
            inside = folder.inside(path)
        except Refusal as error:
            raise Refusal(403, {**error.plain, "place": place}) from None
        if inside.is_relative_to(folder.home / OURS):
            raise refusal(403, "forbidden", f"The folder {OURS} belongs to the page.", "choose another one.", place)
        if place == "data.path" and (inside.exists() or glob.has_magic(path)) and not inside.is_file():
            hint = "run it on the command line: incrowd anonymize plan.toml."
            raise refusal(422, "wrong-request", "The page works on one file, not on several.", hint, place)


def _paths(tables: Any) -> Iterator[tuple[str, str]]:
    """Give every path of a plan, right or wrong."""
    found = [("data.path", _at(tables, "data", "path")), ("output.folder", _at(tables, "output", "folder"))]
    columns = _at(tables, "columns")
    found += [
        (".".join(("columns", str(name), *keys)), _at(columns, name, *keys))
        for name in (columns if isinstance(columns, Mapping) else ())
        for keys in (("hierarchy", "tree"), ("categories",), ("key_file",))
    ]
    return ((place, path) for place, path in found if isinstance(path, str))


def _at(tables: Any, *keys: str) -> Any:
    for key in keys:
        tables = tables.get(key) if isinstance(tables, Mapping) else None
    return tables
