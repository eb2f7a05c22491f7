from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from incrowd.core import Domain, HierarchyError, ParameterError
from incrowd.hierarchies import Mask, mask


def path(hierarchy: Mask, values: list[Any], index: int = 0) -> list[str]:
    ladder = hierarchy.bind(Domain.of("zip", values))
    return [names[group[index]] for group, names in zip(ladder.groups, ladder.labels, strict=True)]


def test_one_more_character_is_hidden_per_level_and_everything_is_a_star() -> None:
    assert path(mask(), ["01234", "99999"]) == ["01234", "0123*", "012**", "01***", "0****", "*"]


def test_hiding_can_begin_at_the_left() -> None:
    assert path(mask("left"), ["123", "999"]) == ["123", "*23", "**3", "*"]


def test_kept_characters_are_hidden_only_at_the_top() -> None:
    assert path(mask(keep=2), ["1234", "9999"]) == ["1234", "123*", "12**", "*"]


def test_codes_no_longer_than_what_is_kept_stay_as_they_are() -> None:
    assert path(mask(keep=2), ["12", "9999"]) == ["12", "12", "12", "*"]


def test_codes_of_different_lengths_each_hide_their_own_characters() -> None:
    assert path(mask(), ["12", "3456"]) == ["12", "1*", "**", "**", "*"]
    assert path(mask(), ["12", "3456"], index=1) == ["3456", "345*", "34**", "3***", "*"]


def test_a_single_character_among_longer_codes_waits_for_the_top() -> None:
    assert path(mask(), ["345", "7"], index=1) == ["7", "7", "7", "*"]
    assert path(mask(char="#"), ["345", "7"], index=1) == ["7", "#", "#", "*"]


def test_another_character_can_stand_for_what_is_hidden() -> None:
    assert path(mask(char="_"), ["123", "999"]) == ["123", "12_", "1__", "*"]


def test_whole_numbers_are_masked_as_they_are_written() -> None:
    assert path(mask(), [1055, 1012]) == ["1012", "101*", "10**", "1***", "*"]
    assert path(mask(), [2**70, 2**70 + 1])[1] == "118059162071741130342*"


@pytest.mark.parametrize("values", [[1.5, 2.5], [Decimal("1.5"), Decimal(2)], [True, False]])
def test_what_is_no_code_is_refused(values: list[Any]) -> None:
    with pytest.raises(HierarchyError, match="a mask needs text or whole numbers"):
        mask().bind(Domain.of("x", values))


def test_a_masked_value_among_the_values_is_refused() -> None:
    with pytest.raises(HierarchyError, match="one label for different groups"):
        mask().bind(Domain.of("zip", ["12*", "123"]))


def test_a_column_without_values_is_no_trouble() -> None:
    assert mask().bind(Domain.of("zip", [None])).height == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"from_": "middle"}, "from_ must be 'right' or 'left', got 'middle'"),
        ({"keep": -1}, "keep must be a whole number of at least 0, got -1"),
        ({"keep": 1.5}, "keep must be a whole number of at least 0, got 1.5"),
        ({"char": "xx"}, "char must be one visible character"),
        ({"char": "0"}, "neither letter nor digit, got '0'"),
        ({"char": "\n"}, "one visible character"),
        ({"char": 7}, "one visible character"),
    ],
)
def test_wrong_parameters_are_found_when_written(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mask(**parameters)


def test_it_prints_as_written() -> None:
    assert repr(mask("left", keep=1)) == "mask(from_='left', keep=1, char='*')"
