"""What turns a green verdict amber."""

from __future__ import annotations

from collections.abc import Sequence

import incrowd as ic
from incrowd.report._verdict_section import doubts


def found(*diseases: str) -> list[str]:
    """Publish classes of 20 people with these diseases, and say what is doubtful about it."""
    table = [{"q": str(place), "disease": one} for place, text in enumerate(diseases) for one in text]
    release = ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["disease"]), model="k>=2, l>=2")
    return doubts(release.charts)


def guesses(said: Sequence[str]) -> list[str]:
    return [one for one in said if one.startswith("Best guess")]


def test_a_guess_that_is_right_seven_times_of_ten_is_nearly_certain() -> None:
    said = found("a" * 14 + "bcbcbc", "abc" * 7)
    words = "70.0% sure in the worst group, which is nearly certain (51.2% for everybody without the release)."
    assert guesses(said) == [f"Best guess of disease: {words}"]


def test_one_person_fewer_is_not() -> None:
    assert found("a" * 13 + "bcbcbcb", "abc" * 7) == []


def test_a_rule_that_nobody_named_casts_no_doubt() -> None:
    assert found("abcd" * 2, "abcd" * 5) == []  # groups of 8, where EMA asks for 12


def test_a_rule_that_was_named_and_fails_does() -> None:
    table = [{"q": str(place), "disease": one} for place, text in enumerate(["abcd" * 2, "abcd" * 5]) for one in text]
    release = ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["disease"]), model="k>=2, l>=2")
    rule = "The rule of EMA and Health Canada (ema-0.09) does not hold"
    said = doubts(release.charts, [release.charts.risk_after.against("ema-0.09")])
    assert said == [f"{rule} (highest chance): 0.1250 (the smallest class has 8 records)."]
