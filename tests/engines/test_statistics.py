"""Files of SPSS, Stata and SAS: codes are values, and their labels come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import incrowd as ic
from engines.extras import needed
from engines.sas import write_sas7bdat
from incrowd.core import DataError
from incrowd.engines import open_table, write_table


@pytest.fixture(autouse=True)
def _extras_are_there() -> None:
    needed("pyreadstat")


@pytest.mark.parametrize(
    "written", [b'[[1, "canary"', b"\xff", b'{"a": []}', b"7", b"[[1]]", b"[[[], 1]]", b"[" * 200_000]
)
def test_a_damaged_codebook_is_refused_without_a_word_of_it(written: bytes) -> None:
    field = pa.field("sex", pa.int64(), metadata={"incrowd.codes": written})
    with pytest.raises(DataError, match="its labels or codes are damaged \\('sex'\\)") as caught:
        open_table(pa.table({"sex": [1]}, schema=pa.schema([field])))
    assert "canary" not in str(caught.value)


def test_a_text_that_ends_in_a_blank_is_refused_by_spss(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot hold every value exactly as it is: 'note'"):
        write_table(pa.table({"note": ["a ", "a"]}), tmp_path / "t.sav")


def labelled(path: Path) -> Path:
    """Write a file as a statistics office would, by the library and not by us."""
    import pandas as pd  # noqa: PLC0415 - optional
    import pyreadstat  # noqa: PLC0415 - optional

    frame = pd.DataFrame({"sex": [1, 2, 1, 2, 9], "age": [34, 36, 31, 38, 80], "ill": [0, 1, 0, 1, 1]})
    write: Any = getattr(pyreadstat, f"write_{path.suffix[1:]}")
    codes = {"sex": {1: "male", 2: "female", 9: "canary"}, "age": {34: "canary"}, "ill": {0: "no", 1: "yes"}}
    write(frame, str(path), column_labels=["Sex", "Age in years", "Ill"], variable_value_labels=codes)
    return path


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_codes_are_the_values_and_their_labels_come_back(ending: str, tmp_path: Path) -> None:
    import pyreadstat  # noqa: PLC0415 - optional

    schema = ic.Schema(quasi={"sex": ic.flat(), "age": ic.intervals(10)}, sensitive=["ill"])
    path = labelled(tmp_path / f"in.{ending}")
    release = ic.anonymize(path, schema, model="k>=2", max_suppressed=0.2, at_most={"sex": 0})
    assert release.table.to_pylist()[0] == {"sex": 1, "age": "[30, 40)", "ill": 0}
    release.save(tmp_path / "out", format=ending)  # type: ignore[arg-type]
    _, about = getattr(pyreadstat, f"read_{ending}")(tmp_path / f"out/public/data.{ending}", output_format="dict")
    assert about.column_names_to_labels == {"sex": "Sex", "age": "Age in years", "ill": "Ill"}
    assert about.variable_value_labels == {"sex": {1: "male", 2: "female"}, "ill": {0: "no", 1: "yes"}}
    assert b"canary" not in (tmp_path / f"out/public/data.{ending}").read_bytes()


def test_a_file_of_sas_is_read_with_its_labels(tmp_path: Path) -> None:
    columns: dict[str, list[float | str | None]] = {
        "age": [34.0, None, 80.0],
        "cost": [1.5, 2.0, None],
        "zip": ["01067", "", "1"],
    }
    write_sas7bdat(columns, {"age": "Age in years"}, tmp_path / "t.sas7bdat")
    found = open_table(tmp_path / "t.sas7bdat").materialise()
    assert found.to_pylist() == [
        {"age": 34, "cost": 1.5, "zip": "01067"},
        {"age": 80, "cost": None, "zip": "1"},
        {"age": None, "cost": 2.0, "zip": None},
    ]
    assert found.field("age").metadata == {b"incrowd.label": b"Age in years"}


@pytest.mark.parametrize(("ending", "name"), [("sav", "my column"), ("dta", "a" * 33), ("dta", "1st")])
def test_a_name_that_the_program_does_not_allow_is_refused(ending: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Column 1 has a name that"):
        write_table(pa.table({name: [1]}), tmp_path / f"t.{ending}")
