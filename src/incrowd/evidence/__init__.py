"""Questions to a table or a release: assess, risk, utility, attack, compare."""

from incrowd.evidence._alternatives import Alternative, Alternatives, alternatives_lines
from incrowd.evidence._assess import assess, certain, check, plain_verdict
from incrowd.evidence._assessment import Assessment, ColumnAssessment
from incrowd.evidence._attack import attack
from incrowd.evidence._attack_result import Attack, Attacks, worst_text
from incrowd.evidence._column_views import (
    Bar,
    Rung,
    bars_of,
    examples_of,
    frequent_values,
    rungs_of,
    samples_of,
    spread_over,
    way_up,
)
from incrowd.evidence._compare import (
    SEARCHES,
    Better,
    Comparison,
    alternatives,
    better_search,
    compare,
    searches_beside,
)
from incrowd.evidence._profile import ColumnProfile, Profile, profile, profile_of
from incrowd.evidence._published_rules import SAFE_HARBOR, Checklist, Item, Preset, preset
from incrowd.evidence._question import Answer, RangeError, Where, ask
from incrowd.evidence._risk import risk
from incrowd.evidence._risk_result import AttackerRisk, Risk
from incrowd.evidence._sensitive_classes import (
    ClassCloseness,
    ClosenessByClass,
    association_of,
    closeness_by_class,
    sensitive_classes,
)
from incrowd.evidence._singling_out import Alone, OneOfAKind, one_of_a_kind, people_alone
from incrowd.evidence._subject import Subject
from incrowd.evidence._utility import utility
from incrowd.evidence._utility_result import Accuracy, Marginal, PairChange, QueryErrors, Utility

__all__ = [
    "SAFE_HARBOR", "SEARCHES", "Accuracy", "Alone", "Alternative", "Alternatives", "Answer", "Assessment", "Attack",
    "AttackerRisk", "Attacks", "Bar", "Better", "Checklist", "ClassCloseness", "ClosenessByClass", "ColumnAssessment",
    "ColumnProfile", "Comparison", "Item", "Marginal", "OneOfAKind", "PairChange", "Preset", "Profile", "QueryErrors",
    "RangeError", "Risk", "Rung", "Subject", "Utility", "Where", "alternatives", "alternatives_lines", "ask", "assess",
    "association_of", "attack", "bars_of", "better_search", "certain", "check", "closeness_by_class", "compare",
    "examples_of", "frequent_values", "one_of_a_kind", "people_alone", "plain_verdict", "preset", "profile",
    "profile_of", "risk", "rungs_of", "samples_of", "searches_beside", "sensitive_classes", "spread_over", "utility",
    "way_up", "worst_text",
]  # fmt: skip
