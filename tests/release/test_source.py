"""Where identifiers repeat and nobody said whose row is whose, every release says that rows were counted."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.engines import write_table

NOTE = r"Groups may hold fewer people than rows: column 'nr' has 40 values in 120 rows"
QUASI = {"age": ic.intervals(10, 20)}


def visits(people: int = 40, each: int = 3) -> list[dict[str, Any]]:
    return [{"nr": f"p{n}", "age": 20 + n % 30, "fever": "nym"[n % 3]} for n in range(people) for _ in range(each)]


def test_an_identifier_that_repeats_is_said_by_anonymize_with_the_number() -> None:
    schema = ic.Schema(quasi=QUASI, sensitive=["fever"], identifiers=["nr"])
    with pytest.warns(ic.PrivacyWarning, match=NOTE):
        release = ic.anonymize(visits(), schema, model="k>=3", max_suppressed=0.1)
    assert release.recipe.repeated == ("nr",)
    assert any("call it the entity" in note for note in release.recipe.notes)


def test_the_certificate_and_both_reports_say_so(tmp_path: Path) -> None:
    schema = ic.Schema(quasi=QUASI, sensitive=["fever"], identifiers=["nr"])
    with pytest.warns(ic.PrivacyWarning, match=NOTE):
        ic.anonymize(
            visits(), schema, model="k>=3", max_suppressed=0.1, output=tmp_path / "out", format="csv", about={}
        )
    certificate = json.loads((tmp_path / "out" / "public" / "release.json").read_text(encoding="utf-8"))
    assert any("groups may hold fewer people than rows" in limit for limit in certificate["limits"])
    for folder in ("public", "owner"):
        page = (tmp_path / "out" / folder / "report.html").read_text(encoding="utf-8")
        assert "groups may hold fewer people than rows" in page
    owner = (tmp_path / "out" / "owner" / "report.html").read_text(encoding="utf-8")
    assert "has 40 values in 120 rows" in owner
    assert ic.verify(tmp_path / "out").holds


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        (visits(), {"entity": "nr"}),
        (visits(120, 1), {"identifiers": ["nr"]}),
        ([*visits(119, 1), *visits(1, 1)], {"identifiers": ["nr"]}),
        (
            [row | {"sex": "fm"[row["age"] % 2], "nr": n} for n, row in enumerate(visits())],
            {"identifiers": ["nr", "sex"]},
        ),
        ([row | {"nr": None} for row in visits()], {"identifiers": ["nr"]}),
    ],
)
def test_nothing_is_said_where_people_are_counted_or_hardly_anybody_is_named_twice(
    rows: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    release = ic.anonymize(rows, ic.Schema(quasi=QUASI, sensitive=["fever"], **more), model="k>=3", max_suppressed=0.1)
    assert release.recipe.repeated == ()
    assert not any("fewer people" in note for note in release.recipe.notes)


@pytest.mark.parametrize("each", [2, 3, 8])
def test_of_a_long_table_the_number_of_people_is_estimated_from_a_sample(each: int) -> None:
    table = pa.table({"nr": [f"p{n // each}" for n in range(60_000)], "age": [20 + n % 30 for n in range(60_000)]})
    schema = ic.Schema(quasi=QUASI, identifiers=["nr"])
    with pytest.warns(ic.PrivacyWarning, match=r"column 'nr' has about [\d,]+ values in 60,000 rows") as told:
        ic.anonymize(table, schema, model="k>=3")
    number = re.search(r"about ([\d,]+)", str(told[0].message))
    assert number is not None
    assert int(number[1].replace(",", "")) == pytest.approx(60_000 / each, rel=0.15)


def test_numbers_that_occur_once_are_said_nothing_about_however_long_the_table_is() -> None:
    table = pa.table({"nr": [f"p{n}" for n in range(30_000)], "age": [20 + n % 30 for n in range(30_000)]})
    assert ic.anonymize(table, ic.Schema(quasi=QUASI, identifiers=["nr"]), model="k>=3").recipe.repeated == ()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"v{number}" for number in range(30)], "nearly every value occurs once among 30 records"),
        ([f"{number} came with a cold and left" for number in range(30)], "it holds free text"),
        ([f"n{number % 3}@example.org" for number in range(30)], "its values look like e-mail addresses"),
    ],
    ids=["unique", "text", "e-mail"],
)
def test_a_column_that_is_called_insensitive_and_does_not_look_like_it_warns(values: list[str], reason: str) -> None:
    table = [{"age": number % 2, "more": value} for number, value in enumerate(values)]
    roles = ic.Schema(quasi={"age": ic.flat()}, insensitive=["more"])
    with pytest.warns(ic.PrivacyWarning, match=f"Column 'more' is published as it is, and {reason}"):
        ic.anonymize(table, roles, model="k>=2")


def test_an_ordinary_insensitive_column_does_not_warn() -> None:
    table = [{"age": number % 2, "ward": f"ward {number % 4}"} for number in range(40)]
    ic.anonymize(table, ic.Schema(quasi={"age": ic.flat()}, insensitive=["ward"]), model="k>=2")


# A file that changes while it is published: at every stage from the first look at it until its release is written.

ROWS = [{"age": str(20 + n % 30), "fever": "nym"[n % 3]} for n in range(60)]
CHANGED = r"The file 't[^']*' changed while it was being read\. Hint: take a copy first"


def as_text(rows: list[dict[str, str]]) -> str:
    return "".join(f"{line}\n" for line in ["age,fever", *(",".join(row.values()) for row in rows)])


def write_parquet(path: Path, rows: list[dict[str, str]]) -> None:
    pyarrow.parquet.write_table(pa.table({"age": [int(row["age"]) for row in rows], "fever": ["y"] * len(rows)}), path)


def write_folder(path: Path, rows: list[dict[str, str]]) -> None:
    path.mkdir(exist_ok=True)
    for name, some in {"ta.csv": ROWS, "tb.csv": rows}.items():
        if not (path / name).exists() or some is rows:
            (path / name).write_text(as_text(some))


WRITERS: dict[str, Callable[[Path, list[dict[str, str]]], object]] = {
    "t.csv": lambda path, rows: path.write_text(as_text(rows)),
    "t.csv.gz": lambda path, rows: path.write_bytes(gzip.compress(as_text(rows).encode())),
    "t.txt": lambda path, rows: path.write_text(as_text(rows).replace("fever", "fi\xe8vre"), encoding="latin-1"),
    "t": write_folder,
    "t.parquet": write_parquet,
    "t.xlsx": lambda path, rows: write_table(rows, path, force=True),
    "t.arrow": lambda path, rows: write_table(rows, path, force=True),
}


def publish(path: Path, out: Path | None = None, **more: Any) -> ic.Release:
    reading = {"encoding": "latin-1"} if path.suffix == ".txt" else {}
    written = {} if out is None else {"output": out, "format": "csv"}
    fever = "fi\xe8vre" if path.suffix == ".txt" else "fever"
    schema = ic.Schema(quasi=QUASI, insensitive=[fever])
    asked: dict[str, Any] = {"model": "k>=2", "max_suppressed": 0.1, "algorithm": ic.Optimal(), **reading, **written}
    return ic.anonymize(path, schema, **(asked | more))


@contextmanager
def at_the_end_of(stage: str, act: Callable[[], object]) -> Iterator[list[str]]:
    """Do something once, when a function of ours ends; whichever thread it runs in."""
    done: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        name = f"{Path(code.co_filename).stem.removeprefix('_')}.{code.co_name}"
        if event == "return" and name == stage and not done and "incrowd" in code.co_filename:
            done.append(stage)
            act()

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield done
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


OPENING = ("files.of", "csv.header_of", "csv.relation", "tables.open_table")
COUNTING = ("source.open", "text.domains", "lazy_frame.census", "feasibility.refuse_infeasible", "optimal.search")
PUBLISHING = (
    *("source.described", "files.digest", "recipe.described_input", "folder.new", "text.recode", "output.write"),
    *("release_file.open_released", "verdict.verdict_on_published", "publish.release_of", "release_file.result"),
    *("certificate.certificate_of", "folder.write_around"),
)


@pytest.mark.parametrize("stage", [*OPENING, *COUNTING, *PUBLISHING])
def test_a_file_that_changes_at_any_stage_is_refused_and_nothing_is_written(stage: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_text(ROWS))
    with (
        at_the_end_of(stage, lambda: path.write_text(as_text([*ROWS, ROWS[0]]))) as done,
        pytest.raises(ic.DataError, match=CHANGED),
    ):
        publish(path, tmp_path / "out")
    assert done == [stage]
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("stage", "written"),
    [
        ("tables.open_table", True),
        ("source.described", True),
        ("publish.release_of", True),
        ("publish._recipe_of", False),
    ],
)
@pytest.mark.parametrize("name", [*WRITERS])
def test_so_it_is_for_files_of_every_kind(name: str, stage: str, tmp_path: Path, written: bool) -> None:
    path, out = tmp_path / name, tmp_path / "out"
    WRITERS[name](path, ROWS)
    with (
        at_the_end_of(stage, lambda: WRITERS[name](path, [*ROWS, ROWS[0]])) as done,
        pytest.raises(ic.DataError, match=CHANGED),
    ):
        publish(path, out if written else None)
    assert (done, out.exists()) == ([stage], False)


def test_a_file_that_comes_while_reports_are_written_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WRITERS["t"](tmp_path / "t", ROWS)
    more = tmp_path / "t" / "tc.csv"
    monkeypatch.setattr("incrowd.report.write_reports", lambda *_, **__: more.write_text(as_text(ROWS)))
    with pytest.raises(ic.DataError, match="A file came to 't' while it was being read"):
        publish(tmp_path / "t", tmp_path / "out", about={})
    assert (more.exists(), (tmp_path / "out").exists()) == (True, False)


@pytest.mark.parametrize(("stage", "records"), [("files.files_of", 61), ("source.check_unchanged", 60)])
def test_the_hash_is_that_of_what_was_read_if_a_file_changes_before_or_after(
    stage: str, records: int, tmp_path: Path
) -> None:
    path, all_of_them = tmp_path / "t.csv", [*ROWS, ROWS[0]]
    path.write_text(as_text(ROWS))
    with at_the_end_of(stage, lambda: path.write_text(as_text(all_of_them))) as done:
        release = publish(path, tmp_path / "out")
    read = hashlib.sha256(as_text(all_of_them[:records]).encode()).hexdigest()
    assert (done, release.recipe.records, release.recipe.input["sha256"]) == ([stage], records, read)


def test_a_sample_is_refused_too_where_its_table_changed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_text(ROWS))
    with (
        at_the_end_of("publish.release_of", lambda: path.write_text(as_text([*ROWS, ROWS[0]]))),
        pytest.raises(ic.DataError, match=CHANGED),
    ):
        publish(path, sample=40, algorithm=None)


def test_nothing_is_said_of_a_release_by_a_table_that_changed_since(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_text(ROWS))
    release = publish(path)
    path.write_text(as_text([*ROWS, ROWS[0]]))
    asked: list[Callable[[], object]] = [
        lambda: release.report(tmp_path / "report.html"),
        lambda: release.save(tmp_path / "out", about={}),
        lambda: ic.utility(release, path),
    ]
    for ask in asked:
        with pytest.raises(ic.DataError, match=r"The file 't\.csv' changed since it was read for this release"):
            ask()
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]
