"""Columns of lists read as texts, ``E11|I10``: items in ascending order, each once; a list of nothing is missing.

Lists with an item that is missing, empty, or holds what stands between items become nothing but that: whoever takes the
texts apart refuses them then, and counts them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError
from incrowd.engines._duckdb import name_sql

Lists = Mapping[str, str]
"""The columns that may hold lists, each with what is to stand between items."""
NO_LISTS: Lists = MappingProxyType({})
_PLAIN = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer)
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)


def _refuse_items(name: str, what: str) -> DataError:
    """Refuse lists of something that is no item."""
    msg = f"Column {name!r} holds lists of {what}, and an item is a text or a whole number."
    return DataError(msg, hint="make every item a text, and every list a plain one.")


def with_texts(source: Any, lists: Lists) -> Any:
    """Write the lists of a table of any kind as texts; columns of anything else stay, and so does the table itself."""
    if not lists:
        return source
    libraries = {base.__module__.partition(".")[0].strip("_") for base in type(source).__mro__}
    way = next((way for library, way in _WAYS.items() if library in libraries), None)
    return source if way is None else way(source, lists)


def _table_of_texts(table: pa.Table, lists: Lists) -> pa.Table:
    """Write the lists of a table of Arrow as texts; columns of anything else stay."""
    for place, field in enumerate(table.schema if isinstance(table, pa.Table) else ()):
        if field.name in lists and any(is_one(field.type) for is_one in _LISTS):
            if not any(is_one(field.type.value_type) for is_one in _PLAIN):
                raise _refuse_items(field.name, str(field.type.value_type))
            chunk = table.column(place).cast(pa.large_list(pa.large_string())).combine_chunks()
            texts = _texts_of(chunk, lists[field.name])
            table = table.set_column(place, field.name, texts)
    return table


def _texts_of(column: Any, separator: str) -> pa.Array:
    """Write a column of lists of texts, all at once."""
    items, owner = pc.list_flatten(column), pc.list_parent_indices(column).to_numpy()
    bad = pc.or_kleene(pc.equal(items, ""), pc.match_substring(items, separator))
    wrong = np.unique(owner[pc.fill_null(bad, fill_value=True).to_numpy(zero_copy_only=False)])
    coded = pc.fill_null(items, "").dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    order = pc.sort_indices(coded.dictionary)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order.to_numpy()] = np.arange(len(order))
    width = max(len(order), 1)
    pairs = np.unique(owner * width + rank[coded.indices.to_numpy()])
    starts = np.searchsorted(pairs // width, np.arange(len(column) + 1))
    names = coded.dictionary.take(order).take(pa.array(pairs % width))
    texts = pc.binary_join(
        pa.LargeListArray.from_arrays(pa.array(starts), names), pa.scalar(separator, pa.large_string())
    )
    hidden = np.zeros(len(column), dtype=bool)
    hidden[wrong] = True
    texts = pc.if_else(pa.array(hidden), pa.scalar(separator, pa.large_string()), texts)
    return pc.if_else(pa.array(np.diff(starts) > 0), texts, pa.scalar(None, pa.large_string()))


def _relation_of_texts(relation: duckdb.DuckDBPyRelation, lists: Lists) -> duckdb.DuckDBPyRelation:
    """Let a relation write its lists as texts."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    cells = {}
    for name in lists:
        found = re.fullmatch(r"(.*?)((?:\[\d*\])+)", types.get(name, ""))
        if found is None:
            continue
        if found[2].count("[") > 1 or not re.fullmatch(r"VARCHAR|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", found[1]):
            raise _refuse_items(name, types[name].removesuffix("[]").lower())
        cells[name] = _text_sql(f"CAST({name_sql(name)} AS VARCHAR[])", lists[name].replace("'", "''"))
    columns = [f"{cells[name]} AS {name_sql(name)}" if name in cells else name_sql(name) for name in relation.columns]
    return relation.project(", ".join(columns)) if cells else relation


def _text_sql(items: str, separator: str) -> str:
    """Write in DuckDB's SQL what is written for a list."""
    wrong = f"list_count({items}) < len({items}) OR list_contains({items}, '')"
    wrong += f" OR contains(array_to_string({items}, ''), '{separator}')"
    text = f"array_to_string(list_sort(list_distinct({items})), '{separator}')"
    return f"CASE WHEN {items} IS NULL OR len({items}) = 0 THEN NULL WHEN {wrong} THEN '{separator}' ELSE {text} END"


def _polars_of_texts(frame: Any, lists: Lists) -> Any:
    """Let a frame of Polars, lazy or not, write its lists as texts."""
    polars: Any = sys.modules["polars"]
    types = frame.collect_schema()
    cells = []
    for name, separator in lists.items():
        if not isinstance(types.get(name), (polars.List, polars.Array)):
            continue
        inner = types[name].inner
        if not (inner == polars.String or inner.is_integer()):
            raise _refuse_items(name, str(inner))
        items = polars.col(name).cast(polars.List(polars.String))
        one = polars.element()
        wrong = items.list.eval(
            one.is_null() | (one == "") | one.str.contains(separator, literal=True).fill_null(value=True)
        ).list.any()
        text = items.list.unique().list.sort().list.join(separator)
        text = polars.when(wrong).then(polars.lit(separator)).otherwise(text)
        cells.append(polars.when(items.list.len() > 0).then(text).alias(name))
    return frame.with_columns(cells) if cells else frame


def _spark_of_texts(frame: Any, lists: Lists) -> Any:
    """Let a table on a cluster write its lists as texts."""
    functions: Any = import_module("pyspark.sql.functions")
    types = dict(frame.dtypes)
    for name, separator in lists.items():
        found = re.fullmatch(r"array<(.*)>", types.get(name, ""))
        if found is None:
            continue
        if not re.fullmatch(r"string|(tiny|small|big)?int", found[1]):
            raise _refuse_items(name, found[1])
        quoted, sign = f"`{name.replace('`', '``')}`", separator.replace("\\", "\\\\").replace("'", "\\'")
        items = f"CAST({quoted} AS array<string>)"
        wrong = f"exists({items}, one -> one IS NULL OR one = '' OR instr(one, '{sign}') > 0)"
        text = f"array_join(array_sort(array_distinct({items})), '{sign}')"
        cell = f"CASE WHEN size({items}) > 0 THEN CASE WHEN {wrong} THEN '{sign}' ELSE {text} END END"
        frame = frame.withColumn(name, functions.expr(cell))
    return frame


def _rows_of_texts(rows: Sequence[Mapping[str, Any]], lists: Lists) -> Sequence[Mapping[str, Any]]:
    """Write the lists of plain rows as texts."""
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return rows
    there = {name: separator for name, separator in lists.items() if any(_is_listed(row.get(name)) for row in rows)}
    if not there:
        return rows
    return [{**row, **{name: _text_of_list(name, row.get(name), there[name]) for name in there}} for row in rows]


def _pandas_of_texts(frame: Any, lists: Lists) -> Any:
    """Write the lists of a frame of pandas as texts: they are objects there."""
    cells = {}
    for name in (name for name in lists if name in frame.columns):
        kind = str(frame[name].dtype)
        values = frame[name].tolist() if kind == "object" or "list" in kind else []
        if any(map(_is_listed, values)):
            cells[name] = [_text_of_list(name, value, lists[name]) for value in values]
    return frame.assign(**cells) if cells else frame


def _text_of_list(name: str, value: Any, separator: str) -> Any:
    """Write one list as a text; what is none stays."""
    if not _is_listed(value):
        return value
    items = [one.item() if isinstance(one, np.generic) else one for one in value]
    strange = {
        type(one).__name__
        for one in items
        if one is not None and (isinstance(one, bool) or not isinstance(one, (str, int)))
    }
    if strange:
        raise _refuse_items(name, min(strange))
    texts = {None if one is None else str(one) for one in items}
    if any(not text or separator in text for text in texts):
        return separator
    return separator.join(sorted(map(str, texts))) or None


def _is_listed(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


_WAYS: Mapping[str, Callable[[Any, Lists], Any]] = {
    "pyarrow": _table_of_texts,
    "duckdb": _relation_of_texts,
    "polars": _polars_of_texts,
    "pandas": _pandas_of_texts,
    "pyspark": _spark_of_texts,
    "builtins": _rows_of_texts,
}
"""How a table of each library is read; plain rows come last, because everything is an object."""
