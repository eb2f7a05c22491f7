from __future__ import annotations

import random
import shutil
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from core.faults import Allocations, tree
from incrowd.engines import open_table
from search import slow
from search.tables import PROMISES, rows, schema

PEOPLE = [
    {"name": f"N{number}", "age": age, "sex": sex, "disease": disease}
    for number, (age, sex, disease) in enumerate(
        [(31, "f", "flu"), (34, "f", "hiv"), (36, "m", "flu"), (38, "m", "asthma"), (52, "f", "flu"), (71, "m", "hiv")]
    )
]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()}, sensitive=["disease"], identifiers=["name"])
LIMITS: Any = {"max_suppressed": 0.5, "at_most": {"age": 1}}


LOUD = "a value of the table"


class Queries:
    """What DuckDB is asked: counted, and ``at`` one of the questions it fails."""

    asked, at = 0, -1

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        relation, connection = duckdb.DuckDBPyRelation, duckdb.DuckDBPyConnection
        for kind, names in (
            (connection, ("execute", "sql", "from_arrow", "read_csv", "read_parquet", "cursor")),
            (relation, ("fetchall", "to_arrow_table", "to_arrow_reader", "fetch_record_batch", "write_parquet")),
            (relation, ("aggregate", "project", "filter", "order", "limit")),
        ):
            for name in names:
                if hasattr(kind, name):  # some came and went
                    monkeypatch.setattr(kind, name, self._watched(getattr(kind, name)))

    def _watched(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            self.asked += 1
            if self.asked - 1 == self.at:
                raise (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.Error)[self.at % 3](LOUD)
            return real(*args, **given)

        return call


def test_whichever_query_fails_nothing_is_published_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each query of a run is the one that fails, once."""
    people, spill, place = tmp_path / "people.csv", tmp_path / "spill", tmp_path / "place"
    people.write_text("age,disease\n" + "".join(f"{30 + n % 7},flu\n" for n in range(40)))
    for folder in (spill, place):
        folder.mkdir()

    def publish() -> None:
        schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
        given: Any = {"output": place / "out", "force": True, "format": "csv", "temp": spill, "algorithm": ic.Optimal()}
        ic.anonymize(people, schema, model="k>=2", **given)

    publish()
    before, queries = tree(place / "out"), Queries()
    queries.watch(monkeypatch)
    publish()
    asked = queries.asked
    for number in range(asked):
        queries.asked, queries.at = 0, number
        with pytest.raises(ic.EngineError, match=r"Memory ran out|could not do it") as caught:
            publish()
        assert LOUD not in "".join(traceback.format_exception(caught.value))
        del caught
        assert tree(place / "out") == before
        assert [[path.name for path in folder.iterdir()] for folder in (place, spill)] == [["out"], []]
    assert asked > 20


def test_wherever_memory_runs_out_while_a_release_is_made_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place where the shared kernels take memory is without it once."""

    def publish() -> None:
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2, l>=2[disease]", output=tmp_path / "out", format="csv", **LIMITS)

    allocations = Allocations("incrowd.core")
    allocations.watch(monkeypatch)
    publish()
    shutil.rmtree(tmp_path / "out")
    places = [*allocations.places]
    for place in places:
        allocations.at = place
        with pytest.raises((ic.EngineError, MemoryError)):
            publish()
        assert list(tmp_path.iterdir()) == []
    assert len(places) > 20


def test_publishes_the_best_table_that_keeps_the_promise() -> None:
    release = ic.anonymize(PEOPLE, SCHEMA, algorithm=ic.Optimal(), model="k>=2", **LIMITS)
    assert release.table == [
        {"age": "[30, 40)", "sex": "f", "disease": "flu"},
        {"age": "[30, 40)", "sex": "f", "disease": "hiv"},
        {"age": "[30, 40)", "sex": "m", "disease": "asthma"},
        {"age": "[30, 40)", "sex": "m", "disease": "flu"},
    ]
    assert release.recipe.levels == {"age": 1, "sex": 0}
    assert (release.recipe.records, release.recipe.suppressed, release.recipe.proof) == (6, 2, "optimal")
    assert release.verdict.holds
    assert repr(release) == "Release(k>=2: 4 of 6 records, 2 classes)"


@pytest.mark.parametrize(
    ("make", "back"),
    [
        (pd.DataFrame, lambda table: table.to_dict("records")),
        (pl.DataFrame, lambda table: table.to_dicts()),
        (pa.Table.from_pylist, lambda table: table.to_pylist()),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_gives_back_the_kind_of_frame_that_came_in(make: Any, back: Any) -> None:
    table = make(PEOPLE)
    release = ic.anonymize(table, SCHEMA, model="k>=2", **LIMITS)
    assert type(release.table) is type(table)
    assert back(release.table) == ic.anonymize(PEOPLE, SCHEMA, model="k>=2", **LIMITS).table
    assert back(table) == PEOPLE


def test_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    pd.DataFrame(PEOPLE).to_csv(path, index=False)
    release = ic.anonymize(path, SCHEMA, algorithm=ic.Optimal(), model="k>=2", **LIMITS)
    assert (release.recipe.suppressed, release.verdict.classes) == (2, 2)


@settings(max_examples=25, deadline=None)
@given(
    table=st.lists(rows, min_size=1, max_size=20), promise=st.sampled_from(PROMISES), share=st.sampled_from([0, 0.3])
)
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* compares with the original table")
def test_every_class_of_a_release_keeps_the_promise(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    try:
        release = ic.anonymize(table, schema(), model=model, algorithm=ic.Optimal(), max_suppressed=share)
    except ic.NoSafeRelease:
        limit = int(share * len(table))
        assert all(not node.kept for node in slow.acceptable(table, ok, limit))
        return
    levels = tuple((release.recipe.levels or {}).values())
    node = slow.visit(table, levels, ok)
    published = Counter((*slow.labels(row, levels), row["disease"]) for group in node.kept for row in group)
    assert Counter(tuple(row[name] for name in (*slow.QUASI, "disease")) for row in release.table) == published
    assert len(table) - len(release.table) <= share * len(table)


def test_neither_order_nor_kind_of_the_table_changes_the_release() -> None:
    table = ic.hospital(300).to_pylist()
    expected = ic.anonymize(pa.Table.from_pylist(table), ic.hospital_schema(), model="k>=3", max_suppressed=0.1)
    random.Random(1).shuffle(table)
    for make in (pa.Table.from_pylist, pl.DataFrame):
        release = ic.anonymize(make(table), ic.hospital_schema(), model="k>=3", max_suppressed=0.1)
        found = release.table.to_pylist() if isinstance(release.table, pa.Table) else release.table.to_dicts()
        assert found == expected.table.to_pylist()
        assert (release.recipe.levels, release.recipe.suppressed) == (
            expected.recipe.levels,
            expected.recipe.suppressed,
        )


def test_no_column_is_published_by_accident() -> None:
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, identifiers=["name"])
    with pytest.raises(ic.SchemaError, match="2 columns have no role: 'sex', 'disease'"):
        ic.anonymize(PEOPLE, roles, model="k>=2", max_suppressed=0.5)
    release = ic.anonymize(PEOPLE, roles, model="k>=2", max_suppressed=0.5, others="drop")
    assert list(release.table[0]) == ["age"]
    with pytest.raises(ic.ParameterError, match="others must be 'refuse' or 'drop'"):
        ic.anonymize(PEOPLE, roles, model="k>=2", others="keep")  # type: ignore[arg-type]


def test_a_limit_is_inclusive_and_read_as_the_decimal_that_was_written() -> None:
    table = [{"age": 1}] * 71 + [{"age": age} for age in range(100, 129)]
    roles = ic.Schema(quasi={"age": ic.flat()})
    release = ic.anonymize(table, roles, algorithm=ic.Optimal(), model="k>=2", max_suppressed=0.29, at_most={"age": 0})
    assert release.recipe.suppressed == 29
    with pytest.raises(ic.NoSafeRelease):
        ic.anonymize(table, roles, algorithm=ic.Optimal(), model="k>=2", max_suppressed_records=28, at_most={"age": 0})


def test_people_count_once_where_the_table_says_whose_row_it_is() -> None:
    table = [{"who": who, "age": age} for who, age in [("a", 31), ("a", 32), ("a", 33), ("b", 41), ("c", 42)]]
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, entity="who")
    release = ic.anonymize(table, roles, algorithm=ic.Optimal(), model="k>=2", max_suppressed=0.6)
    assert release.table == [{"age": "[40, 50)"}, {"age": "[40, 50)"}]
    assert release.verdict.persons == 2


def test_a_row_can_stand_for_several_records() -> None:
    table = [{"age": 31, "n": 5}, {"age": 41, "n": 1}]
    release = ic.anonymize(
        table, ic.Schema(quasi={"age": ic.intervals(10)}, count="n"), model="k>=5", max_suppressed_records=1
    )
    assert release.table == [{"age": 31, "n": 5}]
    assert release.recipe.suppressed == 1


@pytest.mark.filterwarnings("ignore:k>=1 promises nothing")
def test_says_how_near_it_came_and_what_binds() -> None:
    with pytest.raises(ic.NoSafeRelease, match=r"even the most general one leaves out 33\.3% \(2\)") as caught:
        ic.anonymize(PEOPLE, SCHEMA, algorithm=ic.Optimal(), model="k>=2", at_most={"age": 1, "sex": 1})
    assert caught.value.nearest == 2
    assert (
        caught.value.hint == "at_most of 'age' binds: without it 0 of 6 records (0.0%) are left out; "
        "max_suppressed_records=2 would be enough."
    )
    with pytest.raises(ic.NoSafeRelease, match="l>=2 is what binds"):
        ic.anonymize(PEOPLE, SCHEMA, algorithm=ic.Optimal(), model="k>=1, l>=2", at_most={"age": 0, "sex": 0})


def test_what_cannot_be_is_refused_before_any_search() -> None:
    with pytest.raises(ic.NoSafeRelease, match=r"No release can keep the promise.*k>=7.*k>=6 would be possible"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=7")


def test_an_empty_release_is_none() -> None:
    with pytest.raises(ic.NoSafeRelease):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=7", max_suppressed=1)


def test_a_promise_of_nothing_warns() -> None:
    with pytest.warns(ic.PrivacyWarning, match="k>=1 promises nothing"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=1")


@pytest.mark.parametrize("spoil", ["label", "row", "value"])
def test_a_table_that_is_not_what_was_predicted_is_not_published(spoil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(table: Any, **_: Any) -> Any:
        table = [dict(row) for row in table]
        if spoil == "row":
            table = table[1:]
        else:
            table[0]["age" if spoil == "label" else "disease"] = "hiv"
        return open_table(table)

    monkeypatch.setattr("incrowd.release._publish.open_table", spoilt)
    with pytest.raises(ic.ReleaseMismatch, match="please report"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2, l>=2", max_suppressed=0.5)


def test_distances_refer_to_the_input() -> None:
    release = ic.anonymize(PEOPLE, SCHEMA, model="k>=2, t<=0.5", max_suppressed=0.5)
    assert release.verdict.findings[1].reference == "input"


def test_regions_of_n_t_closeness_are_those_of_the_input() -> None:
    table = ic.hospital(300)
    model = "k>=3, nt(n=150, t=0.5)[diagnosis]"
    release = ic.anonymize(table, ic.hospital_schema(), model=model, max_suppressed=0.1)
    assert release.verdict.findings[1].supersets == "lattice"
    assert release.verdict.holds


def test_a_promise_that_generalizing_can_break_is_not_told_a_wrong_number() -> None:
    rows = [("x", "h")] * 6 + [("y", "h"), ("y", "f")]
    table = [{"a": a, "s": s} for a, s in rows]
    schema = ic.Schema(quasi={"a": ic.flat()}, sensitive=["s"])
    with pytest.raises(ic.NoSafeRelease, match="the most general one leaves out 100") as caught:
        ic.anonymize(table, schema, algorithm=ic.Optimal(), model="alpha<=0.5[s: h]", max_suppressed_records=1)
    assert caught.value.nearest is None
    assert "would be enough" not in caught.value.hint


@pytest.mark.parametrize("door", [ic.anonymize, ic.solutions], ids=["anonymize", "solutions"])
@pytest.mark.parametrize("model", [["k>=2"], 2, None, ic.KAnonymity], ids=["list", "number", "nothing", "class"])
def test_a_promise_is_a_model_or_its_text(door: Any, model: Any) -> None:
    with pytest.raises(ic.ParameterError, match="A promise is a model or its text, got") as raised:
        door(PEOPLE, SCHEMA, model=model)
    assert 'write "k>=5' in raised.value.hint


@pytest.mark.parametrize("algorithm", ["mondrian", ic.Mondrian, 5], ids=["text", "class", "number"])
def test_an_algorithm_is_a_search_which_is_said_before_any_table_is_opened(algorithm: Any) -> None:
    with pytest.raises(ic.ParameterError, match=r"algorithm must be a search, such as Mondrian\(\), got") as raised:
        ic.anonymize("nowhere.csv", SCHEMA, model="k>=2", algorithm=algorithm)
    assert "algorithm=Mondrian()" in raised.value.hint


def test_one_group_is_called_a_group() -> None:
    table = [{"sex": "f"}, {"sex": "f"}]
    release = ic.anonymize(table, ic.Schema(quasi={"sex": ic.flat()}), model="k>=2")
    assert "It publishes 2 of 2 records in 1 group." in release.explain()


@pytest.mark.parametrize("name", ["at_least", "at_most", "importance"])
def test_what_is_said_per_column_must_name_columns(name: str) -> None:
    with pytest.raises(ic.ParameterError, match=f"{name} must say it per column, got int"):
        ic.anonymize([{"age": 31}, {"age": 34}], ic.Schema(quasi=["age"]), model="k>=2", **{name: 0})  # type: ignore[arg-type]


ROLES = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()}, sensitive=["disease"])


FIRST = [
    {"age": age, "sex": sex, "disease": disease}
    for age, sex, disease in [(31, "f", "flu"), (34, "f", "hiv"), (52, "m", "flu"), (55, "m", "asthma")]
]


def test_new_records_get_the_labels_of_the_release() -> None:
    release = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=2")
    again = ic.apply(release, [{"age": 38, "sex": "f", "disease": "flu"}, {"age": 33, "sex": "f", "disease": "flu"}])
    assert again.table == [{"age": "[30, 40)", "sex": "f", "disease": "flu"}] * 2
    assert again.recipe.levels == release.recipe.levels == {"age": 1, "sex": 0}
    assert (again.recipe.proof, again.recipe.algorithm) == ("levels given", "apply")


def test_a_table_that_breaks_the_promise_is_refused_unless_records_may_be_left_out() -> None:
    release = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=2")
    new = [*FIRST, {"age": 71, "sex": "f", "disease": "flu"}]
    with pytest.raises(
        ic.NoSafeRelease, match="1 of 5 records are in classes that break it, 0 may be left out"
    ) as caught:
        ic.apply(release, new)
    assert caught.value.nearest == 1
    assert ic.apply(release, new, max_suppressed_records=1).table == release.table


def test_labels_that_would_change_are_refused() -> None:
    schema = ic.Schema(quasi={"age": ic.frequent(2)})
    table = [{"age": age} for age in (1, 1, 1, 2, 3, 4)]
    release = ic.anonymize(table, schema, model="k>=3", algorithm=ic.Optimal())
    assert release.recipe.levels == {"age": 1}
    with pytest.raises(ic.HierarchyError, match="Column 'age' has other labels at level 1"):
        ic.apply(release, [{"age": age} for age in (1, 2, 2, 2, 3, 4)])


def test_two_releases_side_by_side() -> None:
    one = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=2")
    two = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=4")
    comparison = ic.compare(one, two)
    rows = {what: (a, b) for what, a, b in comparison.rows}
    assert rows["promise"] == ("k>=2", "k>=4")
    assert rows["classes"] == (2, 1)
    assert rows["k"] == (2, 4)
    assert ("records", 4, 4) not in comparison.different
    assert "level of age" in str(comparison)
    assert comparison.to_dict()["what"][0] == "promise"


@pytest.mark.parametrize("given", ["release", "saved", "folder", "text"])
def test_a_release_a_saved_recoding_or_the_owners_folder_can_be_applied(given: str, tmp_path: Path) -> None:
    release = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=2")
    owner = release.save(tmp_path / "out") / "owner"
    known: Any = {"release": release, "saved": ic.load_recoding(owner), "folder": owner, "text": str(owner)}[given]
    again = ic.apply(known, [{"age": 34, "sex": "f", "disease": "flu"}, {"age": 31, "sex": "f", "disease": "flu"}])
    assert again.table == [{"age": "[30, 40)", "sex": "f", "disease": "flu"}] * 2
    assert again.recipe.promise == "k>=2"


def test_a_saved_recoding_knows_no_other_values_and_does_not_show_them(tmp_path: Path) -> None:
    owner = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=2").save(tmp_path / "out") / "owner"
    with pytest.raises(ic.UncoveredValuesError, match="'age' has 1 value that the saved hierarchy") as caught:
        ic.apply(owner, [{"age": 38, "sex": "f", "disease": "flu"}] * 2)
    assert "38" not in str(caught.value)


def test_records_are_masked_where_they_were_before(tmp_path: Path) -> None:
    alone = [{"age": 71, "sex": "f", "disease": "flu"}, {"age": 82, "sex": "f", "disease": "hiv"}]
    limits: Any = {"max_suppressed_records": 2, "at_most": {"age": 1}}
    release = ic.anonymize([*FIRST, *alone], ROLES, model="k>=2", suppression="mask", **limits)
    owner = release.save(tmp_path / "out") / "owner"
    again = ic.apply(owner, [*FIRST[:2], *alone], max_suppressed=0.5)
    assert [row["age"] for row in again.table] == ["*", "*", "[30, 40)", "[30, 40)"]
    dropped = ic.apply(owner, [*FIRST[:2], *alone], max_suppressed=0.5, suppression="drop")
    assert [row["age"] for row in dropped.table] == ["[30, 40)", "[30, 40)"]


def test_what_is_applied_can_be_written_at_once(tmp_path: Path) -> None:
    owner = ic.anonymize(FIRST, ROLES, algorithm=ic.Optimal(), model="k>=2").save(tmp_path / "out") / "owner"
    again = ic.apply(owner, FIRST, output=tmp_path / "again", format="csv")
    assert again.table == tmp_path / "again/public/data.csv"
    assert ic.verify(tmp_path / "again/public/release.json", owner=tmp_path / "again/owner").holds


def test_a_folder_without_a_recoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ic.DataError, match="There is no recoding in"):
        ic.apply(tmp_path, FIRST)


def test_what_is_no_release_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match="apply needs a release, got list"):
        ic.apply([{"age": 31}], [{"age": 31}])  # type: ignore[arg-type]
    with pytest.raises(ic.ParameterError, match="compare needs two releases, got list"):
        ic.compare([{"age": 31}], [{"age": 31}])  # type: ignore[arg-type]


def test_one_record_too_many_is_told_as_one_record() -> None:
    table = [{"age": 31 + (place == 0), "sex": "f"} for place in range(3000)]
    schema = ic.Schema(quasi={"age": ic.intervals(10), "sex": ic.flat()})
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Optimal())
    line = next(line for line in release.explain().splitlines() if line.startswith("age"))
    assert "One level finer would leave out 1 of 3,000 records (< 0.1%), which is more than the 0 allowed" in line


def test_nearly_all_is_not_called_all() -> None:
    table, schema = [{"age": age} for age in [*range(6000), 0]], ic.Schema(quasi={"age": ic.flat()})
    with pytest.raises(ic.NoSafeRelease, match=r"the most general one leaves out > 99\.9% \(5,999\)"):
        ic.anonymize(table, schema, model="k>=2", algorithm=ic.Optimal(), at_most={"age": 0})
