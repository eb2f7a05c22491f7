"""Promises: each privacy model is a small frozen object that judges classes."""

from incrowd.models._alpha_association import AlphaAssociation
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._l_diversity import LDiversity, RecursiveDiversity
from incrowd.models._likeness import BetaLikeness, DeltaDisclosure
from incrowd.models._measured import Measured
from incrowd.models._model import All, Judge, Judgement, Model, Requirement
from incrowd.models._p_sensitive import EnhancedPAlphaSensitive, PAlphaSensitive, PSensitive
from incrowd.models._promise import promise
from incrowd.models._t_closeness import Coverage, TCloseness

__all__ = [
    "All",
    "AlphaAssociation",
    "BetaLikeness",
    "Coverage",
    "DeltaDisclosure",
    "EnhancedPAlphaSensitive",
    "Judge",
    "Judgement",
    "KAnonymity",
    "LDiversity",
    "Measured",
    "Model",
    "PAlphaSensitive",
    "PSensitive",
    "RecursiveDiversity",
    "Requirement",
    "TCloseness",
    "promise",
]
