"""The runs of a folder: each with its plan and what came of it, in files, listed and removed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from incrowd.plan import Plan
from incrowd.web._decisions import Present
from incrowd.web._files import Folder
from incrowd.web._history import read_json
from incrowd.web._plans import read_plan
from incrowd.web._refusal import Plain, refusal

FILES = (
    ("release.json", "release/public/release.json", "Certificate", True),
    ("verify.py", "release/public/verify.py", "Program that checks the release", True),
    ("plan.toml", "source.toml", "Plan", False),
    ("recipe.json", "release/owner/recipe.json", "How it was made", False),
    ("report.json", "report.json", "Report as data", False),
    ("report.html", "report.html", "Report for you", False),
    ("public-report.html", "public-report.html", "Report for everybody", True),
)
"""What can be downloaded besides the table: its name, where it is, its title, and whether it may be given away."""


@dataclass(frozen=True, slots=True)
class Download:
    name: str
    path: Path
    title: str
    public: bool

    def show(self) -> Plain:
        size = self.path.stat().st_size
        return {"name": self.name, "title": self.title, "size": size, "public": self.public}


class Runs:
    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def begin(self) -> tuple[int, Path]:
        """Give a number and an empty folder to the next run; what earlier ones left unfinished goes."""
        place = self._place
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        numbers = [int(entry.name) for entry in place.iterdir() if entry.name.isdecimal()]
        for number in numbers:
            self.forget(number, unless_done=True)
        number = max(numbers, default=0) + 1
        self.path(number).mkdir()
        return number, self.path(number)

    def forget(self, number: int, *, unless_done: bool) -> None:
        if not (unless_done and (self.path(number) / "run.json").is_file()):
            shutil.rmtree(self.path(number), ignore_errors=True)

    def path(self, number: int) -> Path:
        return self._place / f"{number:04}"

    def folder_of(self, number: int) -> Path:
        """Give the folder of a run that there is."""
        if not (self.path(number) / "run.json").is_file():
            raise refusal(404, "not-found", "There is no such version.", "choose one from the list in step 7.")
        return self.path(number)

    def summaries(self, now: Present) -> list[Plain]:
        """Give the summaries, the newest first, each held against what there is now."""
        return [_summary_now(one, now) for one in self._summaries()]

    def written_before(self, number: int) -> list[Plain]:
        """Give the other runs that were written, of the same table or of one with the same columns."""
        columns = _columns_of(read_json(self.folder_of(number) / "run.json", {}))
        others = [one for one in self._summaries() if one["id"] != number and one.get("exported")]
        return [one for one in others if _columns_of(one) == columns]

    def _summaries(self) -> list[Plain]:
        entries = sorted(self._place.glob("[0-9]*/run.json"), reverse=True) if self._place.is_dir() else []
        return [one for one in map(read_json, entries) if isinstance(one, dict)]

    def show(self, number: int, now: Present) -> Plain:
        """Give everything that is known about a run, held against what there is now."""
        folder = self.folder_of(number)
        return {**_summary_now(read_json(folder / "run.json"), now), **read_json(folder / "details.json", {})}

    def of_this_table(self, number: int, now: Present) -> Path:
        """Give the folder of a run; refuse one that was made of another table than that of the plan as it is now."""
        folder = self.folder_of(number)
        summary = read_json(folder / "run.json", {})
        if now.made(summary):
            return folder
        name = (summary.get("table") or {}).get("name", "another table")
        message = f"Version {number} was made of {name} as it was then, and that is not the table of the plan now."
        hint = "make a new version, or use the plan of that version again."
        raise refusal(409, "another-table", message, hint, "run")

    def made_by(self, number: int) -> Plan:
        return read_plan(self.folder_of(number) / "source.toml", self._folder.home)

    def evidence_of(self, number: int) -> Plain | None:
        """Give what attacks and measures found; nothing if nobody asked for them."""
        found: Plain | None = read_json(self.folder_of(number) / "evidence.json")
        return found

    def evidence(self, number: int) -> Plain:
        found = self.evidence_of(number)
        if found is None:
            raise refusal(404, "not-found", "The version has not been attacked yet.", "do that in step 6.")
        return found

    def charts(self, number: int) -> list[Plain]:
        charts: list[Plain] = read_json(self.folder_of(number) / "charts.json", [])
        return charts

    def compare(self, one: int, two: int) -> Plain:
        facts = [dict(read_json(self.folder_of(number) / "details.json", {})["facts"]) for number in (one, two)]
        names = [*dict.fromkeys([*facts[0], *facts[1]])]
        rows = [{"what": name, "a": facts[0].get(name), "b": facts[1].get(name)} for name in names]
        return {"a": one, "b": two, "rows": rows}

    def files(self, number: int) -> list[Plain]:
        return [one.show() for one in self._files(number)]

    def file(self, number: int, name: str) -> Path:
        """Give a file to download; only what is listed."""
        for one in self._files(number):
            if one.name == name:
                return one.path
        raise refusal(404, "not-found", "There is no such file.", "look at the list of files.")

    def _files(self, number: int) -> list[Download]:
        """List what can be downloaded; what may be given away only after somebody has decided to write it."""
        folder = self.folder_of(number)
        exported = read_json(folder / "run.json", {}).get("exported")
        tables = sorted((folder / "release" / "public").glob("data.*"))
        found = [Download(path.name, path, "Released table", public=True) for path in tables]
        found += [Download(name, folder / path, title, public) for name, path, title, public in FILES]
        decided = [one for one in found if exported or not one.public]
        return [one for one in decided if one.path.is_file() and self._folder.holds(one.path)]

    def lines(self, number: int) -> Plain:
        self.folder_of(number)
        python = (
            'import incrowd as ic\n\nrelease = ic.Plan.read("plan.toml").run(write=True)\nprint(release.explain())\n'
        )
        return {"python": python, "shell": "incrowd anonymize plan.toml\n"}

    @property
    def _place(self) -> Path:
        return self._folder.ours("runs")


def _columns_of(summary: Plain) -> set[str]:
    return set((summary.get("table") or {}).get("columns", ()))


def _summary_now(summary: Plain, now: Present) -> Plain:
    """Say whether a run was made by the plan as it is now, and of its table."""
    kept = {key: value for key, value in summary.items() if key not in {"decides", "table"}}
    table = {"name": (summary.get("table") or {}).get("name"), "this": now.made(summary)}
    return {**kept, "table": table, "current": now.current(summary)}
