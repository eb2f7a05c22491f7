"""Risk, attacks and usefulness of a run, and the release that is given away with its reports."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from incrowd.api import Checklist
from incrowd.api._report._about import About
from incrowd.api._report._doubts import doubts
from incrowd.api._report._report import charts_of, owner_page, plain_page
from incrowd.api._report._verdict import worst_findings
from incrowd.engines import watching
from incrowd.web._charts import write_charts
from incrowd.web._desk import release_of
from incrowd.web._harbor import checked
from incrowd.web._history import read_json, write_json, write_text
from incrowd.web._refusal import Plain
from incrowd.web._worker import Teller


def evidence(given: Plain, teller: Teller) -> Plain:
    """Attack a run, measure its risk and its use, and draw both; as the report says it."""
    folder = Path(given["run"])
    _, release = release_of(given["run"], teller)
    about, rules = About.of(release, given["about"]), checked(release, given["harbor"])
    measured = charts_of(release, about)
    with watching(lambda _: None):  # the parts are counted, not the rows that go by in each
        page = plain_page(owner_page(measured, about, _teller(teller)))
        worst, doubtful = worst_findings(measured), doubts(measured, rules)
    write_json(folder / "report.json", page)
    teller.step("drawing charts")
    figures = [
        {**one, "kind": one["name"], "section": section["name"]}
        for section in page["sections"]
        for one in section["figures"]
    ]
    charts = write_charts(folder, figures)
    sections = [_section(section, charts) for section in page["sections"]] + [_harbor(one) for one in rules]
    found = {"meets": page["meets"], "verdict": page["verdict"], "worst": worst, "doubts": doubtful}
    found |= {"harbor": given["harbor"], "facts": page["facts"], "sections": sections, "charts": charts}
    write_json(folder / "evidence.json", found)
    return found


def _harbor(one: Checklist) -> Plain:
    """Write a checklist as a section of the report."""
    rows = [[item.test, item.measured, item.rule, item.verdict] for item in one.items]
    table = {"caption": one.preset.source, "head": ["question", "measured", "rule", "verdict"], "rows": rows}
    return {"name": "harbor", "title": "HIPAA safe harbor", "words": [], "tables": [table], "charts": []}


def _teller(teller: Teller) -> Callable[[int, int], None]:
    """Tell how many sections of the report are done."""

    def told(done: int, total: int) -> None:
        teller.step("parts of the report, attacks among them", done, total)

    return told


def _section(section: Any, charts: list[Plain]) -> Plain:
    named = [one["name"] for one in charts if one["section"] == section["name"]]
    kept = {key: section[key] for key in ("name", "title", "words", "tables")}
    return {**kept, "charts": named}


def export(given: Plain, teller: Teller) -> Plain:
    """Write a run into the folder that is given away: table, certificate, reports, plan."""
    folder, target = Path(given["run"]), Path(given["target"])
    _, release = release_of(given["run"], teller)
    teller.step("writing the release and its reports")
    how = {key: given[key] for key in ("format", "dialect", "force", "about")}
    release.save(target, **how, plan=given["text"])
    write_text(folder / "source.toml", given["source"])
    _keep_reports(folder, target)
    listed = [
        {"name": file.relative_to(target).as_posix(), "size": file.stat().st_size, "public": _is_public(file, target)}
        for file in sorted(target.rglob("*"))
        if file.is_file()
    ]
    summary, today = read_json(folder / "run.json", {}), dt.datetime.now(dt.UTC).date().isoformat()
    written = [*summary.get("written", []), {"folder": target.name, "date": today, "signed": given["signed"]}]
    write_json(folder / "run.json", {**summary, "exported": target.name, "written": written})
    return {"folder": target.name, "files": listed, "signed": given["signed"]}


def _keep_reports(folder: Path, target: Path) -> None:
    """Keep what was said about this run with it: another one may be written over it."""
    for half, name in (("owner", "report.html"), ("public", "public-report.html")):
        (folder / name).unlink(missing_ok=True)
        if (target / half / "report.html").is_file():
            shutil.copyfile(target / half / "report.html", folder / name)


def _is_public(file: Path, target: Path) -> bool:
    return file.relative_to(target).parts[0] == "public"
