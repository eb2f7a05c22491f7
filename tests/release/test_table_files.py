"""The files of several tables held against their certificate: whatever is changed in one, or said of it, shows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.engines import digest_of_files
from release.forgeries import FEW_KINDS, forgeries
from release.test_several_tables import SCHEMA, hospital, linked
from release.test_tampering import answers
from release.verified import rewrite, run_script

Capsys = pytest.CaptureFixture[str]
pytestmark = pytest.mark.filterwarnings(
    "ignore:Keys are published as pseudonyms", "ignore:Column 'person_id' is published as a pseudonym"
)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "out"
    how: dict[str, Any] = {"max_suppressed": 0.7, "output": folder, "format": "csv"}
    ic.anonymize(linked(hospital()), SCHEMA, model="k>=2[any 2 rows], l>=2[disease]", **how)
    return folder


@pytest.fixture
def folder(release: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(release, tmp_path / "out"))


def edit(name: str, change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    def work(folder: Path) -> None:
        path = folder / "public" / "tables" / name
        header, *lines = path.read_text().splitlines()
        path.write_text("\n".join([header, *change(lines)]) + "\n")

    return work


def without_second_key(lines: list[str]) -> list[str]:
    return [lines[0], lines[0], *lines[2:]]


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "public" / "tables" / name).unlink()


def add(folder: Path) -> None:
    (folder / "public" / "tables" / "more.csv").write_text("a\n1\n")


def with_hashes(folder: Path) -> None:
    """Let the certificate have the hashes of what is there, as a forger would."""
    tables = folder / "public" / "tables"

    def change(certificate: Any) -> None:
        for one in certificate["data"]["tables"]:
            path = tables / one["file"]
            lines = path.read_text().splitlines()
            one |= {"sha256": digest_of_files(path), "bytes": path.stat().st_size, "rows": len(lines) - 1}
        whole = sum(path.stat().st_size for path in tables.iterdir())
        certificate["data"] |= {"sha256": digest_of_files(tables), "bytes": whole}

    rewrite(folder, change)


@pytest.mark.parametrize(
    "change",
    [
        edit("visits.csv", lambda lines: lines[1:]),
        edit("patients.csv", lambda lines: lines[1:]),
        edit("patients.csv", without_second_key),
        edit("diagnoses.csv", lambda lines: [*lines, lines[0]]),
        edit("visits.csv", lambda lines: [lines[0].replace(",a,", ",q,").replace(",b,", ",q,"), *lines[1:]]),
    ],
)
@pytest.mark.parametrize("forged", [False, True])
def test_a_changed_table_is_seen_by_both_even_with_its_own_hash(
    change: Callable[[Path], None], forged: bool, folder: Path, capsys: Capsys
) -> None:
    change(folder)
    if forged:
        with_hashes(folder)
    assert ic.verify(folder).outcome == "does not hold"
    code, said = run_script(folder, capsys)
    assert code == 1, said


def test_a_table_that_came_or_went_is_seen(folder: Path, capsys: Capsys) -> None:
    add(folder)
    assert "which tables there are" in ic.verify(folder).differences
    assert run_script(folder, capsys)[0] == 1
    (folder / "public" / "tables" / "more.csv").unlink()
    remove("diagnoses.csv")(folder)
    with pytest.raises(ic.DataError, match=r"The data file 'diagnoses\.csv' is not beside the certificate"):
        ic.verify(folder)
    assert run_script(folder, capsys)[0] in {1, 2}


def test_links_that_are_not_those_of_the_tables_are_seen(folder: Path, capsys: Capsys) -> None:
    path = folder / "public" / "release.json"
    before = path.read_text()

    def of_visits(link: Any) -> Callable[[Any], object]:
        return lambda certificate: certificate["data"]["tables"][1].update({"of": [link]})

    changes: list[Callable[[Any], object]] = [
        of_visits({"column": "visit_id", "table": "patients"}),
        of_visits({"column": "person_id", "table": "visits"}),
        of_visits({"column": "person_id", "table": "nowhere"}),
        lambda certificate: certificate["data"]["tables"][1].pop("of"),
        lambda certificate: certificate["data"]["tables"][0].pop("key"),
        lambda certificate: certificate["data"]["tables"].pop(),
        lambda certificate: certificate["data"]["tables"][2]["columns"][1].update(role="insensitive"),
        lambda certificate: certificate["data"]["tables"][1]["columns"][2].update(role="insensitive"),
        lambda certificate: certificate["columns"].pop(3),
        lambda certificate: certificate["columns"][-1].update(without=["disease"]),
        lambda certificate: certificate["columns"][1].update(without=["disease"]),
        lambda certificate: [column.pop("without", None) for column in certificate["columns"]],
    ]
    for number, change in enumerate(changes):
        path.write_text(before)
        rewrite(folder, change)
        assert json.loads(path.read_text()) != json.loads(before)
        try:
            outcome: str = ic.verify(folder).outcome
        except ic.DataError:
            outcome = "refused"
        assert outcome != "holds", number
        assert run_script(folder, capsys)[0] in {1, 2}, number


def test_no_description_of_tables_with_anything_changed_passes(folder: Path, capsys: Capsys) -> None:
    path = folder / "public" / "release.json"
    certificate = json.loads(path.read_text())
    passed = []
    for place, what, text in forgeries(certificate, ("data",), FEW_KINDS):
        path.write_text(text)
        library, said = answers(folder, capsys)
        if "escaped" not in place and "holds" in {library, said}:
            passed.append((place, what, library, said))
    assert not passed, passed
