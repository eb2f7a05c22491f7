"""Does the page stay responsive? Status requests while a run works on a large file.

``python benchmarks/page.py [ROWS]``, 1 million rows by default. ``incrowd serve`` runs as a child process on the
loopback address, as people start it. A run of the plan is started, and its status is asked for every 50 milliseconds
until it ends. The target is an answer within 200 milliseconds. Wall time, because somebody waits for it.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import made_up

TARGET = 0.2
OFTEN = 0.05
"""Seconds between two requests."""
ENDED = ("done", "stopped", "failed")


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[httpx.Client]:
    """Serve a folder in a process of its own, and visit it."""
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "serve", str(folder)]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen([*command, "--port", "0", "--no-browser"], stdout=pipe, stderr=nowhere, text=True) as server:
        try:
            first = "" if server.stdout is None else server.stdout.readline().strip()
            with httpx.Client(base_url=first.split("/?", maxsplit=1)[0], timeout=600) as client:
                client.get(first)
                client.headers["X-Incrowd-Token"] = client.get("/api/session").json()["token"]
                yield client
        finally:
            server.terminate()


def prepare(client: httpx.Client, name: str) -> None:
    """Open the table, and say what is promised."""
    roles = {column: {"role": "quasi"} for column in made_up.QUASI}
    roles |= {column: {"role": "sensitive"} for column in made_up.SENSITIVE}
    client.post("/api/open", json={"name": name}).raise_for_status()
    change = {"columns": roles, "privacy": {"promise": ["k>=5", "l>=3[disease]"], "max_suppressed": "0.05"}}
    client.patch("/api/plan", json=change).raise_for_status()


def watch(client: httpx.Client) -> tuple[dict[str, Any], list[float]]:
    """Start a run, and ask for its status until it has ended; give its end and the seconds of every answer."""
    path = f"/api/jobs/{client.post('/api/jobs', json={'kind': 'run'}).raise_for_status().json()['id']}"
    taken: list[float] = []
    while True:
        began = time.perf_counter()
        job: dict[str, Any] = client.get(path).raise_for_status().json()
        taken.append(time.perf_counter() - began)
        if job["state"] in ENDED:
            return job, taken
        time.sleep(OFTEN)


def report(rows: int, job: dict[str, Any], taken: list[float]) -> None:
    """Print how long somebody waited for an answer."""
    ordered = sorted(taken)
    shown = {
        "median": ordered[len(ordered) // 2],
        "99 of 100": ordered[min(len(ordered) * 99 // 100, len(ordered) - 1)],
        "worst": ordered[-1],
    }
    late = sum(seconds > TARGET for seconds in taken)
    print(f"\nthe page during a run on {rows:,} rows: {job['state']} after {job['seconds']:.1f} s")
    for name, seconds in shown.items():
        print(f"  {name:<10} {1000 * seconds:8.1f} ms")
    print(f"  {late:,} of {len(taken):,} answers took longer than {1000 * TARGET:.0f} ms")


def main(rows: int = 1_000_000) -> None:
    """Measure, and print."""
    source = made_up.files(rows)["csv"]
    with tempfile.TemporaryDirectory() as home:
        shutil.copy(source, Path(home) / "people.csv")
        with serving(Path(home)) as client:
            prepare(client, "people.csv")
            job, taken = watch(client)
    report(rows, job, taken)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
