from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from incrowd.web._jobs import LISTENERS, Job, Jobs
from incrowd.web._refusal import Plain, Refusal, refusal
from incrowd.web._worker import perform
from web.serving import PLAN, Visitor


def test_a_run_ends_with_a_release_that_is_listed(planned: Visitor, folder: Path) -> None:
    told = planned.work(kind="run", label="first try")
    assert (told["state"], told["result"], told["error"]) == ("done", {"run": 1}, None)
    (one,) = planned.ask("GET", "/api/runs")["runs"]
    assert (one["label"], one["promise"], one["records"]) == ("first try", "k>=2", 8)
    assert one["smallest"] >= 2
    assert (folder / ".incrowd/runs/0001/release/public/release.json").is_file()


def test_a_reload_finds_the_job_again(planned: Visitor) -> None:
    assert planned.ask("GET", "/api/jobs/current") == {"job": None}
    told = planned.work(kind="run")
    assert planned.ask("GET", "/api/jobs/current")["job"] == planned.ask("GET", f"/api/jobs/{told['id']}")
    planned.ask("GET", "/api/jobs/77", 404)


def test_a_promise_that_cannot_be_kept_says_what_could_be(planned: Visitor, folder: Path) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=2", "l>=4[disease]"], "max_suppressed": "0"}})
    told = planned.work(kind="run")
    assert (told["state"], told["error"]["code"], told["run"]) == ("failed", "IC201", None)
    assert told["error"]["hint"] == "l>=3[disease] would be possible."
    assert list((folder / ".incrowd/runs").iterdir()) == []
    assert planned.ask("GET", "/api/runs") == {"runs": []}


def test_searches_are_put_side_by_side(planned: Visitor) -> None:
    told = planned.work(kind="alternatives")["result"]
    names = [one["name"] for one in told["alternatives"]]
    assert names == ["best node", "levels and cells", "most detail", "ranges"]
    assert told["recommended"] in names
    assert told["because"].startswith("it leaves something of all columns")
    for one in told["alternatives"]:
        assert (one["possible"], one["smallest"] >= 2) == (True, True)
        assert {"column", "published", "status"} == set(one["columns"][0])


def test_they_are_found_again_as_long_as_they_belong_to_the_plan(planned: Visitor) -> None:
    planned.ask("GET", "/api/alternatives", 404)
    told = planned.work(kind="alternatives")["result"]
    kept = planned.ask("GET", "/api/alternatives")
    assert (kept["current"], kept["alternatives"], kept["planned"]) == (True, told["alternatives"], told["planned"])
    planned.ask("PATCH", "/api/plan", json={"report": {"purpose": "a test"}})
    assert planned.ask("GET", "/api/alternatives")["current"] is True
    for one in told["alternatives"]:  # each of them may be taken, and all are still shown
        planned.ask("PATCH", "/api/plan", json={"search": {"algorithm": one["algorithm"]}})
        kept = planned.ask("GET", "/api/alternatives")
        assert (kept["current"], kept["planned"]) == (True, one["name"])
    planned.ask("PATCH", "/api/plan", json={"columns": {"age": {"importance": "3"}}})
    assert planned.ask("GET", "/api/alternatives")["current"] is False
    assert planned.work(kind="alternatives")["result"]["important"] == ["age"]


def test_one_that_cannot_keep_the_limits_says_why(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"columns": {"age": {"at_most": 1}}})
    told = planned.work(kind="alternatives")["result"]["alternatives"]
    assert [one["possible"] for one in told][2:] == [False, False]
    assert "so the limit of the column age cannot be kept" in told[2]["problem"]["message"]


def test_the_curve_over_k_never_rises_in_detail(planned: Visitor) -> None:
    result = planned.work(kind="frontier")["result"]
    kept = [float(one["kept"]) for one in result["points"] if one["kept"] is not None]
    assert (result["of"], result["points"][0]["value"], kept[0]) == ("k", 1, 1.0)
    assert kept == sorted(kept, reverse=True)


def test_a_job_needs_a_plan_and_a_run_that_there_is(visitor: Visitor) -> None:
    assert visitor.ask("POST", "/api/jobs", 409, json={"kind": "run"})["code"] == "no-plan"
    assert visitor.ask("POST", "/api/jobs", 404, json={"kind": "evidence", "run": 1})["code"] == "not-found"
    assert visitor.ask("POST", "/api/jobs", 422, json={"kind": "dance"})["code"] == "wrong-request"


def test_stopping_a_job_that_has_ended_changes_nothing(planned: Visitor) -> None:
    told = planned.work(kind="run")
    assert planned.ask("POST", f"/api/jobs/{told['id']}/stop", json={"keep": False})["state"] == "done"


@pytest.mark.parametrize("algorithm", ["mondrian", "cheapest-first", "datafly"])
def test_other_searches_run_too(planned: Visitor, algorithm: str) -> None:
    planned.ask("PATCH", "/api/plan", json={"search": {"algorithm": algorithm}})
    assert planned.work(kind="run")["state"] == "done"
    rows = planned.ask("GET", "/api/runs/1")["rows"]
    assert len(rows["before"]) == len(rows["after"]) == 8


class Slow:
    """Somebody who works until told what to answer."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[Plain] = asyncio.get_running_loop().create_future()
        self.stopped = False

    async def call(self, task: str, given: Plain, hear: Any = None) -> Plain:
        hear({"stage": "searching", "words": task, "done": 1, "total": None, "kept": "0.5", **given})
        return await self.answer

    async def stop(self) -> None:
        self.stopped = True

    async def end(self) -> None:
        if not self.answer.done():
            self.answer.set_exception(refusal(503, "stopped", "It was stopped."))


def started(jobs: Jobs, limit: float | None = None) -> Job:
    return jobs.start(Job("run", 1, limit), "run", {})


def test_a_second_job_is_refused_while_one_is_under_way() -> None:
    async def body() -> None:
        jobs = Jobs(Slow())
        started(jobs)
        with pytest.raises(Refusal, match="Another job is under way"):
            started(jobs)
        await jobs.close()

    asyncio.run(body())


def test_a_job_that_is_thrown_away_ends_at_once_and_makes_room() -> None:
    async def body() -> None:
        jobs = Jobs(Slow())
        job = await jobs.stop(started(jobs).id, keep=False)
        assert (job.state, job.error and job.error["code"]) == ("stopped", "stopped")
        jobs.need_idle()

    asyncio.run(body())


def test_a_job_that_keeps_its_best_goes_on_to_its_end() -> None:
    async def body() -> None:
        worker = Slow()
        jobs = Jobs(worker)
        job = await jobs.stop(started(jobs).id, keep=True)
        assert (worker.stopped, job.state) == (True, "running")
        worker.answer.set_result({"run": 1})
        told = [event async for event in jobs.events(job.id)]
        assert '"state": "done"' in told[-1]

    asyncio.run(body())


def test_the_time_left_follows_from_the_limit_of_the_search() -> None:
    async def body() -> None:
        jobs = Jobs(Slow())
        job = started(jobs, limit=60)
        await asyncio.sleep(0)
        shown = job.show()
        assert (shown["stage"], shown["kept"]) == ("searching", "0.5")
        assert 55 < shown["left"] <= 60
        await jobs.close()

    asyncio.run(body())


def test_the_time_left_follows_from_the_rows_that_are_done() -> None:
    job = Job("run")
    job.hear({"stage": "reading", "words": "", "done": 250, "total": 1_000})
    job.staged -= 10
    assert job.show()["left"] == pytest.approx(30, abs=0.5)


def test_events_end_when_the_server_does() -> None:
    async def body() -> None:
        jobs = Jobs(Slow())
        job = started(jobs)
        told = [event async for event in _closed_after_one(jobs, job.id)]
        assert told[0].startswith("event: job\ndata: {")

    asyncio.run(body())


async def _closed_after_one(jobs: Jobs, number: int) -> Any:
    async for event in jobs.events(number):
        yield event
        await jobs.close()


def test_what_an_earlier_run_left_unfinished_is_cleared_away(planned: Visitor, folder: Path) -> None:
    left = folder / ".incrowd/runs/0001"
    left.mkdir(parents=True)
    (left / "plan.toml").write_text(PLAN, encoding="utf-8")
    assert planned.work(kind="run")["result"] == {"run": 2}
    assert not left.exists()


def test_pages_that_only_listen_are_counted_and_too_many_refused() -> None:
    async def body() -> None:
        jobs = Jobs(Slow())
        job = started(jobs)
        streams = [jobs.events(job.id) for _ in range(LISTENERS)]
        for stream in streams:
            jobs.need_room()
            await anext(stream)
        with pytest.raises(Refusal, match="Too many pages are open"):
            jobs.need_room()
        await streams[0].aclose()  # somebody left
        jobs.need_room()
        await jobs.close()

    asyncio.run(body())


@pytest.mark.parametrize(("kind", "stage"), [("frontier", "searching"), ("evidence", "working")])
def test_a_curve_and_evidence_tell_how_far_they_are(planned: Visitor, folder: Path, kind: str, stage: str) -> None:
    planned.work(kind="run")
    told: list[Any] = []
    run: Any = {"run": str(folder / ".incrowd" / "runs" / "0001"), "about": {}, "harbor": None}
    perform(kind, {"plan": str(folder / "plan.toml"), "by": "k", "of": None, **run}, told.append)
    far = [(one["done"], one["total"]) for one in told if one["stage"] == stage and one["total"]]
    assert far
    assert all(0 <= done <= total for done, total in far)
    assert far == sorted(far)


def test_the_time_left_follows_from_what_is_done() -> None:
    job = Job("evidence", limit=100.0, staged=time.monotonic() - 10)
    job.progress = {"stage": "searching", "words": "", "done": 5, "total": 15}
    assert job.show()["left"] == pytest.approx(20, abs=1)
