from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from incrowd.core import Domain, HierarchyError, UncoveredValuesError
from incrowd.hierarchies import categories

TABLE_4_2 = """value,category,rank,label,weight
Cancer,H1,1,Most secret,0
HIV,H1,1,Most secret,0
Hepatitis,H2,2,Secret,1/3
Phthisis,H2,2,Secret,1/3
Asthma,H3,3,Less secret,2/3
Obesity,H3,3,Less secret,2/3
Indigestion,H4,4,Non secret,1
Flu,H4,4,Non secret,1
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "disease.csv"
    path.write_text(text)
    return path


def test_the_weights_of_four_categories_are_thirds(tmp_path: Path) -> None:
    found = categories(write(tmp_path, TABLE_4_2))
    assert found.names == ("H1", "H2", "H3", "H4")
    assert found.weights == (Fraction(0), Fraction(1, 3), Fraction(2, 3), Fraction(1))


def test_a_single_category_weighs_one_and_two_weigh_nothing_and_one() -> None:
    assert categories({"all": ["flu"]}).weights == (Fraction(1),)
    assert categories({"a": ["x"], "b": ["y"]}).weights == (Fraction(0), Fraction(1))


def test_a_file_and_a_dict_are_equal(tmp_path: Path) -> None:
    text = "rank;value;category\n2;flu;mild\n1;HIV;severe\n1;cancer;severe\n"
    assert categories(write(tmp_path, text)) == categories({"severe": ["HIV", "cancer"], "mild": ["flu"]})


def test_values_find_their_category() -> None:
    bound = categories({"severe": ["HIV"], "mild": ["flu", 7]}).bind(Domain.of("disease", ["flu", "HIV", "7"]))
    assert bound.category.tolist() == [1, 0, 1]
    assert (bound.names, bound.column) == (("severe", "mild"), "disease")


def test_uncovered_values_are_counted_and_carried_but_not_shown() -> None:
    with pytest.raises(UncoveredValuesError, match="1 of 1 values that are not covered by the categories") as caught:
        categories({"mild": ["flu"]}).bind(Domain.of("disease", ["canary"]))
    assert caught.value.values == ("canary",)


def test_missing_values_need_a_category_of_their_own() -> None:
    domain = Domain.of("disease", ["flu", None, None])
    with pytest.raises(UncoveredValuesError, match="Column 'disease' has 2 missing values") as caught:
        categories({"mild": ["flu"]}).bind(domain)
    assert caught.value.values == (None,)
    assert categories({"secret": [""], "mild": ["flu"]}).bind(domain).category.tolist() == [1, 0]


@pytest.mark.parametrize("weight", ["0.33", "0.3333", "1/3", " 1/3 "])
def test_a_written_weight_may_be_rounded(tmp_path: Path, weight: str) -> None:
    text = f"value,category,rank,weight\na,A,1,0\nb,B,2,{weight}\nc,C,3,0.67\nd,D,4,1.0\n"
    assert len(categories(write(tmp_path, text)).groups) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column 'value'"),
        ("value,category\na,A\n", "has no column 'rank'"),
        ("value,category,rank\n", "line 1: there is no value below the header"),
        ("value,category,rank\na,A,1\nb,B\n", "line 3: has 2 fields, but the header has 3"),
        ("value,category,rank\na,A,first\n", "line 2: the rank is no whole number"),
        ("value,category,rank\na,A,1\nb,B,1\n", "line 3: rank 1 already belongs to another category"),
        ("value,category,rank\na,A,1\na,B,2\n", "line 3: the value already belongs to another category"),
        ("value,category,rank\na,A,1\nb,A,2\n", "needs the ranks 1 to 1, one for each category"),
        ("value,category,rank\na,A,1\nb,B,3\n", "needs the ranks 1 to 2, one for each category"),
        ("value,category,rank,weight\na,A,1,0\nb,B,2,0.5\n", "line 3: the weight is not 1, which follows from rank 2"),
        ("value,category,rank,weight\na,A,1,zero\n", "line 2: the weight is not 1"),
        ("value,category,rank,weight\na,A,1,1/0\n", "line 2: the weight is not 1"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        categories(write(tmp_path, text))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "at least one category, got dict"),
        (["flu"], "needs a path or a dict with at least one category, got list"),
        ({"mild": "canary"}, "Category 1 holds str instead of a list"),
        ({"mild": 5}, "Category 1 holds int instead of a list"),
        ({"mild": []}, "Category 1 has no values"),
        ({"a": ["canary"], "b": ["canary"]}, "Category 2 has a value that an earlier category has too"),
    ],
)
def test_malformed_python_data_is_refused_without_showing_it(source: Any, message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        categories(source)
    assert "canary" not in str(caught.value)


def test_the_reprs_show_no_value() -> None:
    found = categories({"canary": ["canary"]})
    assert repr(found) == "Categories(1 categories, 1 values)"
    assert "canary" not in repr(found.bind(Domain.of("disease", ["canary"])))


def test_a_file_may_leave_its_weights_empty(tmp_path: Path) -> None:
    path = tmp_path / "categories.csv"
    path.write_text("value,category,rank,label,weight\nasthma,C1,1,respiratory,\nflu,C2,2,harmless,\n")
    assert categories(path).weights == (Fraction(0), Fraction(1))
