"""The worker as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from incrowd.web._jobs import Process
from incrowd.web._refusal import Refusal
from web.serving import PLAN, Visitor, serving, until


def alive(number: int) -> bool:
    """Say whether a process still runs; one that ended and was not fetched does not."""
    try:
        state = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in {"Z", "X"}


def with_process(body: Callable[[Process], Awaitable[None]]) -> None:
    async def run() -> None:
        process = Process()
        try:
            await body(process)
        finally:
            await process.end()

    asyncio.run(run())


@pytest.fixture
def plan(folder: Path) -> str:
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return str(folder / "plan.toml")


def test_a_worker_answers_and_tells_errors_without_values(plan: str, folder: Path) -> None:
    async def body(process: Process) -> None:
        found = await process.call("profile", {"plan": plan})
        assert found["records"] == 8
        (folder / "patients.csv").write_bytes(b"age,sex,zip,name,disease\n1,2\nCANARY,\xff\n")
        with pytest.raises(Refusal) as caught:
            await process.call("profile", {"plan": plan})
        assert "CANARY" not in json.dumps(caught.value.plain)
        with pytest.raises(Refusal, match="should not have happened"):
            await process.call("no such task", {})
        (folder / "patients.csv").write_text("age\n1\n", encoding="utf-8")
        assert await process.call("rows", {"plan": plan, "limit": 1}) == {"columns": ["age"], "rows": [["1"]]}

    with_process(body)


def test_whoever_waits_is_told_when_the_worker_is_ended_and_the_next_task_starts_another(plan: str) -> None:
    async def body(process: Process) -> None:
        waiting = asyncio.create_task(process.call("profile", {"plan": plan}))
        while not process._waiting:  # noqa: ASYNC110 - until it is asked
            await asyncio.sleep(0.01)
        first = process.number
        assert first is not None
        await process.end()
        with pytest.raises(Refusal, match="stopped"):
            await waiting
        assert not alive(first)
        assert (await process.call("rows", {"plan": plan, "limit": 1}))["rows"]
        assert process.number not in {None, first}

    with_process(body)


def test_a_worker_that_dies_by_itself_is_replaced(plan: str) -> None:
    async def body(process: Process) -> None:
        await process.call("rows", {"plan": plan, "limit": 1})
        assert process.number is not None
        os.kill(process.number, signal.SIGKILL)
        while True:
            try:
                assert (await process.call("rows", {"plan": plan, "limit": 1}))["rows"]
            except Refusal as error:
                assert error.plain["code"] == "stopped"  # noqa: PT017 - it may not be known yet
            else:
                break

    with_process(body)


@pytest.mark.parametrize("line", [b"x" * 2_000 + b"\n", b"no JSON\n"])
def test_a_worker_that_says_nonsense_is_ended_and_nobody_waits(line: bytes) -> None:
    async def body(process: Process) -> None:
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        code = f"import sys, time; sys.stdout.buffer.write({line!r}); sys.stdout.flush(); time.sleep(600)"
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdout=subprocess.PIPE, stdin=subprocess.PIPE, limit=1_000
        )
        process._waiting[1] = child, waiting, None
        await process._read_lines(child)
        with pytest.raises(Refusal, match="stopped"):
            await waiting
        assert await child.wait() != 0

    with_process(body)


SERVER = """
import asyncio, sys, time
from incrowd.web._jobs import Process

async def main():
    process = Process()
    await process.call("rows", {"plan": sys.argv[1], "limit": 1})
    print(process.number, flush=True)
    time.sleep(600)

asyncio.run(main())
"""


def test_a_worker_does_not_outlive_a_server_that_was_killed(plan: str) -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER, plan], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        worker = int(server.stdout.readline())
        assert alive(worker)
        server.kill()
    until(lambda: not alive(worker))


def test_nothing_is_imported_from_the_folder(plan: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "json.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    (folder / "numpy.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    monkeypatch.chdir(folder)

    async def body(process: Process) -> None:
        assert (await process.call("rows", {"plan": plan, "limit": 1}))["rows"]

    with_process(body)


def test_the_server_answers_while_a_job_runs_and_the_job_can_be_thrown_away(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    with serving(folder, separate=True) as server, Visitor(*server) as visitor:
        worker: Any = server[0].state.office.maker
        job = visitor.ask("POST", "/api/jobs", 202, json={"kind": "run"})
        until(lambda: worker.number is not None)
        number = worker.number
        os.kill(number, signal.SIGSTOP)  # so that it cannot end before it is stopped
        assert visitor.ask("POST", "/api/jobs", 409, json={"kind": "run"})["code"] == "busy"
        assert visitor.ask("GET", "/api/jobs/current")["job"]["state"] == "running"
        shown = visitor.ask("POST", f"/api/jobs/{job['id']}/stop", json={"keep": False})
        assert (shown["state"], shown["run"]) == ("stopped", None)
        until(lambda: not alive(number))
        assert visitor.ask("GET", "/api/table/rows")["rows"]
    assert server[0].state.office.maker.number is None
    assert server[0].state.office.looker.number is None
