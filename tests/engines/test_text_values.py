"""Texts that are read together mean exactly what they mean one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, strategies as st

from incrowd.core import Domain
from incrowd.engines import _text_columns
from incrowd.engines._arrow import of_texts
from incrowd.engines._text_columns import TextRows, TooManyRowsError, column_of

EDGES = (
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
    st.sampled_from(EDGES),
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


@pytest.mark.parametrize("text", EDGES)
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


CELLS = st.one_of(st.none(), st.sampled_from(["a", "b", "?", "-", "ä"]), st.text(max_size=2))


@given(st.lists(st.lists(CELLS, max_size=6), max_size=8), st.sampled_from([[], ["?"], ["?", "-"]]))
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
