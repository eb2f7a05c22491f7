from __future__ import annotations

import io
from pathlib import Path

import pytest

from incrowd.core import Domain, ParameterError
from incrowd.hierarchies import draw, flat, frequent, intervals, tree, write_csv


def test_a_hierarchy_is_drawn_from_its_top_down() -> None:
    drawing = draw(intervals(10).bind(Domain.of("age", [21, 25, 34, None])))
    assert drawing.splitlines() == [
        "*  (4 values)",
        "├── [20, 30)  (2 values)",
        "│   ├── 21",
        "│   └── 25",
        "├── [30, 40)  (1 value)",
        "│   └── 34",
        "└── (missing)  (1 value)",
    ]


def test_long_lists_are_cut_and_counted() -> None:
    drawing = draw(flat().bind(Domain.of("x", range(40))), max_children=3)
    assert drawing.splitlines() == ["*  (40 values)", "├── 0", "├── 1", "├── 2", "└── … 37 more"]


def test_a_single_child_is_not_replaced_by_a_count_of_one() -> None:
    drawing = draw(flat().bind(Domain.of("x", range(4))), max_children=3)
    assert drawing.splitlines()[-1] == "└── 3"


def test_a_label_repeated_upward_is_drawn_once() -> None:
    ladder = tree({"*": {"White": {"White": ["White"]}, "Other": {"Black": ["b"]}}}).bind(
        Domain.of("race", ["White", "b"])
    )
    assert draw(ladder).splitlines() == [
        "*  (2 values)",
        "├── White  (1 value)",
        "└── Other  (1 value)",
        "    └── Black  (1 value)",
        "        └── b",
    ]


def test_values_can_be_left_out() -> None:
    ladder = frequent(2).bind(Domain.of("job", ["cook", "cook", "pope"]))
    assert draw(ladder, show_values=False).splitlines() == [
        "*  (2 values)",
        "├── (hidden)  (1 value)",
        "└── rare (<2)  (1 value)",
    ]
    assert draw(flat().bind(Domain.of("x", ["a", "b"])), show_values=False) == "*  (2 values)"


def test_an_empty_column_is_a_top_with_nothing_under_it() -> None:
    assert draw(flat().bind(Domain.of("x", []))) == "*  (0 values)"


def test_at_least_one_child_is_drawn() -> None:
    with pytest.raises(ParameterError, match="max_children must be a whole number of at least 1, got 0"):
        draw(flat().bind(Domain.of("x", ["a"])), max_children=0)


def test_a_ladder_is_written_value_first_and_without_missing_values() -> None:
    file = io.StringIO()
    write_csv(intervals(5, 10).bind(Domain.of("age", [21, 7, None])), file)
    assert file.getvalue() == "7;[5, 10);[0, 10);*\n21;[20, 25);[20, 30);*\n"


def test_a_tree_is_written_with_all_its_values(tmp_path: Path) -> None:
    hierarchy = tree({"West": ["FR", "D;E"], "East": ['"JP"']})
    write_csv(hierarchy, tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == '"""JP""";East;*\n"D;E";West;*\nFR;West;*\n'
    assert tree(tmp_path / "h.csv") == hierarchy


def test_what_a_reader_would_lose_is_quoted(tmp_path: Path) -> None:
    for hierarchy in (tree({"a,b": ["\ufeffx", "y\rz"]}), tree({"*": ["", "a"]})):
        write_csv(hierarchy, str(tmp_path / "h.csv"))
        assert tree(tmp_path / "h.csv") == hierarchy
