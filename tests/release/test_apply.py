from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.search import Inspection

SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()}, sensitive=["disease"])
FIRST = [
    {"age": age, "sex": sex, "disease": disease}
    for age, sex, disease in [(31, "f", "flu"), (34, "f", "hiv"), (52, "m", "flu"), (55, "m", "asthma")]
]


def test_new_records_get_the_labels_of_the_release() -> None:
    release = ic.anonymize(FIRST, SCHEMA, model="k>=2")
    again = ic.apply(release, [{"age": 38, "sex": "f", "disease": "flu"}, {"age": 33, "sex": "f", "disease": "flu"}])
    assert again.table == [{"age": "[30, 40)", "sex": "f", "disease": "flu"}] * 2
    assert again.recipe.levels == release.recipe.levels == {"age": 1, "sex": 0}
    assert (again.recipe.proof, again.recipe.algorithm) == ("levels given", "apply")


def test_a_table_that_breaks_the_promise_is_refused_unless_records_may_be_left_out() -> None:
    release = ic.anonymize(FIRST, SCHEMA, model="k>=2")
    new = [*FIRST, {"age": 71, "sex": "f", "disease": "flu"}]
    with pytest.raises(
        ic.NoSafeRelease, match="1 of 5 records are in classes that break it, 0 may be left out"
    ) as caught:
        ic.apply(release, new)
    assert caught.value.nearest == 1
    assert ic.apply(release, new, max_suppressed_records=1).table == release.table


def test_labels_that_would_change_are_refused() -> None:
    schema = ic.Schema(quasi={"age": ic.frequent(2)})
    release = ic.anonymize([{"age": age} for age in (1, 1, 1, 2, 3, 4)], schema, model="k>=3")
    assert release.recipe.levels == {"age": 1}
    with pytest.raises(ic.HierarchyError, match="Column 'age' has other labels at level 1"):
        ic.apply(release, [{"age": age} for age in (1, 2, 2, 2, 3, 4)])


def test_two_releases_side_by_side() -> None:
    one = ic.anonymize(FIRST, SCHEMA, model="k>=2")
    two = ic.anonymize(FIRST, SCHEMA, model="k>=4")
    comparison = ic.compare(one, two)
    rows = {what: (a, b) for what, a, b in comparison.rows}
    assert rows["promise"] == ("k>=2", "k>=4")
    assert rows["classes"] == (2, 1)
    assert rows["k"] == (2, 4)
    assert ("records", 4, 4) not in comparison.different
    assert "level of age" in str(comparison)
    assert comparison.to_dict()["what"][0] == "promise"


def test_neighbours_of_a_release_are_counted_when_somebody_asks_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Any] = []
    alone = Inspection.left_out_alone

    def watched(self: Inspection, levels: Sequence[int] | None = None) -> dict[str, int]:
        counted.append(levels)
        return alone(self, levels)

    monkeypatch.setattr(Inspection, "left_out_alone", watched)
    release = ic.anonymize(FIRST, SCHEMA, model="k>=2, l>=2", at_least={"sex": 1})
    age, sex = release.explanation.notches
    assert (age.published, sex.hidden, counted) == ("in 2 groups instead of 4 values (level 1 of 3)", True, [])
    assert (age.left_out, age.breaks, sex.left_out, sex.breaks) == (4, "k>=2", None, None)
    assert dict(release.explanation.left_out) == {"k>=2": 0, "l>=2": 0}
    assert counted == [[0, 1], None]  # one level lower in one column, and the release itself


def test_a_release_explains_itself() -> None:
    release = ic.anonymize(FIRST, SCHEMA, model="k>=2, l>=2", at_least={"sex": 1})
    assert release.explain().splitlines() == [
        "The release keeps k>=2, l>=2.",
        "It publishes 4 of 4 records in 2 groups.",
        "0 (0.0%) are left out; 0 were allowed.",
        "",
        (
            "age: 2 groups instead of 4 values (level 1 of 3). "
            "One level finer would leave out 4 of 4 records (100.0%), which is more than the 0 allowed; k>=2 would "
            "be broken."
        ),
        "sex: not published (level 1 of 1). You asked for at least this level.",
        "",
        "1 of 2 columns that could help to recognise somebody carries nothing any more: sex.",
        "",
        "Records that each promise leaves out alone: k>=2 0, l>=2 0. Each of them is kept by all classes.",
        (
            "Loss 0.633: 0 is the original, 1 is nothing left. No release with one level per column is better by the "
            "measure of the search."
        ),
    ]


@pytest.mark.parametrize("given", ["release", "saved", "folder", "text"])
def test_a_release_a_saved_recoding_or_the_owners_folder_can_be_applied(given: str, tmp_path: Path) -> None:
    release = ic.anonymize(FIRST, SCHEMA, model="k>=2")
    owner = release.save(tmp_path / "out") / "owner"
    known: Any = {"release": release, "saved": ic.load_recoding(owner), "folder": owner, "text": str(owner)}[given]
    again = ic.apply(known, [{"age": 34, "sex": "f", "disease": "flu"}, {"age": 31, "sex": "f", "disease": "flu"}])
    assert again.table == [{"age": "[30, 40)", "sex": "f", "disease": "flu"}] * 2
    assert again.recipe.promise == "k>=2"


def test_a_saved_recoding_knows_no_other_values_and_does_not_show_them(tmp_path: Path) -> None:
    owner = ic.anonymize(FIRST, SCHEMA, model="k>=2").save(tmp_path / "out") / "owner"
    with pytest.raises(ic.UncoveredValuesError, match="'age' has 1 value that the saved hierarchy") as caught:
        ic.apply(owner, [{"age": 38, "sex": "f", "disease": "flu"}] * 2)
    assert "38" not in str(caught.value)


def test_records_are_masked_where_they_were_before(tmp_path: Path) -> None:
    alone = [{"age": 71, "sex": "f", "disease": "flu"}, {"age": 82, "sex": "f", "disease": "hiv"}]
    limits: Any = {"max_suppressed_records": 2, "at_most": {"age": 1}}
    release = ic.anonymize([*FIRST, *alone], SCHEMA, model="k>=2", suppression="mask", **limits)
    owner = release.save(tmp_path / "out") / "owner"
    again = ic.apply(owner, [*FIRST[:2], *alone], max_suppressed=0.5)
    assert [row["age"] for row in again.table] == ["*", "*", "[30, 40)", "[30, 40)"]
    dropped = ic.apply(owner, [*FIRST[:2], *alone], max_suppressed=0.5, suppression="drop")
    assert [row["age"] for row in dropped.table] == ["[30, 40)", "[30, 40)"]


def test_what_is_applied_can_be_written_at_once(tmp_path: Path) -> None:
    owner = ic.anonymize(FIRST, SCHEMA, model="k>=2").save(tmp_path / "out") / "owner"
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
    release = ic.anonymize(table, ic.Schema(quasi={"age": ic.intervals(10), "sex": ic.flat()}), model="k>=2")
    line = next(line for line in release.explain().splitlines() if line.startswith("age"))
    assert "One level finer would leave out 1 of 3,000 records (< 0.1%), which is more than the 0 allowed" in line


def test_nearly_all_is_not_called_all() -> None:
    table = [{"age": age} for age in [*range(6000), 0]]
    with pytest.raises(ic.NoSafeRelease, match=r"the most general one leaves out > 99\.9% \(5,999\)"):
        ic.anonymize(table, ic.Schema(quasi={"age": ic.flat()}), model="k>=2", at_most={"age": 0})
