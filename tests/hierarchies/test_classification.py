"""Published classifications: literal values in, labels out, and the published facts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain, HierarchyError, ParameterError, UncoveredValuesError
from incrowd.hierarchies._classification import SECTIONS, ClassificationName, codes_of, facts


def path(hierarchy: Any, value: Any, *more: Any) -> list[str]:
    """Give what a value becomes, beside others."""
    domain = Domain.of("x", [value, *more])
    ladder = hierarchy.bind(domain)
    place = [str(text) for text in domain.texts].index(str(value))
    return [str(labels[group[place]]) for group, labels in zip(ladder.groups, ladder.labels, strict=True)][1:-1]


@pytest.mark.parametrize(
    ("name", "value", "labels"),
    [
        ("countries", "FR", ["Western Europe", "Europe"]),
        ("countries", "fra", ["Western Europe", "Europe"]),
        ("countries", "250", ["Western Europe", "Europe"]),
        ("countries", 250, ["Western Europe", "Europe"]),
        ("countries", 4, ["Southern Asia", "Asia"]),
        ("countries", "Frankreich", ["Western Europe", "Europe"]),
        ("countries", "Côte d'Ivoire", ["Western Africa", "Africa"]),
        ("countries", "États-Unis", ["Northern America", "Americas"]),
        ("countries", "Países Bajos", ["Western Europe", "Europe"]),
        ("countries", "Paesi Bassi", ["Western Europe", "Europe"]),
        ("countries", "Noorwegen", ["Northern Europe", "Europe"]),
        ("countries", "Estados Unidos", ["Northern America", "Americas"]),
        ("countries", "United-States", ["Northern America", "Americas"]),
        ("countries", "UK", ["Northern Europe", "Europe"]),
        ("countries", "Viet Nam", ["South-eastern Asia", "Asia"]),
        ("countries", "New Zealand", ["Australia and New Zealand", "Oceania"]),
        ("icd-10", "E11.9", ["E11.-", "E10-E14", "chapter IV"]),
        ("icd-10", "e119", ["E11.-", "E10-E14", "chapter IV"]),
        ("icd-10", "E11", ["E11.-", "E10-E14", "chapter IV"]),
        ("icd-10", "C50.911", ["C50.-", "C50-C50", "chapter II"]),
        ("icd-10", "D48.9", ["D48.-", "D37-D48", "chapter II"]),
        ("icd-10", "D50.0", ["D50.-", "D50-D53", "chapter III"]),
        ("icd-10", "H60.0", ["H60.-", "H60-H62", "chapter VIII"]),
        ("icd-10", "Y05", ["Y05.-", "X85-Y09", "chapter XX"]),
        ("icd-10", "U07.1", ["U07.-", "U00-U49", "chapter XXII"]),
        ("icd-10", "M1A.0710", ["M1A.-", "M05-M14", "chapter XIII"]),
        ("icd-10", "A90", ["A90.-", "A90-A91", "chapter I"]),
        ("atc", "A10BA02", ["A10BA**", "A10B***", "A10****", "A******"]),
        ("atc", "n02be", ["N02BE**", "N02B***", "N02****", "N******"]),
        ("isco-08", "2211", ["221*", "22**", "2***"]),
        ("isco-08", 9334, ["933*", "93**", "9***"]),
        ("nace-2", "62.01", ["62.0*", "62.**", "section J"]),
        ("nace-2", "C1071", ["10.7*", "10.**", "section C"]),
        ("nace-2", "47", ["47", "47.**", "section G"]),
        ("nuts", "DE212", ["DE21*", "DE2**", "DE***"]),
        ("nuts", "FR10", ["FR10*", "FR1**", "FR***"]),
        ("isced", "ISCED 5", ["ISCED 5", "high"]),
        ("isced", 3, ["ISCED 3", "medium"]),
        ("isced", "HS-grad", ["ISCED 3", "medium"]),
        ("isced", "Bachelor's degree", ["ISCED 6", "high"]),
        ("isced", "Realschulabschluss", ["ISCED 2", "low"]),
    ],
)
def test_a_value_becomes_its_groups(name: ClassificationName, value: Any, labels: list[str]) -> None:
    assert path(ic.classification(name), value) == labels


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("countries", "Atlantis"), ("countries", "XX"), ("icd-10", "E1"), ("icd-10", "diabetes"), ("atc", "10A")),
        *(("isco-08", "22111"), ("nace-2", "04.1"), ("nace-2", "A62.01"), ("nuts", "D"), ("isced", "9")),
    ],
)
def test_a_value_that_is_not_known_is_refused_and_not_shown(name: ClassificationName, value: str) -> None:
    with pytest.raises(UncoveredValuesError, match=f"1 of 1 values that are not covered by .* '{name}'") as caught:
        ic.classification(name).bind(Domain.of("x", [value]))
    assert caught.value.values == (value,)


def test_others_get_a_label_of_their_own_if_asked() -> None:
    hierarchy = ic.classification("countries", others="other")
    assert path(hierarchy, "Atlantis", "FR", "DE") == ["other", "other"]
    assert path(hierarchy, "FR", "Atlantis") == ["Western Europe", "Europe"]
    for label in ("other", "Western Europe", "Europe"):
        assert hierarchy.knows(label)
    assert not hierarchy.knows("Atlantis")


def test_a_code_that_names_a_group_is_in_it_beside_finer_codes() -> None:
    for name, coarse, fine in (
        ("atc", "A10", "A10BA02"), ("isco-08", "22", "2211"), ("nuts", "DE", "DE212"), ("nace-2", "62", "62.01"),
        ("icd-10", "E11", "E11.9"),
    ):  # fmt: skip
        hierarchy = ic.classification(name)  # type: ignore[arg-type]  # names of classifications
        assert path(hierarchy, coarse, fine)[-1] == path(hierarchy, fine, coarse)[-1]


def test_a_value_called_like_a_group_is_refused() -> None:
    with pytest.raises(HierarchyError, match="uses one label for different groups"):
        ic.classification("icd-10").bind(Domain.of("x", ["E11.-", "E11.9"]))


def test_there_are_as_many_groups_as_were_published() -> None:
    chapters = facts("icd10.csv")
    assert len(chapters) == 22
    assert sum(len(blocks.split()) for _, blocks in chapters) == 263  # WHO 2019, the finest
    assert len(SECTIONS.split()) == 21
    countries = facts("countries.csv")
    assert len(countries) == 249 + 1  # ISO 3166-1, and Kosovo
    assert len({line[3] for line in countries}) == 22 + 1  # M49, and the Antarctic
    assert {line[4] for line in countries} == {"Africa", "Americas", "Antarctica", "Asia", "Europe", "Oceania"}


def test_no_name_means_two_countries_and_none_is_called_like_a_group() -> None:
    names = [
        name for line in facts("countries.csv") for name in {line[0].lower(), line[1].lower(), *line[5].split("|")}
    ]
    assert len(names) == len(set(names))
    groups = {label.casefold() for line in facts("countries.csv") for label in line[3:5]}
    assert groups.isdisjoint(set(names) - {"antarctica"})


CODES = {
    "icd-10": st.from_regex(r"[A-Z][0-9]{2}(\.[0-9]{1,2})?", fullmatch=True),
    "atc": st.from_regex(r"[A-C]([0-9]{2}([A-C]([A-C]([0-9]{2})?)?)?)?", fullmatch=True),
    "isco-08": st.from_regex(r"[1-3]{1,4}", fullmatch=True),
    "nuts": st.from_regex(r"(DE|FR)([0-9A-C]{1,3})?", fullmatch=True),
    "nace-2": st.from_regex(r"6[0-2](\.[0-3]{1,2})?", fullmatch=True),
    "countries": st.sampled_from([line[place] for line in facts("countries.csv") for place in (0, 1)]),
}


@given(st.sampled_from(sorted(CODES)).flatmap(lambda name: st.tuples(st.just(name), st.lists(CODES[name], min_size=1))))
def test_every_column_of_codes_nests_and_a_value_has_its_labels_in_every_table(case: Any) -> None:
    name, values = case
    hierarchy = ic.classification(name)
    ladder = hierarchy.bind(Domain.of("x", values))
    assert ladder.labels[-1].tolist() == ["*"]
    assert path(hierarchy, values[0], *values[1:]) == path(hierarchy, values[0])
    for level, labels in enumerate(ladder.labels[1:-1], start=1):
        assert all(hierarchy.knows(label) or label in values for label in labels), level


def test_what_is_no_classification_is_refused() -> None:
    with pytest.raises(ParameterError, match="no classification 'icd'") as caught:
        ic.classification("icd")  # type: ignore[arg-type]
    assert "icd-10" in str(caught.value.hint)
    with pytest.raises(ParameterError, match="others must be a text"):
        ic.classification("nuts", others="*")
    with pytest.raises(HierarchyError, match="kind boolean; a classification needs codes or names"):
        ic.classification("nuts").bind(Domain.of("x", [True]))


def test_it_prints_as_written() -> None:
    assert repr(ic.classification("nuts", others="?")) == "classification('nuts', others='?')"


def test_lists_of_codes_are_as_long_as_their_classifications_are() -> None:
    jobs, trades = codes_of("isco-08"), codes_of("nace-2")
    assert [len({code[:digits] for code in jobs}) for digits in (1, 2, 3, 4)] == [10, 43, 130, 436]
    assert [len({code[:digits] for code in trades}) for digits in (2, 3, 4)] == [88, 272, 615]


def test_every_division_of_trades_lies_in_one_section() -> None:
    ranges = [range(int(one[1:3]), int(one[4:]) + 1) for one in SECTIONS.split()]
    divisions = sorted({int(code[:2]) for code in codes_of("nace-2")})
    assert sorted(number for one in ranges for number in one) == divisions
    assert "".join(one[0] for one in SECTIONS.split()) == "ABCDEFGHIJKLMNOPQRSTU"


def test_a_soldier_whose_zero_was_lost_is_no_manager() -> None:
    ladder = ic.classification("isco-08").bind(Domain.of("job", [110, 1111, 2111]))
    assert ladder.labels[2].tolist() == ["01**", "11**", "21**"]
