"""Risk, attacks and usefulness of a run, and the release that is given away with its reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from incrowd.api._report._about import About
from incrowd.api._report._report import owner_page, plain_page
from incrowd.engines import watching
from incrowd.web._charts import write_charts
from incrowd.web._desk import release_of
from incrowd.web._history import read_json, write_json, write_text
from incrowd.web._refusal import Plain
from incrowd.web._worker import Teller


def evidence(given: Plain, teller: Teller) -> Plain:
    """Attack a run, measure its risk and its use, and draw both; as the report says it."""
    folder = Path(given["run"])
    _, release = release_of(given["run"], teller)
    with watching(lambda _: None):  # the parts are counted, not the rows that go by in each
        page = plain_page(owner_page(release, About.of(release, given["about"]), _teller(teller)))
    write_json(folder / "report.json", page)
    teller.step("drawing charts")
    figures = [
        {**one, "kind": one["name"], "section": section["name"]}
        for section in page["sections"]
        for one in section["figures"]
    ]
    charts = write_charts(folder, figures)
    sections = [_section(section, charts) for section in page["sections"]]
    found = {"meets": page["meets"], "verdict": page["verdict"], "facts": page["facts"], "sections": sections}
    write_json(folder / "evidence.json", {**found, "charts": charts})
    return {**found, "charts": charts}


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
    release.save(target, format=given["format"], force=given["force"], plan=given["text"], about=given["about"])
    write_text(folder / "source.toml", given["text"])
    listed = [
        {"name": file.relative_to(target).as_posix(), "size": file.stat().st_size, "public": _is_public(file, target)}
        for file in sorted(target.rglob("*"))
        if file.is_file()
    ]
    summary = read_json(folder / "run.json", {})
    write_json(folder / "run.json", {**summary, "exported": target.name})
    return {"folder": target.name, "files": listed}


def _is_public(file: Path, target: Path) -> bool:
    return file.relative_to(target).parts[0] == "public"
