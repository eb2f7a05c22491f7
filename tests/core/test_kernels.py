"""The compiled hash table numbers words rightly, grows, and works where nothing can be cached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd
from incrowd.core import kernels as _compiled
from incrowd.core.kernels import hash_rows


@given(st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 3), max_size=30))
def test_words_are_numbered_in_the_order_of_their_first_row(listed: list[int]) -> None:
    ids, first = hash_rows(np.array(listed, dtype=np.int64))
    distinct = list(dict.fromkeys(listed))
    assert ids.tolist() == [distinct.index(word) for word in listed]
    assert first.tolist() == [listed.index(word) for word in distinct]


@pytest.mark.parametrize("groups", [2**15, 2**15 + 1, 2**17, 2**17 + 1, 300_000])
def test_the_table_grows_with_the_groups(groups: int) -> None:
    words = np.tile(np.arange(groups, dtype=np.int64) * 1_000_003, 2)
    ids, first = hash_rows(words)
    assert np.array_equal(ids, np.tile(np.arange(groups), 2))
    assert np.array_equal(first, np.arange(groups))


@pytest.mark.parametrize("shift", [0, 20, 31, 40, 47])
def test_words_that_differ_in_few_bits_are_told_apart(shift: int) -> None:
    words = np.arange(2**16, dtype=np.int64)[::-1] << shift
    ids, first = hash_rows(words.copy())
    assert np.array_equal(ids, np.arange(2**16))
    assert np.array_equal(first, np.arange(2**16))


def test_what_cannot_be_cached_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def njit(*, nogil: bool, cache: bool = False) -> Any:
        if cache:
            msg = "no locator available"
            raise RuntimeError(msg)
        return lambda function: (nogil, function)

    monkeypatch.setattr("numba.njit", njit)
    compiled: object = _compiled.compiled(len)
    assert compiled == (True, len)


NOWHERE_TO_CACHE = """
import numba, numpy as np
from incrowd.core import kernels as _compiled
assert _compiled.__file__.startswith({place!r}), _compiled.__file__
try:
    numba.njit(cache=True)(_compiled._fill.py_func)
except RuntimeError as error:
    assert "no locator available" in str(error), error
else:
    raise AssertionError("there was a place to cache after all")
ids, first = _compiled.hash_rows(np.array([7, 5, 7, 9]))
print(ids.tolist(), first.tolist())
"""


def test_a_read_only_install_without_a_home_works(tmp_path: Path) -> None:
    # Permissions do not hold root back. A file where numba would make its folder, and a home that is a device, do.
    installed = tmp_path / "incrowd"
    shutil.copytree(Path(incrowd.__file__).parent, installed, ignore=shutil.ignore_patterns("__pycache__"))
    (installed / "core" / "__pycache__").write_text("in the way", encoding="utf-8")
    hidden = {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_CACHE_LOCATOR_CLASSES"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"HOME": "/dev/null", "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", "-c", NOWHERE_TO_CACHE.format(place=str(tmp_path))]
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "[0, 1, 0, 2] [0, 1, 3]\n", ran.stderr
    assert not list(tmp_path.rglob("*.nbi"))


EDITION = """
from typing import NamedTuple
import numpy as np
from incrowd.core.kernels import compiled

class {name}(NamedTuple):
    numbers: np.ndarray

@compiled
def total(given):
    return given.numbers[2] * 3

print(total({name}(np.arange(4))))
"""


def test_what_another_edition_kept_under_names_that_are_gone_is_compiled_anew(tmp_path: Path) -> None:
    home = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("Before", "After", "After"):
        (tmp_path / "edition.py").write_text(EDITION.format(name=name), encoding="utf-8")
        command = [sys.executable, "-c", "import edition"]
        done = subprocess.run(command, cwd=tmp_path, env=home, capture_output=True, text=True, check=False)
        assert done.stdout == "6\n", done.stderr
    assert len(list((tmp_path / "kept").rglob("*.nbi"))) == 1
