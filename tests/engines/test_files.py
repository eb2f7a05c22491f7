"""Tables in several files: folders and patterns of Parquet and text."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from incrowd.core import CensusRequest, DataError
from incrowd.engines import _files, open_table
from incrowd.engines._files import Stamp, digest_of_files, files_of

ALL = [{"zip": "01067", "age": 34}, {"zip": "01067", "age": 51}, {"zip": "80331", "age": 34}]
TEXTS = [{"zip": "01067", "age": "34"}, {"zip": "01067", "age": "51"}, {"zip": "80331", "age": "34"}]


def parquet(path: Path, *rows: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def text(path: Path, written: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written, encoding="utf-8")
    return path


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    parquet(tmp_path / "visits" / "b.parquet", ALL[2])
    parquet(tmp_path / "visits" / "a.parquet", *ALL[:2])
    assert open_table(tmp_path / "visits").materialise().to_pylist() == ALL


def test_a_folder_of_text_files_is_one_table_that_is_counted_as_one(tmp_path: Path) -> None:
    text(tmp_path / "visits" / "a.csv", "zip;age\n01067;51\n80331;34\n")
    text(tmp_path / "visits" / "more" / "b.csv", "zip;age\n01067;34\n")
    engine = open_table(tmp_path / "visits")
    assert engine.census(CensusRequest(("age",))).counts.tolist() == [2, 1]
    assert engine.materialise().to_pylist() == TEXTS


def test_a_pattern_takes_some_files_of_a_folder(tmp_path: Path) -> None:
    for name, row in zip(("2023-1", "2023-2", "2024-1"), ALL, strict=True):
        parquet(tmp_path / f"{name}.parquet", row)
    assert open_table(str(tmp_path / "2023-*.parquet")).materialise().to_pylist() == ALL[:2]
    assert open_table(tmp_path / "202[34]-1.parquet").materialise().num_rows == 2


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    parquet(tmp_path / "a[1].parquet", ALL[0])
    parquet(tmp_path / "a1.parquet", ALL[1])
    assert open_table(tmp_path / "a[1].parquet").materialise().to_pylist() == ALL[:1]


def test_what_others_leave_beside_their_files_is_passed_over(tmp_path: Path) -> None:
    parquet(tmp_path / "part-0.parquet", *ALL)
    text(tmp_path / "_SUCCESS", "")
    text(tmp_path / ".part-0.parquet.crc", "x")
    text(tmp_path / "_temporary" / "part-1.parquet", "x")
    assert open_table(tmp_path).materialise().num_rows == 3


def test_compressed_and_otherwise_encoded_texts_are_read_too(tmp_path: Path) -> None:
    for number, row in enumerate(("Köln,1", "Köln,2")):
        (tmp_path / f"{number}.csv.gz").write_bytes(gzip.compress(f"town,n\n{row}\n".encode("latin-1")))
    engine = open_table(tmp_path, encoding="latin-1")
    assert engine.domains(["town"])["town"].texts.tolist() == ["Köln"]


@pytest.mark.parametrize(
    ("others", "problem"),
    [
        ({"zip": "1"}, "The file 'b.parquet' has other columns than 'a.parquet', or others of their types"),
        ({"zip": "1", "age": "34"}, "The file 'b.parquet' has other columns than 'a.parquet'"),
        ({"age": 34, "zip": "1"}, "The file 'b.parquet' has other columns than 'a.parquet'"),
    ],
)
def test_files_with_other_columns_are_refused_by_name(tmp_path: Path, others: dict[str, object], problem: str) -> None:
    parquet(tmp_path / "a.parquet", ALL[0])
    parquet(tmp_path / "b.parquet", others)
    with pytest.raises(DataError, match=problem):
        open_table(tmp_path)


def test_no_message_about_text_files_shows_their_first_line(tmp_path: Path) -> None:
    text(tmp_path / "a.csv", "zip,age\n1,2\n")
    text(tmp_path / "b.csv", "Ada Canary,36\n")
    with pytest.raises(DataError, match=r"'b.csv' has other columns than 'a.csv'") as caught:
        open_table(tmp_path)
    assert "Canary" not in str(caught.value)


def test_texts_in_dictionaries_are_texts(tmp_path: Path) -> None:
    parquet(tmp_path / "a.parquet", {"zip": "1"})
    column = pa.array(["2"]).dictionary_encode()
    pyarrow.parquet.write_table(pa.table({"zip": column}), tmp_path / "b.parquet")
    assert open_table(tmp_path).domains(["zip"])["zip"].texts.tolist() == ["1", "2"]


def test_folders_that_speak_of_a_column_are_refused_unless_the_files_have_it(tmp_path: Path) -> None:
    parquet(tmp_path / "year=2023" / "a.parquet", ALL[0])
    with pytest.raises(DataError, match="Names of folders hold the column 'year', which the files do not have"):
        open_table(tmp_path)
    with pytest.raises(DataError, match="Names of folders hold the column 'year'"):
        open_table(tmp_path / "year=*" / "*.parquet")
    parquet(tmp_path / "year=2023" / "a.parquet", {**ALL[0], "year": 2023})
    assert open_table(tmp_path).materialise().to_pylist() == [{**ALL[0], "year": 2023}]
    assert open_table(tmp_path / "year=2023").materialise().num_rows == 1


def test_tables_whose_files_are_not_all_theirs_are_refused(tmp_path: Path) -> None:
    parquet(tmp_path / "old.parquet", ALL[0])
    text(tmp_path / "_delta_log" / "0.json", "{}")
    with pytest.raises(DataError, match="is a Delta table, whose files are not all part of it"):
        open_table(tmp_path)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("a.parquet", "b.csv"), "'a.parquet' and 'b.csv' are not of one kind"),
        (("a.parquet", "b.txt"), "'a.parquet' and 'b.txt' are not of one kind"),
        (("a.parquet", "README"), "'README' is neither"),
        (("a.xlsx",), "'a.xlsx' is neither"),
        ((), r"There is no file in '.*visits' that could be read"),
    ],
)
def test_folders_with_anything_else_are_refused(tmp_path: Path, names: tuple[str, ...], problem: str) -> None:
    (tmp_path / "visits").mkdir()
    for name in names:
        text(tmp_path / "visits" / name, "x")
    with pytest.raises(DataError, match=problem):
        open_table(tmp_path / "visits")


def test_patterns_and_paths_that_fit_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"There is no file in '.*\*\.csv' that could be read"):
        open_table(tmp_path / "*.csv")
    with pytest.raises(DataError, match=r"There is no file '.*none\.csv'"):
        open_table(tmp_path / "none.csv")


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    parquet(tmp_path / "a.parquet", *ALL)
    other = parquet(tmp_path / "b.parquet", *ALL)
    engine = open_table(tmp_path)
    parquet(other, *ALL, *ALL)
    with pytest.raises(DataError, match=r"The file 'b.parquet' changed while it was being read"):
        engine.domains(["zip"])


def replaced(path: Path) -> None:
    text(path.with_name("other.txt"), path.read_text()).replace(path)


def rewritten_in_the_same_length_with_its_time_set_back(path: Path) -> None:
    before = path.stat()
    path.write_text("x\n2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [replaced, rewritten_in_the_same_length_with_its_time_set_back, Path.unlink, lambda path: path.write_text("x\n")],
)
def test_every_change_of_a_file_is_noticed_before_its_hash_is_given(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    file = text(tmp_path / "t.csv", "x\n1\n")
    stamp = Stamp.of(files_of(file))
    assert stamp.digest() == hashlib.sha256(b"x\n1\n").hexdigest()
    change(file)
    with pytest.raises(DataError, match=r"The file 't.csv' changed while it was being read"):
        stamp.check()


def test_a_file_that_changes_while_it_is_hashed_has_no_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = text(tmp_path / "t.csv", "x\n1\n")
    stamp = Stamp.of(files_of(file))
    monkeypatch.setattr(_files, "_digest_of_file", lambda path: str(path.write_text("x\n2\n3\n")))
    with pytest.raises(DataError, match=r"The file 't.csv' changed while it was being read"):
        stamp.digest()


def test_the_hash_of_several_files_is_that_of_a_list_of_hashes(tmp_path: Path) -> None:
    one, two = text(tmp_path / "t" / "b.csv", "x\n1\n"), text(tmp_path / "t" / "a.csv", "x\n2\n")
    each = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (two, one)]
    listed = f"a.csv\t{each[0]}\nb.csv\t{each[1]}\n"
    assert digest_of_files(tmp_path / "t") == hashlib.sha256(listed.encode()).hexdigest()
    assert digest_of_files(tmp_path / "t" / "*.csv") == digest_of_files(tmp_path / "t")
    assert digest_of_files(one) == each[1]


def test_relative_patterns_are_named_from_where_they_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text(tmp_path / "x" / "y" / "a.csv", "x\n1\n")
    monkeypatch.chdir(tmp_path)
    assert files_of("x/*/a.csv").names == ("y/a.csv",)
    assert files_of("**/*.csv").names == ("x/y/a.csv",)


def test_a_file_under_two_names_is_refused(tmp_path: Path) -> None:
    parquet(tmp_path / "visits" / "a.parquet", *ALL)
    (tmp_path / "visits" / "b.parquet").symlink_to("a.parquet")
    with pytest.raises(DataError, match=r"'a.parquet' and 'b.parquet' are the same file, whose rows would be counted"):
        open_table(tmp_path / "visits")
    (tmp_path / "visits" / "b.parquet").unlink()
    (tmp_path / "visits" / "c.parquet").hardlink_to(tmp_path / "visits" / "a.parquet")
    with pytest.raises(DataError, match="are the same file"):
        open_table(str(tmp_path / "*" / "*.parquet"))


def test_links_that_would_be_passed_over_are_refused(tmp_path: Path) -> None:
    parquet(tmp_path / "visits" / "a.parquet", *ALL)
    parquet(tmp_path / "more" / "b.parquet", *ALL)
    (tmp_path / "visits" / "more").symlink_to(tmp_path / "more")
    with pytest.raises(DataError, match=r"'more' is a link to another folder, whose files would be passed over"):
        open_table(tmp_path / "visits")
    (tmp_path / "visits" / "more").unlink()
    (tmp_path / "visits" / "z.parquet").symlink_to("nowhere.parquet")
    for table in ("visits", "visits/*.parquet"):
        with pytest.raises(DataError, match=r"'z.parquet' is neither a file nor a folder; a link may lead nowhere"):
            open_table(tmp_path / table)


@pytest.mark.parametrize("table", ["visits", "visits/**/*.parquet", "visits/*/*.parquet", "visits/*"])
def test_a_folder_that_may_not_be_looked_into_is_not_passed_over(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet(tmp_path / "visits" / "2020" / "a.parquet", *ALL)
    parquet(tmp_path / "visits" / "2021" / "b.parquet", *ALL)
    assert len(files_of(tmp_path / table).files) == 2
    monkeypatch.setattr("os.access", lambda path, _: Path(path).name != "2021")  # whoever is root may look anywhere
    with pytest.raises(DataError, match="The folder '2021' cannot be read, and its files would be passed over"):
        files_of(tmp_path / table)


def test_links_to_a_table_are_that_table(tmp_path: Path) -> None:
    parquet(tmp_path / "visits" / "a.parquet", *ALL)
    (tmp_path / "all").symlink_to("visits")
    (tmp_path / "one.parquet").symlink_to("visits/a.parquet")
    assert open_table(tmp_path / "all").materialise().to_pylist() == ALL
    assert open_table(tmp_path / "one.parquet").materialise().to_pylist() == ALL


def test_a_file_of_nothing_is_named(tmp_path: Path) -> None:
    parquet(tmp_path / "visits" / "a.parquet", *ALL)
    (tmp_path / "visits" / "b.parquet").touch()
    with pytest.raises(DataError, match=r"The file 'b.parquet' is not a Parquet file, or is cut off"):
        open_table(tmp_path / "visits")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("canary,1,2", "Line 3 of the file 'b.csv' has 3 values, expected 2"),
        ('canary,"canary\n  file = canary.csv\n', "Line 3 of the file 'b.csv' has a quote that is never closed"),
    ],
)
def test_a_bad_line_is_told_with_the_name_of_its_file_and_nothing_of_what_it_says(
    tmp_path: Path, encoding: str, line: str, says: str
) -> None:
    text(tmp_path / "texts" / "a.csv", "zip,age\n01067,51\n")
    text(tmp_path / "texts" / "b.csv", f"zip,age\n01067,52\n{line}\n")
    text(tmp_path / "texts" / "c.csv", "zip,age\n01067,53\n")
    with pytest.raises(DataError, match=says) as caught:
        open_table(tmp_path / "texts", encoding=encoding).domains(["zip"])
    assert "canary" not in str(caught.value)


def test_files_without_rows_add_none(tmp_path: Path) -> None:
    text(tmp_path / "texts" / "a.csv", "zip,age\n01067,51\n")
    text(tmp_path / "texts" / "b.csv", "zip,age\n")
    assert open_table(tmp_path / "texts").materialise().num_rows == 1
    file = parquet(tmp_path / "visits" / "a.parquet", *ALL)
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(file).slice(0, 0), tmp_path / "visits" / "b.parquet")
    assert open_table(tmp_path / "visits").materialise().to_pylist() == ALL


@pytest.mark.parametrize("table", ["visits", "visits/*.parquet"])
def test_a_file_that_comes_meanwhile_is_noticed(tmp_path: Path, table: str) -> None:
    parquet(tmp_path / "visits" / "a.parquet", *ALL[:2])
    engine = open_table(tmp_path / table)
    engine.domains(["zip"])
    parquet(tmp_path / "visits" / ".b.parquet", ALL[2])
    engine.domains(["age"])
    parquet(tmp_path / "visits" / "b.parquet", ALL[2])
    with pytest.raises(DataError, match=r"A file came to '.*' while it was being read\. Hint: take a copy first"):
        engine.census(CensusRequest(("zip",)))
