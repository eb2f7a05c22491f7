"""Requests that look at the table: columns, rows, hierarchies, promises."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from incrowd.models import choices
from incrowd.web import _requests as asked
from incrowd.web._files import PROPOSALS
from incrowd.web._history import read_json
from incrowd.web._office import Here
from incrowd.web._plans import Plain, number_of
from incrowd.web._refusal import refusal
from incrowd.web._words import KINDS, SEARCHES, presets_for

router = APIRouter(prefix="/api", tags=["table"])


@router.get("/table/profile")
async def profile(here: Here) -> Plain:
    """Give the columns in numbers, with their roles."""
    found = await here.look("profile")
    known = {one["name"]: one for one in here.plans.show()["columns"]}
    nothing = {"role": None, "suggested": None, "reason": "", "sure": True, "check": "", "confirmed": True}
    columns = [{**nothing, **one, **known.get(one["name"], {})} for one in found["columns"]]
    return {**found, "columns": columns}


@router.get("/table/rows")
async def rows(here: Here, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> Plain:
    """Give the first rows."""
    return await here.look("rows", limit=limit)


@router.get("/table/values")
async def values(here: Here, column: Annotated[str, Query(min_length=1, max_length=400)]) -> Plain:
    """Give the values of a column, the most frequent first."""
    return await here.look("values", column=column)


@router.get("/table/singling-out")
async def singling_out(here: Here) -> Plain:
    """Say which columns single people out."""
    return await here.look("singling-out")


@router.get("/hierarchies/kinds")
def kinds() -> list[Plain]:
    """Say how values can become vaguer."""
    return list(KINDS)


@router.post("/hierarchies/preview")
async def preview(here: Here, body: asked.Preview) -> Plain:
    """Say what a hierarchy makes of a column."""
    plan = here.plans.read()
    if body.column not in plan.columns:
        raise refusal(404, "IC103", "The plan has no such column.", "look at the list of columns.", "column")
    own = plan.columns[body.column].role == "quasi"
    form = {} if body.hierarchy is None else {"hierarchy": body.hierarchy}
    changed = {"columns": {body.column: {**form, **({} if own else {"role": "quasi"}), "average": None}}}
    return await here.look("preview", column=body.column, tables=here.plans.with_change(changed))


@router.get("/models")
def models() -> list[Plain]:
    """Say what can be promised."""
    return choices()


@router.get("/searches")
def searches() -> list[Plain]:
    """Say how a release can be searched."""
    return list(SEARCHES)


@router.get("/proposals")
def proposals(here: Here) -> Plain:
    """Give the versions that were computed last, and whether they belong to the plan as it is now."""
    found = read_json(here.folder.ours(PROPOSALS))
    if found is None:
        raise refusal(404, "not-found", "No versions were computed yet.", "do that in step 5.")
    current = here.plans.present().decides in found["states"] and "samples" in found  # older ones had none
    told = {key: found.get(key) for key in ("revision", "proposals", "samples")}
    return {**told, "current": current}


@router.get("/presets")
def presets(here: Here) -> list[Plain]:
    """Say what is usually promised."""
    return presets_for(here.plans.read() if here.plans.show()["plan"] is not None else None)


@router.post("/promise/check")
async def check_promise(here: Here, body: asked.Promise | None = None) -> Plain:
    """Say whether any release can keep a promise."""
    body = body or asked.Promise()
    share = None if body.max_suppressed is None else number_of(body.max_suppressed, ("max_suppressed",))
    return await here.look("feasible", promise=body.promise, max_suppressed=share)


@router.get("/safe-harbor")
async def harbor(here: Here) -> Plain:
    """Say which published columns HIPAA's list asks about: what was said about them, and what is suggested."""
    found = await here.look("harbor-kinds")
    said = here.plans.harbor() or {"kinds": {}, "year": None}
    columns = [{**one, "kind": said["kinds"].get(one["name"])} for one in found["columns"]]
    return {"kinds": found["kinds"], "columns": columns, "year": said["year"]}


@router.post("/safe-harbor")
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
