"""Published rules, and tables held against them."""

from __future__ import annotations

import json

import pytest

import incrowd as ic
from incrowd.evidence._published_rules import PRESETS

ROLES = ic.Schema(quasi=["q"], sensitive=["s"])


def classes(*sizes: int) -> list[dict[str, str]]:
    """Make classes of these sizes, each with two sensitive values."""
    return [{"q": str(number), "s": str(row % 2)} for number, size in enumerate(sizes) for row in range(size)]


def test_every_preset_says_what_it_asks_and_where_that_stands() -> None:
    assert sorted(PRESETS) == ["ema-0.09", "hipaa-safe-harbor", "wp216"]
    for name in PRESETS:
        asked = ic.preset(name)
        assert asked.name == name
        assert asked.source
        assert all(rule.endswith(".") for rule in asked.rules.values())
    with pytest.raises(
        ic.ParameterError, match=r"must be one of 'ema-0\.09', 'wp216', 'hipaa-safe-harbor', got 'gdpr'"
    ):
        ic.preset("gdpr")


@pytest.mark.parametrize(("smallest", "holds"), [(11, False), (12, True)])
def test_a_chance_of_nine_in_a_hundred_needs_twelve_people(smallest: int, holds: bool) -> None:
    checklist = ic.risk(classes(20, smallest), ROLES).against("ema-0.09")
    assert checklist.holds is holds
    assert f"the smallest class has {smallest} records" in checklist.items[0].measured
    assert "1/11 is 0.0909" in str(checklist)


def test_the_three_headings_of_wp216_each_have_a_number() -> None:
    checklist = ic.risk([*classes(5, 6), {"q": "alone", "s": "0"}], ROLES).against("wp216")
    assert [(item.test, item.verdict) for item in checklist.items] == [
        ("singling out", "FAIL"),
        ("linkability", "FAIL"),
        ("inference", "FAIL"),
    ]
    assert checklist.items[0].measured == "1 records are alone in a class"
    fine = ic.risk(classes(5, 6), ROLES).against("wp216")
    assert fine.holds is True
    assert fine.items[1].measured == "highest chance 0.2000, average 0.1818, threshold 0.2"
    assert "s: 0 certain, at best 60.0%, on average 54.5% (without classes 54.5%)" in fine.items[2].measured


def test_without_a_sensitive_column_inference_is_not_checked() -> None:
    checklist = ic.risk(classes(9), ic.Schema(quasi=["q"])).against("wp216")
    assert (checklist.items[2].verdict, checklist.holds) == ("NOT CHECKED", None)


def test_persons_who_are_alone_with_all_their_rows_are_singled_out() -> None:
    visits = [("p1", "a"), ("p1", "b"), ("p2", "a"), ("p3", "a"), ("p4", "b"), ("p5", "b")]
    table = [{"who": who, "q": town} for who, town in visits]
    checklist = ic.risk(table, ic.Schema(quasi=["q"], entity="who")).against("wp216")
    assert checklist.items[0].measured == "0 persons are alone in a class; 1 by all their rows together"
    assert checklist.items[0].holds is False


def test_a_checklist_must_be_asked_and_can_be_written() -> None:
    checklist = ic.risk(classes(20), ROLES).against("ema-0.09")
    with pytest.raises(TypeError, match=r"Ask \.holds"):
        bool(checklist)
    assert json.loads(json.dumps(checklist.to_dict()))["items"][0]["holds"] is True


def test_safe_harbor_is_no_matter_of_chances() -> None:
    with pytest.raises(ic.ParameterError, match="looks at columns and values") as raised:
        ic.risk(classes(20), ROLES).against("hipaa-safe-harbor")
    assert "safe_harbor(table" in raised.value.hint
