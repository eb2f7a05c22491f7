from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from incrowd.core import Domain, ParameterError
from incrowd.core._labelling import _set_text
from incrowd.hierarchies import coverage, covered, covers, flat, frequent, kind_of_label, tree, unreadable


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("*", ["", "anything", "12"], []),
        ("FR", ["FR"], ["fr", "FRA"]),
        ("476**", ["47605", "476**"], ["4760", "47705", "476055"]),
        ("**", ["12", "ab"], ["1", "123"]),
        ("<18", ["17", "17.9", "-3", "007", "<18"], ["18", "abc", "<17"]),
        ("<= 18", ["18"], ["18.1"]),
        (">50", ["50.01", "1e3"], ["50"]),
        (">=90", ["90", "104"], ["89.99"]),
        ("90+", ["90", "104.5", "90+"], ["89.99", "abc"]),
        ("90 +", ["90"], ["89"]),
        ("\u226590", ["90", "104"], ["89.99"]),
        ("\u2264 18", ["18", "-3"], ["18.1"]),
        (">=1/3", ["0.34"], ["0.33"]),
        ("20-29", ["20", "29", "25.5"], ["30", "29.5", "19"]),
        ("20 - 29", ["20", "29"], ["30"]),
        ("20\u201329", ["20", "29"], ["30", "19"]),
        ("20 \u2014 29", ["20", "29"], ["30"]),
        ("476xx", ["47605", "476xx"], ["4760", "47705", "476055", "476ax"]),
        ("476XX", ["47605"], ["47705"]),
        ("-5--2", ["-5", "-3"], ["-1", "5"]),
        ("-5-2", ["-5", "2"], ["3"]),
        ("0.5-1.5", ["0.5", "1"], ["2"]),
        ("1..3", ["1", "3"], ["4"]),
        ("[20-29]", ["20", "29"], ["30"]),
        ("[20, 30)", ["20", "29.9"], ["30"]),
        ("[20, 30[", ["20"], ["30"]),
        ("(20, 30]", ["30", "20.1"], ["20"]),
        ("]20, 30]", ["30"], ["20"]),
        ("[0, 1/3)", ["0.33"], ["0.34"]),
        ("05-09", ["5", "09"], ["10"]),
        ("2024-M03", ["2024-03-05", "2024-03-31 23:59:59"], ["2024-04-01", "2024"]),
        ("2024-03", ["2024-03-01", "2024-03-31 23:59:59", "2024-03"], ["2024-02-29", "2024-04-01", "2024", "2024-3"]),
        ("2024-Q1", ["2024-03-05"], ["2024-04-01"]),
        ("2024", ["2024-12-31"], ["2025-01-01", "2024.0"]),
        ("2020s", ["2029-12-31"], ["2030-01-01", "2024"]),
        ("19xx", ["1900-01-01", "1999-12-31"], ["2000-01-01"]),
        ("2024-03-05", ["2024-03-05 10:00:00"], ["2024-03-06"]),
        ("2024-03-05..2024-03-06", ["2024-03-05", "2024-03-06 23:00:00"], ["2024-03-07", "7"]),
        ("2024-03-05 10:00:00..2024-03-05 11:00:00", ["2024-03-05 11:00:00"], ["2024-03-05 11:00:01"]),
    ],
)
def test_a_label_covers_what_it_says(label: str, inside: list[str], outside: list[str]) -> None:
    assert [covers(label, text) for text in inside] == [True] * len(inside)
    assert [covers(label, text) for text in outside] == [False] * len(outside)


@pytest.mark.parametrize(
    "label",
    [
        *("02139-4307", "10-02139", "Europe", "none..primary", "rare (<10)", ">50K", "[30, 20)", "<1/0"),
        *("[1, 1/0)", "2024-13-45", "2024-M13", "2024-03-06..2024-03-05"),
    ],
)
def test_a_label_without_a_pattern_is_unknown_and_covers_only_itself(label: str) -> None:
    assert kind_of_label(label) is None
    assert covers(label, label)
    assert [covers(label, text) for text in ("2024", "3", "1000", "2024-03-05", "25")] == [False] * 5


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("*", "everything"),
        ("", "everything"),
        ("1**", "mask"),
        (">=90", "bound"),
        ("20-29", "range"),
        ("2020s", "period"),
        ("2024-03", "period"),
        ("90+", "bound"),
        ("20\u201329", "range"),
    ],
)
def test_a_label_tells_how_it_is_read(label: str, kind: str) -> None:
    assert kind_of_label(label) == kind


def test_only_a_star_covers_a_missing_value() -> None:
    assert covers("*", None)
    assert [covers(label, None) for label in ("**", "<18", "2024", "None")] == [False] * 4


def test_numbers_of_every_form_are_compared_exactly() -> None:
    floats = Domain("x", "number", np.array([0.1, 0.3, 0.7]), np.ones(3, dtype=np.int64))
    assert covered("[0.3, 0.7)", floats).tolist() == [False, True, False]
    assert covered("0.1-0.3", floats).tolist() == [True, True, False]
    assert covered("10-20", Domain.of("x", [9, 10, 20, 2**70])).tolist() == [False, True, True, False]


def test_moments_are_no_numbers_and_numbers_no_moments() -> None:
    assert covered("<9999999", Domain.of("x", [dt.date(2024, 1, 1)])).tolist() == [False]
    assert covered("2024", Domain.of("x", [2023, 2024])).tolist() == [False, True]
    assert covered("2020s", Domain.of("x", [2023])).tolist() == [False]
    assert covered("2024", Domain.of("x", [dt.date(2024, 1, 1), None])).tolist() == [True, False]


def test_the_ladder_decides_alone_about_its_own_labels() -> None:
    domain = Domain.of("age", [25, 55, 61])
    ladder = tree({"<50": [25, 61], "old": [55]}).bind(domain)
    assert covered("<50", domain, ladder).tolist() == [True, False, True]
    assert covered("<50", domain).tolist() == [True, False, False]
    assert covered("old", domain, ladder).tolist() == [False, True, False]


def test_a_label_that_the_ladder_lacks_is_read() -> None:
    domain = Domain.of("age", [25, 55])
    assert covered("50-59", domain, flat().bind(domain)).tolist() == [False, True]


def test_rare_values_are_known_to_their_ladder_only() -> None:
    domain = Domain.of("job", ["cook", "cook", "pope"])
    assert covered("rare (<2)", domain, frequent(2).bind(domain)).tolist() == [False, True]
    assert covered("rare (<2)", domain).tolist() == [False, False]


def test_a_ladder_of_another_column_is_refused() -> None:
    with pytest.raises(ParameterError, match="The ladder is of 1 values and the domain of 2"):
        covered("x", Domain.of("a", ["x", "y"]), flat().bind(Domain.of("a", ["x"])))


def test_an_empty_label_is_read_as_a_star() -> None:
    domain = Domain.of("x", ["a", "b", None])
    assert covered("", domain).tolist() == [True, True, True]
    assert covered("", domain, flat().bind(domain)).tolist() == [True, True, True]


def test_an_empty_label_that_the_ladder_has_is_a_value() -> None:
    domain = Domain.of("x", ["", "a", None])
    assert covered("", domain, flat().bind(domain)).tolist() == [True, False, False]


def test_a_published_missing_value_covers_missing_values_only() -> None:
    domain = Domain.of("age", [25, None])
    assert covered(None, domain).tolist() == [False, True]
    assert covered(None, domain, flat().bind(domain)).tolist() == [False, True]
    assert covered(None, Domain.of("age", [25])).tolist() == [False]
    assert (covers(None, None), covers(None, "None"), covers(None, "")) == (True, False, False)


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("{bonn, kiel}", ["bonn", "kiel", "{bonn, kiel}"], ["bonn, kiel", "köln", "{bonn"]),
        ("{bonn,kiel}", ["bonn", "kiel"], [" kiel"]),
        ('{a, "c, d"}', ["a", "c, d"], ["c", "d", '"c, d"']),
        (r'{"say \"no\"", "{x}", y}', ['say "no"', "{x}", "y"], ["no", "x"]),
        ("{a,  b}", ["a", " b"], ["b"]),
        ("{1, 2}", ["1", "2"], ["3", "1.5"]),
        ('{"[20, 25)", "[30, 35)"}', ["20", "34"], ["25", "35"]),
        ("{47*, 480}", ["471", "480"], ["481"]),
        ("{a}", ["a"], ["b"]),
        ("{a, }", ["a", ""], ["b"]),
    ],
)
def test_a_set_covers_its_members(label: str, inside: list[str], outside: list[str]) -> None:
    assert kind_of_label(label) == "set"
    assert [covers(label, text) for text in inside] == [True] * len(inside)
    assert [covers(label, text) for text in outside] == [False] * len(outside)


@pytest.mark.parametrize("label", ["{}", "{", '{"a}', '{"a"b}', "{a}b}", "{a, {b}", r'{"\x"}'])
def test_what_is_no_set_covers_only_itself(label: str) -> None:
    assert kind_of_label(label) is None
    assert (covers(label, label), covers(label, "a")) == (True, False)


def test_members_of_a_set_may_be_labels_of_the_ladder() -> None:
    domain = Domain.of("town", ["bonn", "kiel", "köln", "ulm", None])
    ladder = tree([("bonn", "west"), ("köln", "west"), ("kiel", "north"), ("ulm", "south")]).bind(domain)
    assert covered("{west, north}", domain, ladder).tolist() == [True, True, True, False, False]
    assert covered("{west, north}", domain).tolist() == [False] * 5


def test_the_sets_that_local_recodings_write_are_read_back() -> None:
    texts = ["a", "b, c", 'say "no"', "{x}", " d ", "1*", "2-3"]
    domain = Domain.of("x", [*texts, "e"])
    label = _set_text(list(texts))
    assert label is not None
    assert [text for text, inside in zip(domain.texts, covered(label, domain), strict=True) if inside] == sorted(texts)


def test_the_coverage_of_many_labels_is_what_each_covers() -> None:
    domain = Domain.of("age", [20, 25, 31, None])
    assert [codes.tolist() for codes in coverage(["20-29", "*", None, "{25, 31}", "x"], domain)] == [
        [0, 1],
        [0, 1, 2, 3],
        [3],
        [1, 2],
        [],
    ]


def test_a_number_is_covered_however_it_is_written() -> None:
    domain = Domain.of_texts("x", ["38.5", "39.0"], np.ones(2, dtype=np.int64))
    assert covered("39", domain).tolist() == [False, True]
    assert [codes.tolist() for codes in coverage(["39", "38.50", "40"], domain)] == [[1], [0], []]


def test_a_value_that_could_be_a_period_is_a_number_among_numbers() -> None:
    assert [codes.tolist() for codes in coverage(["2024", "7"], Domain.of("x", [7, 2024]))] == [[1], [0]]


def test_an_x_is_a_letter_where_values_have_it() -> None:
    assert covered("47xx", Domain.of("code", ["47ab", "47xy", "47xx"])).tolist() == [False, True, False]
    assert covered("47xx", Domain.of("code", ["47ab", "48ab"])).tolist() == [True, False]
    assert covered("47xx", Domain.of("zip", [4711, 4811, 47111])).tolist() == [True, False, False]
    assert covered("19xx", Domain.of("year", [1950, 2001])).tolist() == [True, False]
    assert covered("xx", Domain.of("code", ["47", "ab"])).tolist() == [False, False]


@pytest.mark.parametrize(
    ("values", "read", "unknown"),
    [
        (
            [25, 31],
            ["*", "", None, "25", "99", "1e2", "20-29", "90+", "{25, 99}", "**"],
            ["thirties", "2020s", "{25, old}", "***"],
        ),
        (
            [dt.date(2024, 3, 5)],
            ["2024", "2024-03", "2020s", "2024-03-06", "2023-01-01 10:00:00", "2024-01-01..2024-12-31"],
            ["spring", "20-29", "25", "202*"],
        ),
        (["DE", "FR"], ["DE", "D*", "{DE, SE}", "*"], ["Europe", "SE", "20-29", "2024", "{NO, SE}", "D**", "Dx"]),
        (["25", "old"], ["20-29", "old", "7"], ["young", "2024-03"]),
        (["47605"], ["476xx", "476**"], ["476x", "476*"]),
    ],
)
def test_labels_that_cannot_be_read_are_told(values: list[object], read: list[str | None], unknown: list[str]) -> None:
    domain = Domain.of("x", values)
    assert unreadable(read, domain).tolist() == [False] * len(read)
    assert unreadable(unknown, domain).tolist() == [True] * len(unknown)
    for label in unknown:
        inside = [text for text in domain.texts if covers(label, text)]
        assert inside == [] or label == "{25, old}"


def test_a_hierarchy_explains_its_labels() -> None:
    domain = Domain.of("c", ["DE", "SE"])
    ladder = tree({"west": ["DE"], "north": ["SE"]}).bind(domain)
    assert unreadable(["west", "{west, north}", "east"], domain, ladder).tolist() == [False, False, True]
