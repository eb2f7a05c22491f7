"""Promises: each privacy model is a small frozen object that judges classes."""

from incrowd.models._alpha_association import AlphaAssociation, Association
from incrowd.models._feasibility import Feasibility, Obstacle, cumulative_max, feasibility, max_groups, max_p
from incrowd.models._form import Choice, Form, Key, Parts, choices
from incrowd.models._judge import Judge, Judgement, Requirement
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._l_diversity import LDiversity, RecursiveDiversity
from incrowd.models._likeness import BetaLikeness, DeltaDisclosure
from incrowd.models._measurement import Measured, MeasuredNumber, Ratios, Sense, Sums, worst
from incrowd.models._model import All, Model, sensitive_columns
from incrowd.models._nt_closeness import Certificates, NTCloseness, NTJudge, nt_curve
from incrowd.models._p_sensitive import EnhancedPAlphaSensitive, PAlphaSensitive, PSensitive
from incrowd.models._promise import exactly, promise, shown_by_a_file, trivial
from incrowd.models._region_distances import Pairs
from incrowd.models._t_closeness import Coverage, Distance, TCloseness
from incrowd.models._thresholds import (
    MOST_PEOPLE,
    Number,
    check_column,
    check_people,
    fraction,
    listed,
    plain,
    read_number,
    read_people,
    shown,
    suppression_limit,
    whole,
)

__all__ = [
    "MOST_PEOPLE",
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
    "MeasuredNumber",
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
    "check_column",
    "check_people",
    "choices",
    "cumulative_max",
    "exactly",
    "feasibility",
    "fraction",
    "listed",
    "max_groups",
    "max_p",
    "nt_curve",
    "plain",
    "promise",
    "read_number",
    "read_people",
    "sensitive_columns",
    "shown",
    "shown_by_a_file",
    "suppression_limit",
    "trivial",
    "whole",
    "worst",
]
