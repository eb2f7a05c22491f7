"""Published tables that count as 2-anonymous if a star fits every value, in which somebody is found for sure.

From the practice guide of statistical disclosure control with sdcMicro (ihsn/SDCPractice, Anonymization methods, table
5.4), and from an issue of sdcMicro (sdcTools/sdcMicro, 225).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import incrowd as ic

SEXES = ["female", "male", "male", "male", "female", "female", "female"]
GUIDE = [
    {"gender": sex, "region": "rural", "education": "higher" if at < 4 else "lower"} for at, sex in enumerate(SEXES)
]
ISSUE = [
    {"region": "A", "status": status, "age_group": "30-49"}
    for status in ("Single", "Married", "Married", "Single", "Widow")
]
CASES = [(GUIDE, 0, "education", 3), (GUIDE, 0, "gender", 3), (ISSUE, 4, "status", 3)]


def schema(people: list[dict[str, str]]) -> ic.Schema:
    return ic.Schema(quasi={name: ic.flat() for name in people[0]})


@pytest.mark.parametrize(("people", "who", "starred", "by_wildcards"), CASES)
def test_one_star_hides_nobody_though_wildcards_count_otherwise(
    people: list[dict[str, str]], who: int, starred: str, by_wildcards: int
) -> None:
    published = [{**person, starred: "*"} if at == who else person for at, person in enumerate(people)]
    roles = schema(people)
    assert ic.assess(published, roles, matching="compatible").compatible_k == by_wildcards
    (finding,) = ic.check(published, roles, "k>=2[candidates]").findings
    assert (finding.measured, finding.failing_records) == ((1,), 1)
    linkage = ic.attack(published, roles, original=people).get("linkage")
    assert (linkage.worst, linkage.exposed.records) == (1, 1)


@pytest.mark.parametrize("people", [GUIDE, ISSUE])
def test_what_is_searched_for_the_same_tables_hides_everybody(people: list[dict[str, str]]) -> None:
    kept: Any = dict.fromkeys(people[0], 0)
    search = ic.LevelsAndCells()
    release = ic.anonymize(people, schema(people), model="k>=2[candidates]", algorithm=search, at_least=kept)
    assert release.verdict.holds
    linkage = ic.attack(release, original=people).get("linkage")
    assert linkage.worst is not None
    assert linkage.worst <= Fraction(1, 2)
