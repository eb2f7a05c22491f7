"""What would bring a column back: literal tables, single changes, and each done again by ``anonymize``."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.release import _ways_back as ways_back, open_problem
from incrowd.release._columns import columns_of_local

JOB = ic.Schema(quasi={"job": ic.flat()})
SHOPS = [{"job": job, "zip": code} for code in range(4) for job in "ab"]
BOTH = ic.Schema(quasi={"job": ic.flat(), "zip": ic.intervals(2)})


def jobs(**counts: int) -> list[dict[str, str]]:
    return [{"job": job} for job, number in counts.items() for _ in range(number)]


def texts(release: ic.Release) -> tuple[str, ...]:
    return tuple(map(str, release.explanation.shortfalls))


def told(release: ic.Release) -> list[tuple[Any, ...]]:
    return [(one.change, one.to, one.other, one.values) for one in release.explanation.ways_back["job"]]


def test_records_that_might_be_left_out_are_counted() -> None:
    release = ic.anonymize(jobs(a=5, b=4, c=1), JOB, model="k>=2", algorithm=ic.Optimal())
    assert told(release) == [("max_suppressed_records", 1, None, 2), ("search", "levels-and-cells", None, 2)]
    kept = "2 values at level 0 if 1 more record could be left out, or with levels and cells, which stars single values"
    assert texts(release) == (f"job carries nothing. It would keep {kept}.",)
    assert texts(release)[0] in release.explain()


def test_the_largest_k_is_found() -> None:
    release = ic.anonymize(jobs(a=5, b=5, c=4), JOB, model="k>=5", algorithm=ic.Optimal())
    assert texts(release) == ("job carries nothing. It would keep 3 values at level 0 with k>=4.",)


def test_stars_may_keep_what_one_level_cannot() -> None:
    release = ic.anonymize(jobs(a=9, b=9, c=1, d=1, e=1), JOB, model="k>=3", algorithm=ic.Optimal())
    kept = (
        "2 values at level 0 if 3 more records could be left out, or with levels and cells, which stars single values"
    )
    assert texts(release) == (f"job carries nothing. It would keep {kept}.",)


def test_another_column_may_be_coarser_instead() -> None:
    release = ic.anonymize(SHOPS, BOTH, model="k>=2", importance={"zip": 10}, algorithm=ic.Optimal())
    assert told(release)[0] == ("at_least", 1, "zip", 2)
    assert texts(release)[0].startswith(
        "job carries nothing. It would keep 2 values at level 0 if zip were one level coarser"
    )
    again = ic.anonymize(SHOPS, BOTH, model="k>=2", at_most={"job": 0}, at_least={"zip": 1}, algorithm=ic.Optimal())
    assert again.columns["job"].values == 2


def test_a_column_that_is_only_not_asked_for_says_so() -> None:
    how: dict[str, Any] = {"model": "k>=2", "max_suppressed_records": 1, "balance": 1.0, "algorithm": ic.Optimal()}
    release = ic.anonymize(jobs(a=5, b=4, c=1), JOB, **how)
    assert texts(release) == ("job carries nothing. It would keep 2 values at level 0 if you ask for level 0 at most.",)
    assert ic.anonymize(jobs(a=5, b=4, c=1), JOB, **how, at_most={"job": 0}).columns["job"].values == 2


def test_who_asked_for_a_level_is_told_so() -> None:
    release = ic.anonymize(jobs(a=5, b=4), JOB, model="k>=2", at_least={"job": 1}, algorithm=ic.Optimal())
    assert texts(release) == ("job carries nothing. You asked for at least this level.",)


def test_where_nothing_helps_that_is_said() -> None:
    release = ic.anonymize(jobs(a=1, b=1, c=1), JOB, model="k>=2", algorithm=ic.Optimal())
    assert texts(release) == ("job carries nothing. No single change that was tried brings it back.",)


def test_stars_in_most_cells_are_little_and_what_helps_is_searched_again() -> None:
    table = jobs(a=3, b=3, c=2, d=2, e=2, f=2)
    release = ic.anonymize(table, JOB, model="k>=3", algorithm=ic.LevelsAndCells())
    assert texts(release) == ("job carries little: 42.9% of its cells say something. It would be 100.0% with k>=2.",)
    assert ic.anonymize(table, JOB, model="k>=2", algorithm=ic.LevelsAndCells()).columns["job"].share_telling == 1


def test_a_column_with_too_many_stars_may_be_coarser_itself() -> None:
    roles = ic.Schema(quasi={"age": ic.intervals(10), "sex": ic.flat()})
    table = [{"age": age, "sex": "fm"[age % 2]} for age in (*range(20, 40), *[50, 51] * 9)]
    lowest = {"age": 0, "sex": 0}
    fixed = open_problem(table, roles, model="k>=2", max_suppressed=0, number=None, at_least=lowest, at_most=lowest)[1]
    columns = columns_of_local(fixed, ic.LevelsAndCells().search(fixed))
    assert [one.status for one in columns] == ["little", "fine"]
    asked = open_problem(table, roles, model="k>=2", max_suppressed=0, number=None)[1]
    (own, *_) = ways_back.WaysBack(asked, columns, (0, 0), ic.LevelsAndCells()).ways["age"]
    assert (own.change, own.other, own.to, own.level) == ("at_least", "age", 1, 1)
    assert own.words == "if you ask for level 1 at least"
    again = ic.anonymize(table, roles, model="k>=2", algorithm=ic.LevelsAndCells(), at_least={"age": 1}).columns["age"]
    assert (again.values, again.share_telling, again.status) == (own.values, own.share_telling, "fine")


def test_work_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways_back, "NODES", 0)
    monkeypatch.setattr(ways_back, "STARS", 0)
    release = ic.anonymize(jobs(a=5, b=4, c=1), JOB, model="k>=2", algorithm=ic.Optimal())
    assert texts(release) == (
        "job carries nothing. What would bring it back was not counted to the end: the table is too large.",
    )


def test_a_pickle_keeps_what_was_counted_and_not_the_table() -> None:
    release = ic.anonymize(jobs(secret=5, b=4, c=1), JOB, model="k>=2", algorithm=ic.Optimal())
    kept = pickle.dumps(release.explanation)
    assert pickle.loads(kept).shortfalls == release.explanation.shortfalls  # noqa: S301 - our own
    assert b"secret" not in kept


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from("abc"), st.sampled_from("xy")), min_size=6, max_size=40))
def test_what_is_advised_comes_true(rows: list[Any]) -> None:
    names = ("age", "job", "sex")
    table = [dict(zip(names, row, strict=True)) for row in rows]
    schema = ic.Schema(quasi={"age": ic.intervals(2, 4), "job": ic.flat(), "sex": ic.flat()})
    how: dict[str, Any] = {"model": "k>=4", "max_suppressed_records": 0, "algorithm": ic.Optimal()}
    release = ic.anonymize(table, schema, **how)
    assert set(release.explanation.ways_back) == {*release.explanation.empty, *release.explanation.scarce}
    for name, ways in release.explanation.ways_back.items():
        for way in ways:
            levels: Any = {**(release.recipe.levels or {}), name: way.level}
            levels |= {} if way.other is None else {way.other: way.to}
            changed: Any = {
                "k": {"model": f"k>={way.to}"},
                "max_suppressed_records": {"max_suppressed_records": way.to},
                "search": {"algorithm": ic.LevelsAndCells()},
            }.get(way.change, {})
            given_levels: Any = {} if way.change == "search" else {"at_least": levels, "at_most": levels}
            again = ic.anonymize(table, schema, **how | changed, **given_levels).columns[name]
            assert (again.values, again.share_telling, again.status) == (way.values, way.share_telling, "fine")
