"""The real server as a child process, and a data steward in front of a browser."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect

SCREENS = ("open", "columns", "promise", "coarsen", "choose", "check", "release")
PATIENCE = 60_000
"""Milliseconds that a busy machine may take."""
DISEASES = ("flu", "asthma", "hiv", "burn")
_ROWS = [f"Person {row},{20 + row % 40},{'fm'[row % 2]},0{1000 + row % 7},{DISEASES[row % 4]}" for row in range(120)]
PATIENTS = "\n".join(["name,age,sex,zip,disease", *_ROWS, ""])
"""A table that is searched in no time."""


@dataclass(frozen=True, slots=True)
class House:
    """A folder, and the address at which it is served."""

    folder: Path
    first: str

    @property
    def address(self) -> str:
        """Where the page is, without the token."""
        return self.first.split("/?", maxsplit=1)[0]


@contextlib.contextmanager
def served(folder: Path) -> Iterator[House]:
    """Serve a folder with the command that people use; it ends with us."""
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "serve", str(folder)]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield House(folder, process.stdout.readline().strip())
        finally:
            process.terminate()
            process.wait(timeout=30)


@dataclass
class Steward:
    """Somebody who clicks, and watches what the page does."""

    house: House
    context: BrowserContext
    page: Page
    asked: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def go(self, screen: str) -> Page:
        """Open a screen, and wait until it is there."""
        self.page.goto(f"{self.house.address}/{screen}")
        return self.ready()

    def ready(self) -> Page:
        """Wait until the screen has begun."""
        self.page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
        return self.page

    def drag(self, text: str, inside: str, to: Locator) -> None:
        """Drag what is called so to another place, event by event: in a busy browser the mouse may miss."""
        held = self.page.locator(f"{inside} [draggable=true]", has_text=text)
        carried = self.page.evaluate_handle("() => new DataTransfer()")
        event = "new DragEvent(name, {dataTransfer, bubbles: true, cancelable: true})"
        went_on = f"(node, [name, dataTransfer]) => node.dispatchEvent({event})"
        assert held.evaluate(went_on, ["dragstart", carried])
        assert not to.evaluate(went_on, ["dragover", carried]), "it cannot be dropped there"
        to.evaluate(went_on, ["drop", carried])
        expect(to).to_contain_text(text)

    def another_tab(self) -> Steward:
        """Open a second tab of the same browser."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        other = Steward(self.house, self.context, page, self.asked, self.faults)
        other.watch()
        return other

    def watch(self) -> None:
        """Note what is fetched, and what goes wrong unseen."""
        self.page.on("request", self._note)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda told: self.faults.append(told.text) if "Security Policy" in told.text else None)

    def _note(self, request: Request) -> None:
        self.asked.append(request.url)

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Prepare something without clicking."""
        token = self.context.request.get(f"{self.house.address}/api/session").json()["token"]
        headers = {"X-Incrowd-Token": token}
        answer = self.context.request.fetch(
            f"{self.house.address}{path}", method=method, headers=headers, data=body, timeout=PATIENCE
        )
        assert answer.ok, answer.text()
        return answer.json()

    def clear(self) -> None:
        """Take away what somebody else left: work under way, and all files."""
        job = self.api("GET", "/api/jobs/current")["job"]
        if job is not None and job["state"] == "running":
            self.api("POST", f"/api/jobs/{job['id']}/stop", {"keep": False})
        for entry in self.house.folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def opened(self, text: str = PATIENTS, name: str = "patients.csv") -> None:
        """Let a table be open, with suggested roles that are confirmed."""
        (self.house.folder / name).write_text(text, encoding="utf-8")
        plan = self.api("POST", "/api/open", {"name": name})
        self.api("POST", "/api/plan/confirm", {"columns": plan["unsure"]})

    def made(self) -> None:
        """Let a version of the table be made and attacked."""
        self.attacked("made", PATIENTS, {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}})

    def attacked(self, name: str, table: str, change: Any) -> None:
        """Let a version be made and attacked, once: later the folder is put back as it was then, by its name."""
        kept = self.house.folder.with_name(f"{self.house.folder.name}-{name}")
        if kept.is_dir():
            shutil.copytree(kept, self.house.folder, dirs_exist_ok=True)
            return
        self.opened(table)
        self.api("PATCH", "/api/plan", change)
        run = self.work({"kind": "run"})["run"]
        self.work({"kind": "evidence", "run": run})
        shutil.copytree(self.house.folder, kept)

    def work(self, job: Any) -> Any:
        """Do a job without clicking, and give what came of it."""
        number = self.api("POST", "/api/jobs", job)["id"]
        events = self.context.request.get(f"{self.house.address}/api/jobs/{number}/events", timeout=PATIENCE)
        assert '"state": "done"' in events.text() or '"state":"done"' in events.text(), events.text()[-2000:]
        return self.api("GET", f"/api/jobs/{number}")


@contextlib.contextmanager
def visiting(house: House, browser: Browser, cookies: list[Any], **look: Any) -> Iterator[Steward]:
    """Let somebody sit down; nothing is fetched from elsewhere, and nothing goes wrong unseen."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **look})
    context.add_cookies(cookies)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    steward = Steward(house, context, page)
    steward.watch()
    try:
        yield steward
        page.wait_for_load_state()
    finally:
        context.close()
    assert steward.faults == []
    assert [url for url in steward.asked if not url.startswith((house.address, "data:image/"))] == []


def sees(page: Page, words: str) -> None:
    """Expect that words can be read on the page."""
    expect(page.get_by_text(re.compile(words)).first).to_be_visible(timeout=PATIENCE)
