"""What a suggestion asks: one list, the most dangerous first, in words that somebody without code understands."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import incrowd as ic


def table(folder: Path) -> Path:
    """Write a table about which something of every kind is to be asked."""
    draw = random.Random(3)
    lines = [
        f"{row // 3},{draw.randrange(20, 30)},{draw.choice(['Ulm', 'Bonn', 'Kiel', '?'])},{draw.choice('yn')},"
        f"{draw.randrange(9)},{draw.choice(['tall', 'short', 'k.A.', 'wide'])},{draw.random():.6f}"
        for row in range(600)
    ]
    path = folder / "t.csv"
    path.write_text("\n".join(["id,age,town,hiv,zz,qq,harmless", *lines]), encoding="utf-8")
    return path


def test_who_a_row_is_about_comes_first_then_what_is_published_then_how_it_was_read_then_ladders(
    tmp_path: Path,
) -> None:
    found = ic.suggest(table(tmp_path), roles={"harmless": "insensitive", "age": "quasi", "zz": "drop"})
    begin = (
        "does 'id' stand for a person?",
        "nothing is promised about what is confidential in 'hiv'",
        "'harmless' is published as it is: with it 600 records are one of a kind",
        "'?' stands ",
        "'qq' becomes vaguer",
    )
    places = [
        next(place for place, question in enumerate(found.questions) if question.startswith(words)) for words in begin
    ]
    assert places == sorted(places)
    assert places[0] == 0


def test_all_marks_are_proposed_in_one_line(tmp_path: Path) -> None:
    asked = [question for question in ic.suggest(table(tmp_path)).questions if "missing = [" in question]
    assert len(asked) == 1
    assert 'missing = ["", "k.A.", "?"]' in asked[0] or 'missing = ["", "?", "k.A."]' in asked[0]


def test_columns_with_the_same_reason_are_asked_about_together() -> None:
    draw = random.Random(4)
    rows = [{"age": draw.randrange(20, 80), **{f"zz{n}": draw.randrange(7) for n in range(5)}} for _ in range(400)]
    asked = [question for question in ic.suggest(rows).questions if "zz0" in question]
    becomes = "become vaguer, as something that others could know"
    assert asked == [f"'zz0', 'zz1', 'zz2' and 2 more {becomes}: nothing tells what it is"]


def test_reasons_are_shown_whole_in_a_terminal() -> None:
    rows = [{"patient_number": n, "age": n % 70} for n in range(200)]
    found = ic.suggest(rows)
    shown = " ".join(str(found).split())
    assert "..." not in shown
    assert all(word in shown for column in found.columns for word in column.reason.split())
    assert max(map(len, str(found).splitlines())) <= 110


def test_households_are_called_households() -> None:
    draw = random.Random(6)
    rows = [
        {"household_id": n // 3, "sex": draw.choice("fm"), "age": draw.randrange(90), "town": f"t{n // 3 % 5}"}
        for n in range(600)
    ]
    found = ic.suggest(rows, entity="household_id")
    assert found.rows[0] == "households are counted by 'household_id' (200 in 600 rows)"
    assert "people are counted" not in f"{found}{found!r}"
    assert "of 200 households are one of a kind" in str(found)


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ("0 1 -9", "-9"), ("1 2 -9", "-9"), ("1 2 9", "9"), ("0 1 9", "9"), ("0 1 8 9", "8 9"), ("1 2 7 8 9", "7 8 9"),
        ("0 1 99", "99"), ("0 1 999", "999"), ("1 2 3 97 98 99", "97 98 99"), ("yes no dk", "dk"),
        ("yes no refused", "refused"), ("ja nein weiß_nicht", "weiß_nicht"), ("y n 9", "9"),
        ("1 2 77 88 99", "77 88 99"), ("1 2 -8 -9", "-8 -9"), ("1 -9", "-9"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("in_a_file", [True, False])
def test_marks_among_few_values_are_asked_about_and_promise_nothing(
    values: str, marks: str, *, in_a_file: bool, tmp_path: Path
) -> None:
    draw, some = random.Random(5), [text.replace("_", " ") for text in values.split()]
    rows = [(draw.randrange(30, 70), draw.choice("mf"), draw.choice(some)) for _ in range(600)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age,sex,smoker", *(f"{age},{sex},{one}" for age, sex, one in rows)]), encoding="utf-8")
    records = [{"age": age, "sex": sex, "smoker": one} for age, sex, one in rows]
    found = ic.suggest(path if in_a_file else records, roles={"smoker": "sensitive"})
    asked = [question for question in found.questions if "mean missing?" in question]
    wanted = {text.replace("_", " ") for text in marks.split()}
    if in_a_file:
        assert len(asked) == 1
        assert {*json.loads(asked[0].partition("missing = ")[2].partition("]")[0] + "]")} == {"", *wanted}
    assert all(any(repr(mark) in question for question in asked) for mark in wanted)
    promise = next(column.promise for column in found.columns if column.name == "smoker")
    different = len({*some} - wanted)
    assert promise is None if different < 3 else promise == "l>=2[smoker]"


@pytest.mark.parametrize(
    "values", ["-1 0 1", "-1 1", "-2 -1 0 1 2", "4 6 8", "1 2 3", "0 1 2 3 4 5 6 7 8 9", "97 98 99"]
)
def test_scales_and_lists_of_codes_without_a_hole_hold_no_marks(values: str) -> None:
    draw = random.Random(6)
    some = [int(text) for text in values.split()]
    rows = [{"age": draw.randrange(30, 70), "sex": draw.choice("mf"), "pain": draw.choice(some)} for _ in range(600)]
    assert not any("mean missing?" in question for question in ic.suggest(rows).questions)


def test_a_mark_that_is_a_value_only_of_what_is_left_out_can_be_called_missing(tmp_path: Path) -> None:
    draw, path = random.Random(7), tmp_path / "t.csv"
    rows = [f"{row},{draw.randrange(30, 70)},{draw.choice('mf')},{draw.choice([0, 1, 2, 99])}" for row in range(600)]
    path.write_text("\n".join(["id,age,sex,children", *rows]), encoding="utf-8")
    asked = [question for question in ic.suggest(path).questions if "mean missing?" in question]
    assert len(asked) == 1
    assert 'missing = ["", "99"]' in asked[0]
    kept = ic.suggest(path, roles={"id": "quasi"}).questions
    assert any("It is a value of 'id' too" in question for question in kept)


def households(size: int = 3) -> list[dict[str, object]]:
    """Give people who share the income of their household."""
    draw = random.Random(8)
    money = [round(draw.lognormvariate(10.6, 0.5)) for _ in range(200)]
    return [
        {"hhid": n // size, "sex": draw.choice("fm"), "age": draw.randrange(90), "hhinc": money[n // size]}
        for n in range(200 * size)
    ]


def test_a_household_is_asked_about_in_the_list_because_rows_are_counted() -> None:
    asked = ic.suggest(households()).questions
    assert asked[0] == (
        "does 'hhid' stand for a household? Rows are counted, and groups may hold fewer households than rows: "
        'to count households write entity = "hhid" below [data]'
    )
    assert not any("household?" in question for question in ic.suggest(households(), entity="hhid").questions)
    assert not any("household?" in question for question in ic.suggest(households(1)).questions)


def test_what_gives_back_households_as_it_is_published_is_asked_about() -> None:
    found = ic.suggest(households())
    column = next(column for column in found.columns if column.name == "hhinc")
    assert (column.role, column.sure) == ("sensitive", False)
    assert column.reason.startswith("the same for all rows of one 'hhid'")
    assert any("'hhinc' is published as it is" in question for question in found.questions)


def test_what_is_left_out_is_asked_about_after_what_is_published_and_what_becomes_vaguer() -> None:
    draw = random.Random(9)
    rows = [{"zz": f"{draw.choice('ab')}{n}", "qq": draw.randrange(7), "hiv": draw.choice("yn")} for n in range(300)]
    asked = ic.suggest(rows, roles={"hiv": "sensitive"}).questions
    left_out = next(place for place, question in enumerate(asked) if "left out" in question)
    vaguer = next(place for place, question in enumerate(asked) if "vaguer" in question)
    assert vaguer < left_out
