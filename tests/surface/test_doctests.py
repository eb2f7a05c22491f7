from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import incrowd

MODULES = [module.name for module in pkgutil.walk_packages(incrowd.__path__, "incrowd.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_say_what_happens(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    examples = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) >= 20
