"""Trees formed from a table as files: beside the plan that names them, and a copy of each to go back to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from incrowd.core import atomic_path
from incrowd.web._decisions import tables_of
from incrowd.web._files import Folder
from incrowd.web._refusal import Refusal, refusal

BESIDE = "plan-ladders"  # the folder beside the plan in which they lie, called as by ``incrowd init``

_NAME = r"[A-Za-z0-9_-]{1,100}\.csv"
_NAMED = re.compile(rf"{BESIDE}/({_NAME})")
_WRITTEN = re.compile(rf'(tree = "{BESIDE}/)({_NAME})(")')


class Ladders:
    """The trees of a folder that we wrote.

    A file beside the plan is ours as long as it is the same as our copy; no other is ever replaced or removed.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def take(self, draft: Path) -> str:
        """Keep the trees that lie beside a drafted plan; give its text with the names that they have here."""
        found = sorted(draft.with_name(BESIDE).glob("*.csv"))
        names = {file.name: self._keep(file.name, file.read_bytes()) for file in found}
        text = draft.read_text(encoding="utf-8")
        return _WRITTEN.sub(lambda one: f"{one[1]}{names.get(one[2], one[2])}{one[3]}", text)

    def place(self, tables: Mapping[str, Any]) -> None:
        """Put trees that a plan names where it looks for them, if we have them and nothing is there."""
        for name in _ladder_file_names(tables):
            copy, target = self._copy_path(name), self._folder.home / BESIDE / name
            if not copy.is_file() or os.path.lexists(target):
                continue
            if os.path.lexists(target.parent) and not self._is_folder():
                message = f"The ladders of this table belong into the folder {BESIDE}, and what is called so is none."
                raise refusal(409, "changed", message, "rename it.")
            target.parent.mkdir(exist_ok=True)
            _write_ladder(target, copy.read_bytes())

    def clear(self, tables: Mapping[str, Any]) -> None:
        """Remove the files of ours that neither a plan nor a version of its table names; the copies stay."""
        ours = [name for name in self._copies() if self._is_ours(name)] if self._is_folder() else []
        if not ours:
            return
        needed = {*_ladder_file_names(tables), *self._of_versions(_table_path(tables))}
        for name in ours:
            if name not in needed:
                (self._folder.home / BESIDE / name).unlink()
        if not any((self._folder.home / BESIDE).iterdir()):
            (self._folder.home / BESIDE).rmdir()

    def prune(self, plans: Iterable[str]) -> None:
        """Remove the copies that no plan to go back to and no version of any table names: they hold values."""
        needed = {name for text in plans for name in _files_in_text(text)} | {*self._of_versions(None)}
        for name in self._copies():
            if name not in needed and not self._is_ours(name):
                self._copy_path(name).unlink()

    def _keep(self, name: str, ladder: bytes) -> str:
        """Keep a tree under a name that has no other tree, neither among the copies nor beside the plan."""
        stem, number = name.removesuffix(".csv"), 1
        while not self._is_free_for(name, ladder):
            number += 1
            name = f"{stem}-{number}.csv"
        if not self._copy_path(name).is_file():
            self._copy_path(name).parent.mkdir(mode=0o700, exist_ok=True)
            _write_ladder(self._copy_path(name), ladder)
        return name

    def _is_free_for(self, name: str, ladder: bytes) -> bool:
        there = os.path.lexists(self._folder.home / BESIDE / name)
        if not self._copy_path(name).is_file():
            return not there
        return self._copy_path(name).read_bytes() == ladder and (self._is_ours(name) or not there)

    def _is_ours(self, name: str) -> bool:
        file = self._folder.home / BESIDE / name
        return self._is_folder() and _is_plain(file) and file.read_bytes() == self._copy_path(name).read_bytes()

    def _is_folder(self) -> bool:
        place = self._folder.home / BESIDE
        return place.is_dir() and not place.is_symlink()

    def _copy_path(self, name: str) -> Path:
        return self._folder.ours("ladders", name)

    def _copies(self) -> list[str]:
        place = self._folder.ours("ladders")
        return sorted(one.name for one in place.glob("*.csv") if _is_plain(one)) if place.is_dir() else []

    def _of_versions(self, table: Any) -> Iterator[str]:
        """Name the trees of the versions that were made of a table, or of any."""
        for file in self._folder.ours("runs").glob("*/source.toml"):
            try:
                tables = tables_of(file.read_text(encoding="utf-8"))
            except (OSError, ValueError, Refusal):
                continue
            if table is None or _table_path(tables) == table:
                yield from _ladder_file_names(tables)


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _table_path(tables: Mapping[str, Any]) -> Any:
    data = tables.get("data")
    return data.get("path") if isinstance(data, Mapping) else None


def _files_in_text(text: str) -> list[str]:
    """Name the files that a plan reads; somebody may have written it by hand, and wrong."""
    try:
        return [*_ladder_file_names(tables_of(text))]
    except (ValueError, Refusal):
        return []


def _ladder_file_names(tables: Mapping[str, Any]) -> Iterator[str]:
    columns = tables.get("columns")
    for one in columns.values() if isinstance(columns, Mapping) else ():
        form = one.get("hierarchy") if isinstance(one, Mapping) else None
        tree = form.get("tree") if isinstance(form, Mapping) else None
        if isinstance(tree, str) and (found := _NAMED.fullmatch(tree)):
            yield found[1]


def _write_ladder(target: Path, ladder: bytes) -> None:
    """Write values of the table for us alone; a file that is there is not replaced."""
    with (
        atomic_path(target) as part,
        os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
    ):
        file.write(ladder)
