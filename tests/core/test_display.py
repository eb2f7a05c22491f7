from __future__ import annotations

from incrowd.core import Grid, Printed


def test_texts_begin_and_numbers_end_below_each_other() -> None:
    grid = Grid(("column", "values"), [("age", 1_200), ("a very long name", 7)], (10,))
    assert [*grid.lines()] == ["column     values", "age         1,200", "a very          7", "long name"]


def test_a_notebook_gets_everything_and_no_markup() -> None:
    html = Grid(("<i>",), [("a very <b>long</b> name",), (None,)], (4,)).html()
    assert "<th>&lt;i&gt;</th>" in html
    assert "a very &lt;b&gt;long&lt;/b&gt; name" in html
    assert "None" not in html


def test_what_would_disturb_a_terminal_becomes_a_blank() -> None:
    assert [*Grid(("x",), [("a\x1b[2Jb\n",)]).lines()] == ["x", "a [2Jb"]


def test_a_grid_without_rows_has_its_names() -> None:
    assert [*Grid(("a", "b"), []).lines()] == ["a  b"]


def test_what_is_printed_is_shown_in_a_notebook_as_text() -> None:
    class Result(Printed):
        def __str__(self) -> str:
            return "a < b\n<script>"

    assert Result()._repr_html_() == "<pre>a &lt; b\n&lt;script&gt;</pre>"
