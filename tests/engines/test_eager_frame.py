"""Frames in memory: encoded in this process, or by DuckDB if they are too large; nobody can tell which."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from incrowd.core import CensusRequest, DataError, Domain, FullDomainRecoding, Ladder, LocalRecoding, Step
from incrowd.engines import Budget, Engine, open_table
from incrowd.engines._eager_frame import EagerEngine
from incrowd.engines._encoding import Coded
from incrowd.engines._lazy_frame import FrameEngine

NOON = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
COLUMNS: dict[str, pa.Array] = {
    "bool": pa.array([True, None, False, True]),
    "uint64": pa.array([2**64 - 1, 1, None, 1], pa.uint64()),
    "float": pa.array([0.1, -0.0, float("nan"), None], pa.float32()),
    "double": pa.array([1.0, -0.0, 0.0, None]),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("-2.25"), Decimal("1.50")]),
    "date": pa.array([dt.date(2024, 1, 1), None, dt.date(1999, 1, 1), None], pa.date64()),
    "seconds": pa.array([dt.datetime(2024, 1, 1, 5), None, None, dt.datetime(2023, 1, 1)], pa.timestamp("s")),  # noqa: DTZ001
    "instant": pa.array([NOON, None, NOON, NOON], pa.timestamp("ms", "Europe/Berlin")),
    "text": pa.array(["b", "", "B", None]),
    "large": pa.array(["b", "\U0001f600", "\ufffd", None], pa.large_string()),
    "nothing": pa.nulls(4),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 3], pa.int8()), pa.array(["b", "x", "a", ""])),
    "repeated": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1], pa.int8()), pa.array(["b", None, "b"])),
    "moments": pa.array([10**9, 0, None, 10**9], pa.timestamp("ns")).dictionary_encode(),
}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Open a frame as if it were too large to be encoded in this process."""

    def opened(source: Any, **reading: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(Budget, "rows", lambda *_: -1)
            return open_table(source, **reading)

    return opened


def both(large: Any, source: Any, **reading: Any) -> tuple[Engine, Engine]:
    here, there = open_table(source, **reading), large(source, **reading)
    assert (type(here), type(there)) == (EagerEngine, FrameEngine)
    return here, there


@pytest.mark.parametrize("drop", [[], ["x"]])
@pytest.mark.parametrize("rows", [4, 0])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_frame_is_the_same_wherever_it_is_encoded(name: str, rows: int, drop: list[str], large: Any) -> None:
    table = pa.table({"x": COLUMNS[name], "q": ["u", "v", "u", "u"], "n": [1, 2, 3, 4]}).slice(0, rows)
    here, there = both(large, table, drop_missing=drop)
    assert here.columns() == there.columns()
    request = CensusRequest(("q",), ("x",), count="n")
    assert here.census(request) == there.census(request)
    assert here.census_size(request) == there.census_size(request)
    assert here.materialise().equals(there.materialise())
    own = here.domains(["q", "x"])
    for quasi, sensitive in (("x", "q"), ("q", "x")):
        left, right = (engine.classes([quasi], {sensitive: own[sensitive]}, count="n") for engine in (here, there))
        assert left.texts(0).tolist() == right.texts(0).tolist()
        assert left.size.tolist() == right.size.tolist()
        assert left.histogram(sensitive).values[0].tolist() == right.histogram(sensitive).values[0].tolist()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_release_is_the_same_wherever_it_is_made(name: str, large: Any) -> None:
    table = pa.table({"x": COLUMNS[name], "q": ["u", "v", "u", "w"], "n": [1, 2, 3, 4]})
    here, there = both(large, table)
    domains = here.domains(["q"])
    ladders = {"q": Ladder.climb(domains["q"], [Step(np.array([1, 0, 0]), ["v to w", "u"]), Step.top(domains["q"])])}
    recoding = FullDomainRecoding(domains, ladders, {"q": 1}, (np.array([0]),))
    releases = [engine.recode(recoding, ["x", "q"]).materialise() for engine in (here, there)]
    assert releases[0].equals(releases[1])
    assert releases[0]["q"].to_pylist() == ["v to w"] * 2


def test_the_memory_limit_decides_where_a_frame_is_encoded() -> None:
    table = pa.table({"q": np.zeros(2_000_000, dtype=np.uint8)})
    small, enough = open_table(table, memory="32MB"), open_table(table, memory="320MB")
    assert (type(small), type(enough), type(open_table(table))) == (FrameEngine, EagerEngine, EagerEngine)


def test_a_list_beside_other_columns_is_left_to_duckdb() -> None:
    engine = open_table(pa.table({"q": ["a", "b", "a"], "x": [[1], [2], [0]]}))
    assert engine.census(CensusRequest(("q",))).counts.tolist() == [2, 1]
    assert engine.materialise().to_pylist() == [{"q": "a", "x": [0]}, {"q": "a", "x": [1]}, {"q": "b", "x": [2]}]


def test_texts_as_views_are_left_to_duckdb() -> None:
    views = pa.array(["b", "a text of more than twelve signs", "b", ""], pa.string_view())
    assert open_table(pa.table({"q": views})).domains(["q"])["q"].counts.tolist() == [1, 2, 1]


@pytest.mark.parametrize("nulls", ["mask", "encode"])
def test_chunks_may_have_dictionaries_of_their_own(nulls: str) -> None:
    chunks = [pa.array(values).dictionary_encode(null_encoding=nulls) for values in (["b", "a"], ["c", None, "a"])]
    domain = open_table(pa.table({"q": pa.chunked_array(chunks)})).domains(["q"])["q"]
    assert (domain.texts.tolist(), domain.counts.tolist()) == (["a", "b", "c", None], [2, 1, 1, 1])


def test_what_comes_back_is_what_went_in_sorted_and_without_its_index() -> None:
    frame = pd.DataFrame({"q": pd.Categorical(["b", "a", None]), "x": [1.5, np.nan, 2.5]}, index=[7, 7, 3])
    result = open_table(frame).materialise()
    assert result.index.tolist() == [0, 1, 2]
    assert (result["q"].tolist()[:2], result["x"].tolist()[1:]) == (["a", "b"], [1.5, 2.5])
    assert isinstance(open_table(pl.from_pandas(frame)).materialise(), pl.DataFrame)


def test_a_small_float_is_written_as_what_it_is(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([0.1], pa.float32())})
    open_table(table).write(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "x\n0.10000000149011612\n"
    assert open_table(table).domains(["x"])["x"].texts.tolist() == ["0.10000000149011612"]


def test_a_local_recoding_of_other_cells_is_refused() -> None:
    recoding = LocalRecoding(
        ("q",),
        {"q": Domain.of("q", ["a", "b"])},
        (np.array([0, 1]),),
        np.array([0, 0]),
        np.array([2, 1]),
        (np.array(["*"], dtype=object),),
    )
    with pytest.raises(DataError, match="about other records than the table has"):
        open_table(pa.table({"q": ["a", "b", "b"]})).recode(recoding, ["q"])


def test_an_arrow_table_does_not_load_pandas() -> None:
    code = (
        "import sys, numpy as np, pyarrow as pa\n"
        "from incrowd.engines import open_table\n"
        "from incrowd.engines._arrow import of_numbers, of_texts\n"
        "columns = [of_texts(['a', '', None]), of_numbers(np.array([1.5, 0.0, np.nan]))]\n"
        "engine = open_table(pa.Table.from_arrays(columns, ['q', 'x']))\n"
        "assert len(engine.classes(['q'], engine.domains(['x']))) == 2\n"
        "assert engine.materialise().num_rows == 3\n"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


@given(st.lists(st.one_of(st.none(), st.floats(allow_infinity=False))))
def test_numbers_are_coded_in_order(values: list[float | None]) -> None:
    coded = Coded.of(pa.chunked_array([pa.array(values, pa.float64())]))
    cleaned = [None if value is None or value != value else value + 0.0 for value in values]  # noqa: PLR0124 - NaN
    expected = sorted({value for value in cleaned if value is not None}) + [None] * (None in cleaned)
    assert coded.keys.to_pylist() == expected
    assert [expected[code] for code in coded.codes] == cleaned
    assert coded.values().to_pylist() == cleaned


@given(st.lists(st.one_of(st.none(), st.text(max_size=2))), st.lists(st.text(max_size=2)))
def test_texts_are_coded_in_order_without_those_that_mean_missing(values: list[str | None], missing: list[str]) -> None:
    cleaned = [None if value in missing else value for value in values]
    expected = sorted({value for value in cleaned if value is not None}) + [None] * (None in cleaned)
    for column in (pa.array(values, pa.string()), pa.array(values, pa.string()).dictionary_encode()):
        coded = Coded.of(pa.chunked_array([column]), missing)
        assert coded.keys.to_pylist() == expected
        assert [expected[code] for code in coded.codes] == cleaned
        assert coded.missing.tolist() == [value is None for value in cleaned]


def test_a_polars_frame_comes_back_as_arrow_says_it_whatever_its_types() -> None:
    texts = pl.Series(["long enough for a buffer", "", None, "x"])
    frame = pl.DataFrame(pl.from_arrow(pa.table(COLUMNS))).with_columns(kind=texts.cast(pl.Categorical), text=texts)
    whole = open_table(frame, missing_values=())
    recoding = FullDomainRecoding({}, {}, {})
    told = whole.recode(recoding, frame.columns, keep_order=True)
    table = told._sorted_frame()  # type: ignore[attr-defined]
    found, expected = told.materialise(), pl.DataFrame(pl.from_arrow(table))
    assert isinstance(found, pl.DataFrame)
    assert found.schema == expected.schema
    assert found.equals(expected)
    assert found["text"].to_list() == texts.to_list()


def test_a_polars_frame_without_rows_comes_back() -> None:
    frame = pl.DataFrame({"text": ["a"], "number": [1]}).head(0)
    found = open_table(frame).recode(FullDomainRecoding({}, {}, {}), frame.columns).materialise()
    assert found.equals(frame)
    assert found.schema == frame.schema
