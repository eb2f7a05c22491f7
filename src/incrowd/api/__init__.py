"""The front doors: what a user calls."""

from incrowd.api._anonymize import anonymize
from incrowd.api._assess import assess
from incrowd.api._assessment import Assessment, ColumnAssessment
from incrowd.api._census import census
from incrowd.api._check import check
from incrowd.api._exposed import ClassSizes, Exposed
from incrowd.api._feasibility import feasibility
from incrowd.api._hospital import hospital, hospital_schema
from incrowd.api._plain import plain_verdict
from incrowd.api._release import Recipe, Release
from incrowd.api._solutions import frontier, solutions

__all__ = [
    "Assessment",
    "ClassSizes",
    "ColumnAssessment",
    "Exposed",
    "Recipe",
    "Release",
    "anonymize",
    "assess",
    "census",
    "check",
    "feasibility",
    "frontier",
    "hospital",
    "hospital_schema",
    "plain_verdict",
    "solutions",
]
