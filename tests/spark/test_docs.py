from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "spark.md"
BLOCK = re.compile(r"^```py(?:thon)?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("local")
def test_the_page_about_spark_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "page"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
            code = block["code"].replace('.parquet("', f'.parquet("{tmp_path}/')  # Java has a working folder of its own
            exec(code, namespace)  # noqa: S102 - our own page
    assert printed.getvalue().splitlines()[2:] == ["True", "True", "data.parquet", "True"]
