"""Searches side by side, against the releases and attacks that one would make of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.engines import Engine, Remembered
from incrowd.evidence import SEARCHES, Alternatives
from incrowd.release import Draft, _publish, open_problem, open_with_schema
from incrowd.search import Progress

AGES = (21, 22, 24, 31, 32, 41, 43, 71)
TABLE = [{"age": age, "sex": "fm"[age % 2], "disease": "abc"[age % 3]} for age in AGES]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20, 40), "sex": ic.flat()}, sensitive=["disease"])
VISITS = [{"who": place // 2, "age": 20 + place // 4, "sex": "fm"[place % 2]} for place in range(24)]
OF_PEOPLE = ic.Schema(quasi={"age": ic.intervals(2, 4), "sex": ic.flat()}, entity="who")


def test_four_searches_stand_side_by_side_with_what_each_keeps_and_stars() -> None:
    found = ic.alternatives(TABLE, SCHEMA, model="k>=3")
    told = [(one.name, one.python, one.plan, round(one.kept or 0, 3), one.starred) for one in found]
    ranges = {"name": "cheapest-first", "labels": "range"}
    assert told == [
        ("best node", "ic.Optimal()", "optimal", 0.5, 8),
        ("levels and cells", "ic.LevelsAndCells()", "levels-and-cells", 0.58, 5),
        ("most detail", "ic.CheapestFirst()", "cheapest-first", 0.58, 5),
        ("ranges", "ic.CheapestFirst(labels='range')", ranges, 0.65, 0),
    ]
    assert repr(found) == "Alternatives(4 searches for 8 records, levels and cells recommended)"
    assert (
        found.because == "it leaves something of all columns but age, each at one level, and keeps 58.0% of the detail"
    )
    assert all(one.verdict is not None and one.verdict.holds for one in found)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(
    ("table", "schema", "model"),
    [(TABLE, SCHEMA, "k>=2, l>=2"), (VISITS, OF_PEOPLE, "k>=2"), (ic.hospital(150), ic.hospital_schema(), "k>=3")],
)
def test_each_says_what_its_release_would(name: str, table: Any, schema: ic.Schema, model: str) -> None:
    with_all: dict[str, Any] = {"model": model, "max_suppressed": 0.1}
    one = ic.alternatives(table, schema, **with_all, searches={name: SEARCHES[name]}).get(name)
    release = ic.anonymize(table, schema, **with_all, algorithm=SEARCHES[name])
    assert one.version is not None
    assert one.verdict is not None
    assert one.verdict.findings == release.verdict.findings
    assert (one.version.suppressed, one.version.classes) == (release.recipe.suppressed, release.verdict.classes)
    losses = [column.costs.loss for column in ic.utility(release, table).columns.values() if column.costs]
    assert one.version.kept == pytest.approx(1 - sum(losses) / len(losses))
    labels = [row[column] for row in _rows(release.table) for column in schema.quasi_names]
    assert one.starred == labels.count("*")
    attacks = ic.attack(release, original=table)
    for attack in ("linkage", "narrowest group", "minimality"):
        theirs = [(found.right, found.baseline, found.worst) for found in attacks if found.name == attack]
        ours = [(found.right, found.baseline, found.worst) for found in one.attacks or () if found.name == attack]
        assert ours[: len(theirs)] == theirs[: len(ours)]
        assert bool(ours) or not theirs


def _rows(table: Any) -> list[dict[str, Any]]:
    return table if isinstance(table, list) else table.to_pylist()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(20, 45), st.sampled_from("fm"), st.sampled_from("ab")), min_size=4, max_size=30),
    st.sampled_from(list(SEARCHES)),
    st.sampled_from(["drop", "mask"]),
)
def test_what_would_be_published_is_what_is(rows: list[Any], name: str, suppression: Any) -> None:
    table = [dict(zip(("age", "sex", "disease"), row, strict=True)) for row in rows]
    limits: dict[str, Any] = {"model": "k>=2, l>=2", "max_suppressed": 0.3, "suppression": suppression}
    local = SEARCHES[name].local
    limits |= {"suppression": "drop"} if local else {}
    try:
        engine, problem = open_problem(table, SCHEMA, number=None, **limits)
        draft = Draft.by(engine, problem, SEARCHES[name])
    except ic.NoSafeRelease:
        return
    release = ic.anonymize(table, SCHEMA, **limits, algorithm=SEARCHES[name])
    told = [(str(row["age"]), row["sex"], row["disease"]) for row in release.table]
    census = draft.published
    texts = [census.labels(one)[codes] for one, codes in zip(("age", "sex", "disease"), census.codes, strict=True)]
    cells = zip(*texts, strict=True)
    assert Counter(told) == dict(zip(cells, census.counts.tolist(), strict=True))
    assert draft.verdict.findings == release.verdict.findings


def test_one_that_cannot_says_why_and_does_not_stop_the_others() -> None:
    found = ic.alternatives(TABLE, SCHEMA, model="k>=2", at_most={"age": 3})
    possible = {one.name: one.version is not None for one in found}
    assert possible == {"best node": True, "levels and cells": True, "most detail": False, "ranges": False}
    assert found.get("ranges").reason == (
        "at_most of column 'age' cannot be kept: a local recoding calls each class what it must be called."
    )
    assert "impossible" in str(found)
    assert found.get("ranges").to_dict()["possible"] is False
    assert found.table()["detail_kept"][3] is None


def test_a_promise_that_promises_nothing_is_warned_of() -> None:
    with pytest.warns(ic.PrivacyWarning, match="l>=1 promises nothing"):
        ic.alternatives(TABLE, SCHEMA, model="k>=2, l>=1", searches={"node": ic.Optimal()})


def test_where_all_fail_nothing_is_recommended() -> None:
    found = ic.alternatives(TABLE, SCHEMA, model="k>=2", at_most={"age": 3}, searches={"ranges": SEARCHES["ranges"]})
    assert (found.recommended, found.because) == (None, "")
    assert repr(found) == "Alternatives(1 searches for 8 records, nothing can be published)"


def test_a_promise_that_no_release_can_keep_is_refused() -> None:
    with pytest.raises(ic.NoSafeRelease, match="No release can keep the promise"):
        ic.alternatives(TABLE, SCHEMA, model="l>=4")


def test_a_promise_that_breaks_when_classes_are_put_together_leaves_the_best_node() -> None:
    found = ic.alternatives(TABLE, SCHEMA, model="k>=2, nt(n=4, t=0.9)[disease]")
    assert [one.name for one in found if one.version is not None] == ["best node"]
    assert found.recommended is found.get("best node")


def test_importance_decides_what_is_kept_and_recommended() -> None:
    table = [{"age": 20 + 9 * (place % 7), "zip": f"{place % 5}{place % 3}"} for place in range(30)]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20), "zip": ic.mask()})
    levels = {}
    for column in ("age", "zip"):
        found = ic.alternatives(table, schema, model="k>=6", importance={column: 10})
        assert found.important == (column,)
        node = found.get("best node")
        assert node.version is not None
        levels[column] = node.version.levels
        assert column not in (found.recommended or node).carry_nothing
        assert found.because.startswith("it leaves something of all important columns")
    assert levels["age"] != levels["zip"]


def test_detail_is_weighted_by_importance() -> None:
    plain = ic.alternatives(TABLE, SCHEMA, model="k>=2", at_least={"sex": 1}, searches={"node": ic.Optimal()})
    heavy = {"age": 3}
    found = ic.alternatives(
        TABLE, SCHEMA, model="k>=2", at_least={"sex": 1}, importance=heavy, searches={"node": ic.Optimal()}
    )
    age = 2 * (plain.get("node").kept or 0)  # nothing is left of sex
    assert found.get("node").carry_nothing == ("sex",)
    assert found.get("node").kept == pytest.approx(3 * age / 4)


def test_the_table_is_opened_and_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()

    class Counting(Remembered):
        def census(self, request: Any) -> Any:
            asked["census"] += 1
            return super().census(request)

        def recode(self, *_: Any, **__: Any) -> Any:
            asked["recode"] += 1

    def opened(*args: Any, **reading: Any) -> Engine:
        asked["open"] += 1
        return Counting(real(*args, **reading))

    real: Callable[..., Engine] = open_with_schema
    monkeypatch.setattr(_publish, "open_with_schema", opened)
    ic.alternatives(TABLE, SCHEMA, model="k>=2")
    assert asked == {"open": 1, "census": 1}


@dataclass(frozen=True)
class Asking:
    """A search that asks once whether it may go on."""

    local: ClassVar[bool] = False

    def search(self, problem: Any, progress: Any = None) -> Any:
        wanted = None if progress is None else progress(Progress(0, 1, None))
        answers.append(wanted)
        return ic.Optimal().search(problem)


answers: list[Any] = []


@pytest.mark.parametrize(("seconds", "wanted"), [(1e-9, False), (100.0, True), (None, None)])
def test_a_search_is_told_to_stop_when_its_time_is_over(seconds: float | None, wanted: bool | None) -> None:
    answers.clear()
    begun: list[Any] = []
    found = ic.alternatives(
        TABLE,
        SCHEMA,
        model="k>=2",
        searches={"mine": Asking()},
        seconds=seconds,
        begin=lambda *told: begun.append(told),
    )
    assert answers == [wanted]
    assert begun == [("mine", 1, 1)]
    assert (found.get("mine").python, found.get("mine").plan, found.get("mine").wanted_by) == (
        "ic.Asking()",
        "asking",
        "",
    )


@pytest.fixture(scope="module")
def hospital() -> Alternatives:
    return ic.alternatives(ic.hospital(150), ic.hospital_schema(), model="k>=3", max_suppressed=0.05)


def test_it_can_be_written_as_json_and_holds_no_value(hospital: Alternatives) -> None:
    text = json.dumps(hospital.to_dict()) + str(hospital) + repr(hospital) + repr(hospital.entries)
    plain = json.loads(json.dumps(hospital.to_dict()))
    assert (plain["schema"], plain["recommended"]) == (1, "ranges")  # of zip, levels and cells leave little
    table = ic.hospital(150)
    for name in ("name", "birth_date", "zip", "job", "diagnosis"):
        assert not [value for value in map(str, table[name].to_pylist()) if value in text]


def test_it_fits_a_terminal_and_marks_what_is_recommended(hospital: Alternatives) -> None:
    lines = str(hospital).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].split() == ["recommended"]
    assert lines[-1] == "ranges: ic.CheapestFirst(labels='range')"


def test_a_table_has_one_row_per_search(hospital: Alternatives) -> None:
    table = hospital.table()
    assert table["name"] == ["best node", "levels and cells", "most detail", "ranges"]
    assert {len(column) for column in table.values()} == {4}
    assert table["narrowest group"][0] is None
    assert hospital._repr_html_().startswith("<pre>")


def test_columns_that_carry_nothing_or_little_are_named() -> None:
    table = [{"age": place, "sex": "f" if place else "m"} for place in range(10)]
    schema = ic.Schema(quasi={"age": ic.flat(), "sex": ic.flat()})
    found = ic.alternatives(table, schema, model="k>=2", searches={"cells": ic.LevelsAndCells()})
    one = found.get("cells")
    assert one.carry_nothing == ("age", "sex")  # of sex only f is left, beside *
    assert "Nothing is left of age and sex." in str(found)
    few = [{"age": max(place, 5), "sex": "f"} for place in range(10)]
    found = ic.alternatives(few, ic.Schema(quasi=["age", "sex"]), model="k>=6", searches={"cells": ic.LevelsAndCells()})
    assert found.get("cells").carry_nothing == ("age",)


def test_a_name_that_there_is_not_is_refused(hospital: Alternatives) -> None:
    with pytest.raises(ic.ParameterError, match="There is no alternative 'best'"):
        hospital.get("best")


def test_what_is_no_search_says_so_in_its_place() -> None:
    found = ic.alternatives(TABLE, SCHEMA, model="k>=2", searches={"class": ic.Optimal})  # type: ignore[dict-item]
    assert found.get("class").reason == "algorithm must be a search, such as Mondrian(), got type."
