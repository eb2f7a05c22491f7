from __future__ import annotations

import dataclasses
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.engines import Engine

VISITS: list[dict[str, Any]] = [
    {"nr": row // 3, "age": 20 + row // 6, "fever": "nym"[row % 3], "room": row % 60} for row in range(300)
]


def roles_of(found: ic.Suggestion) -> dict[str, str]:
    return {column.name: column.role for column in found.columns}


def test_a_frame_is_anonymized_by_its_suggestion_in_two_lines() -> None:
    table = pd.DataFrame(VISITS)
    found = ic.suggest(table).with_roles(entity="nr", sensitive="fever", drop=["room"])
    release = ic.anonymize(table, found.schema, model=found.promise, max_suppressed=0.05)
    assert release.verdict.holds
    assert (found.schema.entity, found.promise) == ("nr", "k>=5, l>=2[fever]")


def test_the_plan_of_a_frame_runs_on_the_frame_that_is_handed_over() -> None:
    table = ic.hospital(300)
    plan = ic.suggest(table).plan()
    assert plan.run(table=table).verdict.holds
    with pytest.raises(ic.DataError, match=r"does not say where the table is.*plan\.run\(table=table\)"):
        plan.run()


def test_the_plan_of_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "hospital.csv"
    pyarrow.csv.write_csv(ic.hospital(200), path)
    assert ic.suggest(path).plan().data.path == str(path)
    assert ic.suggest(path).plan("other.csv").data.path == "other.csv"


def test_a_corrected_suggestion_is_the_one_that_the_same_roles_would_have_given() -> None:
    roles = {"age": "quasi", "fever": "sensitive", "room": "insensitive"}
    corrected = ic.suggest(VISITS).with_roles(entity="nr", quasi=["age"], sensitive=["fever"], insensitive=["room"])
    again = ic.suggest(VISITS, roles=roles, entity="nr")  # type: ignore[arg-type]
    assert corrected.to_dict() == again.to_dict()
    assert corrected.plan("x.csv") == again.plan("x.csv")


def test_roles_are_corrected_without_reading_the_columns_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ic.suggest(VISITS)
    assert found.look is not None
    engine: Engine = found.look.read.engine
    monkeypatch.setattr(type(engine), "domains", None)
    with pytest.raises(ic.EngineError, match="could not do it"):
        ic.suggest(VISITS)
    assert roles_of(found.with_roles(drop=["age", "fever", "room", "nr"])) == dict.fromkeys(VISITS[0], "drop")


def test_one_correction_after_the_other_keeps_both() -> None:
    found = ic.suggest(VISITS).with_roles(entity="nr").with_roles(drop="room").with_roles(sensitive="fever")
    assert (found.entity, roles_of(found)) == (
        "nr",
        {"nr": "identifier", "age": "quasi", "fever": "sensitive", "room": "drop"},
    )


def test_that_every_row_is_another_person_can_be_said() -> None:
    visits = [{"patient_id": row % 20, "sex": "fm"[row % 2], "age": 30 + row % 20} for row in range(80)]
    assert ic.suggest(visits).entity == "patient_id"
    found = ic.suggest(visits).with_roles(entity=None)
    assert (found.entity, found.schema.entity, roles_of(found)["patient_id"]) == (None, None, "identifier")


def test_wrong_corrections_are_refused_by_name() -> None:
    found = ic.suggest(VISITS)
    with pytest.raises(ic.ParameterError, match="'age' is given as quasi and as drop"):
        found.with_roles(quasi=["age"], drop=["age"])
    with pytest.raises(ic.UnknownColumnError, match="no column 'ages'"):
        found.with_roles(quasi=["ages"])
    with pytest.raises(ic.UnknownColumnError, match="no column 'number'"):
        found.with_roles(entity="number")
    with pytest.raises(ic.ParameterError, match="does not know its table any more"):
        dataclasses.replace(found, look=None).with_roles(drop="age")


def test_a_hierarchy_can_be_said_with_a_role_and_stays(tmp_path: Path) -> None:
    rows = [{"postcode": f"0{row % 9}069", "job": "abcd"[row % 4], "sex": "fm"[row % 2]} for row in range(90)]
    jobs = ic.tree({"x": ["a", "b"], "y": ["c", "d"]})
    said: dict[str, Any] = {"postcode": ic.postcodes("DE"), "job": jobs, "sex": None}
    found = ic.suggest(rows).with_roles(quasi=said).with_roles(entity=None)
    hierarchies = dict(found.schema.quasi)
    assert (hierarchies["postcode"], hierarchies["job"], hierarchies["sex"]) == (ic.postcodes("DE"), jobs, ic.flat())
    pyarrow.csv.write_csv(pa.Table.from_pylist(rows), tmp_path / "t.csv")
    assert found.write(tmp_path / "plan.toml", "t.csv").schema().quasi_names == ("postcode", "job", "sex")


def test_a_hierarchy_that_a_plan_has_in_a_file_is_refused_with_the_way() -> None:
    with pytest.raises(ic.ParameterError, match=r"cannot keep the hierarchy of 'age'.*say it there, or build a Schema"):
        ic.suggest(VISITS).with_roles(quasi={"age": ic.ordered(["young", "old"])})


def test_how_a_table_is_read_can_be_handed_on_where_marks_count_as_missing(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("age;fever\n" + "".join(f"{20 + row % 4};{'ny?'[row % 3]}\n" for row in range(60)))
    found = ic.suggest(file, roles={"age": "quasi", "fever": "sensitive"}, missing_values=["", "?"])
    assert (dict(found.reading), found.missing) == ({"separator": ";"}, ("", "?"))
    assert found.to_dict()["reading"] == {"separator": ";", "missing": ["", "?"]}
    assert found.plan().data.missing == ("", "?")
    assert ic.anonymize(file, found.schema, model="k>=5", **found.reading).verdict.holds


def test_who_stands_alone_is_counted_by_records_and_by_people() -> None:
    rows = [
        {"pat_id": row // 4, "sex": "fm"[row // 4 % 2], "age": 20 + row // 4, "fever": row % 2} for row in range(200)
    ]
    found = ic.suggest(rows)
    assert found.singling_out is not None
    assert (found.singling_out.together.alone, found.singling_out.together.people, found.people) == (0, 50, 50)
    assert found.to_dict()["singling_out"]["together"]["people"] == 50
    assert "50 of 50 people are one of a kind in some of their rows, counted by pat_id" in str(found)


def test_how_a_file_was_read_stands_in_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("alter;tag;lohn\n" + "34;31.12.2024;1,5\n36;01.02.2024;2,5\n" * 5)
    found = ic.suggest(tmp_path / "t.csv")
    assert str(found).splitlines()[:2] == ["read with separator ';', decimal comma, dates as dd.mm.yyyy", ""]
    assert "<p>read with separator &#x27;;&#x27;, decimal comma" in found._repr_html_()


def test_a_person_with_several_combinations_of_their_own_counts_once() -> None:
    rows = [{"pat_id": row // 4, "sex": "f", "age": 20 + row, "fever": row % 2} for row in range(200)]
    found = ic.suggest(rows, roles={"age": "quasi", "sex": "quasi"}, entity="pat_id").singling_out
    assert found is not None
    assert (found.together.alone, found.together.people) == (200, 50)


def test_where_a_number_could_stand_for_people_both_are_counted_and_it_is_said() -> None:
    draw = random.Random(5)
    rows = [{"id": row // 3, "age": draw.randrange(20, 60), "sex": draw.choice("fm")} for row in range(300)]
    found = ic.suggest(rows, roles={"age": "quasi", "sex": "quasi"})
    assert (found.entity, found.household, found.perhaps) == (None, None, "id")
    assert (
        found.rows[0] == "'id' could say whose row it is (100 in 300 rows): if so, groups hold fewer people than rows"
    )
    assert found.questions[0].startswith("does 'id' stand for a person?")
    assert found.singling_out is not None
    assert found.singling_out.together.people is not None
    assert found.with_roles(entity="id").perhaps is None
    assert found.with_roles(quasi="id").perhaps is None


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.integers(0, 2)), min_size=1))
def test_people_and_records_alone_agree_with_counting_by_hand(rows: list[tuple[int, str, int]]) -> None:
    table = [{"nr": person, "sex": sex, "age": age} for person, sex, age in rows]
    found = ic.suggest(table, roles={"sex": "quasi", "age": "quasi"}, entity="nr").singling_out
    assert found is not None
    groups = Counter((sex, age) for _, sex, age in rows)
    people = Counter((sex, age) for _, sex, age in set(rows))
    alone = {person for person, sex, age in rows if people[sex, age] == 1}
    assert found.together.alone == sum(number == 1 for number in groups.values())
    assert found.together.people == len(alone)
    ages = Counter(age for _, _, age in rows)
    assert {one.columns: one.alone for one in found.single}["age",] == sum(number == 1 for number in ages.values())


def test_no_group_of_people_larger_than_all_of_them_is_promised() -> None:
    rows = [{"pat_id": row // 10, "sex": "fm"[row // 20], "age": 20 + row // 20} for row in range(30)]
    assert ic.suggest(rows, entity="pat_id").promise == "k>=3"


def test_suggestion_profile_and_frontier_print_as_tables() -> None:
    table = ic.hospital(60)
    found = ic.suggest(table)
    assert str(found).splitlines()[0].split() == ["column", "proposed", "role", "why", "sure"]
    assert repr(found).startswith("Suggestion(1 identifier, 6 quasi, 2 sensitive: k>=5")
    assert str(ic.profile(table)).splitlines()[0].split() == ["column", "kind", "missing", "values", "occur", "once"]
    assert repr(ic.profile(table)) == "Profile(60 records, 9 columns)"
    curve = ic.frontier(VISITS, ic.Schema(quasi={"age": ic.intervals(10, 100)}), values=[1, 400])
    assert str(curve).splitlines() == [
        "       k  detail kept    loss  left out   groups",
        "       1       100.0%   0.000         0       50",
        "     400  nothing can be published",
        "loss: the geometric mean of losses, the measure of the search.",
    ]
    for shown in (found, ic.profile(table), curve):
        assert shown._repr_html_().count("<table>") == 1


def test_nothing_that_is_printed_is_markup_a_control_sign_or_a_value() -> None:
    rows = [{"<b>age</b>\x1b[2J": f"canary{row % 7}", "sex": "fm"[row % 2]} for row in range(40)]
    found, profile = ic.suggest(rows), ic.profile(rows)
    for text in (str(found), str(profile), repr(found), found._repr_html_(), profile._repr_html_()):
        assert "canary" not in text
        assert "\x1b" not in text
    assert "<b>" not in found._repr_html_() + profile._repr_html_()
    assert "&lt;b&gt;age" in profile._repr_html_()


def test_a_wide_table_is_summed_up_when_printed() -> None:
    wide = [{f"v{number}q": row % 2 for number in range(100)} | {"age": row} for row in range(30)]
    assert len(str(ic.suggest(wide, roles={f"v{number}q": "drop" for number in range(90)})).splitlines()) < 40


def test_suggesting_for_a_text_file_does_not_load_pandas(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["nr,day,pay", *(f"{n},2020-01-{n % 28 + 1:02},{n}.5" for n in range(1000))]) + "\n")
    code = "import sys, incrowd\nincrowd.suggest(sys.argv[1])\nassert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(path)], check=True)
