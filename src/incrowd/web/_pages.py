"""The pages: seven screens, one question each."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import jinja2
from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from incrowd.web._office import Here
from incrowd.web._refusal import refusal

SCREENS: Sequence[Mapping[str, str]] = (
    {"name": "open", "title": "Open", "question": "Which table?"},
    {"name": "columns", "title": "Columns", "question": "What is in each column?"},
    {"name": "promise", "title": "Promise", "question": "Who may try?"},
    {"name": "coarsen", "title": "Coarsen", "question": "How may values be coarsened?"},
    {"name": "choose", "title": "Choose", "question": "Which version?"},
    {"name": "check", "title": "Check", "question": "Is it safe and useful?"},
    {"name": "release", "title": "Release", "question": "What is given away?"},
)
"""The screens in their order."""

BARE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="incrowd-token" content="{{ token }}">
<title>incrowd</title></head><body><h1>{{ screens[step - 1].question }}</h1></body></html>"""
"""What is shown where a screen has no template."""

router = APIRouter(include_in_schema=False)


@router.get("/")
def home() -> RedirectResponse:
    """Begin with the first screen."""
    return RedirectResponse("/open", status_code=303)


@router.get("/static/vega.js")
async def vega(here: Here) -> FileResponse:
    """Give the program that draws charts; made when it is first asked for."""
    file = here.folder.ours(f"vega-{version('vl-convert-python')}.js")
    if not file.is_file():
        await here.looker.call("vega", {"path": str(file)})
    return FileResponse(file, media_type="text/javascript", headers={"cache-control": "private, max-age=86400"})


@router.get("/{screen}")
def show(here: Here, screen: str) -> HTMLResponse:
    """Give a screen."""
    names = [one["name"] for one in SCREENS]
    if screen not in names:
        raise refusal(404, "not-found", "There is no such page.", "go back to the first screen.")
    about: dict[str, Any] = {"screen": screen, "step": names.index(screen) + 1, "screens": SCREENS}
    more = {"token": here.keys.change, "version": version("incrowd"), "folder": here.folder.home.name}
    return HTMLResponse(_template(screen).render(**about, **more))


def _template(screen: str) -> jinja2.Template:
    try:
        return _templates().get_template(f"{screen}.html.j2")
    except jinja2.TemplateNotFound:
        return _templates().from_string(BARE)


@functools.cache
def _templates() -> jinja2.Environment:
    loader = jinja2.ChoiceLoader([_loader(), jinja2.DictLoader({})])
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)


def _loader() -> jinja2.BaseLoader:
    try:
        return jinja2.PackageLoader("incrowd.web", "templates")
    except ValueError:  # there are none
        return jinja2.DictLoader({})
