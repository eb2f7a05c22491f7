"""Everything that a server has: its folder, its plan, its runs, and two workers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request

from incrowd.web._files import Folder
from incrowd.web._guard import Keys
from incrowd.web._jobs import Jobs
from incrowd.web._plans import Plans
from incrowd.web._process import Process, Thread, Working
from incrowd.web._refusal import Plain
from incrowd.web._review import Review
from incrowd.web._runs import Runs
from incrowd.web._settings import Settings
from incrowd.web._uploads import Uploads


class Office:
    """Everything that a server has.

    One worker looks at the table, the other does the long jobs, so that looking does not wait for them.

    Parameters
    ----------
    settings
        What the server was started with.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.keys = Keys(settings.port)
        self.folder = Folder(settings.folder)
        self.uploads = Uploads(self.folder)
        self.plans = Plans(self.folder)
        self.runs = Runs(self.folder)
        self.looker: Working = Process() if settings.separate else Thread()
        self.maker: Working = Process() if settings.separate else self.looker
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
        """Say of a run what is settled, open and doubtful before it is released."""
        await self.run(number)
        profile = await self.look("profile")
        return await asyncio.to_thread(self._reviewed, number, profile)

    def _reviewed(self, number: int, profile: Plain) -> Review:
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
        """End everything."""
        await self.jobs.close()
        await self.looker.end()


def office_of(request: Request) -> Office:
    """Give the office that a request is for."""
    found: Office = request.app.state.office
    return found


Here = Annotated[Office, Depends(office_of)]
