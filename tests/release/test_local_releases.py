"""Local recodings, from the search to the files: with a search that cuts the sorted records into runs."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import incrowd as ic
from incrowd.core import LocalRecoding
from incrowd.hierarchies import covers
from incrowd.search import LocalOutcome, LocalTable, Pieces, Problem, Progress
from incrowd.search._local_recoding import Labels

SCHEMA = ic.Schema(
    quasi={"age": ic.intervals(5, 10), "town": ic.tree([("bonn", "west"), ("köln", "west"), ("kiel", "north")])},
    sensitive=["disease"],
)
TABLE = [
    {"age": age, "town": town, "disease": disease}
    for age, town, disease in [
        (21, "bonn", "flu"),
        (21, "bonn", "flu"),
        (21, "bonn", "flu"),
        (24, "kiel", "hiv"),
        (28, "köln", "flu"),
        (35, "bonn", "hiv"),
        (36, "bonn", "flu"),
    ]
]


@dataclass(frozen=True)
class Runs:
    """Every two records in the order of the census are a class; the last may be three."""

    labels: Labels = "hierarchy"
    leave_out: int = 0
    local: ClassVar[bool] = True

    def search(
        self,
        problem: Problem,
        progress: Callable[[Progress], bool | None] | None = None,  # noqa: ARG002
    ) -> LocalOutcome:
        table = LocalTable(problem)
        cells = np.repeat(np.arange(len(table.census)), table.census.counts)
        classes = np.minimum(np.arange(len(cells)) // 2, (len(cells) - self.leave_out) // 2 - 1)
        if self.leave_out:
            classes[-self.leave_out :] = -1
        pieces = Pieces(cells, classes.astype(np.int64), np.ones(len(cells), dtype=np.int64))
        return table.outcome(pieces, table.labels(pieces, self.labels))


def publish(algorithm: Runs, table: Any = TABLE, schema: ic.Schema = SCHEMA, **more: Any) -> ic.Release:
    return ic.anonymize(table, schema, model="k>=2", algorithm=algorithm, **more)


def test_equal_records_may_part_and_each_class_is_called_by_its_members() -> None:
    release = publish(Runs())
    assert Counter((row["age"], row["town"]) for row in release.table) == {
        ("21", "bonn"): 2,
        ("[20, 25)", "*"): 2,
        ("*", "west"): 3,
    }
    assert (release.recoding.levels, release.recipe.levels, release.recipe.proof) == (None, None, "heuristic")


def test_ranges_and_sets() -> None:
    ranges = Counter((row["age"], row["town"]) for row in publish(Runs("range")).table)
    assert ranges == {("21", "bonn"): 2, ("21..24", "*"): 2, ("28..36", "west"): 3}
    sets = Counter((row["age"], row["town"]) for row in publish(Runs("set")).table)
    assert sets == {("21", "bonn"): 2, ("21..24", "{bonn, kiel}"): 2, ("28..36", "{bonn, köln}"): 3}


def test_columns_are_averaged_where_the_schema_says_so() -> None:
    averaged = ic.Schema(quasi={"age": ic.averaged(ic.intervals(5, 10)), "town": ic.flat()}, sensitive=["disease"])
    release = publish(Runs(), schema=averaged)
    assert Counter(row["age"] for row in release.table) == {"21": 2, "22": 2, "33": 3}  # of 21, 24 and of 28, 35, 36
    with pytest.raises(ic.ParameterError, match="'age' is to be averaged, and LevelsAndCells publishes"):
        ic.anonymize(TABLE, averaged, model="k>=2")


def test_every_engine_gives_the_same_release() -> None:
    expected = publish(Runs()).table
    frame = pl.DataFrame(TABLE)
    assert publish(Runs(), frame).table.to_dicts() == expected
    assert publish(Runs(), frame.sample(fraction=1, shuffle=True, seed=3)).table.to_dicts() == expected
    assert publish(Runs(), frame.to_arrow()).table.to_pylist() == expected
    assert publish(Runs(), frame.lazy()).table.collect().to_dicts() == expected


def test_every_label_covers_the_value_that_it_stands_for() -> None:
    with pytest.warns(ic.PrivacyWarning, match="keep their order"):
        kept = publish(Runs("range"), order="keep").table
    for row, published in zip(TABLE, kept, strict=True):
        assert covers(published["age"], str(row["age"]))


def test_a_column_stays_at_least_as_coarse_as_it_must_be() -> None:
    release = publish(Runs(), at_least={"age": 1})
    assert Counter((row["age"], row["town"]) for row in release.table) == {
        ("[20, 25)", "bonn"): 2,
        ("[20, 25)", "*"): 2,
        ("*", "west"): 3,
    }


def test_it_is_saved_verified_and_explained(tmp_path: Path) -> None:
    release = publish(Runs())
    release.save(tmp_path / "out", format="csv")
    public = tmp_path / "out" / "public"
    assert ic.verify(public / "release.json", owner=tmp_path / "out" / "owner").holds
    script = subprocess.run([sys.executable, public / "verify.py"], capture_output=True, text=True, check=False)
    assert (script.returncode, script.stderr) == (0, "")
    saved = ic.load_recoding(tmp_path / "out" / "owner").recoding
    assert isinstance(saved, LocalRecoding)
    assert isinstance(release.recoding, LocalRecoding)
    assert saved.labels[0].tolist() == release.recoding.labels[0].tolist()
    assert "age: 2 labels for 5 values; 28.6% of the records as they are" in release.explain()
    with pytest.raises(ic.HierarchyError, match="belongs to the table that it was made for") as raised:
        ic.apply(release, TABLE)
    assert "A release made with the search Optimal() can be applied to other tables" in raised.value.hint


def test_what_is_left_out_is_counted_and_not_masked() -> None:
    release = publish(Runs(leave_out=1))
    assert (release.recipe.suppressed, len(release.table)) == (1, 6)
    with pytest.raises(ic.ParameterError, match="cannot mask"):
        publish(Runs(leave_out=1), suppression="mask")


def test_what_a_local_recoding_cannot_do_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match="at_most of column 'age' cannot be kept"):
        publish(Runs(), at_most={"age": 1})
    counted = [{**row, "many": 2} for row in TABLE]
    with pytest.raises(ic.ParameterError, match="stands for several records"):
        publish(Runs(), counted, ic.Schema(quasi=dict(SCHEMA.quasi), sensitive=["disease"], count="many"))


SEARCHES = [
    ic.TopDown(),
    ic.Mondrian(),
    ic.Datafly(),
    ic.MuArgus(),
    ic.SwapDiversity(),
    ic.CheapestFirst(),
]
"""All local recodings of ours."""


@pytest.mark.parametrize("search", SEARCHES, ids=repr)
def test_an_average_has_no_level_that_it_could_be_kept_at(search: Any) -> None:
    roles = ic.Schema(quasi={"age": ic.averaged(ic.intervals(5, 10)), "town": ic.flat()}, sensitive=["disease"])
    model = "k>=2, l>=2" if isinstance(search, ic.SwapDiversity) else "k>=2"
    with pytest.raises(ic.ParameterError, match="at_least of column 'age' cannot be kept: the column is averaged"):
        ic.anonymize(TABLE, roles, model=model, algorithm=search, at_least={"age": 1})


@pytest.mark.parametrize("search", SEARCHES, ids=repr)
def test_the_importance_of_columns_is_checked(search: Any) -> None:
    model = "k>=2, l>=2" if isinstance(search, ic.SwapDiversity) else "k>=2"
    wrong: list[tuple[dict[str, float], str]] = [
        ({"agee": 2}, "no column 'agee'"),
        ({"age": float("nan")}, "number above 0, got nan"),
    ]
    for importance, problem in wrong:
        with pytest.raises(ic.IncrowdError, match=problem):
            ic.anonymize(TABLE, SCHEMA, model=model, algorithm=search, importance=importance)


@pytest.mark.parametrize("search", SEARCHES, ids=repr)
def test_what_a_search_would_not_heed_is_refused(search: Any) -> None:
    model = "k>=2, l>=2" if isinstance(search, ic.SwapDiversity) else "k>=2"
    with pytest.raises(ic.ParameterError, match="balance weighs leaving records out"):
        ic.anonymize(TABLE, SCHEMA, model=model, algorithm=search, balance=0.9)
    if not isinstance(search, (ic.Mondrian, ic.CheapestFirst)):
        with pytest.raises(ic.ParameterError, match="no column can weigh more than another"):
            ic.anonymize(TABLE, SCHEMA, model=model, algorithm=search, importance={"age": 2})


@pytest.mark.parametrize(
    ("search", "parameter"),
    [(ic.Datafly, "improved"), (ic.MuArgus, "improved"), (ic.SwapDiversity, "swap"), (ic.TopDown, "retry")],
)
def test_a_choice_is_true_or_false(search: Any, parameter: str) -> None:
    with pytest.raises(ic.ParameterError, match=f"{parameter} must be [Tt]rue or [Ff]alse, got 'no'"):
        search(**{parameter: "no"})


def test_one_label_is_one_label() -> None:
    everybody = ic.anonymize(TABLE, SCHEMA, model="k>=7", algorithm=ic.TopDown())
    assert "town: without its values (all are one group); detail kept 0.0%." in everybody.explain()
