from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.cli import _terminal
from incrowd.cli._terminal import Watch
from incrowd.engines import Stage
from incrowd.engines._protocol import report_stage
from incrowd.search import Progress


def test_where_nobody_looks_a_line_is_written_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("incrowd.cli._terminal.time.monotonic", lambda: now[0])
    monkeypatch.setattr(_terminal, "LINE", 10)
    with Watch(quiet=False) as watch:
        report_stage("reading", 10, 1000)
        now[0] += 11
        report_stage("reading", 500, 1000)
        report_stage("reading", 600, 1000)  # too soon for another line
        now[0] += 11
        assert watch(Progress(7, 40, None))
        now[0] += 11
        watch(Progress(33, 40, 0.25))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "reading   500 of about 1,000 rows, 45/s, 11 s\n"
        "searching 7 of at most 40 combinations of levels, nothing fits yet, 0 s\n"
        "searching 33 of at most 40 combinations of levels, 3/s, best so far 0.2500, 11 s\n"
    )


def test_what_is_read_after_it_was_written_is_being_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_terminal, "LINE", 0)
    with Watch(quiet=False):
        report_stage("writing")
        report_stage("reading", 5)
    assert capsys.readouterr().err == "writing   0 s\nchecking  5 rows, 0 s\n"


def test_the_quiet_hear_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_terminal, "LINE", 0)
    with Watch(quiet=True) as watch:
        report_stage("reading", 5)
        assert watch(Progress(1, 2, None))
    assert capsys.readouterr().err == ""


JOB = """
import time
from incrowd.cli import _terminal
from incrowd.engines._protocol import report_stage
_terminal.LATE = 0.01
with _terminal.Watch(quiet=False):
    for done in (0, 500):
        report_stage("reading", done, 1000)
        time.sleep(0.3)
    report_stage("writing")
    time.sleep(0.3)
"""


def test_a_terminal_shows_a_bar_with_stage_rate_and_time_left(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    ours, theirs = pty.openpty()
    surroundings = {**os.environ, "COLUMNS": "110", "TERM": "xterm"}
    subprocess.run([sys.executable, str(script)], stderr=theirs, env=surroundings, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    assert re.search(r"reading +\S+ 500 of about 1,000 rows, [\d,]+/s 0:00:00 left: ", text)
    assert re.search(r"writing +\S+ +0:00:00 left: ", text)
    assert shown.endswith(b"\x1b[2K")  # the bar is gone


def test_a_stage_holds_numbers_and_nothing_of_the_table() -> None:
    assert repr(Stage("reading", 1, 2)) == "Stage(name='reading', done=1, total=2)"


def test_data_for_machines_stay_whole_whatever_their_texts_hold(capsys: pytest.CaptureFixture[str]) -> None:
    plain = {"text": "a\u2028b\x85c\nd"}
    _terminal.write_json(plain)
    assert json.loads(capsys.readouterr().out) == plain
