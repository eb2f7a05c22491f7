"""``ServerState``: all that a server has (folder, plan, runs, two workers), and the HTML of its screens."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import jinja2
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from incrowd.web._files import Folder, Uploads
from incrowd.web._guard import Keys, Settings
from incrowd.web._jobs import Jobs, Process, Working
from incrowd.web._plans import Plans
from incrowd.web._refusal import Plain, refusal
from incrowd.web._review import Review
from incrowd.web._runs import Runs


class ServerState:
    """Everything that a server has.

    One worker looks at the table, the other does the long jobs, so that looking does not wait for them.
    """

    def __init__(self, settings: Settings, worker: Callable[[], Working] = Process) -> None:
        self.settings = settings
        self.keys = Keys(settings.port)
        self.folder = Folder(settings.folder)
        self.uploads = Uploads(self.folder)
        self.plans = Plans(self.folder)
        self.runs = Runs(self.folder)
        self.looker, self.maker = worker(), worker()
        self.jobs = Jobs(self.maker)

    async def look(self, task: str, **given: Any) -> Plain:
        """Let the first worker look at the table of the plan."""
        await asyncio.to_thread(self.plans.read)  # what is wrong with it is said here
        return await self.looker.call(task, {"plan": str(self.folder.plan), **given})

    async def explore(self, task: str, run: int, **given: Any) -> Plain:
        """Let the second worker look around in a run, if it is free."""
        self.jobs.need_idle()
        return await self.maker.call(task, {"run": str(await self.run(run)), **given})

    async def run(self, number: int) -> Path:
        """Give the folder of a run of the table that is open; refuse one of another table."""
        return await asyncio.to_thread(lambda: self.runs.of_this_table(number, self.plans.present()))

    async def review(self, number: int) -> Review:
        await self.run(number)
        profile = await self.look("profile")
        return await asyncio.to_thread(self._review_of, number, profile)

    def _review_of(self, number: int, profile: Plain) -> Review:
        run, shown = self.runs.show(number, self.plans.present()), self.plans.show()
        return Review(
            run=run,
            made_by=self.runs.made_by(number),
            now=self.plans.read(),
            columns=shown["columns"],
            profile=profile,
            evidence=self.runs.evidence_of(number),
            harbor=self.plans.harbor(),
            written=self.runs.written_before(number),
        )

    async def close(self) -> None:
        await self.jobs.close()
        await self.looker.end()


def state_of(request: Request) -> ServerState:
    found: ServerState = request.app.state.office
    return found


Here = Annotated[ServerState, Depends(state_of)]


# The pages: seven screens, one question each.

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

router = APIRouter(include_in_schema=False)


@router.get("/")
def home() -> RedirectResponse:
    return RedirectResponse("/open", status_code=303)


@router.get("/{screen}")
def show(here: Here, screen: str) -> HTMLResponse:
    names = [one["name"] for one in SCREENS]
    if screen not in names:
        raise refusal(404, "not-found", "There is no such page.", "go back to the first screen.")
    about: dict[str, Any] = {"screen": screen, "step": names.index(screen) + 1, "screens": SCREENS}
    more = {"token": here.keys.change, "version": version("incrowd"), "folder": here.folder.home.name}
    return HTMLResponse(_template_environment().get_template(f"{screen}.html.j2").render(**about, **more))


@functools.cache
def _template_environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("incrowd.web", "templates")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
