"""Values that look alike in print are found."""

from __future__ import annotations

import pytest

from incrowd.core import Domain, look_alikes


@pytest.mark.parametrize(
    "twins",
    [
        pytest.param(["M", "М"], id="Cyrillic M"),  # noqa: RUF001
        pytest.param(["A", "Α"], id="Greek Alpha"),  # noqa: RUF001
        pytest.param(["flu", "flu "], id="blank at the end"),
        pytest.param(["heart attack", "heart  attack"], id="two blanks"),
        pytest.param(["heart attack", "heart\u00a0attack"], id="blank that does not break"),
        pytest.param(["heart attack", "heart\tattack"], id="tab"),
        pytest.param(["flu", "fl\u200bu"], id="blank of no width"),
        pytest.param(["flu", "flu\x00"], id="control character"),
        pytest.param(["é", "e\u0301"], id="accent apart"),
        pytest.param(["5", "５"], id="wide digit"),  # noqa: RUF001
        pytest.param(["flu", "\ufeffflu"], id="byte order mark"),
    ],
)
def test_twins_are_found(twins: list[str]) -> None:
    assert look_alikes(Domain.of("x", twins)) == ((0, 1),)


def test_what_looks_different_is_no_twin() -> None:
    assert look_alikes(Domain.of("x", ["flu", "Flu", "flue", "fl u", "Влад", None])) == ()


def test_every_group_is_given_by_its_codes() -> None:
    domain = Domain.of("x", ["a", "a ", "b", "c", " c", "c "])  # in order: " c", "a", "a ", "b", "c", "c "
    assert look_alikes(domain) == ((0, 4, 5), (1, 2))


def test_numbers_do_not_look_alike() -> None:
    assert look_alikes(Domain.of("x", [1, 2])) == ()
