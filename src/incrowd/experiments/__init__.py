"""The experiments of the papers that incrowd stands on, done again."""

from incrowd.experiments._reproduce import CHOOSES, check_names, reproduce
from incrowd.experiments._result import Claim, Experiment, Reproduction, prepare

__all__ = ["CHOOSES", "Claim", "Experiment", "Reproduction", "check_names", "prepare", "reproduce"]
