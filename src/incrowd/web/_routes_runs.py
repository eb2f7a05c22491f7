"""Requests about runs: what was made, what else could have been, and what can be taken away."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path as InPath, Query
from fastapi.responses import FileResponse

from incrowd.web import _requests as asked
from incrowd.web._evidence import chart_file
from incrowd.web._history import read_json, write_json
from incrowd.web._office import Here
from incrowd.web._plans import Plain

router = APIRouter(prefix="/api/runs", tags=["runs"])

RunNumber = Annotated[int, InPath(ge=1, le=9999)]
WhichRun = Annotated[int, Query(ge=1, le=9999)]
ChartName = Annotated[str, InPath(pattern=r"^[a-z0-9-]{1,60}$")]
FileName = Annotated[str, InPath(pattern=r"^[a-z0-9.-]{1,60}$")]


@router.get("")
def runs(here: Here) -> Plain:
    """List the runs, the newest first."""
    return {"runs": here.runs.listed(here.plans.present())}


@router.get("/compare")
def compare(here: Here, a: WhichRun, b: WhichRun) -> Plain:
    """Put two runs side by side."""
    return here.runs.compare(a, b)


@router.get("/{number}")
def show(here: Here, number: RunNumber) -> Plain:
    """Give everything about a run."""
    return here.runs.show(number, here.plans.present())


@router.get("/{number}/nodes")
async def nodes(here: Here, number: RunNumber) -> Plain:
    """Give the lattice around a run."""
    file = here.runs.found(number) / "nodes.json"
    known: Plain | None = read_json(file)
    if known is None:
        known = await here.explore("nodes", number)
        write_json(file, known)
    return known


@router.post("/{number}/node")
async def node(here: Here, number: RunNumber, body: asked.Levels) -> Plain:
    """Say what another node would publish."""
    return await here.explore("node", number, levels=body.levels)


@router.get("/{number}/evidence")
def evidence(here: Here, number: RunNumber) -> Plain:
    """Give what attacks and measures found."""
    return here.runs.evidence(number)


@router.get("/{number}/review")
async def review(here: Here, number: RunNumber) -> Plain:
    """Say what is settled, open and doubtful before a run is released."""
    return (await here.review(number)).show()


@router.get("/{number}/charts")
def charts(here: Here, number: RunNumber) -> list[Plain]:
    """List what is drawn so far."""
    return here.runs.charts(number)


@router.get("/{number}/charts/{name}.svg", response_class=FileResponse)
async def picture(here: Here, number: RunNumber, name: ChartName) -> FileResponse:
    """Give a chart as a picture."""
    folder = here.runs.found(number)
    file = chart_file(folder, name, ".svg")
    if not file.is_file():
        await here.looker.call("draw", {"folder": str(folder), "name": name})
    styled = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return FileResponse(file, media_type="image/svg+xml", headers=styled)


@router.get("/{number}/charts/{name}.json", response_class=FileResponse)
def specification(here: Here, number: RunNumber, name: ChartName) -> FileResponse:
    """Give a chart as what draws it."""
    return FileResponse(chart_file(here.runs.found(number), name, ".json"), media_type="application/json")


@router.get("/{number}/lines")
def lines(here: Here, number: RunNumber) -> Plain:
    """Give the lines that make a run again."""
    return here.runs.lines(number)


@router.get("/{number}/files")
def files(here: Here, number: RunNumber) -> Plain:
    """List what can be downloaded."""
    return {"files": here.runs.files(number)}


@router.get("/{number}/files/{name}", response_class=FileResponse)
def download(here: Here, number: RunNumber, name: FileName) -> FileResponse:
    """Give a file, to be saved and never to be shown as a page of ours."""
    return FileResponse(here.runs.file(number, name), filename=name, media_type="application/octet-stream")
