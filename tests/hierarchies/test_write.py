from __future__ import annotations

import io
from pathlib import Path

from incrowd.core import Domain
from incrowd.hierarchies import intervals, tree, write_csv


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
