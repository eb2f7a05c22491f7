"""The printed tables of the paper on improved algorithms: its example, and what it says came out."""

from __future__ import annotations

from typing import Any

from incrowd.core import Schema
from incrowd.hierarchies import categories, flat, mask, tree

QUASI = ("race", "birth", "gender", "zip")
PROBLEM = "problem"
PROBLEMS = (
    *("Asthma", "Pulmonary vascular", "Lung cancer", "Mouth cancer", "Coronary artery", "Lung cancer"),
    *("Pulmonary vascular", "Cardiomyopathy", "Coronary artery", "Lung cancer", "Pulmonary vascular", "Asthma"),
)
"""The problems of the twelve records, the same in every table."""
KINDS = {
    "respiratory": ["Asthma", "Pulmonary vascular"],
    "cancer": ["Lung cancer", "Mouth cancer"],
    "heart": ["Coronary artery", "Cardiomyopathy"],
}
"""The figure with the categories is not in the text: these are inferred from what it says about them."""

TABLE_7 = """
black 9/20/1965 male 2141, black 2/14/1965 male 2141, black 10/3/1965 female 2138, black 8/24/1965 female 2138,
black 11/7/1964 female 2138, black 12/1/1964 female 2138, white 9/23/1964 male 2138, white 3/15/1965 female 2139,
white 8/13/1964 male 2139, white 5/5/1964 male 2139, white 2/13/1967 male 2138, white 3/21/1967 male 2138
"""
BEGIN = """
black 1965 male 2141, black 1965 male 2141, black 1965 female 2138, black 1965 female 2138, black 1964 female 2138,
black 1964 female 2138,
"""
END = "white 1964 male 2139, white 1964 male 2139, white 1967 male 2138, white 1967 male 2138"
TABLE_10 = f"{BEGIN} white 196* male 2138, white 196* female 2139, {END}"
TABLE_12 = f"{BEGIN} white 1964 male 2138, white * female 2139, {END}"
TABLE_13 = f"{BEGIN} white * male *, * * * *, {END}"
TABLE_14 = ", ".join(
    label
    for label in ("black 1965 * 21*", "black * female 2138", "white 196* * 213*", "white 196* male 213*")
    for _ in range(3)
)
TABLE_15 = """
black 1965 * 021*, black 1965 * 021*, black 1965 * 021*, black 196* female 02138, black 196* female 02138,
black 196* female 02138, white 196* * 02138, white 196* * 02139, white 196* * 02139, white 196* male 0213*,
white 196* male 0213*, white 196* male 0213*
"""
PRINTED = {
    "Table 10, improved Datafly": TABLE_10,
    "Table 12, mu-Argus": TABLE_12,
    "Table 13, improved mu-Argus": TABLE_13,
    "Table 14, l-diversity": TABLE_14,
    "Table 15, improved l-diversity": TABLE_15,
}


def rows_of(table: str) -> list[dict[str, str]]:
    """Read a printed table; its records stand in the order of the paper."""
    cells = [record.split() for record in table.replace("\n", " ").split(",")]
    return [
        {**dict(zip(QUASI, labels, strict=True)), PROBLEM: problem}
        for labels, problem in zip(cells, PROBLEMS, strict=True)
    ]


def example_schema() -> Schema:
    """Give the roles of Table 7: dates go to years, decades and nothing, zip codes lose digits."""
    years: dict[str, list[str]] = {}
    for row in rows_of(TABLE_7):
        years.setdefault(row["birth"][-4:], []).append(row["birth"])
    births: dict[str, Any] = {"*": {"196*": years}}
    quasi: dict[str, Any] = {"race": flat(), "birth": tree(births), "gender": flat(), "zip": mask()}
    return Schema(quasi=quasi, sensitive={PROBLEM: categories(KINDS)})


def printed_schema() -> Schema:
    """Give the roles of a printed table, whose labels are taken as they stand."""
    return Schema(quasi=list(QUASI), sensitive={PROBLEM: categories(KINDS)})
