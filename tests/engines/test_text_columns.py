"""Texts that come in piece by piece keep their rows, whether they are looked up or kept as the numbers they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings, strategies as st

from incrowd.core import Domain
from incrowd.engines import _text_columns, open_table
from incrowd.engines._arrow import of_texts
from incrowd.engines._text_columns import TextColumn, TextRows, TooManyRowsError, column_of

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


@settings(max_examples=25, deadline=None)
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


# Texts that are read together mean exactly what they mean one by one.

MEANINGS = (
    "0", "-0", "00", "007", "+5", " 5", "5 ", "5\n", "", ".", "-", ".5", "5.", "5.0", "-5.0", "0.0", "-0.0", "0.00",
    "-0.00", "1.50", "1.5", "1e5", "1E5", "1e-07", "0.0000001", "1e+20", "100000000000000000000", "1_000", "0x10",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9007199254740993",
    "0.1", "0.30000000000000004", "0.1000000000000000055511151231257827", "123456789012345.6", "1234567890123456.7",
    "99999999999999.99", "9999999999999.95", "9" * 400, "0." + "0" * 400 + "1", "\u0663", "\uff15", "\u00b2", "nan",
    "NaN", "inf", "-inf", "Infinity", "true", "null", "2024-05-01", "2024-5-1", "2024-02-30", "0000-01-01",
    "0001-01-01", "9999-12-31", "10000-01-01", "20240501", "2024-W01-1", "2024-05-01 10:00", "2024-05-01T10:00",
    "2024-05-01 10:00:00", "2024-05-01 10:00:60", "2024-05-01 24:00", "2024-05-01 10:00:00.5",
    "2024-05-01 10:00:00.500", "2024-05-01 10:00:00.500000", "2024-05-01 10:00:00Z", "2024-05-01 10:00+01:00",
    "2024-05-01 00:00", "0000-01-01 10:00", "2024-05-01 10", "ä", "\U0001f600", "\uffff", "a\x00b",
)  # fmt: skip

WRITTEN = st.one_of(
    st.integers(-(2**63) - 2, 2**63 + 1).map(str),
    st.integers(-20, 20).map(str),
    st.floats(allow_nan=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda number: f"{number:.2f}"),
    st.decimals(-(10**12), 10**12, places=4).map(lambda number: format(number, "f")),
    st.dates().map(str),
    st.datetimes().map(str),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="minutes")),
    st.from_regex(r"-?[0-9]{1,18}(\.[0-9]{1,18})?\Z"),
    st.from_regex(r"[0-9]{4}-[0-1][0-9]-[0-3][0-9]([ T][0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,7})?)?)?\Z"),
    st.sampled_from(MEANINGS),
)
KINDS = st.sampled_from(
    [
        st.integers(-(2**63), 2**63 - 1).map(str),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.floats(-1e15, 1e15).map(lambda number: repr(round(number, 3))),
        st.decimals(-(10**11), 10**11, places=3).map(lambda number: format(number, ".3f")),
        st.dates().map(str),
        st.datetimes().map(lambda moment: moment.isoformat(sep=" ", timespec="seconds")),
        st.datetimes().map(str),
        WRITTEN,
    ]
)
"""Columns are mostly of one kind: mixtures of all would hardly ever be."""


def check(texts: Sequence[str]) -> None:
    """Compare a column that is read together, wherever that is possible, with the same texts one by one."""
    counts = np.arange(1, len(texts) + 1)
    expected = Domain.of_texts("x", list(texts), counts)
    column = column_of("x", of_texts(list(texts)), counts)
    found = column.domain
    assert found == expected
    assert found.values.dtype == expected.values.dtype
    assert found.texts.tolist() == expected.texts.tolist() == column.keys.to_pylist()
    assert (found.spelling is None) == (expected.spelling is None)


@pytest.fixture(autouse=True)
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read any number of texts together."""
    monkeypatch.setattr(_text_columns, "_MANY", 1)


@pytest.mark.parametrize("text", MEANINGS)
def test_a_text_at_an_edge_means_what_it_means_alone(text: str) -> None:
    for other in ([], ["7"], ["7.5"], ["7.25"], ["2020-01-01"], ["2020-01-01 12:30:00"], ["x"]):
        check([text, *(one for one in other if one != text)])
        check([*(one for one in other if one != text), text])


@given(KINDS.flatmap(lambda kind: st.lists(kind, unique=True, min_size=1, max_size=8)))
@example(["5e-324", "1.7976931348623157e+308"])
@example(["0.1", "0.10"])
def test_texts_together_mean_what_they_mean_one_by_one(texts: list[str]) -> None:
    check(texts)


@given(KINDS.flatmap(lambda kind: st.lists(kind, unique=True, min_size=1, max_size=5)), WRITTEN)
def test_one_text_among_others_is_never_overlooked(texts: list[str], other: str) -> None:
    check([*(text for text in texts if text != other), other])


def test_texts_that_do_not_occur_decide_nothing_and_missing_ones_are_counted() -> None:
    column = column_of("x", of_texts(["7", "gone", None, "12"]), np.array([2, 0, 3, 4]))
    assert column.domain.values.tolist() == [7, 12]
    assert column.domain.counts.tolist() == [2, 4, 3]
    assert column.keys.to_pylist() == ["7", "12"]


def test_a_column_that_is_missing_everywhere_is_text() -> None:
    column = column_of("x", of_texts([None]), np.array([5]))
    assert (column.domain.kind, column.domain.counts.tolist(), len(column.keys)) == ("text", [5], 0)


ROWS = st.one_of(st.none(), st.sampled_from(["a", "b", "?", "-", "ä"]), st.text(max_size=2))


@given(st.lists(st.lists(ROWS, max_size=6), max_size=8), st.sampled_from([[], ["?"], ["?", "-"]]))
def test_texts_are_numbered_in_the_order_in_which_they_appear(
    parts: list[list[str | None]], missing: list[str]
) -> None:
    rows = TextRows(["x"], missing, most=1_000)
    for part in parts:
        rows.add(pa.record_batch({"x": pa.array(part, pa.string())}))
    cells = [None if cell in missing else cell for part in parts for cell in part]
    texts = rows.texts("x").to_pylist()
    assert texts == [*dict.fromkeys(cells)]
    assert [texts[code] for code in rows.codes("x").tolist()] == cells


def test_more_different_texts_than_fit_are_noticed_and_repeated_ones_are_not_counted_twice() -> None:
    rows = TextRows(["x"], [], most=1_000, values=4)
    for _ in range(5):
        rows.add(pa.record_batch({"x": ["a", "b", "c"]}))
    with pytest.raises(TooManyRowsError):
        rows.add(pa.record_batch({"x": ["d", "e"]}))
