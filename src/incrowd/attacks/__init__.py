"""What an intruder learns from a release: every attack judges classes, none sees a table."""

from incrowd.attacks._background import listed_exclusions, unlikely_exclusions, worst_exclusions
from incrowd.attacks._class_sets import ClassSets, below
from incrowd.attacks._crowd import Crowd
from incrowd.attacks._downcoding import Claims, tight_claims
from incrowd.attacks._expected import ExpectedHomogeneity, expected_from_counts, expected_homogeneity
from incrowd.attacks._guessing import certain_values, has_several_certain, homogeneity, inference, singling_out
from incrowd.attacks._intersection import Remaining, intersect
from incrowd.attacks._intruder import Intruder
from incrowd.attacks._line import Line
from incrowd.attacks._linkage import Links
from incrowd.attacks._linked import Linked, link, link_persons
from incrowd.attacks._matching import Matching
from incrowd.attacks._members import Members
from incrowd.attacks._minimality import People, Undivided, halve, undivided
from incrowd.attacks._narrowest import widths_of
from incrowd.attacks._outcome import Outcome
from incrowd.attacks._prior import Prior, missing_code, one_of, people_of
from incrowd.attacks._range import narrow_range
from incrowd.attacks._similarity import Likeness, category_inference, similarity
from incrowd.attacks._skewness import change_of_belief, skewness

__all__ = [
    "Claims",
    "ClassSets",
    "Crowd",
    "ExpectedHomogeneity",
    "Intruder",
    "Likeness",
    "Line",
    "Linked",
    "Links",
    "Matching",
    "Members",
    "Outcome",
    "People",
    "Prior",
    "Remaining",
    "Undivided",
    "below",
    "category_inference",
    "certain_values",
    "change_of_belief",
    "expected_from_counts",
    "expected_homogeneity",
    "halve",
    "has_several_certain",
    "homogeneity",
    "inference",
    "intersect",
    "link",
    "link_persons",
    "listed_exclusions",
    "missing_code",
    "narrow_range",
    "one_of",
    "people_of",
    "similarity",
    "singling_out",
    "skewness",
    "tight_claims",
    "undivided",
    "unlikely_exclusions",
    "widths_of",
    "worst_exclusions",
]
