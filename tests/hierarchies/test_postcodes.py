from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain, HierarchyError, ParameterError, UncoveredValuesError
from incrowd.hierarchies import COUNTRIES


def path(country: str, value: Any) -> list[str]:
    ladder = ic.postcodes(country).bind(Domain.of("x", [value]))
    return [str(labels[0]) for labels in ladder.labels][1:-1]


@pytest.mark.parametrize(
    ("country", "value", "labels"),
    [
        ("AT", "8010", ["801*", "80**", "8***"]),
        ("AU", "2000", ["20**", "2***"]),
        ("BE", "1000", ["10**", "1***"]),
        ("BR", "01310-100", ["01310-***", "013**-***", "01***-***", "0****-***"]),
        ("BR", "01310100", ["01310-***", "013**-***", "01***-***", "0****-***"]),
        ("CA", "k1a 0b1", ["K1A ***", "K** ***"]),
        ("CH", 8001, ["80**", "8***"]),
        ("CN", "100000", ["1000**", "100***", "10****", "1*****"]),
        ("CZ", "110 00", ["110 **", "11* **", "1** **"]),
        ("DE", "10115", ["101**", "10***", "1****"]),
        ("DE", 1069, ["010**", "01***", "0****"]),
        ("DK", "2100", ["21**", "2***"]),
        ("ES", "28013", ["280**", "28***"]),
        ("FI", "00100", ["001**", "00***", "0****"]),
        ("FR", "75001", ["75***"]),
        ("FR", "97400", ["974**"]),
        ("GB", "SW1A 1AA", ["SW1A 1", "SW1A", "SW"]),
        ("GB", "m11ae", ["M1 1", "M1", "M"]),
        ("IN", "110001", ["110***", "11****", "1*****"]),
        ("IT", "00184", ["001**", "00***", "0****"]),
        ("JP", "100-0001", ["100-****", "10*-****", "1**-****"]),
        ("MX", "06600", ["066**", "06***"]),
        ("NL", "1012 AB", ["1012 **", "10** **", "1*** **"]),
        ("NO", "0150", ["01**", "0***"]),
        ("PL", "00-950", ["00-9**", "00-***", "0*-***"]),
        ("PT", "1000-205", ["1000-***", "10**-***", "1***-***"]),
        ("SE", "114 55", ["114 **", "11* **", "1** **"]),
        ("US", "02139", ["02139-****", "021**", "0****"]),
        ("US", "02139-4307", ["02139-****", "021**", "0****"]),
        ("US", 2139, ["02139-****", "021**", "0****"]),
    ],
)
def test_a_postcode_becomes_the_areas_of_its_country(country: str, value: Any, labels: list[str]) -> None:
    assert path(country, value) == labels


@pytest.mark.parametrize(("country", "value"), [("DE", "1011"), ("GB", "10115"), ("CA", "D1A-0B"), ("US", "021391")])
def test_what_is_no_postcode_of_the_country_is_refused_and_not_shown(country: str, value: str) -> None:
    with pytest.raises(UncoveredValuesError, match=f"1 of 1 values that are no postcodes of {country}") as caught:
        ic.postcodes(country).bind(Domain.of("x", [value]))
    assert caught.value.values == (value,)


@given(st.sampled_from(["DE", "FR", "ES", "US"]), st.lists(st.integers(1000, 99_999), min_size=1))
def test_numbers_and_texts_get_the_same_areas(country: str, codes: list[int]) -> None:
    numbers = ic.postcodes(country).bind(Domain.of("x", codes))
    texts = ic.postcodes(country).bind(Domain.of("x", [f"{code:05d}" for code in codes]))
    assert [set(labels) for labels in numbers.labels[1:]] == [set(labels) for labels in texts.labels[1:]]


def test_every_country_of_the_list_is_built_and_others_are_refused() -> None:
    assert [ic.postcodes(country).country for country in COUNTRIES] == list(COUNTRIES)
    with pytest.raises(ParameterError, match=r"country must be one of AT, AU, .*, got 'de'"):
        ic.postcodes("de")
    with pytest.raises(HierarchyError, match="kind boolean; postcodes are text or whole numbers"):
        ic.postcodes("DE").bind(Domain.of("x", [True]))
    assert repr(ic.postcodes("DE")) == "postcodes('DE')"
