"""Tables held against the eighteen kinds of identifiers of HIPAA."""

from __future__ import annotations

from typing import Any

import pytest

import incrowd as ic
from incrowd.core import Domain
from incrowd.plan._safe_harbor import KINDS, likely_kind


def harbor(values: list[Any], kind: str, **more: Any) -> tuple[str, str]:
    """Go through a table of one column; give the verdict on its test, and what was measured."""
    checklist = ic.safe_harbor([{"x": value} for value in values], kinds={"x": kind}, **more)
    test = {"zip": "geography", "place": "geography", "state": "geography"}.get(kind, "dates")
    (item,) = (item for item in checklist.items if item.test == test)
    return item.verdict, item.measured


def test_safe_harbor_has_eighteen_tests() -> None:
    checklist = ic.safe_harbor([{"x": 1}], kinds={"x": "none"})
    assert len(checklist.items) == 18
    assert checklist.holds is True


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in ic.preset("hipaa-safe-harbor").rules])
def test_a_published_column_of_a_forbidden_kind_fails(kind: str) -> None:
    checklist = ic.safe_harbor([{"x": 1}], kinds={"x": kind})
    assert [item.test for item in checklist.items if item.holds is False] == [kind]


@pytest.mark.parametrize(
    ("values", "populous", "verdict"),
    [
        (["10115"], ["101"], "FAIL"),
        (["1011*"], ["101"], "FAIL"),
        (["101**", "102**"], None, "NOT CHECKED"),
        (["101**", "102**"], ["101", "102"], "PASS"),
        (["101**", "102**"], ["101"], "FAIL"),
        (["101", "000"], ["101"], "PASS"),
        (["10***", "*", "000**"], None, "PASS"),
        (["10115..10243"], ["101", "102"], "FAIL"),
        (["101**-****", "000**-****"], ["101"], "PASS"),
        (["1011*-****"], ["101"], "FAIL"),
        ([36, 101], ["101"], "NOT CHECKED"),  # 036 and 360 without a zero look alike
        ([0, 101], ["101"], "NOT CHECKED"),
        ([36, 102], ["101"], "FAIL"),
        ([601, 725], ["601", "725"], "NOT CHECKED"),  # 00601 and 00725 look alike
        ([601, 725], ["601"], "FAIL"),  # whatever they are
        ([601, 10115], ["601", "101"], "FAIL"),
        (["601", "725"], ["601", "725"], "PASS"),  # a text has kept its zeros
        (["006", "007"], ["006", "007"], "PASS"),
        (["{476**, 477**}", "476**"], ["476", "477"], "PASS"),
        (["{476**, 477**}"], ["476"], "FAIL"),
        (["{476**, 47712}"], ["476", "477"], "FAIL"),
        (["{476**, 477**}"], None, "NOT CHECKED"),
    ],
)
def test_three_digits_of_a_zip_where_enough_people_live(values: list[str], populous: Any, verdict: str) -> None:
    assert harbor(values, "zip", populous=populous)[0] == verdict


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1980, 2024], "PASS"),
        (["1980s", "19xx", "*", "[1980, 1990)", "1980..1985"], "PASS"),
        (["2024-Q1"], "FAIL"),
        (["2024-M03"], "FAIL"),
        (["1980-03-05"], "FAIL"),
        (["05.03.1980"], "FAIL"),
        (["spring"], "NOT CHECKED"),
    ],
)
def test_of_a_date_nothing_but_the_year(values: list[Any], verdict: str) -> None:
    assert harbor(values, "date")[0] == verdict


def test_birth_years_that_tell_an_age_above_89() -> None:
    assert harbor([1931, 1980], "birth date")[0] == "NOT CHECKED"
    assert harbor([1931, 1980], "birth date", year=2020) == (
        "PASS",
        "column 'x' has 0 labels that cover some ages above 89 in 2020 and not all",
    )
    assert harbor([1930, 1980], "birth date", year=2020)[0] == "FAIL"
    assert harbor(["<=1930", "1980"], "birth date", year=2020)[0] == "PASS"
    assert harbor(["<=1945", "*"], "birth date", year=2020)[0] == "PASS"
    assert harbor(["<=1920", "1980"], "birth date", year=2020)[0] == "FAIL"
    assert harbor(["[1920, 1940)"], "birth date", year=2020)[0] == "FAIL"
    assert harbor(["{1925, 1980}"], "birth date", year=2020)[0] == "FAIL"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([89, 30], "PASS"),
        ([90], "FAIL"),
        (["90+", "[80, 90)"], "PASS"),
        ([">=90", "*"], "PASS"),
        ([">89"], "PASS"),
        ([">=95"], "FAIL"),
        (["[90, 95)"], "FAIL"),
        (["[80, 100)"], "FAIL"),
        (["{47, 93}"], "FAIL"),
        (["[80, 120)", ">=60"], "PASS"),
        (["old"], "NOT CHECKED"),
    ],
)
def test_ages_above_89_are_one_category(values: list[Any], verdict: str) -> None:
    assert harbor(values, "age")[0] == verdict


def test_states_pass_and_smaller_places_fail() -> None:
    assert harbor(["Ohio"], "state")[0] == "PASS"
    assert harbor(["Columbus"], "place")[0] == "FAIL"


def test_a_test_that_found_nothing_passes_only_if_every_column_is_declared() -> None:
    table = [{"age": 30, "note": "x"}]
    checklist = ic.safe_harbor(table, kinds={"age": "age"})
    assert {item.verdict for item in checklist.items} == {"NOT CHECKED"}
    assert checklist.items[0].measured == "column 'note' is not declared"
    removed = ic.Schema(quasi=["age"], identifiers=["note"])
    assert ic.safe_harbor(table, removed, kinds={"age": "age"}).holds is True


def test_columns_that_nobody_declared_are_named_with_what_their_names_suggest() -> None:
    table = [{"zip": "10115", "geburtsdatum": "1980-01-01", "sex": "f"}]
    checklist = ic.safe_harbor(table, kinds={})
    assert checklist.holds is None
    assert checklist.items[0].measured == "columns 'zip' (zip?), 'geburtsdatum' (birth date?), 'sex' are not declared"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("zip", "zip"),
        ("PLZ", "zip"),
        ("age", "age"),
        ("date_of_birth", "birth date"),
        ("admission", "date"),
        ("patientName", "names"),
        ("patient id", "medical record numbers"),
        ("id", "other unique codes"),
        ("ssn", "social security numbers"),
        ("city", "place"),
        ("street", "place"),
        ("e-mail", "email addresses"),
        ("phone number", "telephone numbers"),
        ("iban", "account numbers"),
        ("photo", "photographs"),
        ("country", None),
        ("state", None),
        ("sex", None),
        ("diagnosis", None),
        ("notes", None),
        ("x7", None),
    ],
)
def test_a_kind_is_suggested_by_the_name_and_never_one_that_passes_by_itself(name: str, kind: str | None) -> None:
    assert likely_kind(name) == kind


def test_values_suggest_a_kind_whatever_the_name_says() -> None:
    assert likely_kind("contact", Domain.of("contact", ["a@example.org", "b@example.org"])) == "email addresses"
    assert likely_kind("seen", Domain.of("seen", ["01.02.2024", "15.03.2024"])) == "date"


def test_a_release_is_looked_at_as_it_is_published() -> None:
    table = ic.hospital(200)
    release = ic.anonymize(table, ic.hospital_schema(), model="k>=2", max_suppressed=0.5, at_least={"zip": 2})
    checklist = ic.safe_harbor(release, kinds={"zip": "zip", "diagnosis": "none"})
    (geography,) = (item for item in checklist.items if item.test == "geography")
    assert geography.holds is None
    assert "name" not in str(checklist.items[0].measured)


def test_wrong_declarations_are_refused_without_a_value() -> None:
    with pytest.raises(ic.UnknownColumnError, match="no column 'y'"):
        ic.safe_harbor([{"x": 1}], kinds={"y": "age"})
    with pytest.raises(ic.ParameterError, match="'x' must be declared as one of 'none', 'state'"):
        ic.safe_harbor([{"x": 1}], kinds={"x": "colour"})
    assert "CANARY" not in str(ic.safe_harbor([{"x": "CANARY"}], kinds={"x": "date"}))


@pytest.mark.parametrize("values", [["601", "*"], ["21**", "101**"], ["601*"], ["36"]])
def test_zip_codes_that_may_have_lost_a_zero_are_not_checked(values: list[str]) -> None:
    assert harbor(values, "zip", populous=["601", "101", "036", "021"])[0] == "NOT CHECKED"


@pytest.mark.parametrize("values", [["601", "006", "*"], ["021**", "*"], ["601"], ["601**", "021*"]])
def test_zip_codes_that_kept_their_zeros_are_checked(values: list[str]) -> None:
    assert harbor(values, "zip", populous=["601", "006", "021"])[0] == "PASS"
