"""Work on a run: risk, attacks, usefulness, charts, the HIPAA checklist, and its export with reports."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from incrowd.core import Schema
from incrowd.engines import watching
from incrowd.evidence import Checklist
from incrowd.plan import KINDS, likely_kind, safe_harbor
from incrowd.release import About, Release, open_release
from incrowd.report import charts_of, doubts, owner_page, plain_page, worst_findings
from incrowd.web._history import read_json, write_json, write_text
from incrowd.web._plans import read_plan
from incrowd.web._progress import Teller
from incrowd.web._refusal import Plain, refusal
from incrowd.web._worker_cache import release_of, suggestion_of, table_of

# The checklist of HIPAA: which columns it asks about, and what it finds.


def kinds(given: Plain, _: Teller) -> Plain:
    """List the published columns with what their names and values suggest; that is not an answer yet."""
    plan = read_plan(given["plan"])
    domains = suggestion_of(plan).profile.domains
    columns = [
        {"name": name, "suggested": "other unique codes" if one.keep else likely_kind(name, domains.get(name))}
        for name, one in plan.columns.items()
        if _is_published(one)
    ]
    return {"kinds": list(KINDS), "columns": columns}


def harbor(given: Plain, teller: Teller) -> Plain:
    """Hold the table of the plan, or a release, against the safe harbor of HIPAA."""
    plan = read_plan(given["plan"])
    more: dict[str, Any] = {"kinds": given["kinds"], "year": given["year"]}
    if given["run"] is not None:
        return safe_harbor(release_of(given["run"], teller)[1], **more).to_dict()
    table = table_of(plan)
    names = list(table.columns())
    published = [name for name in names if name in plan.columns and _is_published(plan.columns[name])]
    schema = Schema(quasi=published, identifiers=[name for name in names if name not in published])
    return safe_harbor(table, schema, **more).to_dict()


def checklists(release: Release, said: Plain | None) -> list[Checklist]:
    """Hold a release against the list, if somebody said what its columns are about."""
    if said is None:
        return []
    published = open_release(release).columns()
    kinds = {name: kind for name, kind in said["kinds"].items() if name in published}
    return [safe_harbor(release, kinds=kinds, year=said["year"])]


def _is_published(one: Any) -> bool:
    """Say whether a column is published in some way: a pseudonym is."""
    return one.role not in {"identifier", "drop"} or one.keep is not None


# The charts of a run: their descriptions in one file, and each as a picture and as its numbers in files of its own.


def quick_charts(release: Release) -> list[Plain]:
    """Draw what needs no attacks."""
    charts = release.charts
    drawn = [
        ("class-sizes", "Records by the size of their group", charts.class_sizes()),
        ("ladders", "How much vaguer each column became", charts.ladders()),
        ("losses", "Detail lost per column", charts.losses()),
    ]
    return [
        {"kind": kind, "title": title, "reading": "", "advice": "", "chart": chart.to_dict()}
        for kind, title, chart in drawn
    ]


def write_charts(folder: Path, charts: Iterable[Plain]) -> list[Plain]:
    """Write charts into the folder of a run; give their descriptions."""
    place = folder / "charts"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    described: list[Plain] = []
    seen: dict[str, int] = {}
    for one in charts:
        number = seen[one["kind"]] = seen.get(one["kind"], 0) + 1
        name = one["kind"] if number == 1 else f"{one['kind']}-{number}"
        write_text(place / f"{name}.svg", one["chart"]["svg"])
        write_json(place / f"{name}.json", {"rows": one["chart"]["rows"]})
        described.append({**{key: value for key, value in one.items() if key != "chart"}, "name": name})
    write_json(folder / "charts.json", described)
    return described


def chart_file(folder: Path, name: str, ending: str) -> Path:
    """Give the file of a chart; names are ours, so that nothing else can be asked for."""
    known, file = [one["name"] for one in read_json(folder / "charts.json", [])], folder / "charts" / f"{name}{ending}"
    if name not in known or not file.is_file():
        raise refusal(404, "not-found", "There is no such chart.", "look at the list of charts.")
    return file


def evidence(given: Plain, teller: Teller) -> Plain:
    """Attack a run, measure its risk and its use, and draw both; as the report says it."""
    folder = Path(given["run"])
    _, release = release_of(given["run"], teller)
    about, rules = About.of(release, given["about"]), checklists(release, given["harbor"])
    measured = charts_of(release, about)
    with watching(lambda _: None):  # the parts are counted, not the rows that go by in each
        page = plain_page(owner_page(measured, about, partial(teller.step, "parts of the report, attacks among them")))
        worst, doubtful = worst_findings(measured), doubts(measured, rules)
    write_json(folder / "report.json", page)
    teller.step("drawing charts")
    figures = [
        {**one, "kind": one["name"], "section": section["name"]}
        for section in page["sections"]
        for one in section["figures"]
    ]
    charts = write_charts(folder, figures)
    sections = [_section(section, charts) for section in page["sections"]] + [_harbor_answer(one) for one in rules]
    found = {"meets": page["meets"], "verdict": page["verdict"], "worst": worst, "doubts": doubtful}
    found["left"] = [*map(str, release.explanation.shortfalls)]
    found |= {"harbor": given["harbor"], "facts": page["facts"], "sections": sections, "charts": charts}
    write_json(folder / "evidence.json", found)
    return found


def _harbor_answer(one: Checklist) -> Plain:
    rows = [[item.test, item.measured, item.rule, item.verdict] for item in one.items]
    table = {"caption": one.preset.source, "head": ["question", "measured", "rule", "verdict"], "rows": rows}
    return {"name": "harbor", "title": "HIPAA safe harbor", "words": [], "tables": [table], "charts": []}


def _section(section: Any, charts: list[Plain]) -> Plain:
    named = [one["name"] for one in charts if one["section"] == section["name"]]
    kept = {key: section[key] for key in ("name", "title", "words", "tables")}
    return {**kept, "charts": named}


def export(given: Plain, teller: Teller) -> Plain:
    """Write a run into the folder that is given away: table, certificate, reports, plan."""
    folder, target = Path(given["run"]), Path(given["target"])
    _, release = release_of(given["run"], teller)
    teller.step("writing the release and its reports")
    how = {key: given[key] for key in ("format", "dialect", "stars", "force", "about")}
    release.save(target, **how, plan=given["text"])
    write_text(folder / "source.toml", given["source"])
    _keep_reports(folder, target)
    files = [(file, file.relative_to(target)) for file in sorted(target.rglob("*")) if file.is_file()]
    listed = [
        {"name": name.as_posix(), "size": file.stat().st_size, "public": name.parts[0] == "public"}
        for file, name in files
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
