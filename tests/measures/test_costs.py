"""A local recoding is measured as a node is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import group
from incrowd.measures import Loss, Published, costs_of_labels
from incrowd.search import Inspection, LocalTable, Pieces
from search.tables import problem, tables


@settings(max_examples=30)
@given(tables, st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 2)))
def test_a_node_written_as_a_local_recoding_costs_the_same(table: list[dict[str, str]], node: tuple[int, ...]) -> None:
    asked = problem(table, ic.KAnonymity(1))
    local, census = LocalTable(asked), asked.census
    codes = [namer.group_of(level)[census.codes[namer.column]] for namer, level in zip(local.names, node, strict=True)]
    classes = group(codes, [int(column.max()) + 1 for column in codes])
    pieces = Pieces(np.arange(len(census)), classes.ids.astype(np.int64), census.counts.astype(np.int64))
    labels = [
        namer.by_group(np.full(len(classes), level), column[classes.first])
        for namer, level, column in zip(local.names, node, codes, strict=True)
    ]
    expected = Inspection(asked, dict(zip(census.quasi, node, strict=True))).costs()
    found = local.outcome(pieces, labels)
    assert {**found.costs, "height": expected["height"]} == pytest.approx(expected, abs=1e-11)
    assert found.classes == len(classes)


def test_a_record_that_is_left_out_costs_the_most() -> None:
    asked = problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}] * 3, ic.KAnonymity(1))
    names = LocalTable(asked).names
    labels = [namer.by_group(np.array([0]), np.array([0])) for namer in names]
    costs = costs_of_labels(asked.census, labels, np.array([2]))
    objective = Loss().bind(asked.census, {}, 0.5)
    kept = tuple(np.array([2]) for _ in names)
    assert costs["loss"] == pytest.approx(objective.score(Published((0, 0, 0), kept, 1, np.array([2]))))
    assert costs["discernibility"] == 2 * 2 + 1 * 3
    assert costs["aecs"] == 3 / 2


def test_a_column_of_one_value_loses_nothing_when_a_record_is_left_out() -> None:
    table = [{"age": str(age), "planet": "earth"} for age in (20, 20, 31)]
    schema = ic.Schema(quasi={"age": ic.flat(), "planet": ic.flat()})
    node = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.4)
    plain = ic.Datafly(improved=False)
    local = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.4, algorithm=plain)
    assert local.table == node.table
    assert local.measures == {name: cost for name, cost in node.measures.items() if name != "height"}
