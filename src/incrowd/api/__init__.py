"""The front doors: what a user calls."""

from incrowd.api._anonymize import anonymize
from incrowd.api._apply import apply
from incrowd.api._assess import assess
from incrowd.api._assessment import Assessment, ColumnAssessment
from incrowd.api._attack._attack import attack
from incrowd.api._attack._attacks import Attack, Attacks
from incrowd.api._census import census
from incrowd.api._check import check
from incrowd.api._compare import Comparison, compare
from incrowd.api._explain import Explanation, Notch
from incrowd.api._exposed import ClassSizes, Exposed
from incrowd.api._feasibility import feasibility
from incrowd.api._hospital import hospital, hospital_schema
from incrowd.api._plain import plain_verdict
from incrowd.api._plan._plan import Plan
from incrowd.api._presets._hipaa import safe_harbor
from incrowd.api._presets._presets import Checklist, Item, Preset, preset
from incrowd.api._profile import ColumnProfile, Profile, profile
from incrowd.api._recipe import Recipe
from incrowd.api._recoding_files import SavedRecoding, load_recoding, save_recoding
from incrowd.api._release import Release
from incrowd.api._release_folder import certificate_at
from incrowd.api._risk._result import AttackerRisk, Risk
from incrowd.api._risk._risk import risk
from incrowd.api._solutions import frontier, solutions
from incrowd.api._suggest._combinations import Combination, SinglingOut
from incrowd.api._suggest._suggest import suggest
from incrowd.api._suggest._suggestion import ColumnSuggestion, Suggestion
from incrowd.api._utility._result import Accuracy, Marginal, PairChange, QueryErrors, Utility
from incrowd.api._utility._utility import utility
from incrowd.api._verify import Verification, read_certificate, verify
from incrowd.api.experiments import Claim, Experiment, Reproduction, reproduce

__all__ = [
    "Accuracy",
    "Assessment",
    "Attack",
    "AttackerRisk",
    "Attacks",
    "Checklist",
    "Claim",
    "ClassSizes",
    "ColumnAssessment",
    "ColumnProfile",
    "ColumnSuggestion",
    "Combination",
    "Comparison",
    "Experiment",
    "Explanation",
    "Exposed",
    "Item",
    "Marginal",
    "Notch",
    "PairChange",
    "Plan",
    "Preset",
    "Profile",
    "QueryErrors",
    "Recipe",
    "Release",
    "Reproduction",
    "Risk",
    "SavedRecoding",
    "SinglingOut",
    "Suggestion",
    "Utility",
    "Verification",
    "anonymize",
    "apply",
    "assess",
    "attack",
    "census",
    "certificate_at",
    "check",
    "compare",
    "feasibility",
    "frontier",
    "hospital",
    "hospital_schema",
    "load_recoding",
    "plain_verdict",
    "preset",
    "profile",
    "read_certificate",
    "reproduce",
    "risk",
    "safe_harbor",
    "save_recoding",
    "solutions",
    "suggest",
    "utility",
    "verify",
]
