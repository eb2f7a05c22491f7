"""Hierarchies for the columns of the Adult table.

The papers print only how many levels each column has and, for one of them, what the groups are; which value goes to
which group is ours. Heights here are steps: the thesis counts the values themselves as a level too (Table 5.1).
"""

from __future__ import annotations

from typing import Any

from incrowd.hierarchies import flat, intervals, tree

AGES = range(17, 91)

OCCUPATIONS = {
    "office work": ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"],
    "manual work": ["Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"],
    "service": ["Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"],
}
MARITAL = {
    "married": ["Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent"],
    "no longer married": ["Divorced", "Separated", "Widowed"],
    "not yet married": ["Never-married"],
}
RACES = {
    "white": ["White"],
    "black": ["Black"],
    "neither": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Other"],
}
EDUCATION = {
    "up to school": {
        "primary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
        "secondary": ["9th", "10th", "11th", "12th", "HS-grad"],
    },
    "after school": {
        "college": ["Some-college", "Assoc-acdm", "Assoc-voc"],
        "university": ["Bachelors", "Masters", "Prof-school", "Doctorate"],
    },
}
COUNTRIES = {
    "elsewhere": ["South"],
    "Asia": [
        *("Cambodia", "China", "Hong", "India", "Iran", "Japan", "Laos", "Philippines", "Taiwan", "Thailand"),
        "Vietnam",
    ],
    "Europe": [
        *("England", "France", "Germany", "Greece", "Holand-Netherlands", "Hungary", "Ireland", "Italy", "Poland"),
        *("Portugal", "Scotland", "Yugoslavia"),
    ],
    "Latin America": [
        *("Columbia", "Cuba", "Dominican-Republic", "Ecuador", "El-Salvador", "Guatemala", "Haiti", "Honduras"),
        *("Jamaica", "Mexico", "Nicaragua", "Peru", "Puerto-Rico", "Trinadad&Tobago"),
    ],
    "North America": ["Canada", "Outlying-US(Guam-USVI-etc)", "United-States"],
}
WORKCLASSES = ("Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Self-emp-inc", "Federal-gov", "Without-pay")

SEVEN = ("age", "occupation", "marital-status", "race", "sex", "education", "native-country")
"""The quasi-identifiers of the thesis, in the order of its Table 5.1; what it calls Workclass is the occupation."""


def thesis_hierarchies() -> dict[str, Any]:
    """Give hierarchies with as many levels as Table 5.1 of the thesis says: 3, 2, 2, 2, 1, 3 and 2 steps."""
    trees: dict[str, Any] = {
        "occupation": OCCUPATIONS,
        "marital-status": MARITAL,
        "race": RACES,
        "education": EDUCATION,
        "native-country": COUNTRIES,
    }
    drawn = {name: tree({"*": groups}) for name, groups in trees.items()}
    every: dict[str, Any] = {"age": intervals(10, 20), "sex": flat(), **drawn}
    return {name: every[name] for name in SEVEN}


def p_sensitive_hierarchies() -> dict[str, Any]:
    """Give the hierarchies of Table 7 of the paper: 3, 2, 3 and 1 steps.

    Age goes to ten years, then to below 50 and the rest (the table leaves 50 itself out), marital status to single or
    married, race to white, black or other, then to white or other.
    """
    ages: dict[str, dict[str, list[int]]] = {"<50": {}, ">=50": {}}
    for age in AGES:
        low = age // 10 * 10
        ages["<50" if age < 50 else ">=50"].setdefault(f"[{low}, {low + 10})", []).append(age)
    single = [*MARITAL["no longer married"], *MARITAL["not yet married"]]
    races = {"White or other: white": {"white": RACES["white"]}}
    races["White or other: other"] = {"black": RACES["black"], "neither": RACES["neither"]}
    return {
        "age": tree({"*": ages}),
        "marital-status": tree({"*": {"single": single, "married": MARITAL["married"]}}),
        "race": tree({"*": races}),
        "sex": flat(),
    }
