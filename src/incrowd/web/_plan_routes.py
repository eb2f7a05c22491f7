"""Routes about the folder, its files, the plan and its table."""

from __future__ import annotations

import secrets
import shutil
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query, Request

from incrowd.models import choices
from incrowd.web import _requests as asked
from incrowd.web._changes import number_of
from incrowd.web._choice_texts import KINDS, SEARCHES, presets_for
from incrowd.web._files import ALTERNATIVES, PLAN, in_use_refusal
from incrowd.web._history import read_json
from incrowd.web._reading import READING, reading_options
from incrowd.web._refusal import Plain, refusal
from incrowd.web._server_state import SCREENS, Here

router = APIRouter(prefix="/api", tags=["folder and plan"])
table = APIRouter(prefix="/api", tags=["table"])

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
    return here.folder.table_list(here.plans.uses(), here.uploads.names())


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
        raise in_use_refusal(use)
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
    kept = here.plans.confirmed_columns(name) if body.again else {}
    drafts = here.folder.ours(f"draft-{secrets.token_hex(4)}")
    drafts.mkdir(mode=0o700)
    try:
        draft = drafts / PLAN
        more: Plain = {"missing": body.missing, "entity": body.entity, "draft": str(draft), "data": name, "kept": kept}
        more["one_each"] = body.again and body.entity is None and here.plans.says_one_each(name)
        found = await here.looker.call("suggest", {"path": str(path), "reading": reading_options(said), **more})
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
    file = here.runs.folder_of(body.run) / "source.toml"
    if not file.is_file():
        raise refusal(404, "not-found", "The plan of this run is gone.")
    return here.plans.replace(file.read_text(encoding="utf-8"))


# Looking at the table: columns, rows, hierarchies, promises.


@table.get("/table/profile")
async def profile(here: Here) -> Plain:
    """Give the columns in numbers, with their roles."""
    found = await here.look("profile")
    known = {one["name"]: one for one in here.plans.show()["columns"]}
    nothing = {"role": None, "suggested": None, "reason": "", "sure": True, "check": "", "confirmed": True}
    columns = [{**nothing, **one, **known.get(one["name"], {})} for one in found["columns"]]
    return {**found, "columns": columns}


@table.get("/table/rows")
async def rows(here: Here, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> Plain:
    """Give the first rows."""
    return await here.look("rows", limit=limit)


@table.get("/table/values")
async def values(here: Here, column: Annotated[str, Query(min_length=1, max_length=400)]) -> Plain:
    """Give the values of a column, the most frequent first."""
    return await here.look("values", column=column)


@table.get("/table/singling-out")
async def singling_out(here: Here) -> Plain:
    """Say which columns single people out."""
    return await here.look("singling-out")


@table.get("/hierarchies/kinds")
def kinds() -> list[Plain]:
    """Say how values can become vaguer."""
    return list(KINDS)


@table.post("/hierarchies/preview")
async def preview(here: Here, body: asked.Preview) -> Plain:
    """Say what a hierarchy makes of a column."""
    plan = here.plans.read()
    if body.column not in plan.columns:
        raise refusal(404, "IC103", "The plan has no such column.", "look at the list of columns.", "column")
    own = plan.columns[body.column].role == "quasi"
    form = {} if body.hierarchy is None else {"hierarchy": body.hierarchy}
    changed = {"columns": {body.column: {**form, **({} if own else {"role": "quasi"}), "average": None}}}
    return await here.look("preview", column=body.column, tables=here.plans.with_change(changed))


@table.get("/models")
def models() -> list[Plain]:
    """Say what can be promised."""
    return choices()


@table.get("/searches")
def searches() -> list[Plain]:
    """Say how a release can be searched."""
    return list(SEARCHES)


@table.get("/alternatives")
def alternatives(here: Here) -> Plain:
    """Give what several searches would publish, and whether that belongs to the plan as it is now."""
    found = read_json(here.folder.ours(ALTERNATIVES))
    if found is None:
        raise refusal(404, "not-found", "No versions were computed yet.", "do that in step 5.")
    state, (base, *states) = here.plans.present().decides, found.pop("states")
    taken = [one["name"] for one, its in zip(found["alternatives"], states, strict=True) if its == state]
    planned = found["planned"] if state == base else next(iter(taken), None)
    return {**found, "planned": planned, "current": state == base or bool(taken)}


@table.get("/presets")
def presets(here: Here) -> list[Plain]:
    """Say what is usually promised."""
    return presets_for(here.plans.read() if here.plans.show()["plan"] is not None else None)


@table.post("/promise/check")
async def check_promise(here: Here, body: asked.Promise | None = None) -> Plain:
    """Say whether any release can keep a promise."""
    body = body or asked.Promise()
    share = None if body.max_suppressed is None else number_of(body.max_suppressed, ("max_suppressed",))
    return await here.look("feasible", promise=body.promise, max_suppressed=share)


@table.get("/safe-harbor")
async def harbor(here: Here) -> Plain:
    """Say which published columns HIPAA's list asks about: what was said about them, and what is suggested."""
    found = await here.look("harbor-kinds")
    said = here.plans.harbor() or {"kinds": {}, "year": None}
    columns = [{**one, "kind": said["kinds"].get(one["name"])} for one in found["columns"]]
    return {"kinds": found["kinds"], "columns": columns, "year": said["year"]}


@table.post("/safe-harbor")
async def safe_harbor(here: Here, body: asked.Harbor) -> Plain:
    """Go through the checklist of HIPAA; what was said about columns is remembered, and holds for every run."""
    given = {"kinds": body.kinds, "year": body.year}
    if body.run is None:
        found = await here.look("safe-harbor", **given, run=None)
        here.plans.say(given if body.kinds else None)
        return found
    here.jobs.need_idle()
    run = str(await here.run(body.run))
    return await here.maker.call("safe-harbor", {"plan": str(here.folder.plan), **given, "run": run})
