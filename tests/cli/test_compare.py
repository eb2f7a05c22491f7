from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
PEOPLE = [{"age": age, "disease": disease} for age, disease in [(31, "flu"), (34, "hiv"), (52, "flu"), (55, "hiv")]]


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str]) -> Run:
    """Give a way to run ``incrowd compare``: its exit code, stdout and stderr."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["compare", *map(str, arguments)])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return release(tmp_path / "two", "k>=2")


@pytest.fixture
def four(tmp_path: Path) -> Path:
    return release(tmp_path / "four", "k>=4, l>=2")


def release(folder: Path, promise: str) -> Path:
    schema = ic.Schema({"age": ic.intervals(10, 100)}, ["disease"])
    return ic.anonymize(PEOPLE, schema, model=promise, algorithm=ic.Optimal()).save(folder)


def test_two_releases_stand_side_by_side_and_what_differs_is_marked(compare: Run, two: Path, four: Path) -> None:
    code, out, err = compare(two, four)
    assert (code, err) == (0, "")
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "A B",
        "records published 4 4",
        "records left out 0 0",
        "* groups 2 1",
        "* level of age 1 2",
        "* k 2 4",
        "* aecs 2 4",
        "* discernibility 8 16",
        "* height 1 2",
        "* l of disease - 2",
    ]
    assert max(map(len, out.splitlines())) <= 80


def test_a_release_may_be_named_by_its_folder_or_its_file(compare: Run, two: Path, four: Path) -> None:
    whole = compare(two, four)
    assert compare(two / "public", four / "public") == whole
    assert compare(two / "public" / "release.json", four) == whole


def test_machines_get_json(compare: Run, two: Path, four: Path) -> None:
    found = json.loads(compare(two, four, "--json")[1])
    assert found["schema"] == 1
    assert {"what": "level of age", "a": 1, "b": 2} in found["rows"]
    assert {"what": "l of disease", "a": None, "b": "2"} in found["rows"]


def test_what_is_no_certificate_is_wrong_use(compare: Run, two: Path, tmp_path: Path) -> None:
    code, out, err = compare(two, tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert err.startswith("error[IC106]: There is no file or folder 'nowhere'.\nhint: ")
    (tmp_path / "other.json").write_text("{}")
    assert "is no certificate that we know" in compare(two, tmp_path / "other.json")[2]
    (tmp_path / "cut.json").write_text('{"schema": 1, "records": 4}')
    said = "The certificate 'cut.json' was edited or damaged: look at classes and"
    assert said in compare(two, tmp_path / "cut.json")[2]


def test_one_release_is_not_enough(compare: Run, two: Path) -> None:
    assert compare(two)[0] == 2
