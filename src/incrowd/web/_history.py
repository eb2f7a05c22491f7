"""Earlier plans to undo and redo, and what somebody answered about a table, in files of the page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.core import atomic_path
from incrowd.web._refusal import Plain

STEPS = 200  # so many earlier plans are kept


class History:
    """The plans that there were, in order, and which of them is the present one."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def steps(self) -> tuple[int, int]:
        """Say how many steps one can go back, and forth."""
        state = self._state()
        return max(state["now"] - state["first"], 0), state["last"] - state["now"]

    def push(self, text: str) -> None:
        """Add a plan after the present one; what was undone is forgotten."""
        state = self._state()
        now = state["now"] + 1
        for number in range(now, state["last"] + 1):
            self._file(number).unlink(missing_ok=True)
        self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_text(self._file(now), text)
        first = max(state["first"], now - STEPS)
        for number in range(state["first"], first):
            self._file(number).unlink(missing_ok=True)
        self._remember({"first": first, "now": now, "last": now})

    def go(self, steps: int) -> str | None:
        """Step back or forth; give the plan that is there, or nothing if there is none."""
        state = self._state()
        now = state["now"] + steps
        if not state["first"] <= now <= state["last"]:
            return None
        text = self._file(now).read_text(encoding="utf-8")
        self._remember({**state, "now": now})
        return text

    def present(self) -> str | None:
        file = self._file(self._state()["now"])
        return file.read_text(encoding="utf-8") if file.is_file() else None

    def texts(self) -> Iterator[str]:
        state = self._state()
        for number in range(state["first"], state["last"] + 1):
            if self._file(number).is_file():
                yield self._file(number).read_text(encoding="utf-8")

    def _file(self, number: int) -> Path:
        return self._place / f"{number:06}.toml"

    def _state(self) -> dict[str, int]:
        state: dict[str, int] = read_json(self._place / "steps.json", {"first": 1, "now": 0, "last": 0})
        return state

    def _remember(self, state: dict[str, int]) -> None:
        write_json(self._place / "steps.json", state)


def revision_of(text: str) -> str:
    """Name a plan by what it says, so that a change by hand is seen too."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_json(path: Path, otherwise: Any = None) -> Any:
    """Read a file of ours; what is not there, or was broken off, is taken as not written."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return otherwise


def write_json(path: Path, plain: Any) -> None:
    write_text(path, json.dumps(plain, ensure_ascii=False))


def write_text(path: Path, text: str) -> None:
    with atomic_path(path, force=True) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


# What was suggested for the columns of a table, and what somebody said about them: kept for every table apart.

NOTHING: Mapping[str, Any] = {"suggested": [], "confirmed": [], "harbor": None, "about": {}, "reading": {}, "said": []}


class Answers:
    def __init__(self, file: Path) -> None:
        self._file = file

    def of(self, table: str) -> Plain:
        """Give what was suggested for a table, and what was said about it."""
        kept = read_json(self._file, {})
        found = kept if "suggested" in kept else kept.get("tables", {}).get(table, {})  # once there was one table
        return {**NOTHING, **found}

    def begin(self, table: str, found: Mapping[str, Any]) -> None:
        """Remember what was found; whatever was said about the table before was said about other columns."""
        self._put(table, {**NOTHING, **found})

    def confirm(self, table: str, names: Sequence[str]) -> None:
        known = self.of(table)
        self._put(table, {**known, "confirmed": [*dict.fromkeys([*known["confirmed"], *names])]})

    def say(self, table: str, harbor: Mapping[str, Any] | None) -> None:
        """Remember what columns are about, for the checklist of HIPAA: ``kinds`` and ``year``; nothing forgets it."""
        self._put(table, {**self.of(table), "harbor": None if harbor is None else dict(harbor)})

    def _put(self, table: str, answers: Mapping[str, Any]) -> None:
        tables = read_json(self._file, {}).get("tables", {})
        write_json(self._file, {"tables": {**tables, table: dict(answers)}})
