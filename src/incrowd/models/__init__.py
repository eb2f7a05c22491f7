"""Promises: each privacy model is a small frozen object that judges classes."""

from incrowd.models._alpha_association import AlphaAssociation, Association
from incrowd.models._distances import RegionPairs
from incrowd.models._feasibility import Feasibility, Obstacle, cumulative_max, feasibility, max_groups, max_p
from incrowd.models._form import Form, Key, choices
from incrowd.models._items import ItemsJudge, KKmAnonymity, KnownItems, item_columns, item_sets_of, separators_of
from incrowd.models._judge import (
    Judge,
    Judgement,
    Measured,
    MeasuredNumber,
    Ratios,
    Requirement,
    Sums,
)
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._l_diversity import LDiversity, RecursiveDiversity
from incrowd.models._likeness import BetaLikeness, DeltaDisclosure
from incrowd.models._model import All, ColumnModel, Model, sensitive_columns
from incrowd.models._nt_closeness import Certificates, NTCloseness, NTJudge, nt_curve
from incrowd.models._p_sensitive import EnhancedPAlphaSensitive, PAlphaSensitive, PSensitive
from incrowd.models._promise import exact_text, promise
from incrowd.models._several_rows import KmAnonymity, RowsJudge
from incrowd.models._t_closeness import Coverage, Distance, TCloseness
from incrowd.models._thresholds import (
    MOST_PEOPLE,
    Number,
    check_column,
    check_people,
    exact_fraction,
    given_text,
    number_from_text,
    number_text,
    read_list,
    read_people,
    suppression_limit,
    whole_number,
)

__all__ = [
    "MOST_PEOPLE", "All", "AlphaAssociation", "Association", "BetaLikeness", "Certificates", "ColumnModel", "Coverage",
    "DeltaDisclosure", "Distance", "EnhancedPAlphaSensitive", "Feasibility", "Form", "ItemsJudge", "Judge", "Judgement",
    "KAnonymity", "KKmAnonymity", "Key", "KmAnonymity", "KnownItems", "LDiversity", "Measured", "MeasuredNumber",
    "Model", "NTCloseness", "NTJudge", "Number", "Obstacle", "PAlphaSensitive", "PSensitive", "Ratios",
    "RecursiveDiversity", "RegionPairs", "Requirement", "RowsJudge", "Sums", "TCloseness", "check_column",
    "check_people", "choices", "cumulative_max", "exact_fraction", "exact_text", "feasibility", "given_text",
    "item_columns", "item_sets_of", "max_groups", "max_p", "nt_curve", "number_from_text", "number_text", "promise",
    "read_list", "read_people", "sensitive_columns", "separators_of", "suppression_limit", "whole_number",
]  # fmt: skip
