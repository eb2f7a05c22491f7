"""Promises: each privacy model is a small frozen object that judges classes."""

from incrowd.models._alpha_association import AlphaAssociation
from incrowd.models._association import Association
from incrowd.models._feasibility import Feasibility, Obstacle, feasibility
from incrowd.models._form import Choice, Form, Key, Parts, choices
from incrowd.models._judge import Judge, Judgement, Requirement
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._l_diversity import LDiversity, RecursiveDiversity
from incrowd.models._likeness import BetaLikeness, DeltaDisclosure
from incrowd.models._limit import suppression_limit
from incrowd.models._max_groups import cumulative_max, max_groups, max_p
from incrowd.models._measured import Measured, Ratios, Sense, Sums
from incrowd.models._model import All, Model
from incrowd.models._nt_closeness import Certificates, NTCloseness, NTJudge, nt_curve
from incrowd.models._numbers import Number
from incrowd.models._p_sensitive import EnhancedPAlphaSensitive, PAlphaSensitive, PSensitive
from incrowd.models._promise import promise
from incrowd.models._region_distances import Pairs
from incrowd.models._t_closeness import Coverage, Distance, TCloseness
from incrowd.models._trivial import trivial

__all__ = [
    "All",
    "AlphaAssociation",
    "Association",
    "BetaLikeness",
    "Certificates",
    "Choice",
    "Coverage",
    "DeltaDisclosure",
    "Distance",
    "EnhancedPAlphaSensitive",
    "Feasibility",
    "Form",
    "Judge",
    "Judgement",
    "KAnonymity",
    "Key",
    "LDiversity",
    "Measured",
    "Model",
    "NTCloseness",
    "NTJudge",
    "Number",
    "Obstacle",
    "PAlphaSensitive",
    "PSensitive",
    "Pairs",
    "Parts",
    "Ratios",
    "RecursiveDiversity",
    "Requirement",
    "Sense",
    "Sums",
    "TCloseness",
    "choices",
    "cumulative_max",
    "feasibility",
    "max_groups",
    "max_p",
    "nt_curve",
    "promise",
    "suppression_limit",
    "trivial",
]
