"""Hierarchies as plans and saved recodings write them: formats that old files have too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import Hierarchy
from incrowd.hierarchies import hierarchies_from_plain, hierarchy_of, plain_schema, table_of

SAVED: list[tuple[Hierarchy, dict[str, Any]]] = [
    (ic.flat(), {"kind": "flat"}),
    (ic.mask("left", 2, "#"), {"kind": "mask", "from": "left", "keep": 2, "char": "#"}),
    (ic.dates("week", "year"), {"kind": "dates", "units": ["week", "year"], "format": None}),
    (
        ic.dates("year", format="%d.%m.%y", newest=2010),
        {"kind": "dates", "units": ["year"], "format": "%d.%m.%y", "newest": 2010},
    ),
    (ic.top_coded(90, 80.5), {"kind": "coded", "end": "top", "bounds": ["90", "161/2"]}),
    (
        ic.classification("countries", others="other"),
        {"kind": "classification", "name": "countries", "others": "other"},
    ),
    (ic.classification("nuts"), {"kind": "classification", "name": "nuts", "others": None}),
    (ic.postcodes("GB"), {"kind": "postcodes", "country": "GB"}),
    (
        ic.intervals(5, 10, bottom=-1.5, top=20),
        {"kind": "intervals", "widths": ["5", "10"], "start": "0", "bottom": "-3/2", "top": "20"},
    ),
]
WRITTEN: list[tuple[Hierarchy, dict[str, Any]]] = [
    (ic.flat(), {"flat": True}),
    (ic.mask(), {"mask": "right", "keep": 0, "char": "*"}),
    (ic.dates("month", "year", format="%Y%m%d"), {"dates": ["month", "year"], "format": "%Y%m%d"}),
    (ic.intervals(0.5, 5), {"intervals": [0.5, 5]}),
    (ic.intervals(5, start=1, bottom=18, top=90), {"intervals": [5], "start": 1, "bottom": 18, "top": 90}),
    (ic.frequent(0.01, 0.05), {"frequent": [0.01, 0.05]}),
    (ic.frequent(2, 10), {"frequent": [2, 10]}),
    (ic.quantiles(8, 4), {"quantiles": [8, 4]}),
    (ic.classification("icd-10"), {"classification": "icd-10"}),
    (ic.postcodes("DE"), {"postcodes": "DE"}),
]


@pytest.mark.parametrize(("hierarchy", "plain"), SAVED, ids=repr)
def test_a_saved_hierarchy_is_written_as_ever_and_comes_back(hierarchy: Hierarchy, plain: dict[str, Any]) -> None:
    header, arrays = plain_schema(ic.Schema({"x": hierarchy}))
    written = header["hierarchies"]
    assert [*written["x"].items()] == [*plain.items()]
    assert arrays == {}
    assert hierarchies_from_plain(written, arrays) == {"x": hierarchy}


def test_a_tree_is_saved_as_one_array_for_each_level() -> None:
    tree = ic.tree({"West": ["FR", "DE"], "East": ["JP"]})
    schema = ic.Schema({"land": tree, "order": ic.ordered(["a", "b"], 2), "job": ic.frequent(2)})
    header, arrays = plain_schema(schema)
    written = header["hierarchies"]
    assert written == {"land": {"kind": "tree", "height": 2}, "order": {"kind": "tree", "height": 2}}
    assert arrays["tree land 1"].tolist() == ["West", "West", "East"]
    assert hierarchies_from_plain(written, arrays)["land"] == tree


def test_a_hierarchy_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ic.DataError, match="hierarchy of column 'x' is of a kind that this version does not know"):
        hierarchies_from_plain({"x": {"kind": "spiral"}}, {})
    with pytest.raises(ic.HierarchyError, match="of a kind that this version does not know"):
        hierarchy_of({"spiral": 3}, Path())


@pytest.mark.parametrize(("hierarchy", "table"), WRITTEN, ids=repr)
def test_a_hierarchy_of_a_plan_is_written_and_built_again(hierarchy: Hierarchy, table: dict[str, Any]) -> None:
    assert table_of(hierarchy) == table
    assert hierarchy_of(table, Path()) == hierarchy


@pytest.mark.parametrize(
    "hierarchy", [ic.auto(), ic.tree({"West": ["FR"]}), ic.ordered(["a", "b"], 2), ic.top_coded(90)]
)
def test_what_may_hold_values_of_a_table_is_not_written_into_a_plan(hierarchy: Hierarchy) -> None:
    assert table_of(hierarchy) is None
