"""Routes that start, watch and stop long jobs, and about the runs that they make."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path as InPath, Query
from fastapi.responses import FileResponse, StreamingResponse

from incrowd.release import OWNER
from incrowd.web import _requests as asked
from incrowd.web._changes import number_of
from incrowd.web._decisions import run_plan_with_words
from incrowd.web._evidence import chart_file
from incrowd.web._files import ALTERNATIVES
from incrowd.web._history import read_json, write_json
from incrowd.web._jobs import Job
from incrowd.web._refusal import Plain, refusal
from incrowd.web._review import Review, refusal_of
from incrowd.web._server_state import Here, ServerState

router = APIRouter(prefix="/api/jobs", tags=["jobs"])
runs = APIRouter(prefix="/api/runs", tags=["runs"])

JobNumber = Annotated[int, InPath(ge=1, le=10**9)]
RunNumber = Annotated[int, InPath(ge=1, le=9999)]
WhichRun = Annotated[int, Query(ge=1, le=9999)]
ChartName = Annotated[str, InPath(pattern=r"^[a-z0-9-]{1,60}$")]
FileName = Annotated[str, InPath(pattern=r"^[a-z0-9.-]{1,60}$")]


@router.post("", status_code=202)
async def start(here: Here, body: Annotated[asked.AnyJob, Body()]) -> Plain:
    """Start a long job."""
    here.jobs.need_idle()
    if isinstance(body, asked.RunJob):
        return _run(here, body.label).show()
    task, given, run = await _task_of(here, body)
    limit = here.plans.read().search.seconds if run is None else None
    return here.jobs.start(Job(body.kind, run, limit), task, given).show()


def _run(here: ServerState, label: str) -> Job:
    """Make a release by the plan as it is; what is not finished is forgotten."""
    plan = here.plans.read()
    number, folder = here.runs.begin()
    given = {"plan": str(here.folder.plan), "number": number, "folder": str(folder), "label": label}
    given["revision"] = here.plans.show()["revision"]

    def ended(job: Job) -> None:
        if job.result is None:
            here.runs.forget(number, unless_done=False)
            job.run = None

    return here.jobs.start(Job("run", number, plan.search.seconds), "run", given, ended)


async def _task_of(here: ServerState, body: Any) -> tuple[str, Plain, int | None]:
    """Give the task of a job, what it needs, and the run that it is about."""
    plan = {"plan": str(here.folder.plan)}
    match body:
        case asked.AlternativesJob():
            kept = {"kept": str(here.folder.ours(ALTERNATIVES)), "revision": here.plans.show()["revision"]}
            return "alternatives", {**plan, **kept}, None
        case asked.FrontierJob():
            return "frontier", {**plan, "by": body.by, "of": body.of}, None
        case _:
            folder = await here.run(body.run)
            given = await _export(here, body, folder) if isinstance(body, asked.ExportJob) else _job_details(here, body)
            return body.kind, {"run": str(folder), **given}, body.run


def _job_details(here: ServerState, body: Any) -> Plain:
    """Give what a job about a run needs to know besides."""
    match body:
        case asked.NTJob():
            n, t = number_of(body.n, ("n",)), number_of(body.t, ("t",))
            more = {"column": body.column, "supersets": body.supersets, "distance": body.distance}
            return {"n": n, "t": t, **more}
        case asked.GraphJob():
            return {"column": body.column}
        case asked.QuestionJob():
            return _question_of(body)
        case _:
            return {"about": here.plans.read().report.about, "harbor": here.plans.harbor()}


def _question_of(body: asked.QuestionJob) -> Plain:
    if body.column is None and body.ask != "count":
        raise refusal(422, "wrong-request", "Which column?", "an average and a model are about one.", "column")
    return {"ask": body.ask, "column": body.column, "where": [one.model_dump() for one in body.where]}


async def _export(here: ServerState, body: asked.ExportJob, folder: Path) -> Plain:
    """Take folder, format and what the report says from the present plan, all else from that of the run."""
    now = here.plans.read()
    name = body.folder or now.output.folder
    target = here.folder.inside(name)
    if target.parent != here.folder.home or target.name.startswith("."):
        raise refusal(422, "wrong-request", "The folder must lie in the chosen one.", "give one plain name.", "folder")
    signed = _reasons_to_sign(await here.review(body.run), body.anyway)
    kind = body.format or now.output.format or read_json(folder / "details.json", {}).get("format") or "csv"
    source = (folder / "source.toml").read_text(encoding="utf-8")
    made_by = here.runs.made_by(body.run)
    plan = run_plan_with_words(made_by, now)
    written = run_plan_with_words(made_by, now, signed)
    about = written.report.about if now.report.write else None
    texts = {"source": source if plan == made_by else plan.text(), "text": written.text(folder=target / OWNER)}
    dialect = now.to_dict().get("output", {}).get("dialect", "input")
    more = {"force": body.force, "about": about, "format": kind, "dialect": dialect, "stars": now.output.stars}
    more |= {"signed": signed}
    return {"target": str(target), **texts, **more}


def _reasons_to_sign(review: Review, anyway: asked.Anyway | None) -> dict[str, str] | None:
    """Say why something is released although something is open; refuse if nobody says why, or who does saw less."""
    if not review.open:
        return None
    if anyway is None or {one.name for one in review.open} - set(anyway.items):
        raise refusal_of(review.open)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    items = " ".join(f"{one.title}: {one.words}" for one in review.open)
    return {"released_anyway": anyway.reason, "released_by": f"{anyway.name}, {today}", "open_items": items}


@router.get("/current")
async def current(here: Here) -> Plain:
    """Give the last job, also after a reload."""
    return {"job": None if here.jobs.last is None else here.jobs.last.show()}


@router.get("/{number}", name="show")
async def show_job(here: Here, number: JobNumber) -> Plain:
    """Give a job."""
    return here.jobs.get(number).show()


@router.get("/{number}/events", response_class=StreamingResponse)
async def events(here: Here, number: JobNumber) -> StreamingResponse:
    """Tell about a job until it has ended, as server-sent events."""
    here.jobs.get(number)
    here.jobs.need_room()

    async def stream() -> AsyncIterator[str]:
        async for event in here.jobs.events(number):
            yield event

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


@router.post("/{number}/stop")
async def stop(here: Here, number: JobNumber, body: asked.Stop | None = None) -> Plain:
    """Stop a job: with the best so far, or with nothing."""
    return (await here.jobs.stop(number, keep=(body or asked.Stop()).keep)).show()


# What was made, what else could have been, and what can be taken away.


@runs.get("", name="runs")
def list_runs(here: Here) -> Plain:
    """List the runs, the newest first."""
    return {"runs": here.runs.summaries(here.plans.present())}


@runs.get("/compare")
def compare(here: Here, a: WhichRun, b: WhichRun) -> Plain:
    """Put two runs side by side."""
    return here.runs.compare(a, b)


@runs.get("/{number}")
def show(here: Here, number: RunNumber) -> Plain:
    """Give everything about a run."""
    return here.runs.show(number, here.plans.present())


@runs.get("/{number}/nodes")
async def nodes(here: Here, number: RunNumber) -> Plain:
    """Give the lattice around a run."""
    file = here.runs.folder_of(number) / "nodes.json"
    known: Plain | None = read_json(file)
    if known is None:
        known = await here.explore("nodes", number)
        write_json(file, known)
    return known


@runs.post("/{number}/node")
async def node(here: Here, number: RunNumber, body: asked.Levels) -> Plain:
    """Say what another node would publish."""
    return await here.explore("node", number, levels=body.levels)


@runs.get("/{number}/evidence")
def evidence(here: Here, number: RunNumber) -> Plain:
    """Give what attacks and measures found."""
    return here.runs.evidence(number)


@runs.get("/{number}/review")
async def review(here: Here, number: RunNumber) -> Plain:
    """Say what is settled, open and doubtful before a run is released."""
    return (await here.review(number)).show()


@runs.get("/{number}/charts")
def charts(here: Here, number: RunNumber) -> list[Plain]:
    """List what is drawn so far."""
    return here.runs.charts(number)


@runs.get("/{number}/charts/{name}.svg", response_class=FileResponse)
def picture(here: Here, number: RunNumber, name: ChartName) -> FileResponse:
    """Give a chart as a picture."""
    file = chart_file(here.runs.folder_of(number), name, ".svg")
    return FileResponse(file, media_type="image/svg+xml", headers={"content-security-policy": "default-src 'none'"})


@runs.get("/{number}/charts/{name}.json", response_class=FileResponse)
def numbers(here: Here, number: RunNumber, name: ChartName) -> FileResponse:
    """Give the numbers that a chart shows."""
    return FileResponse(chart_file(here.runs.folder_of(number), name, ".json"), media_type="application/json")


@runs.get("/{number}/lines")
def lines(here: Here, number: RunNumber) -> Plain:
    """Give the lines that make a run again."""
    return here.runs.lines(number)


@runs.get("/{number}/files")
def files(here: Here, number: RunNumber) -> Plain:
    """List what can be downloaded."""
    return {"files": here.runs.files(number)}


@runs.get("/{number}/files/{name}", response_class=FileResponse)
def download(here: Here, number: RunNumber, name: FileName) -> FileResponse:
    """Give a file, to be saved and never to be shown as a page of ours."""
    return FileResponse(here.runs.file(number, name), filename=name, media_type="application/octet-stream")
