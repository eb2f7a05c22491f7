"""Requests about the folder and its plan."""

from __future__ import annotations

import secrets
import shutil
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query, Request

from incrowd.web import _requests as asked
from incrowd.web._files import PLAN, in_use
from incrowd.web._office import SCREENS, Here
from incrowd.web._plans import Plain
from incrowd.web._reading import READING, reading_said
from incrowd.web._refusal import refusal

router = APIRouter(prefix="/api", tags=["folder and plan"])

IfMatch = Annotated[str | None, Header(description="The revision that is to be changed.", max_length=100)]
FileName = Annotated[str, Query(min_length=1, max_length=400)]
Change = Annotated[dict[str, Any], Body(description="What changes in the plan; null removes a key.")]


@router.get("/session")
def session(here: Here) -> Plain:
    """Say who is there."""
    folder, most = here.folder.home.name, here.settings.max_upload
    screens = [dict(one) for one in SCREENS]
    named = {"version": version("incrowd"), "folder": folder, "token": here.keys.change}
    return {**named, "max_upload": most, "screens": screens}


@router.get("/files")
def files(here: Here) -> Plain:
    """List the tables of the folder."""
    return here.folder.listed(here.plans.uses(), here.uploads.names())


@router.post("/files", status_code=201, openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}})
async def upload(here: Here, request: Request, name: FileName) -> Plain:
    """Copy a file into the folder, under its own name as far as that is safe and free."""
    return await here.uploads.take(name, request.stream(), here.settings.max_upload)


@router.delete("/files")
async def delete(here: Here, name: FileName, *, anyway: bool = False) -> Plain:
    """Delete a file that was uploaded here; one that the plan uses only if that is said."""
    here.jobs.need_idle()
    use = here.plans.uses().get(name)
    if use is not None and not anyway:
        raise in_use(use)
    here.uploads.delete(name)
    return {"name": name, "use": use}


@router.post("/example", status_code=201)
async def example(here: Here, body: asked.Example | None = None) -> Plain:
    """Write the made-up hospital table into the folder."""
    draft = here.folder.ours(f"example-{secrets.token_hex(4)}.csv")
    try:
        made = await here.looker.call("example", {"path": str(draft), "rows": (body or asked.Example()).rows})
        return {"name": here.uploads.settle(draft, "example-hospital.csv"), "size": made["size"]}
    finally:
        draft.unlink(missing_ok=True)


@router.post("/open")
async def open_file(here: Here, request: Request, body: asked.Open) -> Plain:
    """Look at a table, suggest a plan for it, and write that, unless whoever asked has gone."""
    path = here.folder.table(body.name)
    said = {key: value for key in READING if (value := getattr(body, key)) is not None}
    name = path.relative_to(here.folder.home).as_posix()
    kept = here.plans.confirmed(name) if body.again else {}
    drafts = here.folder.ours(f"draft-{secrets.token_hex(4)}")
    drafts.mkdir(mode=0o700)
    try:
        draft = drafts / PLAN
        more: Plain = {"missing": body.missing, "entity": body.entity, "draft": str(draft), "data": name, "kept": kept}
        more["one_each"] = body.again and body.entity is None and here.plans.says_one_each(name)
        found = await here.looker.call("suggest", {"path": str(path), "reading": reading_said(said), **more})
        if await request.is_disconnected():
            raise refusal(503, "stopped", "It was stopped.", "open the file again when you like.")
        return here.plans.begin(draft, {**found, "said": list(said)})
    finally:
        shutil.rmtree(drafts, ignore_errors=True)


@router.get("/plan")
def show_plan(here: Here) -> Plain:
    """Give the plan."""
    return here.plans.show()


@router.patch("/plan")
def change_plan(here: Here, body: Change, if_match: IfMatch = None) -> Plain:
    """Change the plan, and write it at once."""
    return here.plans.change(body, if_match)


@router.put("/plan/text")
def replace_plan(here: Here, body: asked.Text, if_match: IfMatch = None) -> Plain:
    """Replace the plan by what somebody wrote."""
    return here.plans.replace(body.text, if_match)


@router.post("/plan/undo")
def undo(here: Here) -> Plain:
    """Go one step back."""
    return here.plans.step(-1)


@router.post("/plan/redo")
def redo(here: Here) -> Plain:
    """Go one step forth."""
    return here.plans.step(1)


@router.post("/plan/confirm")
def confirm(here: Here, body: asked.Columns) -> Plain:
    """Remember that roles were looked at."""
    return here.plans.confirm(body.columns)


@router.post("/plan/restore")
def restore(here: Here, body: asked.Restore) -> Plain:
    """Take the plan of an earlier run again."""
    file = here.runs.found(body.run) / "source.toml"
    if not file.is_file():
        raise refusal(404, "not-found", "The plan of this run is gone.")
    return here.plans.replace(file.read_text(encoding="utf-8"))
