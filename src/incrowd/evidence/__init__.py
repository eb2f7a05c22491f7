"""Questions to a table or a release: assess, risk, utility, attack, compare."""

from incrowd.evidence._assess import assess, certain
from incrowd.evidence._assessment import Assessment, ColumnAssessment
from incrowd.evidence._attack import attack
from incrowd.evidence._attacks import Attack, Attacks, is_guess, worst_of
from incrowd.evidence._check import check
from incrowd.evidence._compare import Comparison, compare
from incrowd.evidence._json import plain_verdict
from incrowd.evidence._profile import ColumnProfile, Profile, profile, profile_of
from incrowd.evidence._risk import risk
from incrowd.evidence._risk_result import SAFE_HARBOR, AttackerRisk, Checklist, Item, Preset, Risk, preset
from incrowd.evidence._sides import Compared, Side, compared
from incrowd.evidence._subject import Subject, original_census, subject_of
from incrowd.evidence._utility import utility
from incrowd.evidence._utility_result import Accuracy, Marginal, PairChange, QueryErrors, Utility

__all__ = [
    "SAFE_HARBOR",
    "Accuracy",
    "Assessment",
    "Attack",
    "AttackerRisk",
    "Attacks",
    "Checklist",
    "ColumnAssessment",
    "ColumnProfile",
    "Compared",
    "Comparison",
    "Item",
    "Marginal",
    "PairChange",
    "Preset",
    "Profile",
    "QueryErrors",
    "Risk",
    "Side",
    "Subject",
    "Utility",
    "assess",
    "attack",
    "certain",
    "check",
    "compare",
    "compared",
    "is_guess",
    "original_census",
    "plain_verdict",
    "preset",
    "profile",
    "profile_of",
    "risk",
    "subject_of",
    "utility",
    "worst_of",
]
