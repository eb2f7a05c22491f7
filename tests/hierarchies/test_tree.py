from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.mutations import mutations
from incrowd.core import DataError, Domain, HierarchyError, IncrowdError, UncoveredValuesError
from incrowd.hierarchies import Tree, check, tree

NESTED = {"Europe": {"West": ["FR", "DE"], "North": ["SE"]}, "Asia": {"East": ["JP"]}}
PAIRS = [("FR", "West"), ("DE", "West"), ("SE", "North"), ("JP", "East")]
PAIRS += [("West", "Europe"), ("North", "Europe"), ("East", "Asia")]
LINES = "FR,West,Europe\nDE,West,Europe\nSE,North,Europe\nJP,East,Asia\n"


def write(folder: Path, text: str, name: str = "h.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_dict_pairs_and_file_give_the_same_tree(tmp_path: Path) -> None:
    assert tree(NESTED) == tree(PAIRS) == tree(write(tmp_path, LINES)) == tree(str(tmp_path / "h.csv"))
    assert tree(NESTED).paths[0] == ("DE", "West", "Europe", "*")


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separator_mark_and_line_ends_are_found_out(tmp_path: Path, separator: str, mark: str, end: str) -> None:
    text = mark + LINES.replace(",", separator).replace("\n", end)
    assert tree(write(tmp_path, text)) == tree(NESTED)


def test_commas_inside_labels_do_not_confuse_a_file_with_semicolons(tmp_path: Path) -> None:
    assert tree(write(tmp_path, "1;[0, 5);*\n7;[5, 10);*\n")).paths == (("1", "[0, 5)", "*"), ("7", "[5, 10)", "*"))


def test_quoted_fields_may_hold_separators_quotes_and_line_ends(tmp_path: Path) -> None:
    assert tree(write(tmp_path, '"a,b","say ""ah""\nnow"\n')).paths == (("a,b", 'say "ah"\nnow'),)


def test_blank_lines_and_identical_repeats_do_no_harm(tmp_path: Path) -> None:
    assert tree(write(tmp_path, "a,*\n\na,*\nb,*\n")).paths == (("a", "*"), ("b", "*"))


def test_a_file_of_one_column_gets_a_star(tmp_path: Path) -> None:
    assert tree(write(tmp_path, "a\nb\n")).paths == (("a", "*"), ("b", "*"))


def test_a_column_binds_by_text_and_knows_the_size_of_the_whole_file() -> None:
    ladder = tree(NESTED).bind(Domain.of("country", ["JP", "FR", None]))
    assert [names.tolist() for names in ladder.labels] == [
        ["FR", "JP", None],
        ["West", "East", None],
        ["Europe", "Asia", None],
        ["*"],
    ]
    assert [leaves.tolist() for leaves in ladder.leaves[1:]] == [[2, 1, 1], [3, 1, 1], [5]]


def test_numbers_booleans_and_dates_are_found_by_how_they_are_written() -> None:
    values = tree({"young": [39, "40"], "x": [True, dt.date(2024, 3, 5), 1.5, np.int64(7)]})
    assert [path[0] for path in values.paths] == ["1.5", "2024-03-05", "39", "40", "7", "true"]
    assert tree({"young": [39, 40]}).bind(Domain.of("age", [39, 40])).height == 1


@pytest.mark.parametrize("texts", [["39.0", "40.5"], ["39.0", "40.0"], ["39", "40"]])
def test_a_number_is_found_however_the_table_spells_it(texts: list[str]) -> None:
    domain = Domain.of_texts("age", texts, np.array([1, 1]))
    assert tree({"a": ["39", "40", "40.5"]}).bind(domain).labels[0].tolist() == texts


def test_a_midnight_is_found_as_a_day() -> None:
    domain = Domain.of_texts("born", ["2024-03-05 00:00:00"], np.array([1]))
    assert tree({"a": ["2024-03-05"]}).bind(domain).height == 1


def test_a_top_of_asterisks_takes_missing_values_in() -> None:
    ladder = tree({"*****": {"12***": ["12345"]}}).bind(Domain.of("zip", ["12345", None]))
    assert ladder.labels[-1].tolist() == ["*****"]


def test_uncovered_values_are_counted_and_carried_but_not_shown() -> None:
    with pytest.raises(UncoveredValuesError, match="Column 'country' has 1 of 2 values that are not covered") as caught:
        tree(NESTED).bind(Domain.of("country", ["FR", "canary"]))
    assert (caught.value.column, caught.value.values) == ("country", ("canary",))
    assert "canary" not in str(caught.value)


def test_a_label_may_be_repeated_upward_as_long_as_nobody_joins(tmp_path: Path) -> None:
    assert tree(write(tmp_path, "White,White,White,*\nBlack,Black,Other,*\nAsian,Asian,Other,*\n")).height == 3


def test_an_empty_value_may_keep_its_empty_name(tmp_path: Path) -> None:
    assert tree(write(tmp_path, ";;*\na;a;*\n")).paths[0] == ("", "", "*")


WRONG = [
    ("a,x,*\nb,y\n", "line 2: has a path of 2 labels, but line 1 has one of 3"),
    ("a,x,*\nb,,*\n", "line 2: the label of level 1 is empty"),
    ("a,x,*\nb,y,*\na,y,*\n", "line 3: the value of line 1 is listed again with another path"),
    ("a,x,p,*\nb,x,q,*\n", "line 2: has the label of line 1 at level 1, but another one at level 2"),
    (
        "White,White,*\nBlack,Other,*\nOther,Other,*\n",
        "line 2: the label of level 1 is also the label of level 0 in line 3",
    ),
    ("a,x,y,*\nb,x,y,*\nc,y,z,*\n", "line 1: the label of level 2 is also the label of level 1 in line 3"),
    ("a,*,x\nb,*,x\nc,y,z\n", "line 1: the label of level 3 is also the label of level 1 in line 1"),
    ("", "there is no value in it"),
    ('a,"x\n', "an unbalanced quote or an overlong field near line 1"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        tree(write(tmp_path, text))
    assert "'h.csv'" in str(caught.value)


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_check_finds_what_tree_refuses(tmp_path: Path, text: str, message: str) -> None:
    assert message in str(check(write(tmp_path, text))[0])


def test_no_label_of_a_file_reaches_a_message(tmp_path: Path) -> None:
    path = write(tmp_path, "can1,can2,can3\ncan4,can2,can5\ncan1,can6,can5\ncan7,can7\ncan8,can1,can5\n")
    problems = check(path)
    assert [problem.line for problem in problems] == [2, 3, 4, 5]
    assert not any("can" in str(problem) for problem in problems)
    with pytest.raises(HierarchyError, match="There are 3 more problems") as caught:
        tree(path)
    assert "can" not in str(caught.value).replace("incrowd hierarchy check", "")


def test_check_is_content_with_a_sound_file(tmp_path: Path) -> None:
    path = write(tmp_path, LINES)
    assert check(path) == []
    assert check(path, Domain.of("country", ["FR"])) == []


def test_check_carries_uncovered_values_beside_the_message(tmp_path: Path) -> None:
    (problem,) = check(write(tmp_path, LINES), Domain.of("country", ["FR", "canary"]))
    assert problem.values == ("canary",)
    assert str(problem) == "Column 'country' has 1 of 2 values that are not covered by the tree."
    assert "canary" not in repr(problem)


def test_a_file_that_is_not_there_or_not_utf8_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'no.csv' cannot be read: No such file"):
        tree(tmp_path / "no.csv")
    (tmp_path / "latin.csv").write_bytes("a,*\nö,*\n".encode("latin-1"))
    with pytest.raises(HierarchyError, match=r"'latin.csv' is not UTF-8: line 2"):
        tree(tmp_path / "latin.csv")


@pytest.mark.parametrize("name", ["no.csv", "latin.csv"])
def test_nothing_of_a_file_that_cannot_be_read_travels_with_the_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("canary,*\nö,*\n".encode("latin-1"))
    with pytest.raises(IncrowdError, match=name) as caught:
        tree(tmp_path / name)
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)


def test_a_folder_is_named_as_it_was_given() -> None:
    with pytest.raises(DataError, match=r"The file '\.' cannot be read: Is a directory"):
        tree(".")


def itself() -> dict[str, Any]:
    endless: dict[str, Any] = {}
    endless["x"] = endless
    return endless


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "there is no value in it"),
        ([], "there is no value in it"),
        (5, "tree needs a path, a nested dict or pairs, got int"),
        ({"a": "canary"}, "A group at depth 1 of the tree holds str instead of a list"),
        ({"a": 5}, "holds int instead of a list"),
        ({"a": []}, "A group at depth 1 of the tree has no values"),
        ({"a": [None]}, "A value or label is of type NoneType"),
        ({"a": [["canary"]]}, "A value or label is of type list"),
        ({"a": {"b": ["x"]}, "c": ["y"]}, "leaf 2: has a path of 2 labels, but leaf 1 has one of 3"),
        ({"a": ["x"], "b": ["x"]}, "leaf 2: the value of leaf 1 is listed again"),
        (itself(), "more than 100 levels deep"),
        ([("canary", "x"), ("canary", "y")], "Pair 2 of the tree gives a child that already has another parent"),
        ([("a", "b", "c")], "Item 1 of the tree is not a pair"),
        (["ab"], "Item 1 of the tree is not a pair"),
        ([5], "Item 1 of the tree is not a pair"),
        ([("a", "b"), ("b", "c"), ("c", "b")], "a circle: one of its 3 pairs"),
        ([("a", "b"), ("b", "a")], "a circle: some of its 2 groups"),
        ([("x", "y"), ("a", "b"), ("b", "a")], "a circle"),
    ],
)
def test_malformed_python_data_is_refused_without_showing_it(source: Any, message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        tree(source)
    assert "canary" not in str(caught.value)


def test_the_repr_counts() -> None:
    assert (repr(tree(NESTED)), repr(tree({"*": ["a"]}))) == ("Tree(4 values, 3 steps)", "Tree(1 value, 1 step)")


@pytest.mark.parametrize(
    ("name", "values", "steps"),
    [
        ("age", 100, 4),
        ("education", 16, 3),
        ("marital-status", 7, 2),
        ("native-country", 41, 2),
        ("occupation", 14, 2),
        ("race", 5, 1),
        ("salary-class", 2, 1),
        ("sex", 2, 1),
        ("workclass", 8, 2),
    ],
)
def test_the_hierarchies_of_the_adult_data_set_load(adult_folder: Path, name: str, values: int, steps: int) -> None:
    hierarchy = tree(adult_folder / f"hierarchy_{name}.csv")
    assert (len(hierarchy.paths), hierarchy.height) == (values, steps)


@pytest.mark.parametrize(
    "text",
    [
        "24064,2406*,240**,24***,2****,*****\n25961,2596*,259**,25***,2****,*****\n",
        "22030,2203*,220**\n22045,2204*,220**\n",
        "17,10-19,<50,*\n20,20-29,<50,*\n50,50-59,>=50,*\n",
        "Male,Gender\nFemale,Gender\n",
        "9/20/1965,1965,196*,*\n11/7/1964,1964,196*,*\n",
        "a1,*\na2,*\n",
    ],
)
def test_hierarchies_as_the_seed_papers_print_them_load(tmp_path: Path, text: str) -> None:
    assert isinstance(tree(write(tmp_path, text)), Tree)


def test_a_pipe_is_no_tree_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match=r"'pipe\.csv' cannot be read: it is a pipe or a device, and no file"):
        tree(tmp_path / "pipe.csv")


def test_a_damaged_tree_is_read_or_refused_by_name(tmp_path: Path) -> None:
    whole = "".join(f"canary{number};group{number % 3};*\n" for number in range(30)).encode()
    told = []
    for content in mutations(whole, 100):
        (tmp_path / "tree.csv").write_bytes(content)
        try:
            tree(tmp_path / "tree.csv")
        except (DataError, HierarchyError) as error:
            told.append(error.message)
    assert told
    assert not [message for message in told if "canary" in message or "'tree.csv'" not in message]
