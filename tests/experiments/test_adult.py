"""The Adult table for the papers' experiments: where it is read from, and what comes out of the real one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.experiments import _enhanced, reproduce
from incrowd.experiments._adult import NUMBERS, UCI, find_adult
from incrowd.search import all_solutions

LINE = (
    "39, State-gov,77516, Bachelors,13, Never-married, {}, Not-in-family, White, Male,2174,0,40, United-States, <=50K"
)
KNOWN, UNKNOWN = LINE.format("Adm-clerical"), LINE.format("?")


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)


def test_a_file_of_uci_is_read_with_and_without_a_line_of_names(tmp_path: Path) -> None:
    (tmp_path / "with.csv").write_text(f"{','.join(UCI)}\n{KNOWN}\n{UNKNOWN}\n")
    (tmp_path / "without.csv").write_text(f"{KNOWN}\n{UNKNOWN}\n\n")
    for name in ("with.csv", "without.csv"):
        adult = find_adult(tmp_path / name, small=False)
        assert (len(adult), len(adult.known()), adult.stand_in) == (2, 1, False)
        assert adult.columns["age"].tolist() == [39, 39]
        assert adult.columns["occupation"].tolist() == ["Adm-clerical", "?"]


def test_a_parquet_file_says_what_a_file_of_uci_says(tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text(f"{KNOWN}\n{UNKNOWN}\n")
    lines = [[text.strip() for text in line.split(",")] for line in (KNOWN, UNKNOWN)]
    texts = dict(zip(UCI, zip(*lines, strict=True), strict=True))
    numbers = {name: list(map(int, texts[name])) for name in NUMBERS}
    pyarrow.parquet.write_table(pa.table({**texts, **numbers}), tmp_path / "adult.parquet")
    text, parquet = (find_adult(tmp_path / name, small=False) for name in ("adult.data", "adult.parquet"))
    assert list(parquet.columns) == list(text.columns)
    assert all(parquet.columns[name].tolist() == text.columns[name].tolist() for name in UCI)


def test_what_is_missing_in_a_parquet_file_is_unknown(tmp_path: Path) -> None:
    some = {name: [1, 2] if name in NUMBERS else ["x", "y" if name == "race" else None] for name in UCI}
    pyarrow.parquet.write_table(pa.table(some), tmp_path / "null.parquet")
    adult = find_adult(tmp_path / "null.parquet", small=False)
    assert (len(adult), len(adult.known())) == (2, 1)


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("canary")
    with pytest.raises(ic.DataError, match=r"The file 'text\.parquet' is damaged"):
        find_adult(tmp_path / "text.parquet", small=True)


def test_the_table_is_found_in_the_folder_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_DATA", str(tmp_path))
    assert find_adult(None, small=True).stand_in
    (tmp_path / "adult.csv").write_text(f"{KNOWN}\n")
    assert (len(find_adult(None, small=True)), find_adult(None, small=True).stand_in) == (1, False)
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "uci_adult_raw.csv").write_text(f"{KNOWN}\n{KNOWN}\n")
    assert len(find_adult(None, small=True)) == 2


def test_the_parquet_file_is_found_in_the_folder_of_data(adult_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_DATA", str(adult_folder))
    assert not find_adult(None, small=True).stand_in


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("name;age\nCanary;39\n", "lacks occupation, marital-status"),
        ("", "lines are not all of one length, or there are none"),
        (f"{KNOWN}\n39, Canary\n", "lines are not all of one length"),
        (f"{KNOWN}\n{KNOWN.replace('39,', 'Canary,')}\n", "age is not a whole number"),
        ("\udc81", "cannot be read"),
    ],
)
def test_another_file_is_refused_without_showing_its_values(content: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "given.csv"
    path.write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ic.DataError, match=why) as refused:
        reproduce("closeness", adult=path)
    assert "given.csv" in str(refused.value)
    assert "Canary" not in str(refused.value)


def test_a_folder_of_data_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_DATA", str(tmp_path / "no"))
    with pytest.raises(ic.DataError, match=r"There is no folder '.*no', which INCROWD_DATA names") as refused:
        reproduce("closeness", small=True)
    assert "unset it" in refused.value.hint


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ic.DataError, match=r"There is no file '.*no\.csv'\."):
        reproduce(adult=tmp_path / "no.csv")


def test_the_stand_in_has_the_columns_of_adult_and_is_always_the_same() -> None:
    one, two = (find_adult(None, small=True) for _ in range(2))
    assert set(UCI) - set(one.columns) == {"fnlwgt", "education-num", "relationship"}
    assert all(np.array_equal(one.columns[name], two.columns[name]) for name in one.columns)
    assert (len(one), len(one.known())) == (1000, 1000)


def test_samples_are_drawn_without_replacement_and_differ_by_their_number() -> None:
    adult = find_adult(None, small=True).having("place", np.arange(1000))
    first, again, second = (adult.sample(400, number).columns["place"] for number in (1, 1, 2))
    assert len(set(first.tolist())) == 400
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


def test_adult_has_30162_records_without_unknown_values_in_both_forms(adult_folder: Path, adult_csv: Path) -> None:
    adult = find_adult(adult_folder / "adult.parquet", small=False)
    arx = find_adult(adult_csv, small=False)
    assert (len(adult), len(adult.known()), len(arx), len(arx.known())) == (32_561, 30_162, 30_162, 30_162)
    assert all(np.array_equal(adult.known().columns[name], arx.columns[name]) for name in arx.columns)


def test_the_hierarchies_have_the_heights_of_the_thesis(adult_folder: Path) -> None:
    patients = _enhanced.Patients.of(find_adult(adult_folder / "adult.parquet", small=False).known())
    ladders = patients.census.ladders
    assert [ladders[name].height for name in patients.census.quasi] == [3, 2, 2, 2, 1, 3, 2]
    assert patients.problem("k>=4").nodes == 2592


@pytest.mark.parametrize(
    ("model", "minimal"),
    [("k>=4, p>=2", 31), ("k>=4, p-alpha(p=2, alpha=2)", 25), ("k>=4, enhanced(p=2, alpha=2)", 25)],
)
def test_no_minimal_table_of_adult_is_exposed_if_nothing_is_left_out(
    adult_folder: Path, model: str, minimal: int
) -> None:
    known = find_adult(adult_folder / "adult.parquet", small=False).known()
    problem = _enhanced.Patients.of(known).problem(model)
    nodes = all_solutions(problem).minimal
    assert [_enhanced._count_exposed_records(problem, node) for node in nodes] == [0] * minimal


def test_a_file_without_gains_and_losses_has_other_confidential_columns(adult_csv: Path) -> None:
    found = reproduce("p-sensitive", adult=adult_csv, small=True)["p-sensitive"]
    assert "confidential are salary-class, education, occupation, workclass" in found.data
    assert not found.stand_in
