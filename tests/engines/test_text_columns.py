"""Texts that come in piece by piece keep their rows, whether they are looked up or kept as the numbers they are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, strategies as st

from incrowd.engines import _text_columns, open_table
from incrowd.engines._arrow import of_texts
from incrowd.engines._text_columns import TextColumn

EDGES = ("0", "-0", "00", "007", "+5", "-5", " 5", "9223372036854775807", "9223372036854775808", "-9223372036854775808")
NUMBERS = st.one_of(st.integers(-20, 200), st.integers(-(2**63), 2**63 - 1)).map(str)
TEXTS = st.one_of(NUMBERS, NUMBERS, st.sampled_from([*EDGES, "", "a", "10", "99", "100", "1.0"]), st.none())
BATCHES = st.lists(st.one_of(st.lists(NUMBERS, min_size=1), st.lists(TEXTS, min_size=1)), max_size=4)


@pytest.fixture(autouse=True)
def numbers_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_text_columns, "LONG", 1)
    monkeypatch.setattr(_text_columns, "_FIRST", 2)


@example([["9223372036854775807", "-9223372036854775808"]], [])
@example([["1", "2"], ["03", "4"]], [])
@example([["1", "2"], ["3", "99"]], ["99"])
@example([["5", "5", "1000000"], ["7"]], [])
@given(BATCHES, st.lists(st.sampled_from(["99", "a", "5"]), unique=True))
def test_rows_have_the_texts_that_came_in(batches: list[list[str | None]], missing: list[str]) -> None:
    column = TextColumn()
    for texts in batches:
        column.add(pa.array(texts, pa.string()), of_texts(missing))
    known = column.texts().to_pylist()
    assert len(set(known)) == len(known) <= column.most
    shown = [None if text in missing else text for texts in batches for text in texts]
    assert [known[code] for code in column.codes().tolist()] == shown
    if column.numbers is not None:
        assert [*map(str, column.numbers.tolist())] == known


def test_whole_numbers_that_hardly_repeat_are_known_as_numbers() -> None:
    column = TextColumn()
    column.add(pa.array(["3", "1", "-2"]), of_texts([]))
    column.add(pa.array(["3", "12"]), of_texts(["99"]))
    assert column.texts().to_pylist() == ["-2", "1", "3", "12"]
    assert column.numbers.tolist() == [-2, 1, 3, 12]
    column.add(pa.array(["a", "3"]), of_texts([]))
    assert column.texts().to_pylist() == ["-2", "1", "3", "12", "a"]
    assert column.numbers is None


def test_texts_that_become_the_same_get_one_code() -> None:
    column = TextColumn()
    column.add(pa.array(["1.000", "1000", "2", None]), of_texts([]))
    column.rewrite(of_texts(["1000", "1000", "2", None]), of_texts(["2"]))
    known = column.texts().to_pylist()
    assert [known[code] for code in column.codes().tolist()] == ["1000", "1000", None, None]


CELLS = st.sampled_from(
    ["1,5", "2,50", "1.000", "1000", "1.000,5", "-3", "x", "07.03.2020", "31.12.1999", "3.1.2020 8:15", ""]
)
TABLES = st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["1,5", "2"]), st.sampled_from(["1.2.2020", ""])), min_size=1)


@given(TABLES, st.sampled_from([(), ("1000",), ("-3", "x")]))
def test_columns_made_plain_at_once_are_those_made_plain_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], missing: tuple[str, ...]
) -> None:
    path = Path(tmp_path_factory.mktemp("german")) / "table.csv"
    path.write_text("\n".join(["a;b;c;d", *map(";".join, rows)]) + "\n")
    how = {"separator": ";", "decimal": ",", "thousands": ".", "dates": "%d.%m.%Y"}
    missing = ("", *missing)
    at_once, one_by_one = (open_table(path, missing_values=missing, **how) for _ in range(2))  # type: ignore[arg-type]
    domains = at_once.domains(["a", "b", "c", "d"])
    for name in ("a", "b", "c", "d"):
        alone = one_by_one.domains([name])[name]
        assert domains[name] == alone
        assert domains[name].texts.tolist() == alone.texts.tolist()
    assert at_once.rewritten == one_by_one.rewritten  # type: ignore[attr-defined]
    assert at_once.materialise().equals(one_by_one.materialise())
