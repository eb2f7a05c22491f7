"""Part ``kills``: the command killed at any moment. A whole release is there, the old or the new, and no copy."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fuzz.failures import expect
from fuzz.faults import PLANTED
from fuzz.fork_server import SAID, ForkServer

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
CANARY = "Canary Müller"
"""Part of every name: names are never published, so a file that has it is a copy of the table."""
PLAN = """version = 1
[data]
path = "t.csv"
{encoding}
[columns]
name = {{ role = "identifier" }}
age = {{ role = "quasi", hierarchy = {{ intervals = [10, 20] }} }}
town = {{ role = "quasi" }}
illness = {{ role = "sensitive" }}
[privacy]
promise = "k>={k}"
max_suppressed = 0.5
[search]
algorithm = "{algorithm}"
[output]
folder = "out"
format = "{format}"
[report]
write = false
"""
SEARCHES = ("optimal", "levels-and-cells")
FORMATS = ("csv", "parquet")
MARK = ".incrowd-private"
PATIENCE = 10.0
"""Seconds that the shell has."""
Tree = dict[str, bytes]


def run(rolls: random.Random) -> int:
    """Kill one run, look at what is there, and run again; give how many verdicts that were."""
    how = rolls.choice(["utf-8", "cp1252"]), rolls.choice(SEARCHES), rolls.choice(FORMATS)
    there, delay, sign = rolls.random() < 0.7, rolls.random(), rolls.choice(SIGNALS)
    old, new, lasts = releases(*how)
    with tempfile.TemporaryDirectory() as outer:
        folder, place = Path(outer) / "work", Path(outer) / "tmp"
        place.mkdir()
        _write(folder, {**_given(*how, k=3), **({f"out/{name}": old[name] for name in old} if there else {})})
        where = (
            f"{sign.name} after {delay:.2f} of {lasts:.2f} s, {how}, {'an old release' if there else 'nothing'} there"
        )
        code = _killed(folder, place, 1.2 * delay * lasts, sign)
        _expect_whole(folder, old if there else {}, new, f"exit code {code}: {where}")
        _expect_nobody(folder, place, f"exit code {code}: {where}")
        if sign != signal.SIGKILL:
            _expect_tidy(folder, place, f"exit code {code}: {where}")
            told = place.with_name(SAID).read_text(encoding="utf-8", errors="replace")[-600:]
            expect(code in {0, 130, -sign}, f"exit code {code}, said {told!r}: {where}")
        again = _finished(folder, place)
        expect(again == 0, f"run again, exit code {again}: {where}")
        expect(_tree(folder / "out") == new, f"run again, another release: {where}")
        _expect_tidy(folder, place, f"run again: {where}")
    return 4


def _expect_whole(folder: Path, old: Tree, new: Tree, where: str) -> None:
    found = _tree(folder / "out")
    expect(found in (old, new), f"a part of a release is there, {sorted(found)}: {where}")


def _expect_nobody(folder: Path, place: Path, where: str) -> None:
    """Look for names of people in whatever was left."""
    names = [CANARY.encode(code) for code in ("utf-8", "cp1252", "utf-16-le")]
    for path in [one for top in (folder, place) for one in _files_below(top)]:
        if path != folder / "t.csv":
            with contextlib.suppress(FileNotFoundError):
                content = path.read_bytes()
                told = f"a copy of the table is left in {path.name}: {where}"
                expect(not any(name in content for name in names), told)


def _files_below(top: Path) -> Iterator[Path]:
    """Walk through a folder that a process which outlived the command may be clearing."""
    for folder, _, names in os.walk(top):
        yield from (Path(folder, name) for name in names)


def _expect_tidy(folder: Path, place: Path, where: str) -> None:
    """Look for what is left; a shell that outlives the command clears up, and an empty folder tells nothing."""
    until = time.monotonic() + PATIENCE
    while True:
        left = {path.name for path in folder.iterdir()} - {"t.csv", "plan.toml", "out"}
        left |= {str(path.relative_to(place)) for path in _files_below(place) if path.name != MARK}
        if not left or time.monotonic() > until:
            break
        time.sleep(0.05)
    expect(not left, f"{sorted(left)} are left: {where}")


def _killed(folder: Path, place: Path, after: float, sign: signal.Signals) -> int:
    child = server().begin(folder, place, "anonymize", "plan.toml", "--force", "--quiet")
    time.sleep(after)
    os.kill(child, sign)
    return server().end()


def _finished(folder: Path, place: Path) -> int:
    server().begin(folder, place, "anonymize", "plan.toml", "--force", "--quiet")
    return server().end()


def server() -> ForkServer:
    """Give the process that runs commands, one for all cases."""
    return _server(os.environ.get(PLANTED, ""))


@cache
def _server(_: str) -> ForkServer:
    found = ForkServer()
    atexit.register(found.close)
    return found


@cache
def releases(encoding: str, algorithm: str, kind: str) -> tuple[Tree, Tree, float]:
    """Give the old release and the new one, made without being killed, and how long that takes."""
    trees = []
    began = ended = 0.0
    for k in (2, 3):
        with tempfile.TemporaryDirectory() as outer:
            folder, place = Path(outer) / "work", Path(outer) / "tmp"
            place.mkdir()
            _write(folder, _given(encoding, algorithm, kind, k=k))
            began = time.monotonic()
            expect(_finished(folder, place) == 0, f"nothing was published: {encoding}, {algorithm}, {kind}, k>={k}")
            ended = time.monotonic()
            trees.append(_tree(folder / "out"))
    return trees[0], trees[1], ended - began


def _given(encoding: str, algorithm: str, kind: str, *, k: int) -> Tree:
    """Give the table and the plan."""
    towns, illnesses = ("Ulm", "Köln", "Bonn"), ("flu", "hiv", "ulcer")
    lines = ["name,age,town,illness"]
    lines += [f"{CANARY} {n},{20 + n * 7 % 60},{towns[n % 3]},{illnesses[n % 2]}" for n in range(200)]
    said = "" if encoding == "utf-8" else f'encoding = "{encoding}"'
    plan = PLAN.format(encoding=said, k=k, algorithm=algorithm, format=kind)
    return {"t.csv": ("\n".join(lines) + "\n").encode(encoding), "plan.toml": plan.encode()}


def _write(folder: Path, files: Tree) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _tree(folder: Path) -> Tree:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
