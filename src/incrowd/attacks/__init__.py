"""What an intruder learns from a release: every attack judges classes, none sees a table."""

from incrowd.attacks._background import listed_exclusions, unlikely_exclusions, worst_exclusions
from incrowd.attacks._candidates import (
    Crowd,
    Linked,
    Remaining,
    entries_of_rows,
    intersect,
    link,
    link_persons,
    widths_of,
)
from incrowd.attacks._expectation import ExpectedHomogeneity, expected_from_counts, expected_homogeneity
from incrowd.attacks._inference import (
    AttackOutcome,
    Prior,
    certain_values,
    chance_to_pick,
    has_several_certain,
    homogeneity,
    inference,
    known_items,
    missing_code,
    people_of,
    singling_out,
)
from incrowd.attacks._intruder import Intruder
from incrowd.attacks._linkage import Links, Matching
from incrowd.attacks._members import Claims, Members, tight_claims
from incrowd.attacks._minimality import Undivided, minimality_in_sample
from incrowd.attacks._original import expect_original, is_made_from
from incrowd.attacks._people import Disclosures, KnownPeople, Truth, sum_of_shares
from incrowd.attacks._range import ValueLine, narrow_range
from incrowd.attacks._similarity import Likeness, category_inference, change_of_belief, similarity, skewness

__all__ = [
    "AttackOutcome", "Claims", "Crowd", "Disclosures", "ExpectedHomogeneity", "Intruder", "KnownPeople", "Likeness",
    "Linked", "Links", "Matching", "Members", "Prior", "Remaining", "Truth", "Undivided", "ValueLine",
    "category_inference", "certain_values", "chance_to_pick", "change_of_belief", "entries_of_rows", "expect_original",
    "expected_from_counts", "expected_homogeneity", "has_several_certain", "homogeneity", "inference", "intersect",
    "is_made_from", "known_items", "link", "link_persons", "listed_exclusions", "minimality_in_sample", "missing_code",
    "narrow_range", "people_of", "similarity", "singling_out", "skewness", "sum_of_shares", "tight_claims",
    "unlikely_exclusions", "widths_of", "worst_exclusions",
]  # fmt: skip
